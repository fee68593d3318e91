"""Perceive: read inbox, dropped documents and watched metrics, and revise beliefs with them (S3 4.1, phase 1)."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from mabos.memory.checkpoints import Checkpoint, parse
from mabos.mind.beliefs import Revised, revise_beliefs
from mabos.mind.desires import denial
from mabos.mind.model import Belief, Desire, Goal
from mabos.nodes.conversation import said_by_person, unheard
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.books import read_books
from mabos.nodes.perception.constraints import asked_by_constraints
from mabos.nodes.perception.documents import Reading, acknowledge, read_documents
from mabos.nodes.perception.facts import FactNews, perceive_facts
from mabos.nodes.perception.figures import look_after_figures
from mabos.nodes.perception.hearing import hear
from mabos.nodes.perception.measures import build_metric_beliefs, series, trending, trends
from mabos.nodes.perception.messages import PERSON, Heard, is_question
from mabos.nodes.perception.offers import asked_by_calls, handed_over
from mabos.nodes.perception.perceptors import read_perceptors
from mabos.nodes.perception.requests import match_wish
from mabos.nodes.perception.rules import asked_by_policies, infer_facts
from mabos.nodes.perception.subscriptions import due
from mabos.nodes.phase import phase
from mabos.nodes.state import IDS_KEPT, BdiState, Update, fresh_state
from mabos.society.business import read_agent
from mabos.society.messages import Message, Performative
from mabos.tools.runtime.services import Agent
from mabos.tools.workflow.due import due as workflows_due
from mabos.workspace.regular import as_text


@phase("perceive", begins=True)
def perceive(cycle: Cycle, state: BdiState) -> Update:
    """Return the fresh state of a cycle, with the messages to answer and the changed beliefs.

    Learn marks messages as read, so that a crashed cycle reads them again; ids of records made here derive from the
    percepts, so that reading twice changes nothing.
    """
    line = unheard(state.get("messages", ()))
    said = state.get("message") or (line or {}).get("content", "")
    messages = _listen(cycle, said)
    news = hear(cycle, messages)
    rules = cycle.agent.rules.select(enabled=True)
    follows = infer_facts(cycle, rules)
    facts = perceive_facts(cycle)  # before documents, whose facts give their beliefs themselves
    reading = read_documents(cycle).with_more(read_perceptors(cycle))
    taken_up = look_after_figures(cycle)
    own = (
        *_measure(cycle, is_more=bool(taken_up)),
        *read_books(cycle, _watches(cycle.agent)),
        *load_checkpoint_belief(cycle),
    )
    change = _believe(cycle.agent, facts, news, reading, own)
    asked, broken = asked_by_policies(cycle, rules), asked_by_constraints(cycle, rules)
    calls = asked_by_calls(cycle.agent, messages)
    cycle.errands = (
        *asked.errands,
        *broken.errands,
        *handed_over(cycle.agent, messages),
        *calls.errands,
    )  # left to act
    cycle.workflows = tuple(run.id for run in workflows_due(cycle.agent))  # left to act too
    wishes = _wish(cycle.agent, news, reading, (*asked.wishes, *broken.wishes), calls.wishes)
    acknowledge(cycle.agent, reading)
    cycle.note(
        messages=[message.id for message in messages],
        documents=list(reading.documents),
        derived=follows,
        beliefs=list(change.changed[:IDS_KEPT]),
        rejected=change.rejected,
        unreadable=list(reading.problems),
        left_out=list(reading.left_out),
        figures=taken_up,
        broken=[wish.id for wish in broken.wishes if wish.status != "dropped"],
        wishes=list(wishes.new),
        served=wishes.served,
    )
    cycle.tell(misread=_misread(cycle))
    heard = [said_by_person(said, f"MSG-{cycle.id}", line)] if said else []
    counts = {"messages": len(messages), "documents": len(reading.documents), "beliefs": len(change.changed)}
    asking = [message.id for message, heard_as in zip(messages, news, strict=True) if heard_as.asks]
    asking += due(cycle)
    return {
        **_fresh(cycle, state),
        **({"messages": heard} if heard else {}),
        "message_ids": [message.id for message in messages],
        "reply_to": asking,
        "served": dict(list(wishes.served.items())[:IDS_KEPT]),
        "belief_ids": list(change.changed[:IDS_KEPT]),
        "counts": {name: count for name, count in counts.items() if count},
    }


def _fresh(cycle: Cycle, state: BdiState) -> BdiState:
    return fresh_state(
        agent_id=cycle.agent.id,
        workspace=str(cycle.services.layout.root),
        cycle=cycle.id,
        trigger=state.get("trigger") or "manual",
        steps=cycle.steps_allowed,
    )


def _listen(cycle: Cycle, said: str) -> tuple[Message, ...]:
    """Return the unread messages, the most urgent first, including a person's message of now."""
    inbox = cycle.agent.inbox
    if said:
        performative: Performative = "QUERY" if is_question(said) else "REQUEST"
        spoken = Message(f"MSG-{cycle.id}", PERSON, cycle.agent.id, performative, said, cycle.now(), priority="high")
        inbox.deliver(cycle.services.mail.screen_message(spoken))
        cycle.services.sync.flush()  # by itself: the file is written again with the word that it is read
    urgent_first = sorted(inbox.unread(), key=lambda message: message.priority != "urgent")
    return tuple(urgent_first[: cycle.messages_allowed])


