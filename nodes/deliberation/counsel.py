"""Proposals from a model during deliberation: desires and probabilities, with reasons and evidence (S3 4.1, 6).

A model proposes; rules dispose. Every id it names must exist, a desire must pass the adoption rules, and its priority
comes from the formula. The ledger records every proposal, accepted or refused, with its reason. Refused ones are kept
with the agent's proposals: the model sees them, and they are not judged again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import BaseModel, Field

from mabos.backends.chat import NOT_ASKED, ChatMessage
from mabos.backends.structured import complete_structured
from mabos.configs.errors import InvalidArgument
from mabos.mind.conditions import fault
from mabos.mind.desires import STANDING, adoptable, given_up_before, rate_desire, satisfaction, target_of
from mabos.mind.goals import OPEN
from mabos.mind.model import Desire, DesireType, Goal
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.books import SOURCE as BOOKS
from mabos.nodes.state import BdiState
from mabos.tools.runtime.services import Agent
from mabos.tools.work.briefing import BriefingPart, ThoughtBriefing, missing_evidence, thinking
from mabos.tools.work.proposals import ModelProposal, came_of_plan, proposal_id
from mabos.tools.work.session import is_work
from mabos.workspace.clock import parse_time
from mabos.workspace.text import shorten

SHOWN = 40
"""Beliefs that a model is shown, those of this cycle first, then the surest."""
REFUSED = 12
"""Refused proposals that a model is shown, the newest first."""
PLANS = 6
"""Its own plans with their outcomes that a model is shown."""
_LINE = 600  # characters of one record; a message is shown whole
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
    """A model's probability of reaching a goal, its reason, and its evidence ids."""

    probability: float
    reason: str
    evidence: tuple[str, ...]


@dataclass(slots=True)
class _Verdicts:
    """The verdict on each proposal, in words for the ledger."""

    taken: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def consult_model(cycle: Cycle, state: BdiState, *, later: bool = False) -> Mapping[str, Advice]:
    """Adopt a model's desires that rules allow, and return its estimates by goal; without a model, do nothing.

    It is asked only about news, not about a message it is already working on, and never twice in the same state, even
    after a restart. With `later` the news waits for the next cycle that asks. An unusable answer changes nothing and is
    reported the first time.
    """
    model, agent = cycle.services.model, cycle.agent
    if model.name in NOT_ASKED:
        return {}
    before = agent.proposals.find(proposal_id("question"))
    waiting = before.evidence if before is not None else ()
    news = tuple(dict.fromkeys((*waiting, *_select_news(agent, state["belief_ids"]))))
    if later:
        _put_off(agent, before, news)
        return {}
    if not (news or _has_unserved_message(agent, state["message_ids"])):
        return {}
    told = _build_briefing(agent, state["message_ids"], news)
    asked = ModelProposal(proposal_id("question"), "question", agent.id, proposal_id("question", told.key), "asked")
    if before is not None and before.words == asked.words:
        _put_off(agent, before, ())
        return {}
    turns = [ChatMessage("system", told.system), ChatMessage("user", told.question)]
    answer = complete_structured(model, turns, _Counsel, max_tokens=1_200, tag="deliberate")
    is_other = cycle.has_changed("counsel", answer is None)
    if answer is None:
        _put_off(agent, before, ())
        cycle.note(counsel="no answer of use came from the model; deliberation goes on without it" if is_other else "")
        return {}
    agent.proposals.save(asked)
    said = _Verdicts()
    for wish in answer.desires[: cycle.limits.max_goals_adopted]:
        _judge(agent, wish, told, said)
    advice = {one.goal: _build_advice(one) for one in answer.options if _is_founded(agent, one, told, said)}
    advised = [
        f"{goal}: {one.probability:g}, since {one.reason} ({', '.join(one.evidence)})" for goal, one in advice.items()
    ]
    cycle.note(proposed=said.taken, refused=said.refused, advised=advised)
    return advice


def _has_unserved_message(agent: Agent, message_ids: Sequence[str]) -> bool:
    """Return whether a message came that no work session is about, and that is not a greeting."""
    requests = agent.requests.all() if message_ids else ()
    worked = {one.message_id for one in requests if is_work(one) or one.act == "small_talk"}
    return any(one not in worked for one in message_ids)


def _judge(agent: Agent, wish: _Wish, told: ThoughtBriefing, said: _Verdicts) -> None:
    """Save a proposed wish with its priority, or note why it is refused; skip wishes that were refused before."""
    mind = agent.mind
    desire = _desire(agent, wish)
    named = proposal_id("desire", desire.name.casefold(), desire.type, desire.target, sorted(wish.evidence))
    if (before := agent.proposals.find(named)) is not None and before.status == "refused":
        said.refused.append(f"{wish.name}: refused before, {before.reason}")
        return
    wrong = missing_evidence(agent, told, wish.evidence) or _ill_formed(agent, wish)
    wrong = wrong or given_up_before(desire, mind.desires)
    scored = rate_desire(desire, agent.clock(), satisfaction(mind.desires, mind.goals), mind.index)
    wrong = wrong or adoptable(scored, mind.desires, mind.beliefs, mind.index).reason
    now = agent.now()
    kept = ModelProposal(named, "desire", desire.name, wish.reason, "taken", created_at=now, updated_at=now)
    if wrong:
        said.refused.append(f"{wish.name}: {wrong}")
        agent.proposals.save(replace(kept, status="refused", reason=wrong))
        return
    made = mind.add(scored, why="proposed by a model", cycle=agent.cycle)
    agent.proposals.save(kept)
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
    """Return the error in a target, a deadline or the desire served, or an empty text."""
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


