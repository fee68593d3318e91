"""What a person said as the ground of a model's calls: amounts, dates, addresses and recipients must stand in it.

    spoken = spoken_by_person(agent, request)
    ungrounded(agent, request, spoken)      # ("$9,000",): the owner decides on the call first

A value also counts where it follows from what was said: a product, a sum, a share, a day so many weeks later. What
only documents, mails, web texts or results of tools say is no ground: their words are data.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from mabos.language.amounts import amounts_in
from mabos.language.request import Request
from mabos.language.selectors import singular
from mabos.language.spoken_time import SpokenTime
from mabos.language.times import times_in
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.records import section, select
from mabos.tools.runtime.services import Agent, Caller
from mabos.tools.work.session import parent_of
from mabos.workspace.clock import parse_time
from mabos.workspace.text import STOPWORDS, fold, terms

CONVERSATION: Final = 12
"""How many messages of a person before this one count as said."""
HANDED_ON: Final = 5
"""How many colleagues may have passed an order on."""
_RECORDS: Final = {
    "campaign_id": "campaigns",
    "contractor_id": "contractors",
    "package_id": "work_packages",
    "product": "products",
}
_READERS: Final = frozenset({"to", "recipients", "select", "list", "tags", "contacts", "contact", "email"})
_MAIL: Final = frozenset({"email_send", "email_campaign"})
_SMALL: Final = 12.0
"""A bare count up to this in the prose of a letter is no amount."""
_ASSENT: Final = re.compile(
    r"\s*(?:yes|yep|yeah|ok|okay|sure|right|agreed|correct|please do|do (?:it|that|so)|go ahead|fine|of course|"
    r"sounds good|exactly|confirmed|good)\b",
    re.IGNORECASE,
)
_LATER_ASSENT: Final = re.compile(
    r"[.!?,;:\n]\s*(?:and |so |then |but )?(?:yes|yep|yeah|please do|do (?:it|that|so)|go ahead|confirmed)\b",
    re.IGNORECASE,
)
_DISSENT: Final = re.compile(
    r"(?:^|[.!?,;:\n])\s*(?:and |so |but )?(?:no|nope|not|don'?t|do not|stop|wait|hold on|never|leave it|forget it)\b",
    re.IGNORECASE,
)
_EVERYBODY: Final = re.compile(
    r"\b(?:everybody|everyone|all (?:of )?(?:them|our contacts|my contacts|the contacts|contacts|people)|"
    r"(?:the )?whole list|each of them)\b"
)
_EXCEPT: Final = r"(?:except|but not|without|excluding|not to|other than|apart from|leave out|skip)"
_EMAIL: Final = re.compile(r"[\w.+'-]+@[\w-]+(?:\.[\w-]+)+")
_LINK: Final = re.compile(r"\b(?:https?://|www\.)[^\s<>\"')]+", re.IGNORECASE)
_ACCOUNT: Final = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,}(?: ?[A-Z0-9]{1,3})?\b|\+\d[\d ()/-]{7,}\d")
_POINTING: Final = re.compile(r"\b(?:it|that|this|them|these|those|everything|all|both|mind)\b")
_ENTRIES: Final = re.compile(
    r"\b(?:add|enter|import|save|keep|record|note|put|store|create|update|contacts?|crm|leads?|address\w*|list)\b"
)
"""Words of who wants records to be made of what stands somewhere."""
_ID: Final = re.compile(r"[A-Z]{1,6}-[\w-]+")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
_UNIT_DAYS: Final = {"day": 1.0, "week": 7.0, "fortnight": 14.0}
_UNIT_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class SpokenWords:
    """What a person said about a request, and the values in it; `at` is when it was said last."""

    texts: tuple[str, ...]
    at: datetime
    values: frozenset[float] = frozenset()
    shares: frozenset[float] = frozenset()
    days: frozenset[date] = frozenset()

    @property
    def folded(self) -> str:
        """Return all words in lower case, without punctuation."""
        return f" {' '.join(fold(one) for one in self.texts)} "

    @property
    def lowered(self) -> str:
        """Return the texts in lower case."""
        return "\n".join(self.texts).casefold()

    def has_amount(self, value: float) -> bool:
        """Return whether a number was said, or follows from two that were: a product, a sum, a rate or a share."""
        if value in (0, 1) or any(_same(value, one) for one in (*self.values, *self.shares)):
            return True
        return any(_same(value, one) for one in self._derived())

    def has_day(self, day: date) -> bool:
        """Return whether a day was said, or follows from what was said."""
        return day in self.days

    def has_words(self, phrase: str) -> bool:
        """Return whether all words of a phrase were said side by side, in the singular or plural."""
        wanted = fold(phrase)
        said = self.folded
        if not wanted:
            return False
        if f" {wanted} " in said:
            return True
        plain = " ".join(singular(word) for word in said.split())
        return f" {' '.join(singular(word) for word in wanted.split())} " in f" {plain} "

    def _derived(self) -> Iterator[float]:
        known = sorted(self.values)[:40]
        for one in known:
            for other in known:
                yield one * other
                yield one + other
                yield one - other
                if other:
                    yield one / other
            for share in self.shares:
                yield from (one * share / 100, one * (1 + share / 100), one * (1 - share / 100))
        yield sum(self.values)


def spoken_by_person(agent: Agent, request: Request, *, handed_on: int = HANDED_ON) -> SpokenWords:
    """Return what the person said who stands behind a request, also where colleagues passed it on."""
    said = tuple(_said(agent, request, handed_on))
    at = max((parse_time(one.timestamp) for one in said), default=agent.clock())
    read = [_values(one.content, parse_time(one.timestamp)) for one in said]
    return SpokenWords(
        tuple(one.content for one in said),
        at,
        frozenset(value for values, _, _ in read for value in values),
        frozenset(share for _, shares, _ in read for share in shares),
        frozenset(day for _, _, days in read for day in days) | {at.date(), agent.clock().date()},
    )


def ungrounded(agent: Agent, request: Request, spoken: SpokenWords) -> tuple[str, ...]:
    """Return the amounts, dates, addresses, recipients and records of an order that the person did not say."""
    found = list[str]()
    for slot in request.slots:
        if request.operation in _MAIL and slot.name in _READERS:
            continue
        found += _foreign(agent, slot.name, slot.value, spoken)
    if request.operation in _MAIL:
        found += _strangers(agent, {one.name: one.value for one in request.slots}, spoken)
    return tuple(dict.fromkeys(found))


def unsaid_change(request: Request, spoken: SpokenWords, *, about: str = "") -> str:
    """Return why a rule, a change, a withdrawal or a report is not in what the person said, or an empty text.

    `about` has the words of the order that it changes.
    They have their effect at once, so they rest on the person's last words alone, and on a question that was agreed to.
    """
    number = 2 if spoken.texts and _ASSENT.match(spoken.texts[-1]) else 1
    texts = spoken.texts[-number:]
    read = [_values(one, spoken.at) for one in texts] or [_values("", spoken.at)]
    values, shares, days = (frozenset(one for part in parts for one in part) for parts in zip(*read, strict=True))
    last = SpokenWords(texts, spoken.at, values, shares, days | {spoken.at.date()})
    cues = _CUES.get(request.operation) or _CUES.get(request.act)
    is_said = cues is None or bool(cues.search(last.lowered))
    if request.act == "withdrawal":
        is_said = is_said and (_is_named(about, last) or bool(_POINTING.search(last.lowered)))
    if request.act == "correction":
        is_said = any(_is_named(one.value, last) for one in request.slots)
    if not is_said:
        return f"the person did not say this: {request.sentence}"
    missing = [str(one.value) for one in request.slots if one.name == "who" and not last.has_words(str(one.value))]
    missing += [
        f"{one.value:g}" for one in request.slots if _is_number(one.value) and not last.has_amount(float(one.value))
    ]
    return f"{missing[0]} is not in what the person said" if missing else ""


def asks_for_entries(spoken: SpokenWords) -> bool:
    """Return whether a person asks to keep, add or import something, so that its values may come from elsewhere."""
    return bool(_ENTRIES.search(spoken.texts[-1].casefold())) if spoken.texts else False


def foreign_address(order: Request, spoken: SpokenWords) -> str:
    """Return the first e-mail address of an order that the person did not say, or an empty text."""
    texts = [str(one.value) for one in order.slots]
    found = (match[0] for text in texts for match in _EMAIL.finditer(text))
    return next((one for one in found if one.casefold() not in spoken.lowered), "")


def _is_named(value: Any, spoken: SpokenWords) -> bool:
    """Return whether a part of a new value was said: a number, a day, or a word that carries meaning."""
    if isinstance(value, Mapping):
        return any(_is_named(one, spoken) for one in value.values())
    if isinstance(value, list | tuple):
        return any(_is_named(one, spoken) for one in value)
    if isinstance(value, bool) or value is None:
        return True
    if _is_number(value):
        return spoken.has_amount(float(value))
    text = str(value)
    if _DAY.fullmatch(text.strip()):
        return spoken.has_day(date.fromisoformat(text.strip()[:10]))
    words = {singular(one) for one in terms(text)} - STOPWORDS
    return bool(words & {singular(one) for one in spoken.folded.split()})


_CUES: Final[Mapping[str, re.Pattern[str]]] = {
    "lift": re.compile(r"\b(?:again|may|can|allow\w*|lift\w*|no longer|any ?more|drop|forget|remove|end|over|stop)\b"),
    "withdrawal": re.compile(
        r"\b(?:stop\w*|cancel\w*|forget|withdraw\w*|drop|do ?n[o']t|not|never ?mind|leave|undo|call (?:it |that )?off|"
        r"no longer|scrap|abandon|enough|end|without|kill|instead|no)\b"
    ),
    "report": re.compile(
        r"\b(?:done|finish\w*|ready|complet\w*|over|through|have|has|had|did|is|are|was|were|\w{2,}ed|made|sent|drawn)\b"
    ),
    "standing": re.compile(
        r"\b(?:never|always|not|don'?t|no|only|ask|before|must|may|from now|more than|above|most|limit|cap|stop|"
        r"maximum|without|each time|every time|whenever|longer)\b"
    ),
}
"""Words without which nobody gives or lifts a rule, withdraws an order, or reports work."""


# --- what was said ------------------------------------------------------------


def _said(agent: Agent, request: Request, handed_on: int) -> Iterator[Message]:
    """Yield the person's messages up to the one of the request, oldest first, and a question that was assented to."""
    if request.sender != STAKEHOLDER:
        yield from _behind(agent, request, handed_on)
        return
    carrying = agent.requests.find(parent_of(request)) or request  # an older order that is changed now is said anew
    heard = [one for one in agent.inbox.messages() if one.sender == STAKEHOLDER]
    at = next((number for number, one in enumerate(heard) if one.id == carrying.message_id), len(heard) - 1)
    for message in heard[max(0, at - CONVERSATION) : at + 1]:
        if _assents(message.content) and (question := _question_before(agent, message)):
            yield question
        yield message


