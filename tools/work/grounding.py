"""Binding of each value in a model's call to its source: the person's words for this slot.

    spoken = spoken_by_person(agent, request)
    grounded = ground(agent, request, spoken)
    grounded.missing       # ("weekly budget 2 (looked at: 'Start the ad, 100 dollars a week')",): the owner decides
    grounded.bound         # (Ground("weeks", "2", "two weeks", "MSG-9"), ...): kept with the order

An amount is bound to the part of a message that names its purpose. An amount for another subject, of another kind or of
an earlier order does not count. Arithmetic counts if the words ask for it: a week, each, in all, by a share.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Final

from mabos.language.amounts import amounts_in
from mabos.language.catalogue import wordings
from mabos.language.request import Request
from mabos.language.selectors import singular
from mabos.language.spoken_time import SpokenTime
from mabos.language.times import times_in
from mabos.tools.requests.records import section
from mabos.tools.runtime.services import Agent
from mabos.tools.work.amount_slots import (
    WantedNumber,
    changed_from,
    derive_amounts,
    fitting,
    in_rhythm,
    is_clear,
    is_together,
    is_value,
    same,
    until,
    wanted_number,
)
from mabos.tools.work.clauses import FILLER, SpokenQuantity, read_text, words_of
from mabos.tools.work.readers import strangers
from mabos.tools.work.session import GROUNDS
from mabos.tools.work.spoken import SpokenWords, WordSource, says
from mabos.workspace.copies import replace
from mabos.workspace.text import STOPWORDS, fold, shorten, terms

_RECORDS: Final = {
    "campaign_id": "campaigns",
    "contractor_id": "contractors",
    "package_id": "work_packages",
    "product": "products",
}
_READERS: Final = frozenset({"to", "recipients", "select", "list", "tags", "contacts", "contact", "email"})
_MAIL: Final = frozenset({"email_send", "email_campaign"})
_PAID: Final = frozenset({"recipient", "recipients", "payee", "vendor", "supplier", "beneficiary", "receiver"})
"""Arguments that say who gets something."""
_NAMES: Final = frozenset({"name", "title", "subject", *_RECORDS, *_PAID, "to", "contact", "company"})
_JUDGED: Final = frozenset({
    "importance", "urgency", "alignment", "confidence", "certainty", "priority", "limit", "min_importance", "severity",
    "confidence_factor", "depth", "max_depth", "max_recipients", "base", "points", "interval",
})  # fmt: skip
"""Numbers that an agent judges by itself, and no person says."""
_SMALL: Final = 12.0
"""A bare count up to this in prose is no amount."""
_EMAIL: Final = re.compile(r"[\w.+'-]+@[\w-]+(?:\.[\w-]+)+")
_LINK: Final = re.compile(r"\b(?:https?://|www\.)[^\s<>\"')]+", re.IGNORECASE)
_ACCOUNT: Final = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,}(?: ?[A-Z0-9]{1,3})?\b|\+\d[\d ()/-]{7,}\d")
_ID: Final = re.compile(r"[A-Z]{1,6}-[\w-]+")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
_QUOTED_NAME: Final = re.compile(
    r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|(?<!\w)['‘]((?:[^'’\n]|['’](?=\w)){1,80})['’](?!\w)"
)
_GENERIC: Final = frozenset(
    terms("""
    create update manage get set add make do run generate new record send
""")
)


@dataclass(frozen=True, slots=True)
class Ground:
    """The source of a value: the words, the message, rule or document, and any arithmetic."""

    slot: str
    value: str
    words: str
    place: str
    how: str = ""

    def as_data(self) -> dict[str, str]:
        """Return it in the form kept with an order."""
        plain = {"slot": self.slot, "value": self.value, "words": self.words, "place": self.place, "how": self.how}
        return {name: one for name, one in plain.items() if one}


@dataclass(frozen=True, slots=True)
class Grounded:
    """The bound and unbound values of an order, the latter in words for a person."""

    bound: tuple[Ground, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Value:
    """A value of an order, with the words for its purpose: names first, other texts, the operation."""

    name: str
    value: Any
    names: frozenset[str]
    others: frozenset[str]
    operation: str
    texts: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def nouns(self) -> frozenset[str]:
        """Words of the operation's own name."""
        return frozenset(singular(one) for one in terms(self.operation) if one not in _GENERIC)

    def score(self, words: frozenset[str]) -> int:
        """Return how well words name the purpose of this value."""
        wording = wordings().get(self.operation)
        is_kind = bool(self.nouns & words) or bool(
            wording is not None and wording.nouns is not None and wording.nouns.search(" ".join(sorted(words)))
        )
        return 10 * len(self.names & words) + 3 * len(self.others & words) + is_kind


