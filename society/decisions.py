"""Decisions that wait for a person: records, each bound to one exact action (S3 sections 10.2 and 10.3)."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import BeforeValidator

from mabos.backends.graph.mapping import Link, agent, graph_node
from mabos.configs.errors import InvalidArgument, Refused, unknown
from mabos.workspace.clock import parse_time
from mabos.workspace.currencies import CODE, MARKS, money
from mabos.workspace.records import Document, declaration, record
from mabos.workspace.store import Collections, Op, Put, Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

Resolution = Literal["approve", "reject", "defer", "modify"]
Status = Literal["pending", "deferred", "approved", "rejected", "modified", "withdrawn"]
OPEN: tuple[Status, ...] = ("pending", "deferred")
GRANTED: tuple[Status, ...] = ("approved", "modified")

_SECTION = "decisions"
_BECOMES: dict[str, Status] = {"approve": "approved", "reject": "rejected", "defer": "deferred", "modify": "modified"}


@graph_node(
    "decision",
    name=("subject",),
    text=("description",),
    properties=("id", "status", "category", "cost", "resolution", "created_at"),
    place="shared",
    links=(Link("agent_owns", "from_agent", to=agent, incoming=True),),
)
@record(
    Document("decision-queue.json", (_SECTION,), root="array"),
    _SECTION,
    noun="decision",
    optional=(
        "business_id", "reasons", "cost", "category", "counterparty", "cycle", "action", "action_hash",
        "asked_hash", "resolution", "chosen_option", "feedback", "until", "modifications", "resolved_at", "resolved_by",
        "performed_at", "performed_key",
    ),
    tolerates=("description", "recommendation", "deadline", "urgency", "category", "feedback", "until"),
)  # fmt: skip
@dataclass(frozen=True, slots=True)
class Decision:
    """A question to the stakeholder, and its answer.

    `action` is {tool, arguments} if a call waits for it; `action_hash` binds the answer to exactly that call, and
    `asked_hash` is that of the call before its text was written. `version` rises with every answer; an answer to an
    older version is refused.
    """

    id: str
    from_agent: str = ""
    subject: str = ""
    description: str = ""
    options: tuple[Mapping[str, Any], ...] = ()
    recommendation: str = ""
    deadline: str = ""
    status: Status = "pending"
    created_at: str = ""
    business_id: str = ""
    urgency: str = "normal"
    reasons: tuple[str, ...] = ()
    cost: float = 0.0
    category: str = ""
    counterparty: str = ""
    cycle: str = ""
    action: Annotated[Mapping[str, Any] | None, BeforeValidator(lambda given: given or None)] = None
    action_hash: str = ""
    asked_hash: str = ""
    resolution: str = ""
    chosen_option: str = ""
    feedback: str = ""
    until: str = ""
    modifications: Mapping[str, Any] = field(default_factory=dict)
    resolved_at: str = ""
    resolved_by: str = ""
    version: int = 1
    performed_at: str = ""
    performed_key: str = ""

    @property
    def notable_cost(self) -> float:
        """Its cost in dollars, 0 below ten cents: a few letters cost too little to mention."""
        return self.cost if self.cost >= 0.1 else 0.0

    @property
    def open(self) -> bool:
        """Return whether it is unanswered."""
        return self.status in OPEN

    @property
    def asked_again(self) -> bool:
        """Return whether it is pending again because the date it was deferred to has come."""
        return self.status == "pending" and bool(self.until)

    @property
    def granted(self) -> bool:
        """Return whether a person allowed an action that has not yet been performed."""
        return self.status in GRANTED and self.action is not None and not self.performed_at

    def as_of(self, now: datetime) -> "Decision":
        """Return the question as of a time: if it was deferred until a date that has come, it is pending again."""
        is_due = self.status == "deferred" and bool(self.until) and parse_time(self.until) <= now
        return replace(self, status="pending") if is_due else self

    def as_json(self) -> dict[str, Any]:
        """Return the decision as stored in `decision-queue.json`; empty optional fields are left out."""
        return DECISIONS.write(self)


DECISIONS = declaration(Decision)

BUDGET = "DEC-BUDGET-"
"""The prefix of the id of a question about a weekly budget."""
_GRANT_DAYS = 92


def budget_question(usd: float) -> str:
    """Return the question by which an owner grants a weekly sum; only this exact wording does."""
    return f"Let us spend up to {money(round(usd))} a week on advertising, work and goods, for a quarter?"


PRICES = "DEC-PRICES-"
"""The prefix of the id of a question about ranges of prices."""
PriceRanges = Mapping[str, tuple[float, float]]
"""The lowest and the highest monthly price in dollars, by segment of customers."""
_SUM = rf"(?:{MARKS}|(?:{CODE}) )([\d,]+(?:\.\d\d)?)"
_RANGE = re.compile(rf"([\w-]+) {_SUM} to {_SUM}")


def price_question(ranges: PriceRanges) -> str:
    """Return the question by which an owner grants price ranges; only this exact wording does."""
    told = ", ".join(f"{segment} {money(low)} to {money(high)}" for segment, (low, high) in ranges.items())
    return f"Let us set monthly prices by what we measure, for a quarter: {told}?"


def price_ranges(decisions: Sequence[Decision], now: datetime) -> tuple[str, PriceRanges]:
    """Return the id and the price ranges last granted by the owner and still valid; empty without."""
    for grant in _grants(decisions, PRICES, now):
        amounts = [(name, float(low.replace(",", "")), float(high.replace(",", ""))) for name, low, high in
                   _RANGE.findall(grant.subject)]  # fmt: skip
        ranges = {name: (low, high) for name, low, high in amounts}
        if grant.subject == price_question(ranges):
            return grant.id, ranges
    return "", {}


def is_in_range(ranges: PriceRanges, segment: str, usd: float) -> bool:
    """Return whether a monthly price for a segment is in its range; without a range, none is."""
    low, high = ranges.get(segment, (1.0, 0.0))
    return low <= usd <= high


def weekly_budget(decisions: Sequence[Decision], now: datetime) -> Decision | None:
    """Return the weekly budget last granted by the owner, valid for a quarter of a year; None without."""
    grants = _grants(decisions, BUDGET, now)
    return next((one for one in grants if one.subject == budget_question(one.cost)), None)


def _grants(decisions: Sequence[Decision], prefix: str, now: datetime) -> Iterator[Decision]:
    """Yield the questions of a kind that the owner answered as recommended and that still hold, newest first."""
    since = now - timedelta(days=_GRANT_DAYS)
    for one in reversed(decisions):
        is_granted = one.status == "approved" and one.chosen_option in ("", one.recommendation)
        if one.id.startswith(prefix) and is_granted and parse_time(one.created_at) >= since:
            yield one


def action_hash(agent_id: str, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the SHA-256 that binds an approval to exactly this call of this agent."""
    call = {"agent": agent_id, "arguments": dict(arguments), "tool": tool}
    return hashlib.sha256(orjson.dumps(call, option=orjson.OPT_SORT_KEYS)).hexdigest()


