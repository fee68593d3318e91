"""Task assignment by a call for proposals, bids, and the award to the best (FIPA contract net, S3 section 9.3)."""

import math
import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import Strict

from mabos.configs.errors import InvalidArgument, MabosError, Refused, unknown
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import parse_time
from mabos.workspace.field_types import Time
from mabos.workspace.locks import file_lock
from mabos.workspace.names import Layout, name
from mabos.workspace.records import declaration, read_file, record

DEFAULT_CRITERIA: Mapping[str, float] = {"cost": 0.3, "duration": 0.2, "confidence": 0.4, "approach": 0.1}
_WORDS = re.compile(r"\w{3,}")
Number = Annotated[float, Strict()]


@dataclass(frozen=True, slots=True)
class Bid:
    """An agent's proposal: dollars, hours, and the probability (0 to 1) of success."""

    agent_id: str
    approach: str
    estimated_cost: Number
    estimated_duration: Number
    confidence: Number
    rationale: str = ""
    submitted_at: str = ""
    score: float = 0.0


@record("contract-net/*.json", noun="call for proposals", argument="task_id")
@dataclass(frozen=True, slots=True)
class CallForProposals:
    """A call for proposals and its result; `evaluation_criteria` are relative weights.

    It is `awarded`, or `failed` without a bid in time, at `awarded_at`; all bidders know it at `announced_at`.
    """

    id: str
    task_description: str
    initiator: str
    candidates: tuple[str, ...]
    evaluation_criteria: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_CRITERIA))
    deadline: Time = ""
    task_constraints: tuple[str, ...] = ()
    status: Literal["open", "awarded", "failed"] = "open"
    created_at: str = ""
    awarded_to: str = ""
    awarded_at: str = ""
    announced_at: str = ""
    proposals: tuple[Bid, ...] = ()


def criteria(weights: Mapping[str, float]) -> dict[str, float]:
    """Return checked weights that sum to 1; raises `InvalidArgument` for an unknown name or no positive weight."""
    for criterion, weight in weights.items():
        if criterion not in DEFAULT_CRITERIA:
            wrong = unknown("criterion", criterion, DEFAULT_CRITERIA, argument="evaluation_criteria")
            raise InvalidArgument(wrong.message, argument="evaluation_criteria")
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            message = f"the weight of {criterion!r} must be a number of at least 0, got {weight!r}"
            raise InvalidArgument(message, argument="evaluation_criteria")
    total = sum(weights.values())
    if total <= 0:
        raise InvalidArgument("at least one criterion needs a weight above 0", argument="evaluation_criteria")
    return {criterion: weight / total for criterion, weight in weights.items()}


def score_bids(task: CallForProposals) -> tuple[Bid, ...]:
    """Return the bids with their scores, best first; ties go to the more confident, then to the earlier.

    Each criterion gives 0 to 1: the cheapest and the quickest bid get 1 and the others in proportion, confidence counts
    as stated, approach is the share of the task's wording that it addresses.
    """
    weights = criteria(task.evaluation_criteria)
    cheapest = min((bid.estimated_cost for bid in task.proposals), default=0.0)
    quickest = min((bid.estimated_duration for bid in task.proposals), default=0.0)

    def score(bid: Bid) -> float:
        parts = {
            "cost": _share(cheapest, bid.estimated_cost),
            "duration": _share(quickest, bid.estimated_duration),
            "confidence": bid.confidence,
            "approach": _score_approach(task.task_description, bid.approach),
        }
        return round(sum(weight * parts[criterion] for criterion, weight in weights.items()), 6)

    bids = [replace(bid, score=score(bid)) for bid in task.proposals]
    return tuple(sorted(bids, key=lambda bid: (-bid.score, -bid.confidence, bid.submitted_at)))


def _share(best: float, own: float) -> float:
    return 1.0 if own <= best else best / own


def _score_approach(task: str, approach: str) -> float:
    wanted = set(_WORDS.findall(task.lower()))
    return len(wanted & set(_WORDS.findall(approach.lower()))) / len(wanted) if wanted else 1.0


def add_bid(task: CallForProposals, bid: Bid, now: str) -> CallForProposals:
    """Return `task` with `bid`; repeating the same bid, as after a crash, changes nothing.

    Raises `Refused` if the task is awarded, past its deadline, not offered to the bidder, or already has its bid.
    """
    bid = replace(bid, submitted_at=now)
    if bid in task.proposals:
        return task
    _open(task)
    if bid.agent_id not in task.candidates:
        message = f"{task.id} was not offered to {bid.agent_id!r} but to {', '.join(task.candidates)}"
        raise Refused(message, argument="task_id")
    if task.deadline and parse_time(now) > parse_time(task.deadline):
        raise Refused(f"proposals for {task.id} were due by {task.deadline}", argument="task_id")
    if any(one.agent_id == bid.agent_id for one in task.proposals):
        raise Refused(f"{bid.agent_id!r} has already made its proposal for {task.id}", argument="task_id")
    return replace(task, proposals=(*task.proposals, bid))


