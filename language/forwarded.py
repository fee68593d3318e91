r"""Words of others that a message passes on, in a mail or as hearsay: data, never an order of the sender.

mail_in("Put her in our contacts.\n\nFrom: Ann Lee <ann@lee.example>\nSubject: Tent\n\nIs it free?")

A request in the sender's own words ("put her in our contacts", "make a job of that") takes its values from the mail.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mabos.language.amounts import amounts_in
from mabos.language.interpreter import Context
from mabos.language.request import Reading, Request, Slot
from mabos.language.sentences import begins_with_verb, clauses, plain, split
from mabos.language.wordlists import order_form

FORWARDED = "forwarded"
"""The operation of a mail that somebody passes on without saying what to do with it."""
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HEADER = re.compile(r"(?i)^[> \t]*\*?(?P<name>from|to|date|sent|subject|cc|reply-to):\*?[ \t]+(?P<value>\S.*)$")
_MARK = order_form("forwarded.mark")
_ANSWERED = re.compile(r"(?i)^[>\s]*on .{4,140}\bwrote:\s*$")
_NAME = re.compile(r"^[^\W\d_][\w.'’-]*(?: (?:de|van|von|der|la|le|of|[^\W\d_][\w.'’-]*)){1,4}$")
_SENDER = order_form("forwarded.sender")
_CONTACTS = re.compile(r"\b(?:contacts?|crm|address ?book|leads?|tag)\b")
_REPLY = order_form("forwarded.reply")
_JOB = order_form("forwarded.job")
_ITS_AMOUNT = re.compile(r"(?i)\b(?:his|her|their|the|that) (?:budget|price|amount|offer|sum|money)\b")
_ITS_DAY = re.compile(r"(?i)\b(?:his|her|their|the|that) (?:date|deadline|day)\b")
_IT = re.compile(r"(?i)\b(?:of|about|to answer) (?:that|it|this)\b")
_POINTS = re.compile(r"\b(?:it|that|this|him|her|them|his|below|he|she|they)\b")
_NOTHING = order_form("forwarded.nothing")


_CLEAR = 0.5
"""Below this confidence words that point at a mail are no order about it."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail inside a message: its writer, its subject, and its text."""

    sender: str = ""
    address: str = ""
    subject: str = ""
    text: str = ""
    is_card: bool = False
    """Whether it is only somebody's name and address, as a signature gives them."""

    @property
    def name(self) -> str:
        """Return the name of its writer, else the address."""
        return self.sender or self.address or "somebody who is not named"


def mail_in(message: str) -> tuple[str, Mail] | None:
    """Return the words of a message around a forwarded mail, and the mail; None without a mail."""
    lines = message.replace("\r\n", "\n").split("\n")
    start = next((at for at in range(len(lines)) if _begins(lines, at)), None)
    if start is None:
        return _card_in(message)
    end = len(lines)
    if lines[start].lstrip().startswith(">") or _ANSWERED.match(lines[start]):
        quoted = [at for at in range(start, len(lines)) if lines[at].lstrip().startswith(">")]
        end = quoted[-1] + 1 if quoted else end
    own = "\n".join((*lines[:start], *lines[end:])).strip()
    own = re.sub(r"(?im)^\W*(?:fwd?|fw)\s*:.*$", "", own).strip()
    return own, _mail([re.sub(r"^(?:\s*>)+ ?", "", line) for line in lines[start:end]])


def _begins(lines: list[str], at: int) -> bool:
    line = lines[at]
    if _MARK.match(line) or _ANSWERED.match(line) or re.match(r"\s*>\s*\S", line):
        return True
    if not _HEADER.match(line):
        return False
    names = []
    for one in lines[at:]:
        header = _HEADER.match(one)
        if header is None:
            break
        names.append(header["name"].lower())
    is_addressed = names[0] == "from" and bool(_ADDRESS.search(line))
    return is_addressed or (len(names) > 1 and bool({"from", "date", "sent"} & set(names)))