@dataclass(frozen=True, slots=True)
class DecisionAnswer:
    """A person's answer; `arguments` is the whole action after a modification, if its form is known."""

    resolution: Resolution
    at: str
    by: str = "stakeholder"
    chosen_option: str = ""
    feedback: str = ""
    until: str = ""
    modifications: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] | None = None


class Decisions(View[Decision]):
    """The decisions of one business; the queue at the root of the workspace mirrors them."""

    def __init__(self, store: Store, mirror: Store | None = None, *, business_id: str = "") -> None:
        super().__init__(store, Decision)
        self.mirror = mirror
        self.business_id = business_id
        self._indexed: tuple[Decision, ...] = ()
        self._of_action: Mapping[str, Sequence[Decision]] = {}

    def pending(self) -> tuple[Decision, ...]:
        """Return the unanswered decisions, oldest first; deferred ones are included."""
        return tuple(one for one in self.all() if one.open)

    def of_action(self, digest: str) -> tuple[Decision, ...]:
        """Return the decisions about the action with this hash, oldest first."""
        with self.lock:
            every = self.all()
            if every is not self._indexed:
                self._indexed, self._of_action = every, _by_action(every)
            return tuple(self._of_action.get(digest, ()))

    def request(self, decision: Decision) -> Decision:
        """Submit a question to the stakeholder once; an open one for the same action is returned instead.

        Raises `InvalidArgument` if another question has the same id.
        """
        asked = replace(decision, business_id=decision.business_id or self.business_id)
        stands = asked

        def put(collections: Collections) -> Sequence[Op]:
            nonlocal stands
            known = self.parsed(collections)
            for found in known.values():
                if found.open and (
                    (asked.action_hash and found.action_hash == asked.action_hash)
                    or (asked.asked_hash and found.asked_hash == asked.asked_hash)
                ):
                    stands = found
                    return []
            if asked.id not in known:
                return self.puts(collections, [asked])
            stands = known[asked.id]
            if (stands.from_agent, stands.subject, stands.created_at) != (
                asked.from_agent, asked.subject, asked.created_at,
            ):  # fmt: skip
                raise InvalidArgument(f"decision {asked.id!r} exists already", argument="decision_id")
            return []

        self.store.commit(put)
        self._copy(stands)
        return stands

    def resolve(self, decision_id: str, answer: DecisionAnswer, *, version: int | None = None) -> Decision:
        """Record an answer and return the updated decision.

        Compare-and-set: raises `Refused` if it was already answered, or if `version` is given and not the current one.
        `modify` binds the approval to the action with its modified arguments.
        """
        _check(answer)
        return self.change(decision_id, lambda current: _apply_answer(current, answer, version))

    def withdraw(self, decision_id: str, reason: str, *, at: str) -> Decision:
        """Withdraw a question that no longer needs an answer; an answered one is unchanged."""

        def mark_withdrawn(current: Decision) -> Decision:
            if not current.open:
                return current
            version = current.version + 1
            return replace(current, status="withdrawn", feedback=reason, resolved_at=at, version=version)

        return self.change(decision_id, mark_withdrawn)

    def ask_again(self, now: datetime) -> tuple[Decision, ...]:
        """Reopen the questions deferred until a date that has come, and return them."""

        def reopen_question(current: Decision) -> Decision:
            due = current.as_of(now)
            return current if due is current else replace(due, version=current.version + 1)

        return tuple(self.change(one.id, reopen_question) for one in self.all() if one.as_of(now) is not one)

    def mark_performed(self, decision_id: str, at: str, key: str = "") -> Decision:
        """Record that the approved action is being performed, under the effect key `key`.

        Raises `Refused` unless it is allowed and not yet performed.
        """

        def record_performance(current: Decision) -> Decision:
            if not current.granted:
                raise Refused(f"decision {current.id!r} allows nothing: {_standing(current)}", argument="decision_id")
            return replace(current, performed_at=at, performed_key=key)

        return self.change(decision_id, record_performance)

    def reflect(self) -> None:
        """Update the mirror, as after a crash between the two writes."""
        for decision in self.all():
            self._copy(decision)

    def change(self, key: str, change: Callable[[Decision], Decision]) -> Decision:
        """Return a decision after `change`, written here and in the mirror."""
        changed = super().change(key, change)
        self._copy(changed)
        return changed

    def _copy(self, decision: Decision) -> None:
        if self.mirror is None:
            return
        record = decision.as_json()
        if self.mirror.read().get(_SECTION, {}).get(decision.id) != record:
            self.mirror.commit([Put(_SECTION, decision.id, record)])