def _assents(text: str) -> bool:
    """Return whether an answer agrees: it begins with a yes, or says one later and no no."""
    return bool(_ASSENT.match(text)) or bool(_LATER_ASSENT.search(text) and not _DISSENT.search(text))


def _question_before(agent: Agent, message: Message) -> Message | None:
    """Return the agent's own question that a message answers, where that was the last thing the agent said."""
    told = [one for one in agent.services.inbox(STAKEHOLDER).messages() if one.sender == agent.id]
    before = [one for one in told if one.timestamp <= message.timestamp]
    return before[-1] if before and before[-1].performative == "QUERY" else None


def _behind(agent: Agent, request: Request, handed_on: int) -> Iterator[Message]:
    """Yield what the person said to the colleague who passed a request on."""
    seats = agent.business.manifest.agents.values() if agent.business_id else ()
    message = agent.inbox.find(request.message_id)
    if handed_on < 1 or message is None or request.sender not in seats:
        return
    colleague = agent.services.agent(request.sender, caller=Caller("agent", request.sender))
    for one in colleague.requests.all():
        if message.conversation_id and message.conversation_id in one.data.get("threads", ()):
            yield from _said(colleague, one, handed_on - 1)


def _values(text: str, at: datetime) -> tuple[frozenset[float], frozenset[float], frozenset[date]]:
    """Return the numbers, the percentages and the days of a text, with the days and durations that follow."""
    times = times_in(text, at)
    values, shares = set[float](), set[float]()
    for amount in amounts_in(text):
        (shares if amount.kind == "percent" else values).add(amount.value)
    values |= {one.count for one in times if one.kind == "duration" and one.count}
    days = {one.day for one in times if one.day is not None}
    for day in list(days):
        ahead = (day - at.date()).days
        values |= {float(day.day), float(ahead), *(float(n) for n in _weeks(ahead))} if ahead > 0 else {float(day.day)}
    for base in (at.date(), *days):
        later = [moved for one in times if one.kind == "duration" if (moved := _later(base, one)) is not None]
        days |= set(later)
    for one in times:
        if weekday := str(one.every.get("weekday", "")):
            days |= {
                on for n in range(1, 15) if (on := at.date() + timedelta(days=n)).strftime("%A") == weekday.capitalize()
            }
    return frozenset(values), frozenset(shares), frozenset(days)