def ground(agent: Agent, request: Request, spoken: SpokenWords, *, trusted: str = "", known: str = "") -> Grounded:
    """Return the amounts, dates, addresses, recipients, names and records of an order that the person gave.

    `trusted` has results of records that were read for the request: they count in prose. `known` may have payees.
    """
    return _Grounding(agent, request, spoken, trusted, known or trusted).grounded()


def order_score(order: Request, words: frozenset[str]) -> int:
    """Return how well words name the subject of an order: by its names, then other values, then its kind."""
    return _Grounding.value_of(order).score(words)


def foreign_words(text: str, spoken: SpokenWords, *, trusted: str = "") -> Iterator[str]:
    """Yield the addresses, links, account numbers, days and amounts in a text that the person did not give."""
    if _ID.fullmatch(text):
        return
    rest = text
    known = f"{spoken.lowered}\n{spoken.papers}\n{trusted.casefold()}"
    for pattern in (_EMAIL, _LINK, _ACCOUNT):
        for match in pattern.finditer(rest):
            said = match[0].rstrip(".,;:").casefold()
            if said not in known and fold(said) not in fold(known):
                yield match[0]
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    times = [one for one in times_in(rest, spoken.at) if one.kind == "day"]
    for time in times:
        if time.day is not None and not spoken.has_day(time.day) and time.day.isoformat() not in trusted:
            yield time.words
    own = {one.start: one for one in read_text(rest, spoken.at).mentions}
    for amount in amounts_in(rest):
        is_day = any(time.start <= amount.start < time.end for time in times)
        is_small = amount.kind == "count" and amount.value <= _SMALL
        if is_day or is_small:
            continue
        is_said = _is_said(amount.value, amount.kind, spoken, trusted)
        if not is_said or (amount.start in own and _is_of_another_thing(own[amount.start], spoken)):
            yield amount.words


def foreign_names(text: str, spoken: SpokenWords, known: str) -> Iterator[str]:
    """Yield the quoted or capitalised names that neither the person said nor `known` has."""
    folded = f"{spoken.folded_text} {fold(known)} {fold(spoken.papers)} "
    quoted = [next(part for part in match.groups() if part) for match in _QUOTED_NAME.finditer(text)]
    capitals = re.findall(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w&'-]+(?: (?:& )?[A-Z][\w&'-]+)+", text)
    single = re.findall(r"\b(?:to|for|from|with|by|at) (?:the )?([A-Z][a-z]{2,})\b(?! [A-Z])", text)
    for name in dict.fromkeys([*quoted, *capitals, *single]):
        words = [one for one in fold(name).split() if one not in STOPWORDS]
        if words and not times_in(name, spoken.at) and not all(f" {one} " in folded for one in words):
            yield name


def _is_said(value: float, kind: str, spoken: SpokenWords, trusted: str) -> bool:
    """Return whether an amount in prose was given as one of its kind, or follows from the amounts of one message."""
    want = wanted_number("price_usd" if kind == "money" else "discount" if kind == "percent" else "value")
    for source in spoken.sources:
        mentions = source.read.mentions
        if any(same(one.value, value) and (kind != "money" or one.kind in ("money", "count")) for one in mentions):
            return True
        if any(
            same(one, value)
            for one, _ in (*derive_amounts(want, mentions, source.text), *until(want, source.read, source.at))
        ):
            return True
    return any(same(one.value, value) for one in amounts_in(trusted))


