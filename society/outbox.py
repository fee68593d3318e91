"""The outbox of a business: notices to people, each sent once per channel (`outbox.json`)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mabos.workspace.records import Document, declaration, record
from mabos.workspace.sync import Sync
from mabos.workspace.view import View


@record(Document("outbox.json", ("notices",), root="array"), "notices", noun="notice")
@dataclass(frozen=True, slots=True)
class Notice:
    """A notice to one person on one channel; `id` is its key, under which it is sent once.

    `status` is failed if the channel refused it: it is retried from `next_at` on, as long as it is due. `place` is
    where it was delivered.
    """

    id: str
    channel: str
    to: str
    subject: str
    at: str
    status: Literal["begun", "sent", "failed"] = "begun"
    attempts: int = 0
    place: str = ""
    error: str = ""
    next_at: str = ""


def open_outbox(directory: Path, sync: Sync) -> View[Notice]:
    """Return the outbox of the business in `directory`; nothing is written until the first notice."""
    return View(declaration(Notice).open(directory, sync), Notice)