def _weeks(days: int) -> Iterable[int]:
    return (days // 7, -(-days // 7))


def _later(day: date, duration: SpokenTime) -> date | None:
    """Return the day that a duration leads to."""
    try:
        if duration.unit in _UNIT_DAYS:
            return day + timedelta(days=round(duration.count * _UNIT_DAYS[duration.unit]))
        if duration.unit in _UNIT_MONTHS and duration.count == int(duration.count):
            months = day.month - 1 + int(duration.count) * _UNIT_MONTHS[duration.unit]
            year, month = day.year + months // 12, months % 12 + 1
            last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)).day
            return date(year, month, min(day.day, last))
    except (OverflowError, ValueError):
        return None
    return None


# --- values of an order -------------------------------------------------------


def _foreign(agent: Agent, name: str, value: Any, spoken: SpokenWords) -> Iterator[str]:
    """Yield the parts of a value that were not said."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _foreign(agent, str(key), one, spoken)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _foreign(agent, name, one, spoken)
    elif _is_number(value):
        if not spoken.has_amount(float(value)):
            yield f"{name.replace('_', ' ').removesuffix(' usd')} {value:g}"
    elif name in _RECORDS:
        if not _is_meant(agent, _RECORDS[name], str(value), spoken):
            yield f"{_RECORDS[name].replace('_', ' ').removesuffix('s')} {value}"
    elif isinstance(value, str):
        yield from _foreign_words(value, spoken)


def _foreign_words(text: str, spoken: SpokenWords) -> Iterator[str]:
    """Yield the addresses, links, account numbers, days and amounts of a text that were not said."""
    if _ID.fullmatch(text):
        return
    if _DAY.fullmatch(text.strip()):
        if not spoken.has_day(date.fromisoformat(text.strip()[:10])):
            yield text
        return
    rest = text
    for pattern in (_EMAIL, _LINK, _ACCOUNT):
        for match in pattern.finditer(rest):
            said = match[0].rstrip(".,;:").casefold()
            if said not in spoken.lowered and fold(said) not in spoken.folded:
                yield match[0]
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    times = [one for one in times_in(rest, spoken.at) if one.kind == "day"]
    for time in times:
        if time.day is not None and not spoken.has_day(time.day):
            yield time.words
    for amount in amounts_in(rest):
        is_day = any(time.start <= amount.start < time.end for time in times)
        is_small = amount.kind == "count" and amount.value <= _SMALL
        if not is_day and not is_small and not spoken.has_amount(amount.value):
            yield amount.words


def _is_meant(agent: Agent, name: str, key: str, spoken: SpokenWords) -> bool:
    """Return whether the person named a record: its id, a word of its title, or its kind where there is one."""
    every = section(agent, name)
    record = next((one for one in every if str(one.get("id", "")).casefold() == key.casefold()), None)
    title = str((record or {}).get("name") or (record or {}).get("title") or key)
    words = {singular(one) for one in terms(title)} - STOPWORDS
    said = {singular(one) for one in spoken.folded.split()}
    if key.casefold() in spoken.lowered or words & said:
        return True
    kind = singular(name.rpartition("_")[2])
    return kind in said and len(every) == 1


# --- recipients ---------------------------------------------------------------


def _strangers(agent: Agent, given: Mapping[str, Any], spoken: SpokenWords) -> Iterator[str]:
    """Yield the readers of a letter whom the person neither named nor selected by a word of their records."""
    for reader in _readers(agent, given):
        address = str(reader.get("email", ""))
        if address and address.casefold() in spoken.lowered:
            continue
        values = list(_values_of(reader, spoken))
        barred = [one for one in values if _is_barred(one, spoken)]
        is_everybody = bool(_EVERYBODY.search(spoken.lowered)) and not _is_new(reader, spoken)
        if barred or not (is_everybody or any(_names(one, spoken) for one in values)):
            yield f"{reader.get('name') or address or 'a reader'} as a reader"


def _readers(agent: Agent, given: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the contacts that an order is for, and bare addresses that are no contact's."""
    selector = given.get("recipients")
    if isinstance(selector, Mapping):
        return select(agent, {**selector, "records": "contacts"})
    contacts = section(agent, "contacts")
    if to := str(given.get("to") or "").strip():
        known = [one for one in contacts if to.casefold() in (str(one["id"]).casefold(), str(one["email"]).casefold())]
        return known or [{"email": to}]
    wanted = [str(one) for one in (given.get("list"), given.get("segment"), *(given.get("tags") or ())) if one]
    if wanted == ["everybody"]:
        return contacts
    return [one for one in contacts if all(_has_value(one, value) for value in wanted)] if wanted else ()


