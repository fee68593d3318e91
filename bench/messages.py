"""The cost of a message: `python -m bench.messages`.

Two agents ask and answer under the Request protocol, watched by the monitor, each with an inbox on a log that lives in
memory; python-agentspeak (GPL, so in an environment of its own; see `procedures.py`) passes the same requests and
answers between two agents in the same run, and the runs take turns. A message here is created, checked, delivered, read
and marked as read. Then the costs of a durable message and of checking an unchanged inbox are measured.
"""

import gc
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from types import MappingProxyType

from bench.environments import environment
from bench.measured import Line, exactly
from bench.printed import printed
from bench.procedures import PINNED, asked
from bench.store import floor
from mabos.society.inbox import Inbox, open_inbox
from mabos.society.messages import Message, message
from mabos.society.protocols import admit
from mabos.workspace.clock import frozen_clock
from mabos.workspace.ids import Ids
from mabos.workspace.operations import Collections, LiveCollection, Op, apply
from mabos.workspace.store import JournalChange, Store
from mabos.workspace.sync import Durability, Sync

ROUNDS, EXCHANGES, DURABLE, LOOKS = 5, 3_000, 2_000, 2_000
SIDE_BY_SIDE, LOOK_GROWTH = 1.0, 1.5
NOTHING: Mapping[str, str] = MappingProxyType({})
CLOCK = frozen_clock(datetime(2026, 3, 2, tzinfo=UTC))

ASK = "!ask(0). +!ask(N) : N < {many} <- .send(pong, achieve, ping(N)). +!ask(N). +pong(N) <- -pong(N); !ask(N + 1)."
ANSWER = "+!ping(N) <- .send(ping, tell, pong(N))."


class MemoryLog(Store):
    """A store without files: the log is a list of transactions."""

    def __init__(self) -> None:
        self._collections: Collections = {"messages": LiveCollection(), "marks": LiveCollection()}
        self._log: list[JournalChange] = []

    @property
    def seq(self) -> int:
        """The number of transactions."""
        return len(self._log)

    def read(self) -> Collections:
        """Return the records."""
        return self._collections

    def moment(self) -> tuple[int, Collections]:
        """Return the number of transactions, and the records."""
        return self.seq, self._collections

    def commit(self, change: Sequence[Op] | Callable[[Collections], Sequence[Op]], *, note: object = None) -> int:
        """Add a transaction to the log."""
        ops = change(self._collections) if callable(change) else change
        if ops:
            self._log.append(JournalChange(len(self._log) + 1, tuple(ops), NOTHING, NOTHING))
            apply(self._collections, ops)
        return len(self._log)

    def since(self, seq: int) -> tuple[JournalChange, ...]:
        """Return the transactions after `seq`."""
        return tuple(self._log[seq:])


@dataclass(slots=True)
class Talker:
    """An agent that only exchanges messages."""

    name: str
    inbox: Inbox
    ids: Ids = field(default_factory=lambda: Ids(CLOCK))

    def say(self, said: Message, to: "Talker") -> None:
        """Put a message in another's inbox, if its protocol allows it."""
        heard = self.inbox.thread(said.thread) if said.conversation_id else ()
        to.inbox.deliver(said, heard=heard, admit=admit)

    def ask(self, other: "Talker", number: int) -> None:
        """Request something."""
        said = message(
            self.name, other.name, "REQUEST", f"ping {number}", ids=self.ids, clock=CLOCK, protocol="request"
        )
        self.say(said, other)

    def answer(self, other: "Talker") -> None:
        """Answer every unread request."""
        unread = self.inbox.unread()
        for one in unread:
            self.say(one.reply(self.ids.new("MSG"), "INFORM", f"pong {one.content}", at=one.timestamp), other)
        self.inbox.mark_read(one.id for one in unread)

    def hear(self) -> int:
        """Read new messages, and return their number."""
        unread = self.inbox.unread()
        self.inbox.mark_read(one.id for one in unread)
        return len(unread)


