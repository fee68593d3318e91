"""The durable writes of a working cycle, recorded while it runs and repeated alone on separate files.

A durable write is the call that acknowledges it: a saved mind (Markdown, merged with hand edits), a transaction of a
document, a ledger entry, lines of a daily log; and the syncs of groups and effects in their order, and the forcing
begun ahead of them. Syncs and bytes are counted where they reach the disk, in the cycle as in its repetition: both must
be equal.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any
from unittest.mock import patch

from mabos.memory import daily
from mabos.mind.mind import Mind, open_mind
from mabos.mind.model import Item
from mabos.workspace import sync as sync_module
from mabos.workspace.clock import iso, system_clock
from mabos.workspace.documents import json_document
from mabos.workspace.ids import Ids
from mabos.workspace.ledger import Ledger
from mabos.workspace.names import INTERNAL, Layout
from mabos.workspace.store import Op, Put, Store
from mabos.workspace.sync import Sync

KINDS = {
    "mind": "saved minds",
    "transaction": "transactions of documents",
    "entry": "ledger entries",
    "log": "lines of the daily log",
}


@dataclass(slots=True)
class Disk:
    """The number of syncs, and the growth of files in bytes."""

    syncs: int = 0
    bytes: int = 0


@dataclass(slots=True)
class Writes:
    """The durable writes of a working cycle, in order; `within` is the nesting depth in a recorded call."""

    done: list[tuple[str, Any]] = field(default_factory=list)
    within: int = 0
    disk: Disk = field(default_factory=Disk)

    def count(self, kind: str) -> int:
        """Return the number of writes of a kind."""
        return sum(one == kind for one, _ in self.done)


@contextmanager
def counted(folder: Path, disk: Disk) -> Iterator[None]:
    """Count the block's syncs of files of truth in `folder` in `disk`."""
    force, fsync, before = sync_module._force, os.fsync, _size(folder)  # every sync ends in one of the two
    one_at_a_time = Lock()

    def counting(forced: Callable[[int], None]) -> Callable[[int], None]:
        def count(fd: int) -> None:
            with one_at_a_time:
                disk.syncs += 1
            forced(fd)

        return count

    with patch.object(sync_module, "_force", counting(force)), patch.object(os, "fsync", counting(fsync)):
        yield
    disk.bytes += _size(folder) - before


def _size(folder: Path) -> int:
    """Return the bytes of all files in `folder` but the internal ones."""
    files = (path for path in folder.rglob("[!.]*") if path.is_file())
    return sum(path.stat().st_size for path in files if "/." not in f"/{path.relative_to(folder)}")


def _listed(writes: Writes, ahead: Callable[[Sync], None]) -> Callable[[Sync], None]:
    """Return `ahead`, which says in `writes` that it was called."""

    def call(sync: Sync) -> None:
        writes.done.append(("ahead", None))
        ahead(sync)

    return call


@contextmanager
def recorded(folder: Path, writes: Writes) -> Iterator[None]:
    """Record every write of the block acknowledged as durable, by the acknowledging call."""
    save, commit, append, group, flush = Mind.save, Store.commit, Ledger.append, Sync.group, Sync.flush
    log = daily.append

    def spy_save(mind: Mind, *items: Any, **more: Any) -> int:
        writes.done.append(("mind", (items, more)))
        writes.within += 1
        try:
            return save(mind, *items, **more)
        finally:
            writes.within -= 1

    def spy_commit(store: Store, change: Any, *, note: Mapping[str, Any] | None = None) -> int:
        seen: list[Op] = []

        def kept(collections: Any) -> Sequence[Op]:
            seen[:] = change(collections) if callable(change) else change
            return seen

        before = store.seq
        after = commit(store, kept, note=note)
        if after != before and not writes.within:
            writes.done.append(("transaction", (id(store), list(seen), note or {})))
        return after

    def spy_append(ledger: Ledger, agent_id: str, kind: str, body: Mapping[str, Any], **more: Any) -> Any:
        writes.done.append(("entry", (kind, dict(body))))
        return append(ledger, agent_id, kind, body, **more)

    def spy_log(directory: Path, items: Any, *wrote: Any) -> None:
        logged = list(items)
        writes.done.extend([("log", logged)] if logged else [])
        log(directory, logged, *wrote)

    @contextmanager
    def spy_group(sync: Sync) -> Iterator[None]:
        writes.done.append(("begin", None))
        with group(sync):
            yield
        writes.done.append(("end", None))

    def spy_flush(sync: Sync) -> None:
        if sync._group.depth:  # the end of a group flushes too
            writes.done.append(("flush", None))
        flush(sync)

    with (
        patch.object(Mind, "save", spy_save),
        patch.object(Store, "commit", spy_commit),
        patch.object(Ledger, "append", spy_append),
        patch.object(daily, "append", spy_log),
        patch.object(Sync, "group", spy_group),
        patch.object(Sync, "flush", spy_flush),
        patch.object(Sync, "ahead", _listed(writes, Sync.ahead)),
        counted(folder, writes.disk),
    ):
        yield


def replayed(writes: Writes, template: Path, folder: Path, given: Sequence[Item]) -> Callable[[], None]:
    """Return the same writes on separate files: a copy of the mind before, and as many documents.

    Files are created and read in advance, as in a running workspace, and the mind is `given` its work; only writing
    remains.
    """
    sync, clock = Sync("phase"), system_clock
    (folder / INTERNAL).mkdir(parents=True)
    shutil.copytree(template, folder / "mind")
    mind = open_mind(folder / "mind", clock=clock, ids=Ids(clock), sync=sync)
    mind.save(*given)
    _ = mind.beliefs, mind.desires, mind.goals, mind.intentions, mind.plans, mind.learnings
    stores: dict[int, Store] = {}
    for _, (name, *_rest) in (one for one in writes.done if one[0] == "transaction"):
        if name not in stores:
            stores[name] = json_document(folder / f"{len(stores)}.json", ["bench"], sync=sync)
            stores[name].commit([Put("bench", "warm", {"id": "warm"})])
    ledger = Ledger(Layout(folder), sync)
    ledger.append("bench", "warm", {}, at=iso(clock()))
    for kind, items in writes.done:
        if kind == "log":
            daily.append(folder / "log", items[:1])

    def once(kind: str, what: Any) -> None:
        if kind == "mind":
            mind.save(*what[0], **what[1])
        elif kind == "entry":
            ledger.append("bench", what[0], what[1], at=iso(clock()), cycle="bench")
        elif kind == "log":
            daily.append(folder / "log", what, sync.wrote)
        elif kind == "flush":
            sync.flush()
        elif kind == "ahead":
            sync.ahead()
        else:
            name, ops, note = what
            stores[name].commit([Put("bench", op.key, op.value) for op in ops if isinstance(op, Put)], note=note)

    def write() -> None:
        groups = []
        for kind, what in writes.done:
            if kind == "begin":
                groups.append(sync.group())
                groups[-1].__enter__()
            elif kind == "end":
                groups.pop().__exit__(None, None, None)
            else:
                once(kind, what)

    return write
