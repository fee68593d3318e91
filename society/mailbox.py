"""Items imported into a business's inbox from a mailbox or a watched folder, each once (`mailbox.json`)."""

from dataclasses import dataclass
from pathlib import Path

from mabos.workspace.records import Document, declaration, record
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

_DOCUMENT = Document("mailbox.json", ("places", "mails", "files"))


@record(_DOCUMENT, "places", noun="mailbox")
@dataclass(frozen=True, slots=True)
class MailboxPlace:
    """The position in a mailbox folder: all mails are read up to a UID, while `uid_validity` is unchanged.

    After a failure the server is not contacted before `next_at`.
    """

    id: str
    uid_validity: int = 0
    last_uid: int = 0
    looked_at: str = ""
    failures: int = 0
    error: str = ""
    next_at: str = ""


@record(_DOCUMENT, "mails", noun="mail")
@dataclass(frozen=True, slots=True)
class ReceivedMail:
    """A received mail; `id` derives from its Message-ID, so that a server with new UIDs delivers nothing twice."""

    id: str
    uid: int
    file: str
    sender: str
    subject: str
    at: str


@record(_DOCUMENT, "files", noun="watched file")
@dataclass(frozen=True, slots=True)
class WatchedFile:
    """A file of the watched folder as it was when copied; `file` is its name in the inbox."""

    id: str
    stamp: str
    file: str
    at: str


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A business's imports: the reading position, the mails, and the files of a watched folder."""

    store: Store
    places: View[MailboxPlace]
    mails: View[ReceivedMail]
    files: View[WatchedFile]


def open_mailbox(directory: Path, sync: Sync) -> Mailbox:
    """Return the mailbox of the business in `directory`; nothing is written before the first mail or file."""
    store = declaration(MailboxPlace).open(directory, sync)
    return Mailbox(store, View(store, MailboxPlace), View(store, ReceivedMail), View(store, WatchedFile))