def _mail(lines: list[str]) -> Mail:
    headers: dict[str, str] = {}
    body: list[str] = []
    for line in lines:
        header = _HEADER.match(line) if not "".join(body).strip() else None
        if header:
            headers.setdefault(header["name"].lower(), header["value"].strip())
        elif _ANSWERED.match(line):
            headers.setdefault("from", re.sub(r"(?i)^.*\d,? |\s*wrote:\s*$|^on ", "", line.strip()))
        elif not _MARK.match(line):
            body.append(line)
    sender = headers.get("from", "")
    address = found[0] if (found := _ADDRESS.search(sender)) else ""
    name = re.sub(r"[<(\[].*", "", sender).strip(" \"',") if sender != address else ""
    last = next((line.strip() for line in reversed(body) if line.strip()), "")
    subject = re.sub(r"(?i)^(?:\s*(?:re|fwd?|fw|aw)\s*:)+\s*", "", headers.get("subject", ""))
    return Mail(name or (last if not address and _NAME.match(last) else ""), address, subject, "\n".join(body).strip())


def _card_in(message: str) -> tuple[str, Mail] | None:
    """Return the words before a signature with a name and an address, and whose it is."""
    own, _, card = message.strip().rpartition("\n\n")
    lines = [line.strip() for line in card.split("\n") if line.strip()]
    address = _ADDRESS.search(card)
    if not own or not address or not 1 < len(lines) < 8 or any(len(line) > 70 for line in lines):
        return None
    return (own, Mail(lines[0], address[0], "", card, is_card=True)) if _NAME.match(lines[0]) else None


def mail_of(request: Request) -> Mail:
    """Return the mail that a request contains."""
    sender, address, subject, text = (str(request.slot(name, "")) for name in ("sender", "address", "subject", "text"))
    return Mail(sender, address, subject, text)


def points(own: str) -> bool:
    """Return whether words refer to a mail or its writer."""
    return bool(_POINTS.search(plain(own)) or _REPLY.match(own) or _JOB.search(own))


def without(request: Request, context: Context) -> Context:
    """Return the context of a message without an earlier request that the message settles."""
    return replace(context, earlier=tuple(one for one in context.earlier if one.id != request.id))


def with_mail(own: str, mail: Mail, read: Callable[[str], tuple[Reading, ...]]) -> tuple[Reading, ...]:
    """Return the requests in the sender's words around a mail; only the mail if they ask for nothing."""
    found: list[Reading] = []
    for sentence in split(own) if own else ():
        parts = clauses(sentence)
        for part in parts if len(parts) > 1 and _SENDER.search(plain(sentence)) else (sentence,):
            spelled, given = _complete_order(part, mail)
            found += [_of_mail(one, part, given) for one in read(spelled)]
    wanted = tuple(one for one in found if _is_wanted(one))
    if wanted or mail.is_card:
        return wanted or tuple(found)
    return (_passed_on(own, mail),)


def _of_mail(reading: Reading, part: str, given: str) -> Reading:
    """Return a reading with the words of the sender, who pointed at data in the mail."""
    return replace(reading, sentence=part, confidence=max(reading.confidence, 0.75)) if given else reading


def _is_wanted(reading: Reading) -> bool:
    """Return whether a reading of the own words says something else than that there is a mail."""
    flat = plain(reading.sentence)
    if reading.act in ("small_talk", "report", "unclear", "answer", "question") or _NOTHING.search(flat):
        return False
    is_vague = reading.act in ("withdrawal", "correction") or reading.operation == "task" or reading.confidence < _CLEAR
    return not is_vague or not _POINTS.search(flat)