def _check(answer: DecisionAnswer) -> None:
    if answer.resolution == "defer":
        if not answer.until:
            raise InvalidArgument("a deferral needs 'until', the date to ask again", argument="until")
        parse_time(answer.until, argument="until")
    if answer.resolution == "modify" and not answer.modifications:
        message = "a modification needs 'modifications': the arguments to change, with their new values"
        raise InvalidArgument(message, argument="modifications")


def _apply_answer(current: Decision, answer: DecisionAnswer, version: int | None) -> Decision:
    if not current.open:
        raise Refused(f"decision {current.id!r} is already answered: {_standing(current)}", argument="decision_id")
    if version is not None and version != current.version:
        message = f"decision {current.id!r} has changed: you answered version {version}, it is at {current.version}"
        raise Refused(message, argument="version")
    action, digest = current.action, current.action_hash
    if answer.resolution == "modify" and action is not None:
        changed = answer.arguments or {**action["arguments"], **answer.modifications}
        action = {**action, "arguments": dict(changed)}
        digest = action_hash(current.from_agent, action["tool"], action["arguments"])
    return replace(
        current, status=_BECOMES[answer.resolution], resolution=answer.resolution,
        chosen_option=_option(current, answer), feedback=answer.feedback, until=answer.until,
        modifications=answer.modifications, resolved_at=answer.at, resolved_by=answer.by, action=action,
        action_hash=digest, version=current.version + 1,
    )  # fmt: skip


def _option(current: Decision, answer: DecisionAnswer) -> str:
    if not answer.chosen_option:
        return current.recommendation if answer.resolution == "approve" else ""
    advised = current.recommendation or (str(current.options[0].get("id", "")) if current.options else "")
    if current.action is not None and answer.resolution == "approve" and answer.chosen_option != advised:
        message = f"approving {current.id!r} performs the action it asks for; to refuse it, answer 'reject'"
        raise InvalidArgument(message, argument="chosen_option")
    known = [str(option.get("id", "")) for option in current.options]
    if known and answer.chosen_option not in known:
        raise unknown("option", answer.chosen_option, known, argument="chosen_option")
    return answer.chosen_option


def _standing(decision: Decision) -> str:
    performed = f", performed {decision.performed_at}" if decision.performed_at else ""
    return f"{decision.status} {decision.resolved_at}".strip() + performed


def _by_action(decisions: Sequence[Decision]) -> dict[str, list[Decision]]:
    found: dict[str, list[Decision]] = defaultdict(list)
    for one in decisions:
        found[one.action_hash].append(one)
    return found


def open_decisions(directory: Path, sync: Sync, *, business_id: str = "", mirror: Store | None = None) -> Decisions:
    """Return the decisions of the business in `directory`."""
    return Decisions(decision_queue(directory, sync), mirror, business_id=business_id)


def decision_queue(directory: Path, sync: Sync) -> Store:
    """Return the queue document in `directory`: a business's, or the root's mirror."""
    return DECISIONS.open(directory, sync)
