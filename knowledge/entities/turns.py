r"""Split a session held elsewhere into turns: a transcript, a mail thread, or notes in Markdown.

turns("Kim: I will call.\nLee: Thanks.")                        # two turns, each with its speaker
turns("From: Kim Lee <kim@acme.io>\nDate: 2026-03-02\n\nHi")    # one turn, with its day

A mail may be raw (MIME), and quotes of mails before it are turns of their own. What a turn repeats is left out.
"""

import re
from collections import Counter
from dataclasses import dataclass
from email import message_from_string, policy
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import Any

from mabos.configs.yaml_file import read_yaml
from mabos.workspace.text import fold, one_line

_NAME = r"[^\W\d_a-z][\w.'’-]*(?:[ ](?:(?:de|van|von|der|la|al|bin)[ ])?[^\W\d_a-z][\w.'’-]*){0,3}"
_CLOCK = r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?"
_SPOKEN = re.compile(
    rf"^(?:{_CLOCK}\s*[-–]?\s*)?(?:\*\*|__)?(?P<who>{_NAME}(?:[ ]\d{{1,2}})?|user|assistant)"
    rf"(?:\s*\((?P<note>[^)]{{1,40}})\))?(?:\s+{_CLOCK})?(?:\s*:(?:\*\*|__)|(?:\*\*|__)\s*:|\s*:)\s+(?P<text>\S.*)$"
)
_VOICE = re.compile(r"^<v(?:\.\w+)*\s+(?P<who>[^>]+)>(?P<text>.*?)(?:</v>)?$")
_OVERHEAD = re.compile(rf"^(?P<who>{_NAME})\s+{_CLOCK}$")
_LINK = re.compile(r"!?\[(?P<text>[^\]]*)\]\([^)]*\)|<?https?://[^\s>)]+>?")
_NOISE = re.compile(r"^(?:WEBVTT.*|NOTE\b.*|\d+|[\d:.,]+\s*-->.*|[-_=*]{3,})$")
_HEADER = re.compile(
    r"^(?:\*\*|\*)?(?P<name>From|To|Cc|Bcc|Date|Sent|Subject|Reply-To):(?:\*\*|\*)?\s+(?P<value>\S.*)$", re.I
)
_WROTE = re.compile(r"^On (?P<when>.{4,120}?),? (?P<who>[^,<>\n]{2,60}?)(?:\s*[<\[].*)?\s+wrote:$")
_DAY = re.compile(r"\b(?:19|20)\d{2}-\d{2}-\d{2}\b")
_HEADING = re.compile(r"^(?:#{1,6}\s+(?P<marked>.+?)\s*#*|(?:\*\*)(?P<bold>[^*:]{3,60}):?(?:\*\*):?)$")
FORMS = Path(__file__).parents[2] / "configs" / "requests" / "sessions.yaml"


@cache
def session_forms() -> dict[str, Any]:
    """Return the forms and word lists for reading outside sessions."""
    return dict(read_yaml(FORMS))


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """The words of one speaker: `at` is the day (ISO) if known, `section` the heading above them."""

    text: str
    speaker: str = ""
    at: str = ""
    section: str = ""

    def __str__(self) -> str:
        """Return the turn as it reads in a session, from which `turns` makes it again."""
        if self.speaker:
            return f"{self.speaker} ({self.at}): {self.text}" if self.at else f"{self.speaker}: {self.text}"
        head = f"{self.section} {self.at}".strip()
        return f"## {head}\n{self.text}" if head else self.text


