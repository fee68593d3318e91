"""The cost of writes, queries and opening as each store of an agent grows: `python -m bench.growth`.

Three stores of each kind are filled to three sizes, as an agent fills them. Then the CPU time of writes and queries is
measured, ten for each store in turn, so that a slowing machine affects all equally; files are not forced, since a disk
adds the same at any size, as shown in `memory` and `store`. "With the rewriting" is the cost of all writes during
filling, which includes occasional rewrites of files. A write must not cost more in a store with a hundred times as many
records.
"""

import gc
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any, Protocol

from bench.inference_loads import inference
from bench.measured import Line, exactly
from bench.memory import handle, opened, questions, texts
from bench.printed import printed
from mabos.configs.errors import MabosError
from mabos.knowledge.cases import Cases, open_cases
from mabos.knowledge.facts import open_facts, statement
from mabos.knowledge.inference.forward import FollowedFacts
from mabos.knowledge.rules import Rules, open_rules
from mabos.society.inbox import Inbox, open_inbox
from mabos.society.messages import message
from mabos.workspace.clock import SteppedClock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.ledger import Ledger
from mabos.workspace.names import Layout
from mabos.workspace.sync import Sync
from tests.knowledge.written_rules import write_rules

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
TIMES, IN_TURN = 60, 10
OPENINGS = 3
LEAST = 20
"""The fewest records of a store, however much the sizes are divided; the next sizes are ten times as many."""
WRITE, ASK = 1.5, 10.0
"""The allowed factor for a write, or a question, in a store with a hundred times as much."""


class Growing(Protocol):
    """A store of an agent in its own folder."""

    def __init__(self, folder: Path) -> None:
        """Open the store."""

    def write(self, number: int) -> object:
        """Write one record with a given number."""

    def asks(self) -> Mapping[str, Callable[[int], object]]:
        """Return the possible queries by name."""


class Items:
    """Long-term memories."""

    def __init__(self, folder: Path) -> None:
        self.memory = handle(folder, opened(folder))
        self.texts = texts(1_000)
        self.questions = questions(self.texts, TIMES)

    def write(self, number: int) -> object:
        """Store an item."""
        said = f"{self.texts[number % 1_000]} {number}"
        return self.memory.store(said, store="long_term", created_at=iso(START))

    def asks(self) -> Mapping[str, Callable[[int], object]]:
        """Return recall by words."""
        return {"a recall by words": lambda n: self.memory.recall(self.questions[n % TIMES], limit=10)}


class Said:
    """Facts with rules, two of which draw conclusions from each fact; all derived facts are recorded."""

    def __init__(self, folder: Path) -> None:
        clock = SteppedClock(START)
        ids, sync = Ids(clock, "bench"), Sync("off")
        rules = Rules("cfo", open_rules(folder, sync=sync), clock, ids)
        (folder / "rules").mkdir(exist_ok=True)
        (folder / "rules" / "some.rules").write_text(
            write_rules(
                [
                    inference("R-client", "?x type client", "?x bought ?y", factor=0.9),
                    inference("R-known", "?x known yes", "?x type client", factor=0.9),
                    inference("R-near", "?x near ?z", "?x bought ?y", "?y made_by ?z", factor=0.8),
                ]
            )
        )
        self.facts = FollowedFacts("cfo", open_facts(folder, sync=sync), clock, ids, rules, max_derived=10**7)

    def write(self, number: int) -> object:
        """Assert that someone bought something, and record what follows from it."""
        bought = statement(f"client-{number}", "bought", f"thing-{number % 50}", confidence=0.9)
        self.facts.change(lambda draft: draft.state(bought))
        return self.facts.inference.follow()

    def asks(self) -> Mapping[str, Callable[[int], object]]:
        """Return a query about one subject, and the retraction and restatement of one fact."""

        def again(number: int) -> None:
            self.facts.retract(subject=f"client-{number}", predicate="bought")
            self.write(number)

        return {
            "a question about one subject": lambda n: self.facts.query(subject=f"client-{n}"),
            "a fact taken back and stated again": again,
        }


class Told:
    """The messages of an inbox, all of them read."""

    def __init__(self, folder: Path) -> None:
        clock = SteppedClock(START)
        self.inbox: Inbox = open_inbox(folder, Sync("off"))
        self.ids, self.clock = Ids(clock, "bench"), clock

    def write(self, number: int) -> object:
        """Deliver a message, and mark it as read."""
        said = message("ceo", "cfo", "INFORM", f"News {number}", ids=self.ids, clock=self.clock)
        self.inbox.deliver(said)
        self.inbox.mark_read([said.id])
        return said

    def asks(self) -> Mapping[str, Callable[[int], object]]:
        """Return a check for new messages."""
        return {"a look for new messages": lambda _: self.inbox.unread()}


class Happened:
    """Cases of 3 to 12 of 500 beliefs and 1 to 4 of 50 desires."""

    def __init__(self, folder: Path) -> None:
        clock = SteppedClock(START)
        self.cases = Cases("cfo", open_cases(folder, sync=Sync("off")), clock, Ids(clock, "bench"))

    def write(self, number: int) -> object:
        """Keep an episode."""
        return self.cases.store(self._situation(number), {"plan": f"P-{number}"}, number % 4 > 0)

    def asks(self) -> Mapping[str, Callable[[int], object]]:
        """Return a query for similar cases."""
        return {"the five likest cases": lambda n: self.cases.retrieve(**self._situation(-n))}

    @staticmethod
    def _situation(number: int) -> dict[str, Any]:
        luck = Random(number)
        return {
            "beliefs": [f"b{one}" for one in luck.sample(range(500), luck.randint(3, 12))],
            "desires": [f"d{one}" for one in luck.sample(range(50), luck.randint(1, 4))],
        }