def _has_value(contact: Mapping[str, Any], value: str) -> bool:
    return singular(fold(value)) in {singular(fold(one)) for one in _values_of(contact)}


def _values_of(contact: Mapping[str, Any], spoken: SpokenWords | None = None) -> Iterator[str]:
    """Yield the values by which a contact is selected; one that was entered after the person spoke has only names."""
    is_new = spoken is not None and _is_new(contact, spoken)
    for name, value in contact.items():
        if is_new and name not in ("name", "company"):
            continue
        if name in ("id", "email", "created_at", "updated_at", "created_by", "touches", "interactions"):
            continue
        if isinstance(value, str) and value:
            yield value
        elif isinstance(value, list):
            yield from (one for one in value if isinstance(one, str))


def _is_new(contact: Mapping[str, Any], spoken: SpokenWords) -> bool:
    """Return whether an agent entered a contact since the person spoke."""
    made = str(contact.get("created_at", ""))
    return contact.get("created_by") != STAKEHOLDER and bool(made) and parse_time(made) >= spoken.at


def _names(value: str, spoken: SpokenWords) -> bool:
    """Return whether a value of a contact was said, whole or by one word of a name."""
    if spoken.has_words(value):
        return True
    own = [one for one in terms(value) if len(one) > 2 and one not in STOPWORDS]
    return len(own) in (2, 3) and any(f" {one} " in spoken.folded for one in own)


def _is_barred(value: str, spoken: SpokenWords) -> bool:
    wanted = re.escape(value.casefold())
    return bool(re.search(rf"\b{_EXCEPT}\s+(?:\w+\s+){{0,3}}{wanted}(?!\w)", spoken.lowered))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= max(0.01, abs(other) * 1e-6)
