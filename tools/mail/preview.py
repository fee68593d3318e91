"""A letter awaiting approval, as its recipient would get it; nothing is sent, and no server is contacted."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mabos.configs.errors import MabosError
from mabos.society.contacts import Contact
from mabos.society.mailings import Sending
from mabos.tools.business.crm import chosen_by
from mabos.tools.mail.letters import readers_of, select_readers, source_of
from mabos.tools.mail.sending import Post
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent

LETTER_TOOLS = ("email_send", "email_campaign")


@dataclass(frozen=True, slots=True)
class LetterPreview:
    """A letter with all its recipients; `text` is the first one's letter, `problem` why it cannot be written."""

    recipients: tuple[str, ...]
    subject: str
    text: str
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the preview as JSON."""
        return {**asdict(self), "recipients": list(self.recipients)}


def letter_preview(agent: Agent, tool: str, arguments: Mapping[str, Any]) -> LetterPreview | None:
    """Return the letter that a call would send, or None. `arguments` include defaults."""
    if tool not in LETTER_TOOLS or arguments.get("action", "send") != "send":
        return None
    business = business_of(agent, arguments["business_id"])
    try:
        source = source_of(business, *(arguments[one] for one in ("template", "subject", "text", "html")))
        readers = _readers(agent, business, tool, arguments)
    except MabosError as error:
        return LetterPreview((), arguments["subject"], arguments["text"], error.message)
    emails = tuple(one.email for one in readers)
    post = Post(agent, business, None)
    try:
        letter = post.letter(Sending("preview", emails[0], agent.now()), source, readers[0], arguments["fields"] or {})
    except MabosError as error:
        return LetterPreview(emails, source.subject, source.text, error.message)
    return LetterPreview(emails, letter.subject, letter.text)


def _readers(agent: Agent, business: Business, tool: str, arguments: Mapping[str, Any]) -> list[Contact]:
    limit = arguments["max_recipients"]
    if tool == "email_send":
        return readers_of(business, arguments["to"], arguments["list"], limit)
    choice = chosen_by(agent, list_=arguments["list"], **{one: arguments[one] for one in ("tags", "segment", "stage")})
    return select_readers(business, choice, limit)
