"""A power cut at every moment of a cycle: what was not forced is gone, and the agent is opened again on the rest."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from unittest.mock import patch

import pytest

from mabos.configs.settings import environment, load_settings, without_embeddings
from mabos.graphs import wiring
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.society.messages import Message
from mabos.tools.runtime.services import Services
from mabos.workspace import sync
from mabos.workspace.clock import SteppedClock, iso
from mabos.workspace.names import INTERNAL
from tests.world import NOON, write_company

CONTENTS = tuple(f"Round {number} went through" for number in range(2))


@dataclass
class Disk:
    """What a disk holds of a workspace: each file as it was when it was last forced. `cuts` are copies of that."""

    root: Path
    cuts: list[dict[str, bytes]] = field(default_factory=list)
    held: dict[int, bytes] = field(default_factory=dict)
    guard: Lock = field(default_factory=Lock)

    def look(self) -> None:
        """Take everything as forced that is there now."""
        self.held = {inode: path.read_bytes() for path, inode in self._files()}

    def cut(self) -> None:
        """Keep what would be left if the power went now."""
        there = {str(path.relative_to(self.root)): inode for path, inode in self._files()}
        self.cuts.append({name: self.held[inode] for name, inode in there.items() if inode in self.held})

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Cut before everything that is forced in the block, and once at its end."""
        with patch.object(sync, "_force", self._forcing), patch.object(os, "fsync", self._forcing):
            yield
        self.cut()

    def _forcing(self, fd: int) -> None:
        with self.guard:
            self.cut()
            found = os.fstat(fd)
            if found.st_ino in self.held or found.st_size:
                path = Path(f"/proc/self/fd/{fd}")
                self.held[found.st_ino] = path.read_bytes() if path.is_file() else b""

    def _files(self) -> Iterator[tuple[Path, int]]:
        internal = self.root / INTERNAL
        for path in self.root.rglob("*"):
            with suppress(FileNotFoundError):  # another thread may have renamed it meanwhile
                if path.is_file() and internal not in path.parents:
                    yield path, path.stat().st_ino


@contextmanager
def opened(root: Path) -> Iterator[Services]:
    settings = without_embeddings(load_settings(root, environment()))
    with wiring.hold_services(root, settings=settings, clock=SteppedClock(NOON)) as services:
        yield services


def begin_work(services: Services) -> None:
    """Give the agent a message, and a plan of two steps that it has committed to."""
    agent, now = services.agent("cfo"), iso(services.clock())
    steps = tuple(
        Step(f"s{number}", tool="memory_store_item", arguments={"content": said, "importance": 0.4})
        for number, said in enumerate(CONTENTS)
    )
    goal = Goal("G-two", "Two things", priority=0.99, created=now, updated=now)
    plan = Plan("P-two", goal.id, "two", steps=steps, status="active", created=now, updated=now)
    agent.mind.save(goal, plan, Intention("I-two", goal.id, plan.id, started=now, updated=now))
    news = {"subject": "rival_price", "value": "19", "certainty": 0.9}
    services.mail.deliver(Message("MSG-news", "ceo", "cfo", "INFORM", "News", now, metadata=news))


def remembered(services: Services) -> list[str]:
    """Return which of the steps' contents are in the memory, each as often as it is there."""
    recent = services.agent("cfo").memory.recent(100)
    return sorted(item.content for item in recent if item.content in CONTENTS)


def holds_together(services: Services) -> None:
    """Check that no file says that something is done which another has lost."""
    agent = services.agent("cfo")
    if not agent.inbox.unread():
        assert agent.mind.value("rival_price") == "19", "a message counts as read, and what it said is lost"
    done = {one.id for one in services.directory.effects("cfo").all() if one.status == "done"}
    assert len(remembered(services)) >= len(done), "an effect counts as done and is lost"
    assert not services.ledger.verify()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="a forced file is read through /proc")
def test_a_power_cut_at_any_moment_of_a_cycle_loses_nothing_that_counts_as_done_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    root = write_company(tmp_path / "workspace")
    with opened(root) as services:
        begin_work(services)
    disk = Disk(root)
    disk.look()
    with opened(root) as services, disk.watched():
        assert wiring.run_cycle(services, "cfo").outcome == "completed"
    assert len(disk.cuts) > len(CONTENTS)
    for number, files in enumerate(disk.cuts):
        again = tmp_path / str(number)
        for name, held in files.items():
            (again / name).parent.mkdir(parents=True, exist_ok=True)
            (again / name).write_bytes(held)
        with opened(again) as services:
            holds_together(services)
            if number == len(disk.cuts) - 1:
                assert not services.agent("cfo").inbox.unread()
                assert remembered(services) == sorted(CONTENTS)
            for _ in range(2):
                wiring.run_cycle(services, "cfo")
            assert remembered(services) == sorted(CONTENTS)
            assert services.agent("cfo").mind.value("rival_price") == "19"
        shutil.rmtree(again)
