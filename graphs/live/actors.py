"""The agents of a live company: which want a turn, which must rest, and which is next."""

import math
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from langgraph.runtime import RunControl

from mabos.workspace.delivery import RetryPolicy

Trace = tuple[str, int, int]
"""A file with its size and time: whether somebody has written into it."""

_MAIL = "inbox."


def traces(*folders: Path) -> frozenset[Trace]:
    """Return the current signatures of the files in some folders; a missing file has none."""
    return frozenset(trace for folder in folders for trace in _files(folder))


def is_more_than_mail(before: frozenset[Trace], after: frozenset[Trace]) -> bool:
    """Return whether anything but mail changed, so that a person may have fixed the cause of a failure."""
    return any(not os.path.basename(path).startswith(_MAIL) for path, _, _ in before ^ after)  # noqa: PTH119 - of many


def _files(folder: Path) -> Iterator[Trace]:
    # What goes at this moment hides no other; and a folder that cannot be looked into just now is looked into again.
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_file():
                    found = entry.stat()
                    yield entry.path, found.st_size, found.st_mtime_ns


NEVER = math.inf
ALONE = 0.05
"""Seconds for which nobody else begins an ordinary turn beside one that thinks: two that compute only take the
interpreter from each other. One that lasts longer waits for something, as a model."""
HEAD_START = 2.0
"""Seconds by which urgent mail goes before what waits: nobody waits longer than that for a flood of it."""
_RETRY = RetryPolicy(1.0, longest=600.0)
"""After which pause a turn that failed is tried again."""


@dataclass(slots=True)
class Actor:
    """The schedule of one agent; times are monotonic seconds."""

    agent_id: str
    own: Path
    shared: tuple[Path, ...] = ()
    due: float = NEVER
    rests_until: float = 0.0
    """Before that it has no turn, whatever comes: its last ones failed, or its budget is used up."""
    is_urgent: bool = False
    control: RunControl | None = None
    was_urgent: bool = False
    """Whether the running turn was itself urgent: then it is not cut short, so that no flood of mail starves it."""
    thinks_since: float = -NEVER
    """When its running turn began, until that has only the disk to wait for."""
    failures: int = 0
    told_failing: bool = False
    """Whether its last turn failed and somebody was told so."""
    told_spent: bool = False
    """The same of a turn that it could not have, its day's budget being used up."""
    spent_on: str = ""
    """The day whose budget is used up."""
    took: float = 0.0
    """Seconds of its last cycle."""
    beside: frozenset[Trace] = frozenset()
    """The files of its business as its last turn found them; an urgent one does not look."""
    seen: frozenset[Trace] = frozenset()
    """Its files as its last turn left them, and those of its business."""
    turns: dict[str, int] = field(default_factory=dict)
    """Turns so far, by their outcome."""

    @property
    def is_running(self) -> bool:
        """Return whether a thread is running its turn."""
        return self.control is not None

    @property
    def ready_at(self) -> float:
        """The time of its next possible turn, if it needs one."""
        return max(self.due, self.rests_until)

    def want(self, now: float, *, urgent: bool = False) -> None:
        """Request a turn; an urgent one ends the running turn at its next phase, unless that was urgent too."""
        self.due = min(self.due, now)
        self.is_urgent = self.is_urgent or urgent
        if urgent and self.control is not None and not self.was_urgent:
            self.control.request_drain("urgent")

    def begin(self, now: float = -NEVER, control: RunControl | None = None) -> RunControl:
        """Begin a turn; later requests count for the next one."""
        self.control, self.was_urgent = control or RunControl(), self.is_urgent
        self.due, self.is_urgent, self.thinks_since = NEVER, False, now
        return self.control

    def end(self, outcome: str, now: float, pause: float) -> None:
        """End a turn; after a failure it rests, twice as long each time."""
        self.control = None
        if not (outcome == "spent" and self.told_spent):  # only looked whether there is a new budget
            self.turns[outcome] = self.turns.get(outcome, 0) + 1
        self.failures = self.failures + 1 if outcome == "failed" else 0
        if self.failures:
            pause = _RETRY.pause(self.failures)
            self.rests_until = now + pause
        if outcome == "spent":
            self.rests_until = NEVER  # until something is written where it lies, or another day begins
        self.due = min(self.due, now + pause)


def next_up(actors: Iterable[Actor], now: float, *, urgent_only: bool = False) -> Actor | None:
    """Return the agent that has waited longest, or None; urgent ones get a few seconds' head start.

    With `urgent_only`, skip all others.
    """
    ready = [
        (one.due - HEAD_START * one.is_urgent, one.agent_id, one)
        for one in actors
        if one.ready_at <= now and not one.is_running and (one.is_urgent or not urgent_only)
    ]
    return min(ready)[2] if ready else None


def taken_until(actors: Iterable[Actor]) -> float:
    """Return the time until which no other ordinary turn begins."""
    thinking = (one.thinks_since for one in actors if one.is_running and not one.was_urgent)
    return max(thinking, default=-NEVER) + ALONE
