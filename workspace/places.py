"""Which texts a snapshot may have by a program's doing; any other one is a person's edit."""

from collections.abc import Sequence
from dataclasses import dataclass

from mabos.workspace.journal import Entry, Header, JournalChange
from mabos.workspace.snapshots import ABSENT


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text that a file may have by our doing; `holds` says that it is everything before entry `at`."""

    at: int
    sha: str
    holds: bool


def texts(places: Sequence[WrittenText]) -> list[str]:
    """Return the checksums that the file may have now, oldest first: none from before a text by hand was seen in it."""
    seen = [number for number, place in enumerate(places) if not place.holds]
    return [place.sha for place in places[seen[-1] if seen else 0 :]]


def possible(name: str, entries: Sequence[Entry]) -> list[WrittenText]:
    """Return the texts that the file `name` may have by our doing after these entries of a journal, oldest first."""
    places: list[WrittenText] = []
    for at, entry in enumerate(entries):
        places = after(places, name, at, entry)
    return places


def after(places: list[WrittenText], name: str, at: int, entry: Entry) -> list[WrittenText]:
    """Return what `places` become by one more entry, which is number `at`."""
    # Between a mark and the word that it was carried out, a crash may have left the file as it was. Any other text is a
    # person's, be it one that we once wrote.
    if isinstance(entry, Header):
        return [WrittenText(at, entry.files.get(name, ABSENT), holds=True)]
    if isinstance(entry, JournalChange):
        return [*places, WrittenText(at, entry.seen[name], holds=False)] if name in entry.seen else places
    if not entry.files:
        whole = [number for number, place in enumerate(places) if place.holds]
        return places[whole[-1] :] if whole else places
    return [*places, WrittenText(at, entry.files[name], holds=True)] if name in entry.files else places
