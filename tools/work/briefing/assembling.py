"""The assembly of a briefing: every part from current records, in a cache-friendly order, within a budget."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mabos.backends.shown import RULE, fence_text
from mabos.configs.errors import MabosError
from mabos.configs.prompts import prompt_text
from mabos.language.catalogue import wordings
from mabos.language.request import Request
from mabos.mind.model import Persona
from mabos.society.business import Manifest
from mabos.society.messages import Message
from mabos.society.policy import read_policy
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.sources import Series, Sources, nearness, sources_of
from mabos.tools.requests.answers.targets import targets_of
from mabos.tools.requests.colleagues import title
from mabos.tools.requests.outcome import report_success
from mabos.tools.requests.records import section
from mabos.tools.runtime.services import Agent
from mabos.tools.work.briefing import current, relevant, standing
from mabos.tools.work.briefing.parts import KEEP, BriefingPart, fit_parts
from mabos.tools.work.briefing.results import earlier_results
from mabos.tools.work.compact import tokens
from mabos.tools.work.office import ORDERS
from mabos.tools.work.reads import READS
from mabos.tools.work.toolbox import may_use
from mabos.workspace.text import one_line

_ORDERS = 12
"""Orders that are shown, the newest."""
_RESULTS = 4
"""Orders whose records are shown."""
_TURNS = 20
"""Earlier messages that are shown, the newest; each is whole."""
_HEARD = 6
_TELLS = ("INFORM", "REFUSE", "FAILURE", "CONFIRM", "PROPOSE")
_FIGURES = 12
_SECTIONS = (
    "contacts", "deals", "campaigns", "work_packages", "contractors", "drafts", "letters", "content", "products",
    "prices",
)  # fmt: skip
"""Records that are counted."""
_MEMORIES = 10
_IN_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Briefing:
    """The prompt of a model: `system`, which seldom changes, then `message`: records as data, and the full words.

    `evidence` are the texts that may support the model's statements: records and words, no instructions. `standing` are
    those on roles, rules and goals, which do not support statements that something was done, and all records together.
    """

    system: str
    message: str
    evidence: tuple[str, ...]
    standing: tuple[str, ...] = ()
    parts: tuple[BriefingPart, ...] = ()


def briefing(
    agent: Agent,
    message: Message,
    conversation: Sequence[Message],
    *,
    budget_tokens: int,
    offered: Collection[str] | None = None,
) -> Briefing:
    """Return the briefing for a message of a person or colleague; `conversation` is the earlier talk, oldest first.

    The budget drops the least relevant lines; the message and its sender's earlier words are never cut. The
    instructions name only tools that are `offered`; None offers all.
    """
    talk = build_conversation_parts(agent, conversation)
    said = message_text(agent, message)
    room = budget_tokens - tokens(said) - sum(one.size for one in talk)
    stable = standing_parts(agent, offered)
    told = (*stable, *changing_parts(agent, message, conversation), earlier_results(agent, message))
    parts = (*fit_parts(told, room), *talk)
    kept = tuple(one for one in parts if one.lines)
    system = "\n\n".join([*(one.text for one in parts[: len(stable)] if one.lines), RULE])
    records = "\n\n".join(one.bare for one in parts[len(stable) :] if one.lines)
    is_owner = message.sender == STAKEHOLDER
    asked = f"{fence_text(records)}\n\n{said}" if is_owner else fence_text(f"{records}\n\n## The message\n{said}")
    standing_texts, evidence = (tuple(one.text for one in kept if one.supports == what) for what in ("facts", "all"))
    side_by_side = "\n\n".join(one.bare for one in parts[len(stable) :] if one.lines and one.supports != "nothing")
    return Briefing(system, asked, (*evidence, message.content), (*standing_texts, side_by_side), kept)


def conversation_of(agent: Agent, message: Message, limit: int = _TURNS) -> tuple[Message, ...]:
    """Return the earlier messages between the agent and a message's sender, oldest first."""
    own = [one for one in agent.inbox.messages() if one.sender == message.sender and one.id != message.id]
    try:
        heard = agent.services.inbox(message.sender).messages()
    except MabosError:
        heard = ()
    replies = [one for one in heard if one.sender == agent.id and one.reply_to != message.id]
    before = [one for one in (*own, *replies) if one.timestamp <= message.timestamp]
    return tuple(sorted(before, key=lambda one: (one.timestamp, one.sender == agent.id)))[-limit:]


def instructions(offered: Collection[str] | None = None) -> str:
    """Return the instructions for a message; text in braces is omitted unless its tool is offered."""
    return "\n".join(_only_offered(line, offered) for line in prompt_text("work").splitlines())


def _only_offered(line: str, offered: Collection[str] | None) -> str:
    """Return a line of the prompt without the parts about other tools; an item that is left with nothing is dropped."""

    def keep_offered(part: re.Match[str]) -> str:
        names = [name for name in re.findall(r"\w+", part[1]) if name in ORDERS or name in READS]
        return part[1] if offered is None or all(name in offered for name in names) else ""

    return _IN_BRACES.sub(keep_offered, line).rstrip()