def _is_of_another_thing(amount: SpokenQuantity, spoken: SpokenWords) -> bool:
    """Return whether the words around an amount of a text are those that a person said with another amount."""
    words = amount.owner - FILLER
    said = [one for source in spoken.sources for one in source.read.mentions if one.kind in (amount.kind, "count")]
    own = [one.owner - FILLER for one in said if same(one.value, amount.value)]
    others = [one.owner - FILLER for one in said if not same(one.value, amount.value)]
    if not own or any(not one or one & words for one in own):
        return False
    return any(one & words for one in others)


class _Grounding:
    """The values of one order, searched for in the person's words."""

    def __init__(self, agent: Agent, request: Request, spoken: SpokenWords, trusted: str, known: str) -> None:
        self._agent, self._request, self._spoken = agent, request, spoken
        self._trusted, self._known = trusted, known
        self._bound, self._missing = list[Ground](), list[str]()
        tools = agent.services.tools
        self._schema: Mapping[str, Any] = {}
        if request.operation in tools.names:
            self._schema = tools.tool(request.operation).schema.get("properties", {})

    def grounded(self) -> Grounded:
        """Return the bound and the missing values."""
        request, given = self._request, {one.name: one.value for one in self._request.slots}
        for one in self._values(given, request.operation, frozenset()):
            if request.operation in _MAIL and one.name in _READERS:
                continue
            self._take(one)
        if request.operation in _MAIL:
            self._missing += strangers(self._agent, given, self._spoken)
        self._names(given)
        return Grounded(tuple(self._bound), tuple(dict.fromkeys(self._missing)))

    @staticmethod
    def value_of(order: Request) -> "_Value":
        """Return an order as one value, which has all words about its subject."""
        given = {one.name: one.value for one in order.slots}
        names, others, _ = _texts(given)
        return _Value("", None, names, others, order.operation)

    def _values(self, given: Mapping[str, Any], operation: str, near: frozenset[str]) -> Iterator[_Value]:
        """Yield each single value with the words of the texts next to it."""
        operation = str(given.get("operation") or operation)
        names, others, texts = _texts(given)
        for name, value in given.items():
            for one in value if isinstance(value, list | tuple) else (value,):
                if isinstance(one, Mapping):
                    yield from self._values(one, operation, names | others)
                else:
                    yield _Value(name, one, names, others if names or others else near, operation, texts)

    def _take(self, one: _Value) -> None:
        value = one.value
        if isinstance(value, bool) or value is None or one.name in _JUDGED:
            return
        if isinstance(value, int | float):
            self._number(one, float(value))
        elif one.name in _RECORDS:
            self._record(one.name, str(value))
        elif isinstance(value, str) and _DAY.fullmatch(value.strip()):
            self._day(one, value.strip())
        elif isinstance(value, str):
            self._missing += foreign_words(value, self._spoken, trusted=self._trusted)

    # --- numbers

    def _number(self, one: _Value, value: float) -> None:
        want = wanted_number(one.name)
        if value == 0 or (value == 1 and want.kind not in ("money", "duration")):
            return
        label = one.name.replace("_", " ").removesuffix(" usd")
        looked = ""
        for source in self._spoken.sources:
            found, seen = self._number_in(source, one, want, value)
            if found is not None:
                self._bound.append(found)
                return
            if seen and not source.is_document and not looked:
                looked = f" (looked at: {seen})"
            if seen and not source.is_document:
                break
        if (changed := self._ground_change(one, value)) is not None:
            self._bound.append(changed)
            return
        self._missing.append(f"{label} {value:g}{looked}")

    def _ground_change(self, one: _Value, value: float) -> Ground | None:
        """Return where a number follows from the record that the order changes: its price, raised by 10 percent."""
        for earlier in self._agent.requests.all():
            if earlier.act == "correction" and earlier.refers_to == self._request.id:
                for kept in earlier.data.get(GROUNDS, ()):
                    if kept["slot"] == one.name and kept["value"] == f"{value:g}":
                        return Ground(**kept)
        for source in self._spoken.focus:
            home = _home(source, one)
            said = [part for part in source.read.mentions if part.block in home]
            for base, place in self._on_record(one):
                for other, how in changed_from(base, said, source.text):
                    if same(other, value):
                        return replace(
                            self._ground(one, value, _parts(said), source, f"{how} = {value:g}"), place=place
                        )
        return None

    def _on_record(self, one: _Value) -> Iterator[tuple[float, str]]:
        """Yield a slot's numbers in the things that the order changes, with ids: an earlier order, or a record."""
        earlier = self._agent.requests.find(self._request.refers_to) if self._request.refers_to else None
        if earlier is not None and isinstance(base := earlier.slot(one.name), int | float):
            yield float(base), earlier.id
        for slot in self._request.slots:
            for kind in ("prices", "products") if slot.name == "product" else (_RECORDS.get(slot.name, ""),):
                for record in section(self._agent, kind) if kind else ():
                    if str(slot.value) in (record.get("id"), record.get("name"), record.get("product")):
                        base = record.get(one.name)
                        if isinstance(base, int | float) and not isinstance(base, bool):
                            yield float(base), str(record["id"])

    def _number_in(
        self, source: WordSource, one: _Value, want: WantedNumber, value: float
    ) -> tuple[Ground | None, str]:
        """Return where a text says a number, or the words in which it says another one for the same slot."""
        read = source.read
        home = _home(source, one)
        inside = [part for part in read.mentions if part.block in home]
        fits = fitting(want, inside)
        if source.is_document:
            hit = next((part for part in fitting(want, read.mentions) if is_value(want, part, value)), None)
            return (self._ground(one, value, hit.words, source), "") if hit is not None else (None, "")
        is_loose = not source.is_focus and not any(one.score(read.block_words(block)) for block in home)
        near = in_rhythm(want, _nearest(fits, one))
        if not near and source.is_focus:  # the only amount of the message may stand by itself
            every = fitting(want, read.mentions)
            named = [part for part in _nearest(every, one) if one.score(part.owner)]
            alone = every if len({part.value for part in every}) == 1 else []
            near = [part for part in named or alone if is_value(want, part, value)]
        hit = next((part for part in near if is_value(want, part, value)), None)
        if hit is not None and not (is_loose and hit.owner - FILLER):
            return self._ground(one, value, hit.part or hit.words, source), ""
        is_part = bool(near) and len(near) < len(fits) and not is_together(source.text)
        pool = [part for part in inside if part.owner == near[0].owner] if is_part else inside
        pool = pool if fits or not source.is_focus else list(read.mentions)
        steps = (*derive_amounts(want, pool, source.text), *until(want, read, source.at))
        how = next((how for other, how in steps if same(other, value)), "")
        if how and not is_loose:
            return self._ground(one, value, _parts(pool) or source.text, source, f"{how} = {value:g}"), ""
        if not near and want.kind == "any" and re.search(rf"(?<!\d){re.escape(f'{value:g}')}(?!\d)", source.text):
            return self._ground(one, value, f"{value:g}", source), ""
        is_named = any(one.score(part.owner) for part in near)
        clear = near if is_named else [part for part in near if is_clear(want, part)]
        return None, "" if is_loose or not clear else _parts(clear)

    # --- days, names and records

    def _day(self, one: _Value, text: str) -> None:
        day = date.fromisoformat(text[:10])
        for source in self._spoken.sources:
            if source.is_document:
                if day in source.days:
                    self._bound.append(self._ground(one, text, text[:10], source))
                    return
                continue
            picks = self._days(source, one)
            hit = next((time for time in picks if time.day == day), None)
            said = [time for time in source.read.times if time.day is not None]
            follows = day in source.days and not any(time.day == day for time in said)
            if hit is not None or follows:
                words = hit.words if hit is not None else source.text
                self._bound.append(self._ground(one, text, words, source, "" if hit is not None else "counted on"))
                return
            if picks and source.is_focus:
                self._missing.append(f"{text} (looked at: {_quote_words([time.words for time in picks])})")
                return
        if day not in (self._spoken.at.date(), self._agent.clock().date()):
            self._missing.append(text)

    def _days(self, source: WordSource, one: _Value) -> list[SpokenTime]:
        """Return the days of a text that can fill a slot: those of its order, and none that only its prose has."""
        home, read = _home(source, one), source.read
        said = [(time, read.part_at(time.start)) for time in read.times if time.day is not None]
        wanted = [(time, part) for time, part in said if part is not None and part.kind != "ban"]
        wanted = [(time, part) for time, part in wanted if part.block in home] or wanted
        best = max((one.score(part.words) for _, part in wanted), default=0)
        days = [time for time, part in wanted if one.score(part.words) == best]
        own = " ".join(fold(text) for text in one.texts if not _DAY.fullmatch(text.strip()))
        free = [time for time in days if not _core(time) or _core(time) not in own]
        days = free or days
        if one.name in ("deadline", "due", "reply_by", "expected_close", "until"):
            days = [time for time in days if time.role == "by"] or days
        return days

    def _record(self, name: str, key: str) -> None:
        if not _is_meant(self._agent, _RECORDS[name], key, self._spoken):
            self._missing.append(f"{_RECORDS[name].replace('_', ' ').removesuffix('s')} {key}")

    def _names(self, given: Mapping[str, Any]) -> None:
        """Find names, choices and payees that contradict the message at hand."""
        if not self._spoken.focus or self._request.operation in _MAIL:
            return
        for name, value in given.items():
            if not isinstance(value, str) or not value.strip():
                continue
            if name in _PAID and not self._knows(value):
                self._missing.append(f"{name.replace('_', ' ')} {value}")
            elif name in ("name", "title") and (other := self._other_name(value)):
                self._missing.append(f"{name} {value!r} (you said {other!r})")
            elif other := self._other_choice(name, value):
                self._missing.append(f"{name.replace('_', ' ')} {value} (looked at: {other})")
            elif source := next((one for one in self._spoken.sources if says(f" {fold(one.text)} ", value)), None):
                self._bound.append(self._ground(_Value(name, value, *_NOBODY), value, value, source))

    def _knows(self, value: str) -> bool:
        words = words_of(value)
        known = words_of(f"{self._spoken.lowered}\n{self._spoken.papers}\n{self._known}")
        return bool(words & known) or self._spoken.has_words(value)

    def _other_name(self, value: str) -> str:
        """Return the name in quotes that the message at hand gives in place of this one, or an empty text."""
        focus = self._spoken.focus[0]
        if self._request.operation not in wordings() or says(f" {fold(focus.text)} ", value):
            return ""
        one = _Value("name", value, frozenset(), frozenset(), self._request.operation)
        clauses = [part for part in focus.read.clauses if part.kind != "ban" and one.score(part.words)]
        quoted = [
            next(group for group in match.groups() if group)
            for part in clauses
            for match in _QUOTED_NAME.finditer(part.text)
        ]
        wanted = words_of(value)
        return quoted[0] if quoted and not any(words_of(other) & wanted for other in quoted) else ""

    def _other_choice(self, name: str, value: str) -> str:
        """Return the words of the message at hand that choose another value of a closed set, or an empty text."""
        choices = _choices(self._schema.get(name, {}))
        if value not in choices or {"yes", "no"} & set(choices):
            return ""
        wording = wordings().get(self._request.operation)
        synonyms = wording.synonyms.get(name, {}) if wording is not None else {}
        whole = self.value_of(self._request)
        for part in (part for source in self._spoken.focus for part in source.read.parts if part.kind != "ban"):
            text = _QUOTED_NAME.sub(" ", part.text).lower()
            chosen = [one for one in choices if _choice(one, text, synonyms)] if whole.names & part.words else []
            if chosen:
                return "" if value in chosen else f"{part.text!r}"
        focus = [_QUOTED_NAME.sub(" ", _without_bans(one)).lower() for one in self._spoken.focus]
        if any(_choice(value, text, synonyms) for text in focus):
            return ""
        given = {one.name: one.value for one in self._request.slots}
        named = next(iter(self._values(given, self._request.operation, frozenset())), None)
        for source in self._spoken.focus:
            home = _home(source, named) if named is not None else source.read.blocks
            text = _QUOTED_NAME.sub(" ", _without_bans(source, home)).lower()
            if other := next((words for one in choices if (words := _choice(one, text, synonyms))), ""):
                return f"{other!r}"
        return ""

    def _ground(self, one: _Value, value: Any, words: str, source: WordSource, how: str = "") -> Ground:
        said = f"{value:g}" if isinstance(value, float) else str(value)
        return Ground(one.name, said, shorten(words.strip(" ,.;:"), 80, at_word=True), source.place, how)


