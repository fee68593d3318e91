"""The agent's own work as items: a request with its goal, plan, decisions and records.

items = work_items(agent, sender)  # newest first
find(items, "Is the spring fair booked?")
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from mabos.language.request import Request
from mabos.memory.stem import stem
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.society.decisions import Decision
from mabos.tools.requests.acceptance import judge_order
from mabos.tools.requests.answers.synonyms import empty_words
from mabos.tools.requests.projects import is_part
from mabos.tools.requests.records import section
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import STOPWORDS, one_line, shorten, terms

MADE = ("campaigns", "work_packages", "letters", "mailings", "content", "contacts", "contractors", "deals", "prices")
"""Sections of records that work leaves behind."""
_ALONE = ("campaigns", "work_packages", "mailings", "content")
"""Sections whose records are work items of their own where no request led to them."""
_NO_WORK = ("question", "small_talk", "unclear", "answer", "report", "withdrawal")
_NUMBERS = {"2nd": "second", "1st": "first", "3rd": "third", "4th": "fourth", "5th": "fifth"}
_TITLE = 100  # characters of a request that has no name
_SHARED_START = 5
_EMPTY = frozenset(map(stem, empty_words("of_work")))
"""Stems of words that name no piece of work."""


@dataclass(frozen=True, slots=True)
class RecordWork:
    """A record that work created, with its section."""

    section: str
    record: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The id of the record."""
        return str(self.record.get("id", ""))


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A piece of work: the request, its goal and plan, the person's decisions, and the records created."""

    request: Request | None = None
    goal: Goal | None = None
    plan: Plan | None = None
    intention: Intention | None = None
    decisions: tuple[Decision, ...] = ()
    made: tuple[RecordWork, ...] = ()
    passed: bool = False

    @property
    def key(self) -> str:
        """The id of its subject: its request, goal, decision or record."""
        first = self.request or self.goal or next(iter(self.decisions), None) or next(iter(self.made), None)
        return first.id if first is not None else ""

    @property
    def title(self) -> str:
        """Its name: that of the project or record, else the words of the request, goal or question."""
        if self.request is not None:
            named = str(self.request.slot("title") or self.request.slot("name") or "")
            return named or shorten(one_line(self.request.sentence), _TITLE, mark=" …", at_word=True)
        if self.goal is not None:
            return self.goal.description
        if self.decisions:
            return self.decisions[0].subject
        record = self.made[0].record if self.made else {}
        return str(record.get("name") or record.get("title") or record.get("subject") or "")

    @property
    def at(self) -> str:
        """Its start time (ISO 8601)."""
        if self.request is not None:
            return self.request.created_at
        if self.goal is not None:
            return self.goal.created
        if self.decisions:
            return self.decisions[0].created_at
        return str(self.made[0].record.get("created_at", "")) if self.made else ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of its plan, without those that are parts of one that a person gave."""
        return tuple(one for one in self.plan.steps if not is_part(one)) if self.plan is not None else ()

    @property
    def words(self) -> str:
        """All words that name it, for matching with a question."""
        parts = [self.title, *(step.description for step in self.steps)]
        if self.request is not None:
            parts += [self.request.sentence, *(str(one.value) for one in self.request.slots)]
        if self.goal is not None:
            parts.append(self.goal.description)
        for decision in self.decisions:
            options = (f"{one.get('label', '')} {one.get('impact', '')}" for one in decision.options)
            parts += [decision.subject, decision.description, f"{decision.cost:.0f}", *options]
        parts += [str(one.record.get(name, "")) for one in self.made for name in ("name", "title", "subject", "topic")]
        return " ".join(parts)


def work_items(agent: Agent, sender: str = "") -> tuple[WorkItem, ...]:
    """Return the agent's work, newest first; with a sender, only that sender's requests, and all its own work."""
    decisions = [one.as_of(agent.clock()) for one in agent.services.decisions(agent.business_id).all()]
    own = [one for one in decisions if one.from_agent == agent.id]
    latest_first = reversed(agent.requests.all())  # requests of one message begin at the same moment
    asked = [
        one
        for one in latest_first  # a message that a model works on is told by its orders
        if one.act not in _NO_WORK
        and sender in ("", one.sender)
        and one.operation != "work"
        and not (one.act == "correction" and one.refers_to)  # the order that it changes tells of it
    ]
    found = [_of_request(agent, one, own) for one in asked]
    goals = {one.goal.id for one in found if one.goal is not None}
    told = {one.id for one in asked}  # a goal of theirs that is not theirs any more was replaced by a change
    own_goals = [one for one in agent.mind.goals if one.id not in goals and one.request_id not in told]
    found += [_of_goal(agent, goal, own) for goal in own_goals]
    known = {decision.id for item in found for decision in item.decisions}
    found += [WorkItem(decisions=(one,)) for one in own if one.id not in known]
    return tuple(sorted([*found, *_list_unrequested(agent, found)], key=lambda item: item.at, reverse=True))


def meaningful(text: str) -> tuple[str, ...]:
    """Return the stems of the meaningful words in a question."""
    named = [_NUMBERS.get(word, word) for word in terms(text)]
    kept = [word for word in named if word not in STOPWORDS and stem(word) not in _EMPTY and len(word) > 1]
    return tuple(dict.fromkeys(map(stem, kept)))


@cache
def _common() -> frozenset[str]:
    lines = (files("mabos.configs") / "requests" / "common_words.txt").read_text("utf-8").splitlines()
    return frozenset(stem(word) for line in lines if not line.startswith("#") for word in line.split())


def names_something(text: str) -> bool:
    """Return whether a question has a meaningful word beyond the common words of the language."""
    return any(map(is_uncommon, meaningful(text)))


def is_uncommon(word: str) -> bool:
    """Return whether a stem is not among the common words of the language."""
    return word not in _common()


def overlap(wanted: Sequence[str], text: str) -> float:
    """Return the share of the wanted stems that a text contains, as equal stems or with a long common start."""
    there = {stem(_NUMBERS.get(word, word)) for word in terms(text)}
    return sum(any(alike(one, other) for other in there) for one in wanted) / len(wanted) if wanted else 0.0


def alike(one: str, other: str) -> bool:
    """Return whether two stems are of one word: equal, or with a long common start."""
    length = min(len(one), len(other))
    return one == other or (length >= _SHARED_START and one[:length] == other[:length])


def find(items: Iterable[WorkItem], question: str, minimum: float) -> tuple[WorkItem, ...]:
    """Return the work that a question names, best first, newest first among equals; empty if it names none."""
    wanted = meaningful(question)
    if len(wanted) == 1 and not is_uncommon(wanted[0]) and not _is_determined(wanted[0], question):
        return ()  # "What do people say?" is not about the goal that has the word
    scored = [(overlap(wanted, item.words), overlap(wanted, item.title), item) for item in items]
    good = [one for one in scored if one[0] >= minimum]
    said = f" {' '.join(terms(question))} "
    if called := [one for one in good if one[2].title and f" {' '.join(terms(one[2].title))} " in said]:
        good = called  # "autumn one" is no "Autumn two"
    best = max((one[0] for one in good), default=0.0)
    good = [one for one in good if one[0] >= best - 0.2]
    return tuple(
        item for _, _, item in sorted(good, key=lambda one: (*one[:2], not _is_reminder(one[2])), reverse=True)
    )


def find_by_name(items: Iterable[WorkItem], question: str) -> tuple[WorkItem, ...]:
    """Return the work whose title has most of the uncommon words of a question, where some title has one."""
    known = list(items)
    wanted = [word for word in meaningful(question) if is_uncommon(word)]
    scored = [(overlap(wanted, item.title), item) for item in known]
    best = max((score for score, _ in scored), default=0.0)
    return tuple(item for score, item in scored if score == best > 0)


def _is_reminder(item: WorkItem) -> bool:
    """Return whether an item only reminds of work that another one may be."""
    return item.request is not None and item.request.operation == "remind"


def _is_determined(word: str, question: str) -> bool:
    """Return whether a word follows an article or the like, as the name of a thing does."""
    behind = re.findall(r"\b(?:the|my|our|your|that|this)\s+(?:\w+\s+)?(\w+)", question.lower())
    return any(alike(word, stem(one)) for one in behind)


def step_of(item: WorkItem, question: str) -> Step | None:
    """Return the one step of a longer plan that a question names, rather than the whole."""
    if len(item.steps) < 2:
        return None
    wanted = [one for one in meaningful(question) if overlap((one,), item.title) == 0]
    scored = [(overlap(wanted, step.description), step) for step in item.steps]
    best = max((score for score, _ in scored), default=0.0)
    return next((step for score, step in scored if score == best), None) if best >= 0.3 else None


def _of_request(agent: Agent, request: Request, own: Sequence[Decision]) -> WorkItem:
    goal = next((one for one in agent.mind.goals if one.id and one.id == request.goal_id), None)
    plan = _plan_of(agent, request.goal_id)
    verdicts = judge_order(agent, request)
    made = tuple(RecordWork(one.check.section, record) for one in verdicts for record in one.found)
    passed = bool(verdicts) and all(one.passed for one in verdicts)
    intention = next((one for one in agent.mind.intentions if one.goal_id and one.goal_id == request.goal_id), None)
    return WorkItem(request, goal, plan, intention, _decisions_of(plan, intention, own), made, passed)


def _of_goal(agent: Agent, goal: Goal, own: Sequence[Decision]) -> WorkItem:
    plan = _plan_of(agent, goal.id)
    intention = next((one for one in agent.mind.intentions if one.goal_id == goal.id), None)
    return WorkItem(None, goal, plan, intention, _decisions_of(plan, intention, own))


def _plan_of(agent: Agent, goal_id: str) -> Plan | None:
    """Return the plan of a goal: the one that is followed, else the latest."""
    plans = [one for one in agent.mind.plans if goal_id and one.goal_id == goal_id]
    return max(plans, key=lambda one: (one.status == "active", one.created), default=None)


def _decisions_of(plan: Plan | None, intention: Intention | None, own: Sequence[Decision]) -> tuple[Decision, ...]:
    """Return the decisions of a plan, latest last: those its steps name, and those about the exact action of a step."""
    steps = plan.steps if plan is not None else ()
    named = {step.decision_id for step in steps} | {step.result for step in steps}
    named |= {intention.decision_id} if intention is not None else set()
    since = plan.created if plan is not None else ""
    found = [one for one in own if one.id in named or (one.created_at >= since and any(_about(one, s) for s in steps))]
    return tuple(sorted(found, key=lambda one: one.created_at))


def _about(decision: Decision, step: Step) -> bool:
    if decision.action is None or decision.action["tool"] != step.tool:
        return False
    arguments = decision.action["arguments"]
    return all(arguments.get(name) == value for name, value in step.arguments.items() if name in arguments)


def _list_unrequested(agent: Agent, found: Sequence[WorkItem]) -> list[WorkItem]:
    """Return the records of the business that follow from no request, as work of their own."""
    known = {(one.section, one.id) for item in found for one in item.made}
    known |= {("mailings", str(one.record.get("mailing", ""))) for item in found for one in item.made}
    return [
        WorkItem(made=(RecordWork(name, record),))
        for name in _ALONE
        for record in section(agent, name)
        if (name, str(record.get("id", ""))) not in known
    ]
