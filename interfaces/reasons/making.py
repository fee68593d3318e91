"""Information in a ledger beyond its entries: the action behind an id, choices, and requests."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mabos.interfaces.reasons.record import Record, texts

if TYPE_CHECKING:
    from mabos.workspace.ledger import LedgerEntry

Way = Literal["named", "answered", "made"]
"""The form of an id in the result of a call."""
_NAMES = ("title", "name", "subject", "topic", "text", "content")
_LONGEST_ID = 100
"""Characters of a text that may be an id."""


class IdOrigin(NamedTuple):
    """The origin of an id: the time, the agent, and the action behind it. The smallest is the first."""

    at: str
    agent_id: str
    action: str


class EntryReason(NamedTuple):
    """The entry that comments on a plan or goal, and the comment in words."""

    entry: str
    words: str


@dataclass(frozen=True, slots=True)
class SucceededCall:
    """A call that succeeded: its action, its start time, its result and arguments."""

    action: str
    agent_id: str
    at: str
    result: Mapping[str, Any]
    arguments: Mapping[str, Any]

    def answers(self) -> Iterator[tuple[str, str]]:
        """Yield every id in the result, after its kind as the name states it."""
        for name, value in self.result.items():
            if name.endswith("_id") and isinstance(value, str) and value:
                yield name.removesuffix("_id").replace("_", " "), value


@dataclass(slots=True)
class Tells:
    """The information in the entries of one ledger, read one after another.

    `origins` has every id in results, by its form there: `named` anywhere, `answered` under its own name, and `made`,
    absent from the arguments; `things` has the last as records. `choices` holds reasons against other plans, `lacking`
    the reason why no plan fits a goal, and `asked` the reasons for a decision request: these three are shown with other
    records, and `edition` counts them.
    """

    origins: Mapping[Way, dict[str, IdOrigin]] = field(
        default_factory=lambda: {"named": {}, "answered": {}, "made": {}}
    )
    things: dict[str, Record] = field(default_factory=dict)
    choices: dict[str, EntryReason] = field(default_factory=dict)
    lacking: dict[str, EntryReason] = field(default_factory=dict)
    asked: dict[str, list[str]] = field(default_factory=dict)
    edition: int = 0
    _begun: dict[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)

    def take(self, entry: "LedgerEntry") -> None:
        """Process the next entry; the outcome of a person's call is a separate entry."""
        body = entry.body
        if entry.kind in ("call", "outcome") and body.get("ok"):
            self._take_call(entry)
        elif entry.kind == "call":
            self._begun[entry.id] = (entry.at, body.get("arguments") or {})
        elif entry.kind == "awaiting" and body.get("decision"):
            self.asked.setdefault(str(body["decision"]), []).extend(texts(body.get("why", {})))
            self.edition += 1
        elif entry.kind == "plan":
            self._take_plan(entry)

    def _take_call(self, entry: "LedgerEntry") -> None:
        body, action = entry.body, str(entry.body.get("call", ""))
        if action in self._begun:
            at, arguments = self._begun[action]
        else:
            action, at, arguments = entry.id, entry.at, body.get("arguments") or {}
        call = SucceededCall(action, entry.agent, at, body.get("result") or {}, arguments)
        origin = IdOrigin(entry.at, entry.agent, action)
        for text in texts(call.result):
            if len(text) <= _LONGEST_ID:
                _first(self.origins["named"], text, origin)
        given = set(texts(call.arguments))
        for kind, made in call.answers():
            _first(self.origins["answered"], made, origin)
            if made not in given and _first(self.origins["made"], made, origin):
                words = next((str(call.result[name]) for name in _NAMES if call.result.get(name)), kind)
                self.things[made] = Record(made, kind, entry.agent, words, at, (action,))

    def _take_plan(self, entry: "LedgerEntry") -> None:
        against = entry.body.get("passed_over")
        if against:
            self.choices[str(entry.body.get("plan"))] = EntryReason(entry.id, "; ".join(against))
        lacked: Mapping[str, Any] = entry.body.get("no_plan") or {}
        for goal_id, why in lacked.items():
            self.lacking[goal_id] = EntryReason(entry.id, "; ".join(why))
        self.edition += bool(against or lacked)


def _first(known: dict[str, IdOrigin], name: str, origin: IdOrigin) -> bool:
    """Store the origin of a name unless an earlier entry has it; return whether it is the first."""
    is_first = name not in known
    known.setdefault(name, origin)
    return is_first