def turns(text: str) -> list[SessionTurn]:
    """Return the turns of a session in the order of the text, without duplicates."""
    text = _decode_mail(text.replace("\r\n", "\n").strip())
    speakers = _list_speakers(text)
    found: dict[str, SessionTurn] = {}
    speaker = at = section = ""
    lines: list[str] = []

    def close() -> None:
        if said := "\n".join(lines).strip():
            found.setdefault(fold(said), SessionTurn(said, speaker, at, section))
        lines.clear()

    is_headed = False
    for raw in [*text.split("\n"), ""]:
        line = _LINK.sub(r"\g<text>", re.sub(r"^(?:>\s?)+", "", raw.strip()))
        if _NOISE.match(line):
            continue
        wrote, header, heading = _WROTE.match(line), _HEADER.match(line), _HEADING.match(line)
        spoken = _VOICE.match(line) or _OVERHEAD.match(line) or _speech(line, speakers)
        if wrote or header or heading or spoken:
            close()
        if wrote:
            speaker, at, section = wrote["who"].strip(' "'), _day(wrote["when"]) or at, ""
        elif header:
            if not is_headed:
                speaker, section = "", ""
            speaker, at = _read_header(header, lines, speaker, at)
        elif heading:
            section = (heading["marked"] or heading["bold"]).strip(" *:")
            at = at or _day(section)
        elif spoken:
            parts = spoken.groupdict("")
            speaker, at = spoken["who"].strip(), _day(parts.get("note", "")) or at
            lines += [parts["text"]] if "text" in parts else []
        elif lines and _goes_on(lines[-1], line):
            lines[-1] += " " + line
        elif line or lines:
            lines.append(line)
        is_headed = header is not None
    close()
    return list(found.values())


def _goes_on(line: str, following: str) -> bool:
    """Return whether a line is the rest of the one before it, which was wrapped."""
    is_new = re.match(r"(?:[-*+•#|]|\d{1,2}[.)]|\[[ xX]\])\s?", following)
    return bool(line and following and not is_new and not re.search(r"[.!?:|]$", line) and len(line) > 40)


def _list_speakers(text: str) -> set[str]:
    """Return who speaks in a text, folded: what stands before a colon twice, or in most lines of it."""
    lines = [line.strip() for line in text.split("\n") if len(line.strip().split()) > 1]
    counted = Counter(fold(found["who"]) for line in lines if (found := _SPOKEN.match(line)))
    counted = Counter(
        {who: count for who, count in counted.items() if not set(who.split()) & set(session_forms()["labels"].split())}
    )
    is_transcript = counted.total() * 2 > len(lines)
    return {who for who, count in counted.items() if is_transcript or count > 1}


def _speech(line: str, speakers: set[str]) -> re.Match[str] | None:
    spoken = _SPOKEN.match(line)
    return spoken if spoken and (fold(spoken["who"]) in speakers or _DAY.fullmatch(spoken["note"] or "")) else None


def _read_header(header: re.Match[str], lines: list[str], speaker: str, at: str) -> tuple[str, str]:
    """Return the speaker and day after a line of a mail's head; its subject is a line of the mail."""
    name, value = header["name"].lower(), header["value"]
    if name == "from":
        return re.sub(r"\s*[<\[(].*", "", value).strip(' "') or value, at
    if name == "subject":
        lines.append(re.sub(r"(?i)^(?:\s*(?:re|fwd?|fw|aw)\s*:)+\s*", "", value) + ".")
    return speaker, (_day(value) or at) if name in ("date", "sent") else at


def _day(text: str) -> str:
    """Return the day that a text names, in ISO or as mails write it; "" without one."""
    if found := _DAY.search(text):
        return found[0]
    try:
        return parsedate_to_datetime(re.sub(r"\s+at\s+", " ", text)).date().isoformat()
    except (ValueError, TypeError, IndexError):
        return ""


def _decode_mail(text: str) -> str:
    """Return a raw mail as its heads and its text; any other text as it is."""
    if not re.match(r"(?:[\w-]+: .*\n(?:[ \t].*\n)*)*(?:MIME-Version|Message-ID|Received|Content-Type):", text, re.I):
        return text
    try:
        mail = message_from_string(text, _class=EmailMessage, policy=policy.default)
        body = mail.get_body(("plain", "html"))
        content = str(body.get_content()) if body else ""
        heads = [f"{name}: {one_line(str(mail[name]))}" for name in ("From", "Date", "Subject") if mail[name]]
    except (MessageError, LookupError, ValueError, RecursionError):
        return text
    return "\n".join(heads) + "\n\n" + re.sub(r"<[^>]+>", " ", content if body else "")
