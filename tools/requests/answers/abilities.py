"""List the agent's abilities: the operations among its capabilities, and the nearest to a refused one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mabos.configs.errors import Refused
from mabos.configs.yaml_file import packaged_yaml
from mabos.language.request import Claim, Request
from mabos.tools.gate.identity import check_capability
from mabos.tools.requests.answers.statement import Statement, claims_of, together
from mabos.tools.requests.answers.topics import refers_back
from mabos.tools.requests.answers.work_items import WorkItem, meaningful, overlap
from mabos.tools.requests.records import section
from mabos.tools.requests.wording import join_words, quote_text
from mabos.tools.runtime.services import Agent, Caller
from mabos.workspace.copies import replace


@dataclass(frozen=True, slots=True)
class Ability:
    """A kind of request, its operations, and the words for it."""

    words: str
    tools: Sequence[str]
    about: str


ABILITIES = [Ability(**one) for one in packaged_yaml("requests/abilities.yaml")["abilities"]]
"""The kinds of work that an agent may offer; the catalogue has the operations, in this order of interest."""

_ALWAYS = "keep a task with its deadline, remind you on a day, and answer from figures, facts and documents on record"
_BY_HANDS = ("work_package_create", "email_send")
_BY_PHONE = ("email_send", "agent_message")


def what_it_can(agent: Agent, question: str, item: WorkItem | None) -> Statement:
    """Return the agent's abilities: those near a refused piece of work, those on the topic of a question, or all."""
    if item is not None and item.request is not None and item.request.status in ("refused", "failed", "asking"):
        rejected = next((one for one in item.decisions if one.status == "rejected"), None)
        if rejected is not None:
            text = f"You rejected {quote_text(rejected.subject)} ({rejected.id}). I can ask again with other values"
            return Statement(text, claims_of(rejected, "subject status", agent.now()))
        return together(_nearest(agent, item.request))
    wanted = () if refers_back(question) else meaningful(question)
    if wanted and (fitting := [one for one in _own(agent) if overlap(wanted, f"{one.words} {one.about}") > 0]):
        return Statement(
            f"I can {join_words(one.words for one in fitting)}{_leave(agent, fitting)}", _claims(agent, fitting)
        )
    if wanted:
        who = _who_else(agent, wanted)
        lead = f"None of my operations does that{f'; {who}' if who else ''}"
        return Statement(f"{lead}. I can {join_words(one.words for one in _own(agent))}")
    own = _own(agent)
    return Statement(
        f"I can {join_words(one.words for one in own)}. I can also {_ALWAYS}{_leave(agent, own)}", _claims(agent, own)
    )


def _own(agent: Agent) -> list[Ability]:
    return [one for one in ABILITIES if any(may_use(agent, name) for name in one.tools)]


def may_use(agent: Agent, name: str) -> bool:
    """Return whether an agent's own capabilities list an operation."""
    acting = replace(agent, caller=Caller("agent", agent.id))
    try:
        check_capability(acting, agent.services.tools.tool(name))
    except Refused:
        return False
    return True


def _leave(agent: Agent, abilities: Sequence[Ability]) -> str:
    """Return a note that a person decides first, if these operations cost money or leave the company."""
    asks = [one for one in abilities if any(agent.services.tools.tool(name).asked_for for name in one.tools)]
    return ". What costs money or leaves the company goes through your approval rules first" if asks else ""


def _claims(agent: Agent, abilities: Sequence[Ability]) -> tuple[Claim, ...]:
    return tuple(
        Claim(f"capabilities {agent.id}", "tools", name, agent.now()) for one in abilities for name in one.tools
    )


def _nearest(agent: Agent, request: Request) -> Iterator[Statement]:
    """Yield alternatives to an impossible request: letters to the person it names, colleagues' work, a reminder."""
    if request.status == "asking":
        yield Statement(f"I can go on when you answer my question: {request.question}")
    named = [
        one
        for one in section(agent, "contacts")
        if str(one.get("name") or "~").casefold() in request.sentence.casefold()
    ]
    offers = []
    for name in _BY_PHONE if request.slot("impossible") == "phone" else _BY_HANDS:
        if name == "email_send" and may_use(agent, name):
            to = join_words(f"{one['name']} <{one['email']}>" for one in named)
            offers.append(f"draft a letter{f' to {to}' if to else ''} for your approval")
        elif name == "work_package_create" and may_use(agent, name):
            offers.append("order it as a work package from a contractor, with a budget and a date that you name")
        elif name == "agent_message":
            offers.append("ask a colleague")
    offers.append("keep it as a task and remind you on a day that you name")
    claims = tuple(Claim(str(one["id"]), "email", one["email"], agent.now()) for one in named)
    yield Statement(f"About {quote_text(request.sentence)} I can {join_words(offers, 'or')}. Tell me which", claims)


def _who_else(agent: Agent, wanted: Sequence[str]) -> str:
    """Return the colleague who may do the work of a question."""
    lacking = [one for one in ABILITIES if overlap(wanted, f"{one.words} {one.about}") > 0]
    for one in lacking:
        for other in agent.services.agents():
            if other != agent.id and any(may_use(agent.services.agent(other), name) for name in one.tools):
                return f"{other} can {one.words}"
    return ""