def standing_parts(agent: Agent, offered: Collection[str] | None = None) -> tuple[BriefingPart, ...]:
    """Return the parts that seldom change."""
    manifest = agent.business.manifest if agent.business_id else None
    persona = agent.mind.persona
    ruled = agent.business.instructions.all() if agent.business_id else ()
    profile = agent.business.profile if agent.business_id else None
    lines = tuple(one for one in instructions(offered).splitlines() if one != "-")
    how = BriefingPart("How you work", lines, worth=10, floor=KEEP, supports="nothing")
    return (
        standing.identity(persona, manifest),
        how,
        standing.company(manifest),
        standing.rules(ruled, profile, persona.autonomy_for),
        standing.policy(read_policy(agent.business.directory) if agent.business_id else ""),
        standing.colleagues(_seats(agent, manifest)),
    )


def changing_parts(agent: Agent, message: Message, conversation: Sequence[Message]) -> tuple[BriefingPart, ...]:
    """Return the parts that are read again for each message."""
    said = [message.content, *(one.content for one in conversation)]
    words = relevant.stems(" ".join([message.content, *(one.content for one in conversation[-4:])]))
    sources = sources_of(agent)
    on = agent.clock().date()
    series = _by_relevance(sources, words)
    targets = {one.name: [f"{t.words} ({t.source})" for t in targets_of(agent, one, sources, on)][:2] for one in series}
    requests = orders_before(agent, message)
    results = {one.id: report_success(agent, one).text for one in requests[-_RESULTS:] if one.status == "done"}
    plans = {one.goal_id: one for one in agent.mind.plans}
    near = nearness(agent, message.content, sources.documents)
    return (
        current.today(agent.clock()),
        current.figures(series, targets, on),
        current.inventory({name: section(agent, name) for name in _SECTIONS}),
        current.decisions(agent.services.decisions(agent.business_id).all(), agent.id),
        current.orders(requests, plans, results),
        current.build_colleague_part(
            _from_colleagues(agent, message), {one: title(agent, one) for one in agent.services.agents()}
        ),
        current.commitments(agent.mind.commitments, on),
        current.open_work(agent.mind.goals),
        relevant.facts(sources.statements, words),
        relevant.documents(sources.documents, sources.unreadable, {file for file, _ in sources.set_aside}),
        relevant.passages(sources.documents, words, near),
        relevant.memories(agent.memory.recall(message.content, limit=_MEMORIES), said),
        relevant.beliefs(agent.mind.beliefs, words),
        relevant.lessons(agent.mind.learnings, agent.cases.all(), words, without=[one.goal_id for one in requests]),
    )


def orders_before(agent: Agent, message: Message) -> list[Request]:
    """Return the newest orders of earlier messages, oldest first; a whole message that was worked on is no order."""
    orders = [one for one in agent.requests.all() if one.act == "order" and one.operation != "work"]
    return [one for one in orders if one.message_id != message.id][-_ORDERS:]


def build_conversation_parts(agent: Agent, conversation: Sequence[Message]) -> tuple[BriefingPart, ...]:
    """Return the conversation so far, newest last, in whole messages."""
    lines = tuple(_turn(agent, one) for one in conversation)
    return (BriefingPart("The conversation so far", lines, worth=9, floor=KEEP),) if lines else ()


def message_text(agent: Agent, message: Message) -> str:
    """Return the whole message for the model, with its sender unless that is the owner."""
    if message.sender == STAKEHOLDER:
        return message.content
    if message.sender in agent.services.agents():
        return f"Message from your colleague {message.sender} ({message.performative}):\n{message.content}"
    return f"Message from {message.sender}:\n{message.content}"


def _by_relevance(sources: Sources, words: frozenset[str]) -> list[Series]:
    """Return the figures that the words name, then the others by their newest value."""
    every = sorted(
        (one for one in sources.series.values() if one.points), key=lambda one: one.points[-1].day, reverse=True
    )
    named = relevant.by_relevance(every, words, lambda one: one.name.replace("_", " "))
    return [*named, *(one for one in every if one not in named)][:_FIGURES]


def _from_colleagues(agent: Agent, message: Message) -> list[Message]:
    """Return the newest messages of colleagues that tell something, without those of the conversation at hand."""
    colleagues = set(agent.services.agents()) - {agent.id, message.sender}
    told = [one for one in agent.inbox.messages() if one.sender in colleagues and one.performative in _TELLS]
    return [one for one in told if one.timestamp <= agent.now()][-_HEARD:]


def _turn(agent: Agent, message: Message) -> str:
    who = "You" if message.sender == agent.id else "The owner" if message.sender == STAKEHOLDER else message.sender
    return f"{who}, {message.timestamp[:16].replace('T', ' ')}: {one_line(message.content)}"


def _seats(agent: Agent, manifest: Manifest | None) -> list[tuple[str, Persona, tuple[str, ...]]]:
    """Return the colleagues by role, each with the operations of an office that the agent itself may not use."""
    found = []
    seats = manifest.agents if manifest else {}
    registry = agent.services.tools
    lacking = [one for name in wordings() if name in registry.names and not may_use(agent, one := registry.tool(name))]
    for role, agent_id in seats.items():
        if agent_id != agent.id and agent_id in agent.services.agents():
            other = agent.services.agent(agent_id)
            able = tuple(one.name for one in lacking if may_use(other, one))
            found.append((role, other.mind.persona, able))
    return found