def _texts(given: Mapping[str, Any]) -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
    """Return the words of names, those of other short texts, and all texts of some arguments."""
    short = {
        name: one for name, one in given.items()
        if isinstance(one, str) and len(one) <= 120 and not _DAY.fullmatch(one.strip())
    }  # fmt: skip
    flat = [one for value in given.values() if isinstance(value, list) for one in value if isinstance(one, str)]
    names = frozenset(word for name, one in short.items() if name in _NAMES for word in words_of(one))
    others = frozenset(word for name, one in short.items() if name not in _NAMES for word in words_of(one))
    others |= frozenset(word for one in flat if len(one) <= 60 for word in words_of(one))
    return names, others, tuple(one for one in given.values() if isinstance(one, str))


_NOBODY: Final = (frozenset[str](), frozenset[str](), "")


def _without_bans(source: WordSource, home: Sequence[int] = ()) -> str:
    """Return a text, or some orders of it, without its bans."""
    clauses = (one for one in source.read.clauses if one.kind != "ban" and (not home or one.block in home))
    return " ".join(one.text for one in clauses)


def _home(source: WordSource, one: _Value) -> tuple[int, ...]:
    """Return the orders of a text that best name the purpose of a value; all if none names it."""
    read = source.read
    scores = {block: one.score(read.block_words(block)) for block in read.blocks}
    best = max(scores.values(), default=0)
    return tuple(block for block, score in scores.items() if score == best)