class Done:
    """The ledger of one agent."""

    def __init__(self, folder: Path) -> None:
        self.ledger = Ledger(Layout(folder), Sync("off"))
        self.lines = 0

    def write(self, number: int) -> object:
        """Append a line."""
        self.lines = max(self.lines, number + 1)
        body = {"tool": "memory_recall", "arguments": {"query": f"question {number}"}, "why": {"plan": "P-1"}}
        return self.ledger.append("cfo", "call", body, at=iso(START), cycle=f"C-{number // 50}")

    def asks(self) -> Mapping[str, Callable[[int], object]]:
        """Return the end of the chain."""
        return {"where the chain ends": lambda _: self.ledger.last("cfo")}


STORES: Mapping[str, tuple[type[Growing], str, tuple[int, int, int]]] = {
    "memory": (Items, "items", (1_000, 10_000, 100_000)),
    "facts with rules": (Said, "facts", (1_000, 10_000, 100_000)),
    "inbox": (Told, "messages", (1_000, 10_000, 100_000)),
    "cases": (Happened, "cases", (100, 1_000, 10_000)),
    "ledger": (Done, "lines", (10_000, 100_000, 1_000_000)),
}


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of each store at its largest, compared with its smallest."""
    for name, (made, records, sizes) in STORES.items():
        with tempfile.TemporaryDirectory() as folder:
            smaller = [max(LEAST * 10**place, size // scale) for place, size in enumerate(sizes)]
            yield from grown(name, records, made, Path(folder), smaller)


def grown(
    name: str, records: str, made: Callable[[Path], Growing], folder: Path, sizes: Sequence[int]
) -> Iterator[Line]:
    """Yield the cost of writing, querying and opening at the largest of some sizes compared with the smallest."""
    stores, filling = [], []
    for size in sizes:
        there = folder / str(size)
        there.mkdir()
        stores.append(made(there))
        filling.append(filled(stores[-1], size))
    found = {
        "a write": by_turns([partial(written, store, size) for store, size in zip(stores, sizes, strict=True)]),
        "a write, with the rewriting": filling,
    }
    asked = [store.asks() for store in stores]
    found |= {what: by_turns([asks[what] for asks in asked]) for what in asked[0]}
    opening = cold([partial(made, folder / str(size)) for size in sizes])
    found[f"opening and a first question, for each 1,000 {records}"] = [
        spent / size * 1000 for spent, size in zip(opening, sizes, strict=True)
    ]
    store = stores[-1]
    if isinstance(store, Done):
        found["verifying, for 1,000 lines"] = [verified(store)]
    told = ", ".join(f"{size:,}" for size in sizes)
    for what, values in found.items():
        note = f"{', '.join(f'{value:.3g}' for value in values)} ms at {told}"
        if len(values) == 1:
            yield Line(f"{name}: {what}", exactly(values[0]))
            continue
        most = ASK if what in store.asks() else WRITE
        yield Line(
            f"{name}: {what}, {sizes[-1]:,} {records}",
            exactly(values[-1] / values[0]),
            most=most,
            unit="x",
            beside=f"{sizes[0]:,} {records}",
            note=note,
        )


def filled(store: Growing, size: int) -> float:
    """Fill a store; return the CPU milliseconds per write."""
    begun = process_time()
    for number in range(size):
        store.write(number)
    return (process_time() - begun) / size * 1000


def written(store: Growing, size: int, number: int) -> object:
    """Write a record a given number after the last of a full store."""
    return store.write(size + number)


def by_turns(actions: Sequence[Callable[[int], object]]) -> list[float]:
    """Return the median CPU milliseconds of actions, each repeated in turn."""
    spent: list[list[float]] = [[] for _ in actions]
    for first in range(0, TIMES, IN_TURN):
        for action, taken in zip(actions, spent, strict=True):
            action(first)  # what another store has driven out of the processor's own memory is back
            taken += [worked(partial(action, number)) for number in range(first + 1, first + IN_TURN)]
    return [median(taken) for taken in spent]


def worked(action: Callable[[], object]) -> float:
    """Return the CPU milliseconds of an action."""
    begun = process_time()
    action()
    return (process_time() - begun) * 1000


def cold(openings: Sequence[Callable[[], Growing]]) -> list[float]:
    """Return the median CPU milliseconds of opening stores as a new process does, with one query."""

    def opened_and_asked(opening: Callable[[], Growing]) -> None:
        store = opening()
        with suppress(MabosError):
            next(iter(store.asks().values()))(0)

    gc.collect()
    gc.freeze()  # a new process has nothing else that the collector would go through
    try:
        taken = [[worked(partial(opened_and_asked, one)) for one in openings] for _ in range(OPENINGS)]
    finally:
        gc.unfreeze()
    return [median(each) for each in zip(*taken, strict=True)]


def verified(store: Done) -> float:
    """Return the CPU milliseconds of verifying a thousand lines of a chain, which must be intact."""
    begun = process_time()
    assert store.ledger.verify("cfo") == []
    return (process_time() - begun) * 1e6 / store.lines


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
