"""What calls have made: for every id in their results, the action it came from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mabos.reasons.record import Record, texts

if TYPE_CHECKING:
    from workspace.ledger import Entry

_NAMES = ("title", "name", "subject", "topic", "text", "content")


class Made(NamedTuple):
    """A call that succeeded: the entry of its ledger, when it was recorded, and what it answered and was given."""

    entry: str
    agent_id: str
    at: str
    result: Mapping[str, Any]
    arguments: Mapping[str, Any]


def calls_that_made(books: Mapping[str, Sequence["Entry"]]) -> list[Made]:
    """Return the calls that succeeded, oldest first; one that a person made tells its result in an entry of its own."""
    entries = [entry for book in books.values() for entry in book]
    begun = {entry.id: entry for entry in entries if entry.kind == "call"}
    done = [entry for entry in entries if entry.kind in ("call", "outcome") and entry.body.get("ok")]
    return [_made(entry, begun) for entry in sorted(done, key=lambda one: (one.at, one.agent, one.seq))]


def _made(entry: "Entry", begun: Mapping[str, "Entry"]) -> Made:
    call = begun.get(str(entry.body.get("call", "")), entry)
    return Made(call.id, entry.agent, call.at, entry.body.get("result") or {}, call.body.get("arguments") or {})


def named_by(calls: list[Made]) -> dict[str, str]:
    """Return the first action whose result names an id, for every text in results."""
    found: dict[str, str] = {}
    for call in calls:
        for text in texts(call.result):
            found.setdefault(text, call.entry)
    return found


def made_by(calls: list[Made], *, given: bool = False) -> dict[str, str]:
    """Return the action that made an id: the first that answers with it and was not `given` it, or may have been."""
    found: dict[str, str] = {}
    for call in calls:
        for _, made in _ids(call, given=given):
            found.setdefault(made, call.entry)
    return found


def things(calls: list[Made]) -> Iterator[Record]:
    """Yield a record for every id that a call has handed out; the kind is what the result calls it."""
    for call in calls:
        for kind, made in _ids(call):
            words = next((str(call.result[name]) for name in _NAMES if call.result.get(name)), kind)
            yield Record(made, kind, call.agent_id, words, call.at, (call.entry,))


def _ids(call: Made, *, given: bool = False) -> Iterator[tuple[str, str]]:
    known = set() if given else set(texts(call.arguments))
    for name, value in call.result.items():
        if name.endswith("_id") and isinstance(value, str) and value and value not in known:
            yield name.removesuffix("_id").replace("_", " "), value