def _nearest(fits: Sequence[SpokenQuantity], one: _Value) -> list[SpokenQuantity]:
    """Return the amounts whose part of the text best names a slot, or its value's purpose; all if none does."""
    label = words_of(one.name.replace("_", " ")) - FILLER
    scores = [20 * len(label & part.owner) + one.score(part.owner) for part in fits]
    best = max(scores, default=0)
    return [part for part, score in zip(fits, scores, strict=True) if score == best]


def _parts(mentions: Sequence[SpokenQuantity]) -> str:
    return _quote_words(list(dict.fromkeys(one.part or one.words for one in mentions)))


def _quote_words(words: Sequence[str]) -> str:
    return "; ".join(f"'{shorten(one.strip(' ,.;:'), 60, at_word=True)}'" for one in words[:3])


def _core(time: SpokenTime) -> str:
    """Return the words of a day without the preposition."""
    return re.sub(r"^(?:by|on|of|in|at|from|until|till|before|the) ", "", fold(time.words))


def _choices(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the values of an argument that is a closed set of texts."""
    parts = [schema, *schema.get("anyOf", ())]
    return tuple(one for part in parts for one in part.get("enum", ()) if isinstance(one, str))


def _choice(value: str, text: str, synonyms: Mapping[str, re.Pattern[str]]) -> str:
    """Return the words of a text that choose a value, or an empty text."""
    found = synonyms[value].search(text) if value in synonyms else None
    if found is None and len(value) > 2:
        found = re.search(rf"\b{re.escape(value.replace('_', ' ').lower())}\b", text)
    return found[0] if found is not None else ""


def _is_meant(agent: Agent, name: str, key: str, spoken: SpokenWords) -> bool:
    """Return whether the person named a record: its id, a word of its title, or its kind where there is one."""
    every = section(agent, name)
    record = next((one for one in every if str(one.get("id", "")).casefold() == key.casefold()), None)
    title = str((record or {}).get("name") or (record or {}).get("title") or key)
    words = {singular(one) for one in terms(title)} - STOPWORDS
    said = {singular(one) for one in spoken.folded_text.split()}
    if key.casefold() in spoken.lowered or words & said:
        return True
    kind = singular(name.rpartition("_")[2])
    return kind in said and len(every) == 1