def _misread(cycle: Cycle) -> list[str]:
    """Return the unreadable lines that a person wrote into the agent's own files, if they changed since the last
    look.
    """
    mind = cycle.agent.mind
    last = cycle.seen.get((cycle.agent.id, "misread"))
    cycle.marks[cycle.agent.id, "misread"] = mind.seq
    changes = mind.store.since(last) if isinstance(last, int) else None
    if changes is not None and not any(one.note.get("by") == "hand" for one in changes):
        return []
    found = [f"agents/{cycle.agent.id}/{one.file}:{one.line}: {one.message}" for one in mind.problems]
    return found if cycle.has_changed("misread lines", tuple(found)) else []


def _measure(cycle: Cycle, *, is_more: bool) -> tuple[Belief, ...]:
    """Return beliefs about the watched metrics that have a newer point than the one believed.

    With `is_more`, the agent watches more than before, and reads the existing records too.
    """
    metrics = cycle.agent.business.metrics if cycle.agent.business_id else None
    if metrics is None or not (cycle.is_newer(metrics.store, "metrics") or is_more):
        return ()
    held = {belief.subject: belief for belief in cycle.agent.mind.beliefs if belief.evidence}
    watched = _watches(cycle.agent)
    points = [point for name in series(watched, metrics.names()) if (point := metrics.latest(name)) is not None]
    courses = trends({name: metrics.series(name) for name in trending(watched, metrics.names())})
    return build_metric_beliefs((*points, *courses), held, cycle.now())


def _watches(agent: Agent) -> tuple[str, ...]:
    return read_agent(agent.services.layout, agent.id).watches


def _believe(
    agent: Agent, facts: FactNews, news: list[Heard], reading: Reading, measures: tuple[Belief, ...]
) -> Revised:
    """Revise the agent's beliefs with everything perceived, in one transaction."""
    weaker = {belief.id: belief for belief in facts.ungrounded}
    held = [weaker.get(belief.id, belief) for belief in agent.mind.beliefs]
    incoming = [*facts.news, *(belief for one in news for belief in one.beliefs), *reading.beliefs, *measures]
    change = revise_beliefs(held, incoming, agent.now(), agent.services.settings.beliefs)
    saved = weaker | {belief.id: belief for belief in change.saved}
    if saved:
        agent.mind.save(*saved.values(), why="perceived", cycle=agent.cycle)
    return replace(change, changed=tuple(dict.fromkeys((*weaker, *change.changed))))