def list_pending_bidders(task: CallForProposals, refused: Collection[str]) -> tuple[str, ...]:
    """Return the candidates who have neither bid nor `refused`."""
    answered = {*refused, *(bid.agent_id for bid in task.proposals)}
    return tuple(one for one in task.candidates if one not in answered)


def is_due(task: CallForProposals, refused: Collection[str], now: str) -> bool:
    """Return whether no more proposals can come: everyone has answered, or the deadline has passed."""
    is_late = bool(task.deadline) and parse_time(now) > parse_time(task.deadline)
    return task.status == "open" and (is_late or not list_pending_bidders(task, refused))


def award_task(task: CallForProposals, initiator: str, now: str, refused: Collection[str] = ()) -> CallForProposals:
    """Return `task` awarded to its best bid, or failed if there is none and no more can come.

    Raises `Refused` for the wrong initiator, a second award, or if no proposal exists yet.
    """
    if task.initiator != initiator:
        raise Refused(f"only {task.initiator!r}, who called for {task.id}, may award it", argument="initiator")
    _open(task)
    best = score_bids(task)
    if not best and is_due(task, refused, now):
        return replace(task, status="failed", awarded_at=now)
    if not best:
        raise Refused(f"{task.id} has no proposals yet from {', '.join(task.candidates)}", argument="task_id")
    return replace(task, status="awarded", awarded_to=best[0].agent_id, awarded_at=now, proposals=best)


def _open(task: CallForProposals) -> None:
    if task.status == "failed":
        raise Refused(f"nobody made a proposal for {task.id} in time; call again", argument="task_id")
    if task.status != "open":
        raise Refused(f"{task.id} was awarded to {task.awarded_to!r} on {task.awarded_at}", argument="task_id")


class ContractNet:
    """The calls for proposals of a workspace, one file each; several processes may bid concurrently."""

    def __init__(self, layout: Layout, *, durable: bool = True) -> None:
        self._folder = layout.root / "contract-net"
        self._locks = layout.internal / "locks"
        self._durable = durable
        self._callers: dict[str, str] = {}
        """Who called for which task, as far as it is known here and still matters; "" where the task is over."""

    def list_unannounced_tasks(self, initiator: str) -> tuple[CallForProposals, ...]:
        """Return an agent's tasks whose outcome is not yet announced to all bidders; damaged ones are left out.

        Finished tasks and those of others are read only once.
        """
        found = []
        # Every cycle looks here, and paths cost seven times as much as names.
        files = os.listdir(self._folder) if self._folder.is_dir() else ()  # noqa: PTH208
        for task_id in sorted(file.removesuffix(".json") for file in files if file.endswith(".json")):
            if self._callers.get(task_id, initiator) != initiator:
                continue
            try:
                task = self.task(task_id)
            except MabosError:
                continue  # `mabos verify` tells of it, and it keeps no agent from thinking
            self._callers[task_id] = "" if task.announced_at else task.initiator
            if self._callers[task_id] == initiator:
                found.append(task)
        return tuple(found)

    def task(self, task_id: str) -> CallForProposals:
        """Return one task; raises `UnknownId` with the nearest id."""
        try:
            return read_file(self._path(task_id), CallForProposals)
        except FileNotFoundError:
            known = (file.stem for file in self._folder.glob("*.json"))
            raise unknown("task", task_id, known, argument="task_id") from None

    def start(self, task: CallForProposals) -> CallForProposals:
        """Write a new task and return it; repeating it changes nothing, another one under its id is refused."""
        with self._lock(task.id):
            if not self._path(task.id).exists():
                return self._write(task)
            found = self.task(task.id)
        if (found.initiator, found.task_description) != (task.initiator, task.task_description):
            raise InvalidArgument(f"task {task.id!r} exists already", argument="task_id")
        return found

    def change(self, task_id: str, change: Callable[[CallForProposals], CallForProposals]) -> CallForProposals:
        """Return the task after `change`, which sees the current one and has exclusive access."""
        self.task(task_id)
        with self._lock(task_id):
            return self._write(change(self.task(task_id)))

    def _write(self, task: CallForProposals) -> CallForProposals:
        text = orjson.dumps(declaration(CallForProposals).write(task), option=orjson.OPT_INDENT_2) + b"\n"
        write_atomic(self._path(task.id), text, durable=self._durable)
        return task

    def _path(self, task_id: str) -> Path:
        # Ids that MABOS makes have capitals; what is checked is that the name cannot leave the folder.
        name(task_id.lower(), kind="task id", argument="task_id")
        return self._folder / f"{task_id}.json"

    def _lock(self, task_id: str) -> Any:
        return file_lock(self._locks / f"{self._path(task_id).stem}.lock")
