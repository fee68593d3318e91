"""The register of webhooks: processed events, and the subscriptions, payments and objects they report
(`webhooks.json`).

Every event is here once, first as begun, then as done or kept. An interrupted event is processed again when it is
reported again, a finished one never.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from mabos.configs.errors import Refused
from mabos.society.webhooks.events import WebhookEvent
from mabos.workspace.records import Document, declaration, record
from mabos.workspace.store import Collections, Drop, Op, Put, Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

_DOCUMENT = Document("webhooks.json", ("events", "subscriptions", "movements", "payments", "objects"))
KEPT = 5_000
"""Events that are remembered; older ones are dropped a tenth of that at a time. A report is refused long before it
could come back after that many."""

_LONGEST = 20_000  # characters of an event nobody understood


@record(_DOCUMENT, "events", noun="event")
@dataclass(frozen=True, slots=True)
class Seen:
    """A received event; `content` is kept if nothing followed from it."""

    id: str
    source: str
    kind: str
    at: str
    status: Literal["begun", "done", "kept"] = "begun"
    received_at: str = ""
    content: str = ""
    why: str = ""


class Register:
    """The events of one business, and their totals."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.events = View(store, Seen)

    def section(self, name: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the records of a section, by id."""
        found: Mapping[str, Mapping[str, Any]] = self.store.read().get(name, {})
        return found

    def fresh(self, events: list[WebhookEvent], again_at: str = "") -> list[WebhookEvent]:
        """Return the unfinished events; raises `Refused` for `body` if there are none.

        `again_at` is when a repeated call was first made: events it received then are returned again.
        """
        seen = {event.id: self.events.find(key(event)) for event in events}
        once = {event.id: event for event in events}.values()  # a report may hold the same event twice
        open_ones = [event for event in once if _is_open(seen[event.id], again_at)]
        if events and not open_ones:
            first = seen[events[0].id]
            when = first.received_at if first is not None else ""
            message = f"{events[0].source} reports {events[0].id} again, which was taken in at {when}; nothing was done"
            raise Refused(message, argument="body")
        return open_ones

    def begin(self, event: WebhookEvent, at: str) -> None:
        """Record that an event arrived."""
        self.events.save(Seen(key(event), event.source, event.kind, event.at, "begun", at))

    def end(self, event: WebhookEvent, at: str, why_kept: str = "") -> None:
        """Record that an event was processed, or, with its content, why nothing follows from it."""
        content = orjson.dumps(event.content).decode()[:_LONGEST] if why_kept else ""
        status: Literal["done", "kept"] = "kept" if why_kept else "done"
        seen = Seen(key(event), event.source, event.kind, event.at, status, at, content, why_kept)

        def put(now: Collections) -> list[Op]:
            return [*self.events.puts(now, [seen]), *_drop_outdated(now.get("events", {}))]

        self.store.commit(put)

    def remember(self, *records: tuple[str, Mapping[str, Any]]) -> None:
        """Write records of sections by id."""
        self.store.commit([Put(section, str(record["id"]), dict(record)) for section, record in records])


def key(event: WebhookEvent) -> str:
    """Return the key of an event in the register."""
    return f"{event.source}:{event.id}"


def open_register(directory: Path, sync: Sync) -> Register:
    """Return the register of the business in `directory`; nothing is written until the first event."""
    return Register(declaration(Seen).open(directory, sync))


def _is_open(known: Seen | None, again_at: str) -> bool:
    return known is None or known.status == "begun" or known.received_at == again_at != ""


def _drop_outdated(events: Mapping[str, Mapping[str, Any]]) -> list[Drop]:
    if len(events) <= KEPT + KEPT // 10:
        return []
    oldest = sorted(events, key=lambda one: str(events[one].get("received_at", "")))
    return [Drop("events", one) for one in oldest[: len(events) - KEPT]]
