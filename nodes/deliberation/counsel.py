"""What a model proposes when an agent deliberates: wishes and chances, with reasons and what they rest on (S3 4.1, 6).

A model proposes; rules dispose. Every id it names must exist, a wish must pass the adoption rules, and its priority is
that of the formula. Whatever was proposed, taken up or refused stands in the ledger with its reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, Field

from mabos.backends.chat import NOT_ASKED, ChatMessage
from mabos.backends.structured import structured
from mabos.configs.errors import InvalidArgument
from mabos.configs.prompts import prompt
from mabos.mind.conditions import fault
from mabos.mind.desires import STANDING, adoptable, given_up_before, rated, satisfaction, target_of
from mabos.mind.goals import OPEN
from mabos.mind.model import Desire, DesireType, Goal
from mabos.nodes.cycle import Cycle
from mabos.nodes.state import BdiState
from mabos.tools.runtime.services import Agent
from mabos.tools.work.session import is_work
from mabos.workspace.clock import parse_time

SHOWN = 40
"""Beliefs that a model is shown, those of this cycle first, then the surest."""
_LINE = 300  # characters of one record
Share = Annotated[float, Field(ge=0, le=1)]


class _Wish(BaseModel):
    name: Annotated[str, Field(min_length=3, max_length=80)]
    type: DesireType = "achieve"
    base: Share
    importance: Share
    urgency: Share
    alignment: Share
    target: str = ""
    deadline: str = ""
    serves: str = ""
    reason: Annotated[str, Field(min_length=3)]
    evidence: list[str]


class _Chance(BaseModel):
    goal: str
    probability: Share
    reason: Annotated[str, Field(min_length=3)]
    evidence: list[str]


class _Counsel(BaseModel):
    desires: list[_Wish] = []
    options: list[_Chance] = []


@dataclass(frozen=True, slots=True)
class Advice:
    """How likely a model thinks a goal is to be reached, why, and the ids it rests on."""

    probability: float
    reason: str
    evidence: tuple[str, ...]


@dataclass(slots=True)
class _Verdicts:
    """What became of each proposal, in words for the ledger."""

    taken: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def counselled(cycle: Cycle, state: BdiState) -> Mapping[str, Advice]:
    """Take up the wishes of a model that rules allow, and return its estimates by goal; without a model, nothing.

    It is asked once in a cycle that has perceived something, but not about a message that it works on anyway. An answer
    of no use changes nothing, and is told when it first happens.
    """
    model = cycle.services.model
    if model.name in NOT_ASKED or not (state["belief_ids"] or _unworked(cycle.agent, state["message_ids"])):
        return {}
    shown = dict(_shown(cycle.agent, state))
    asked = [ChatMessage("system", prompt("deliberate")), ChatMessage("user", _question(cycle.agent, state, shown))]
    answer = structured(model, asked, _Counsel, max_tokens=1_000, tag="deliberate")
    is_other = cycle.has_changed("counsel", answer is None)
    if answer is None:
        cycle.note(counsel="no answer of use came from the model; deliberation goes on without it" if is_other else "")
        return {}
    said = _Verdicts()
    for wish in answer.desires[: cycle.limits.max_goals_adopted]:
        _judge(cycle.agent, wish, shown, said)
    advice = {one.goal: _advised(one) for one in answer.options if _is_founded(cycle.agent, one, shown, said)}
    told = [
        f"{goal}: {one.probability:g}, since {one.reason} ({', '.join(one.evidence)})" for goal, one in advice.items()
    ]
    cycle.note(proposed=said.taken, refused=said.refused, advised=told)
    return advice


def _unworked(agent: Agent, message_ids: Sequence[str]) -> bool:
    """Return whether a message came that no work session is about."""
    worked = {one.message_id for one in agent.requests.all() if is_work(one)} if message_ids else set()
    return any(one not in worked for one in message_ids)


def _judge(agent: Agent, wish: _Wish, shown: Mapping[str, str], said: _Verdicts) -> None:
    """Save a proposed wish with its priority, or say why it is refused."""
    mind = agent.mind
    desire = _desire(agent, wish)
    wrong = _unfounded(wish.evidence, shown) or _ill_formed(agent, wish) or given_up_before(desire, mind.desires)
    scored = rated(desire, agent.clock(), satisfaction(mind.desires, mind.goals), mind.index)
    wrong = wrong or adoptable(scored, mind.desires, mind.beliefs, mind.index).reason
    if wrong:
        said.refused.append(f"{wish.name}: {wrong}")
        return
    made = mind.add(scored, why="proposed by a model", cycle=agent.cycle)
    said.taken.append(f"{made.id} {made.name} ({made.priority:.2f}), since {wish.reason} ({', '.join(wish.evidence)})")


def _desire(agent: Agent, wish: _Wish) -> Desire:
    mind, name = agent.mind, " ".join(wish.name.split())
    return Desire(
        id=agent.ids.new("D-MODEL", {one.id for one in mind.desires}),
        name=name,
        type=wish.type,
        category="instrumental" if wish.serves else "terminal",
        base=wish.base,
        importance=wish.importance,
        urgency=wish.urgency,
        alignment=wish.alignment,
        serves=wish.serves,
        target=wish.target or target_of(name, wish.type),
        deadline=wish.deadline,
        created=agent.now(),
        reason=f"proposed by {agent.services.model.name}: {wish.reason} ({', '.join(wish.evidence)})",
    )


def _ill_formed(agent: Agent, wish: _Wish) -> str:
    """Return what is wrong with a target, a deadline or the desire served, or an empty text."""
    if wrong := fault(wish.target):
        return f"nothing could decide its target, at {wrong}"
    if wish.serves and all(one.id != wish.serves for one in agent.mind.desires):
        return f"it serves {wish.serves!r}, and there is no such desire"
    try:
        if wish.deadline:
            parse_time(wish.deadline, argument="deadline")
    except InvalidArgument as error:
        return error.message
    return ""


def _is_founded(agent: Agent, option: _Chance, shown: Mapping[str, str], said: _Verdicts) -> bool:
    """Return whether an estimate is of an open goal and rests on what exists; else say why it is refused."""
    known = any(goal.id == option.goal for goal in _open(agent))
    wrong = _unfounded(option.evidence, shown) if known else "there is no such open goal"
    if wrong:
        said.refused.append(f"{option.goal}: {wrong}")
    return not wrong


def _advised(option: _Chance) -> Advice:
    return Advice(option.probability, option.reason, tuple(dict.fromkeys(option.evidence)))


def _unfounded(evidence: Sequence[str], shown: Mapping[str, str]) -> str:
    """Return why evidence is none: nothing is named, or something that does not exist."""
    if not evidence:
        return "it names no evidence"
    missing = [one for one in evidence if one not in shown]
    return f"it rests on {', '.join(missing)}, which does not exist" if missing else ""


def _shown(agent: Agent, state: BdiState) -> Iterator[tuple[str, str]]:
    """Yield what a model is shown, by id: what is new, what is wanted, what is aimed at, and what is held."""
    mind = agent.mind
    heard, news = set(state["message_ids"]), set(state["belief_ids"])
    for message in agent.inbox.messages() if heard else ():
        if message.id in heard:
            yield message.id, f"{message.performative} from {message.sender}: {message.content}"
    held = [one for one in mind.beliefs if one.status == "held"]
    for belief in sorted(held, key=lambda one: (one.id not in news, -one.certainty, one.id))[:SHOWN]:
        yield belief.id, f"{belief.statement} (certainty {belief.certainty:.2f})"
    for desire in mind.desires:
        if desire.status in STANDING:
            yield desire.id, f"{desire.name} ({desire.type}, priority {desire.priority:.2f}) {desire.target}"
    for goal in _open(agent):
        yield goal.id, f"{goal.description} ({goal.progress:.0f}% done) {goal.target}"


def _open(agent: Agent) -> list[Goal]:
    return [goal for goal in agent.mind.goals if goal.status in OPEN]


def _question(agent: Agent, state: BdiState, shown: Mapping[str, str]) -> str:
    news, goals = {*state["message_ids"], *state["belief_ids"]}, {goal.id for goal in _open(agent)}
    wanted = {one.id for one in agent.mind.desires}
    parts = {
        "New": [one for one in shown if one in news],
        "Wanted": [one for one in shown if one in wanted],
        "Open goals": [one for one in shown if one in goals],
        "Believed": [one for one in shown if one not in news | wanted | goals],
    }
    lines = [f"{agent.mind.persona.title or agent.id}, {agent.now()}"]
    for title, ids in parts.items():
        lines += [f"\n{title}:", *(f"[{one}] {' '.join(shown[one].split())[:_LINE]}" for one in ids)]
    return "\n".join(lines)