def talked(exchanges: int) -> float:
    """Return our messages per CPU second."""
    ping, pong = Talker("ping", Inbox(MemoryLog())), Talker("pong", Inbox(MemoryLog()))
    gc.collect()
    begun = time.process_time()
    for number in range(exchanges):
        ping.ask(pong, number)
        pong.answer(ping)
        if ping.hear() != 1:
            raise RuntimeError(f"request {number} got no answer")
    return 2 * exchanges / (time.process_time() - begun)


def peer_talked(python: Path, exchanges: int) -> float:
    """Return the peer's messages per CPU second."""
    agents = [["ping", ASK.format(many=exchanges)], ["pong", ANSWER]]
    answer = asked(python, {"timed": {"talk": {"agents": agents, "copies": 1}}})
    return 2 * exchanges / float(answer["timed"]["talk"])


def delivered(folder: Path, durability: Durability, group: int, count: int) -> float:
    """Return the messages per wall second that one writer delivers on disk, a number of them made durable at a time."""
    sync, ids = Sync(durability), Ids(CLOCK)
    inbox = open_inbox(folder, sync)
    spent = []
    for _ in range(max(1, count // group)):
        begun = time.perf_counter()
        with sync.group():
            for number in range(group):
                inbox.deliver(message("ceo", "cfo", "INFORM", f"News {number}", ids=ids, clock=CLOCK))
        spent.append(time.perf_counter() - begun)
    return group / median(spent)


def looked(folder: Path, size: int) -> float:
    """Return the microseconds of checking an inbox of a size without unread messages."""
    inbox, ids = open_inbox(folder, Sync("off")), Ids(CLOCK)
    for number in range(size):
        inbox.deliver(message("ceo", "cfo", "INFORM", f"News {number}", ids=ids, clock=CLOCK))
    inbox.mark_read(one.id for one in inbox.unread())
    inbox.unread()
    spent = []
    for _ in range(LOOKS):
        begun = time.perf_counter()
        inbox.unread()
        spent.append(time.perf_counter() - begun)
    return median(spent) * 1e6


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of messages in memory compared with the peer's, on disk, and in large inboxes."""
    python, exchanges = environment(PINNED, make=scale == 1), EXCHANGES // scale
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(talked(exchanges))
        theirs += [peer_talked(python, exchanges)] if python else []
    name = "messages a second in memory, watched"
    if theirs:
        ratio, note = median(ours) / median(theirs), f"{median(ours):,.0f} and {median(theirs):,.0f}"
        yield Line(name, exactly(ratio), least=SIDE_BY_SIDE, unit="x", beside=PINNED, note=note)
    else:
        yield Line(name, exactly(median(ours)), unit="", note=f"{PINNED} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        yield from on_disk(Path(folder), scale)


def on_disk(root: Path, scale: int) -> Iterator[Line]:
    """Yield the durable messages per second, and the cost of checking an inbox."""
    number = DURABLE // scale
    yield Line("a durable line alone, a second", exactly(1000 / floor(root)), unit="")
    yield Line("messages a second, durable one by one", exactly(delivered(root / "each", "each", 1, number)), unit="")
    yield Line(
        "messages a second, durable fifty at a time", exactly(delivered(root / "phase", "phase", 50, number)), unit=""
    )
    left = delivered(root / "off", "off", 1, number)
    yield Line("messages a second, left to the operating system", exactly(left), unit="")
    few, many = 1_000 // scale, 20_000 // scale
    small, large = looked(root / "small", few), looked(root / "large", many)
    yield Line(
        f"a look into an inbox of {many:,} messages where nothing is new",
        exactly(large / small),
        most=LOOK_GROWTH,
        unit="x",
        beside=f"one of {few:,}",
        note=f"{large:.1f} and {small:.1f} µs",
    )


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
