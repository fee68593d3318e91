"""A past mind, rebuilt from the journal's history without touching the present mind."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from mabos.configs.errors import unknown
from mabos.mind.mind import Mind, open_mind
from mabos.workspace.clock import parse_time
from mabos.workspace.ledger import Ledger
from mabos.workspace.store import JournalChange
from mabos.workspace.sync import Sync

_LISTED = 200  # of the newest cycles, among which a mistyped one is looked for


@contextmanager
def mind_at(mind: Mind, ledger: Ledger, cycle: str, now: datetime) -> Iterator[tuple[Mind, datetime]]:
    """Yield a mind as of the end of a cycle, and the time of its last record; without a cycle, the present, `now`.

    Manual edits count from when they were read. A past mind is a copy: changes to it are lost. Raises `UnknownId` for a
    cycle without a record.
    """
    if not cycle:
        yield mind, now
        return
    history = list(mind.store.history())
    kept = history[: _length(mind.agent_id, history, ledger, cycle)]
    changed = [change.note.get("at", "") for change in history if change.note.get("cycle") == cycle]
    ended = max([*changed, *(entry.at for entry in ledger.entries(mind.agent_id) if entry.cycle == cycle)])
    with TemporaryDirectory(prefix="mabos-mind-") as folder:
        past = open_mind(Path(folder), clock=mind.clock, ids=mind.ids, sync=Sync("off"), agent_id=mind.agent_id)
        past.store.commit([op for change in kept for op in change.ops])
        yield past, parse_time(ended)


def _length(agent_id: str, history: list[JournalChange], ledger: Ledger, cycle: str) -> int:
    """Return how many transactions there were when the cycle ended; one that changed no mind is found in the ledger."""
    own = [number for number, change in enumerate(history, 1) if change.note.get("cycle") == cycle]
    if own:
        return own[-1]
    entries = list(ledger.entries(agent_id))
    told = [entry.at for entry in entries if entry.cycle == cycle]
    if not told:
        known = [change.note.get("cycle", "") for change in history] + [entry.cycle for entry in entries]
        raise unknown("cycle", cycle, list(filter(None, dict.fromkeys(known)))[-_LISTED:], argument="cycle")
    return max(
        (number for number, change in enumerate(history, 1) if "" < change.note.get("at", "") <= told[-1]), default=0
    )