@dataclass(slots=True)
class _Wishes:
    """The wishes of requests: records to save by id, and the requests that existing items answer, with their id."""

    desires: dict[str, Desire]
    goals: dict[str, Goal]
    new: dict[str, Desire | Goal] = field(default_factory=dict)
    served: dict[str, str] = field(default_factory=dict)

    def ask(self, wish: Desire, beliefs: Iterable[Belief], now: datetime) -> None:
        """Adopt a wish, unless it is already known or served, or believed impossible."""
        if wish.id in self.desires:
            return
        if against := denial(wish, beliefs):
            self.served[wish.id.removeprefix("D-")] = against.id
            return
        found = match_wish(wish, self.desires.values(), self.goals.values(), now)
        if found is None:
            self.keep(wish)
            return
        self.served[wish.id.removeprefix("D-")] = found.by
        for item in found.changed:
            self.keep(item)

    def keep(self, item: Desire | Goal) -> None:
        """Save a record at the end."""
        self.new[item.id] = item
        if isinstance(item, Desire):
            self.desires[item.id] = item
        else:
            self.goals[item.id] = item


def _wish(
    agent: Agent, news: list[Heard], reading: Reading, own: tuple[Desire, ...], promised: tuple[Desire, ...]
) -> _Wishes:
    """Save the requested desires and the goals that documents set, and drop withdrawn ones.

    A desire `promised` for an award is kept separate, even if something else serves it: its result is owed.
    """
    mind = agent.mind
    wishes = _Wishes({one.id: one for one in mind.desires}, {one.id: one for one in mind.goals})
    for heard_as in news:
        for desire in heard_as.desires:
            wishes.ask(desire, mind.beliefs, agent.clock())
        for desire_id in heard_as.withdrawn:
            standing = wishes.desires.get(desire_id)
            if standing is not None and standing.status != "dropped":
                wishes.keep(replace(standing, status="dropped", reason="the request was withdrawn"))
    for wish in own:
        is_known = wish.id in wishes.desires
        if is_known or match_wish(wish, wishes.desires.values(), wishes.goals.values(), agent.clock()) is None:
            wishes.keep(wish)
    for wish in promised:
        wishes.keep(wish)
    for goal in reading.goals:
        if goal.id not in wishes.goals:
            wishes.keep(goal)
    if wishes.new:
        mind.save(*wishes.new.values(), why="asked for", cycle=agent.cycle)
    return wishes


BELIEF_ID = "B-session-checkpoint"
_CERTAIN = 0.9
_CONTEXT, _ENTRY = 400, 160
_CONTEXT_LINE = 5
"""The line of a checkpoint at which its task context begins."""


def load_checkpoint_belief(cycle: Cycle) -> tuple[Belief, ...]:
    """Return the belief from the latest session checkpoint; none if it is already held."""
    path = cycle.agent.memory.latest_checkpoint()
    if path is None or not cycle.has_changed("session checkpoint", path.name):
        return ()
    source = f"{path.relative_to(cycle.services.layout.root).as_posix()}:{_CONTEXT_LINE}"
    if any(belief.id == BELIEF_ID and belief.source == source for belief in cycle.agent.mind.beliefs):
        return ()
    checkpoint = parse(as_text(path))
    if checkpoint is None:
        return ()
    return (
        Belief(
            id=BELIEF_ID,
            statement=summarize_checkpoint(checkpoint),
            certainty=_CERTAIN,
            category="self",
            source=source,
            subject="session_checkpoint",
            value=path.stem,
            updated=cycle.now(),
        ),
    )


def summarize_checkpoint(checkpoint: Checkpoint) -> str:
    """Return a checkpoint in a few sentences: the current task, and the first item of each of its lists."""
    lists = {
        "Decided": checkpoint.decisions,
        "Found": checkpoint.findings,
        "Open": checkpoint.open_questions,
        "Next": checkpoint.next_steps,
    }
    parts = [_line(checkpoint.context, _CONTEXT)]
    parts += [
        f"{name}: {'; '.join(_line(one, _ENTRY) for one in list(lines)[:2])}" for name, lines in lists.items() if lines
    ]
    return " | ".join(parts)


def _line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit].rsplit(" ", 1)[0] + " ..."