def _is_founded(agent: Agent, option: _Chance, told: ThoughtBriefing, said: _Verdicts) -> bool:
    """Return whether an estimate is of an open goal and has existing evidence; else note why it is refused."""
    known = any(goal.id == option.goal for goal in _open(agent))
    wrong = missing_evidence(agent, told, option.evidence) if known else "there is no such open goal"
    if wrong:
        said.refused.append(f"{option.goal}: {wrong}")
    return not wrong


def _build_advice(option: _Chance) -> Advice:
    return Advice(option.probability, option.reason, tuple(dict.fromkeys(option.evidence)))


def _select_news(agent: Agent, belief_ids: Sequence[str]) -> list[str]:
    """Return the beliefs that are news; the agents' own bookings are not."""
    booked = {one.id for one in agent.mind.beliefs if one.source == BOOKS} if belief_ids else set()
    return [one for one in belief_ids if one not in booked]


def _put_off(agent: Agent, before: ModelProposal | None, news: tuple[str, ...]) -> None:
    """Keep the ids of beliefs that the model is to hear of when it is asked next."""
    if news == (before.evidence if before is not None else ()):
        return
    now = agent.now()
    kept = before or ModelProposal(proposal_id("question"), "question", agent.id, "", "asked", created_at=now)
    agent.proposals.save(replace(kept, evidence=news[-SHOWN:], updated_at=now))


def _build_briefing(agent: Agent, message_ids: Sequence[str], belief_ids: Sequence[str]) -> ThoughtBriefing:
    """Return the briefing of a model: news, desires, goals and beliefs with ids, and records about the news."""
    news = [*_messages(agent, message_ids), *_beliefs(agent, belief_ids, is_new=True)]
    parts = (
        BriefingPart("New", tuple(news), worth=9, floor=len(news)),
        BriefingPart("Wanted", tuple(_desires(agent)), worth=6, floor=6),
        BriefingPart("Open goals", tuple(_goals(agent)), worth=7, floor=6),
        BriefingPart("Your plans, newest first", tuple(_list_plans(agent)), worth=6, floor=2),
        BriefingPart("Believed", tuple(_beliefs(agent, belief_ids, is_new=False)), worth=3, floor=4),
        BriefingPart(
            "Proposed and refused before; do not propose it again",
            tuple(_list_refused_proposals(agent)),
            worth=5,
            floor=4,
        ),
    )
    budget = agent.services.settings.work.briefing_tokens
    return thinking(agent, "deliberate", "\n".join(news), parts, budget_tokens=budget)


def _messages(agent: Agent, message_ids: Sequence[str]) -> list[str]:
    heard = set(message_ids)
    found = [one for one in agent.inbox.messages() if one.id in heard] if heard else []
    return [f"[{one.id}] {one.performative} from {one.sender}: {' '.join(one.content.split())}" for one in found]


def _beliefs(agent: Agent, belief_ids: Sequence[str], *, is_new: bool) -> list[str]:
    """Return beliefs, the surest first: those of this cycle, or the others that there is room for."""
    news = set(belief_ids)
    chosen = [one for one in agent.mind.beliefs if one.status == "held" and (one.id in news) == is_new]
    room = SHOWN if is_new else max(0, SHOWN - len(news))
    chosen = sorted(chosen, key=lambda one: (-one.certainty, one.id))[:room]
    return [_render_item(one.id, f"{one.statement} (certainty {one.certainty:.2f})") for one in chosen]


def _desires(agent: Agent) -> list[str]:
    found = sorted((one for one in agent.mind.desires if one.status in STANDING), key=lambda one: -one.priority)
    return [_render_item(one.id, f"{one.name} ({one.type}, priority {one.priority:.2f}) {one.target}") for one in found]


def _goals(agent: Agent) -> list[str]:
    found = sorted(_open(agent), key=lambda one: -one.priority)
    return [_render_item(one.id, f"{one.description} ({one.progress:.0f}% done) {one.target}") for one in found]


def _list_plans(agent: Agent) -> list[str]:
    made = [one for one in agent.proposals.all() if one.kind == "plan"]
    return [f"{came_of_plan(one)} For {one.about}." for one in reversed(made[-PLANS:])]


def _list_refused_proposals(agent: Agent) -> list[str]:
    found = [one for one in agent.proposals.all() if one.kind == "desire" and one.status == "refused"]
    return [f"- {one.about}: {one.reason}" for one in reversed(found[-REFUSED:])]


def _render_item(item_id: str, text: str) -> str:
    return f"[{item_id}] {shorten(' '.join(text.split()), _LINE, at_word=True)}"


def _open(agent: Agent) -> list[Goal]:
    return [goal for goal in agent.mind.goals if goal.status in OPEN]