def _complete_order(part: str, mail: Mail) -> tuple[str, str]:
    """Return an order with the values of the mail where its words point at them, and those values."""
    flat, text = plain(part), part
    if _JOB.search(part):
        title = mail.subject or f"mail of {mail.name}"
        values = [f"Set up a work package '{title.replace(chr(39), '’')}'", *_resolve_pointers(part, mail)]
        rest = _ITS_DAY.sub("", _ITS_AMOUNT.sub("", _JOB.sub("", part)))
        rest = re.sub(r"(?i)\b(?:yes|please|and|with|at|by|for|of|on)\b(?=\W*(?:$|,|and\b|with\b))|[.!]", " ", rest)
        values.append(re.sub(r"(?i)^\W*(?:yes|ok|please)\b", "", rest).strip(" ,;"))
        return ", ".join(filter(None, values)) + ".", title
    who = mail.address or mail.sender
    if _REPLY.match(part) and who:
        text = _REPLY.sub(lambda found: f"{found['lead']}Write to {who}", part)
        return text, who
    if who and _SENDER.search(flat) and (begins_with_verb(part) or re.match(r"(?i)\W*(?:yes|ok)\b", part)):
        named = f"{mail.sender} ({mail.address})" if mail.sender and mail.address else who
        put = named if _CONTACTS.search(flat) else who
        text = re.sub(_SENDER.pattern, put.replace("\\", ""), part, count=1, flags=re.IGNORECASE)
        text = re.sub(
            rf"(?i)\b(?:drop|send|write)\s+{re.escape(put)}\s+(?:a (?:line|note|mail|letter)\b)?",
            f"Write to {put} ",
            text,
        )
        return text, put
    if _IT.search(part) and re.search(r"\bremind\b", flat):
        about = f"the mail of {mail.name}{f' ({mail.subject})' if mail.subject else ''}"
        return _IT.sub(f"of {about}", part, count=1), about
    return part, ""


def _resolve_pointers(part: str, mail: Mail) -> list[str]:
    """Return the amount and the day of a mail where the own words point at them and the mail has one."""
    values: list[str] = []
    money = [one for one in amounts_in(mail.text) if one.kind == "money"]
    if _ITS_AMOUNT.search(part) and len(money) == 1:
        values.append(money[0].words)
    days = re.findall(
        r"(?i)\b(?:by|before|until) (?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? \w+|\w+ \d{1,2}(?:st|nd|rd|th)?)",
        mail.text,
    )
    if _ITS_DAY.search(part) and len(days) == 1:
        values.append(days[0])
    return values


def _passed_on(own: str, mail: Mail) -> Reading:
    values = {"sender": mail.sender, "address": mail.address, "subject": mail.subject, "text": mail.text}
    slots = [Slot(name, value, value) for name, value in values.items() if value]
    if _NOTHING.search(plain(own)):
        slots.append(Slot("note", own, own))
    about = f" about {mail.subject}" if mail.subject else ""
    return Reading("order", f"the mail of {mail.name}{about}", FORWARDED, tuple(slots), confidence=0.9)


def told_only(sentences: Sequence[str], _: Context) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """Return a sentence that only reports, as news, and the other sentences: it orders nothing.

    It has what somebody else says should be done, a dream, a thought aloud, or irony.
    """
    for at, one in enumerate(sentences):
        before, rest = sentences[:at], sentences[at + 1 :]
        if _is_unreal(one, before):
            return (Reading("report", one, confidence=0.45),), (*before, *rest)
        if not _is_hearsay(one) or any(_AGREES.search(said) for said in (one, *rest)):
            continue
        rejected = next((n for n, said in enumerate(rest) if not _REJECTS.match(said)), len(rest))
        return (Reading("report", one, confidence=0.45),), (*before, *rest[rejected:])
    return (), tuple(sentences)


def _is_hearsay(sentence: str) -> bool:
    """Return whether a sentence has what somebody else says should be done."""
    if sentence.rstrip().endswith("?"):
        return False
    found = _HEARSAY.match(sentence)
    directs = found is not None and (_DIRECTS.match(found["what"]) or begins_with_verb(found["what"]))
    return bool(directs or _QUOTES_OTHER.match(sentence))


def _is_unreal(sentence: str, before: Sequence[str]) -> bool:
    """Return whether a sentence wants nothing now: a dream, a thought aloud, or irony behind mocking praise."""
    is_mocked = _MOCKS.search(sentence) and (_PRAISES.search(sentence) or any(map(_PRAISES.search, before)))
    return bool(_DREAMS.search(sentence) or is_mocked)


_HEARSAY, _DIRECTS, _AGREES, _REJECTS = (
    order_form(f"forwarded.{name}") for name in ("hearsay", "directs", "agrees", "rejects")
)
_QUOTES_OTHER, _DREAMS, _MOCKS, _PRAISES = (
    order_form(f"forwarded.{name}") for name in ("quotes_other", "dreams", "mocks", "praises")
)
