"""Questions about fields of named records: of one, several, or all of a kind; the largest, the sum, the number.

asked, = read_queries("Which job is the dearest?", entries, (), today)
asked.pick, asked.fields                                            # ("max", ("cost",))

A question is answered here only if every word of it is accounted for: by the kind, a name, a field or a word that asks.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from mabos.configs.yaml_file import packaged_yaml
from mabos.memory.stem import stem
from mabos.tools.requests.answers.entries import KINDS, Cell, Entry, Field, Kind, KindName
from mabos.tools.requests.answers.periods import Period, periods_in
from mabos.tools.requests.answers.statement import Statement, together
from mabos.tools.requests.answers.synonyms import empty_words, question_forms
from mabos.tools.requests.answers.topics import topics_of
from mabos.tools.requests.answers.work_items import alike, meaningful
from mabos.tools.requests.record_words import find_named_records
from mabos.tools.requests.wording import format_count, join_words, sentence
from mabos.workspace.currencies import money
from mabos.workspace.text import STOPWORDS, terms

Pick = Literal["", "max", "min"]
_FIELDS: dict[Field, str] = packaged_yaml("requests/asked_fields.yaml")  # type: ignore[assignment]  # its names are fields
_WORDS_OF = question_forms("in_query")
_FORMS = {name: re.compile(rf"\b(?:{form})\b", re.IGNORECASE) for name, form in _FIELDS.items()}
_PICKS: Mapping[Pick, re.Pattern[str]] = {"max": _WORDS_OF["max"], "min": _WORDS_OF["min"]}
_SUM = _WORDS_OF["sum"]
_WEEK_AND_ALL = _WORDS_OF["week_and_all"]
_COUNT = re.compile(r"\bhow many\b|\bnumber of\b", re.IGNORECASE)
_DEEDS: Mapping[KindName, re.Pattern[str]] = {
    "campaigns": re.compile(r"\b(?:what|which)\b.*\b(?:booked|running|advertised)\b", re.IGNORECASE),
    "work_packages": re.compile(r"\b(?:what|which)\b.*\b(?:ordered|commissioned)\b", re.IGNORECASE),
}
"""Deeds that name a kind of record: "what is booked, and on which platform?"."""
_LIST = _WORDS_OF["list"]
_STATES: Mapping[str, re.Pattern[str]] = {
    "open": re.compile(
        r"\b(?:open|still on|running|current(?:ly)?|active|under ?way|in force|going|now|at the moment|on)\b", re.I
    ),
    "over": re.compile(r"\b(?:over|closed|stopped|complete[d]?|cancell?ed|finished|ended)\b", re.IGNORECASE),
}
_NO_QUERY = _WORDS_OF["no_query"]
_POINTS = _WORDS_OF["points"]
_FURNITURE = frozenset(map(stem, empty_words("of_records")))
"""Stems of words that neither name nor select a record."""
_OF_PEOPLE = frozenset(map(stem, terms("customer customers client clients people members suppliers readers guests")))
_BOUND = _WORDS_OF["bound"]
_LIMIT = re.compile(r"\b(?:limits?|ceilings?|caps?)\b", re.IGNORECASE)
_MOST = 12
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """A question's query on records: the records, the fields, and the operation on them."""

    entries: tuple[Entry, ...]
    fields: tuple[Field, ...]
    pick: Pick = ""
    is_sum: bool = False
    is_count: bool = False
    is_of_kind: bool = False
    selected_by: str = ""
    has_state: bool = False
    period: Period | None = None
    bound: tuple[bool, float] | None = None
    """Whether a sum must be above it, and the sum."""
    nothing_of: Kind | None = None

    @property
    def kind(self) -> Kind:
        """The kind of its records, also if there are none."""
        return self.nothing_of or self.entries[0].kind


def read_queries(text: str, entries: Sequence[Entry], last: Sequence[Entry], today: date) -> tuple[RecordQuery, ...]:
    """Return a question's queries on records, one for each kind; none if it asks for anything else.

    `last` are the records mentioned last, for a question that refers to them.
    """
    if _NO_QUERY.search(text):
        return ()
    entries = _latest(entries, text)
    periods, plain = periods_in(text, today)
    exact = find_named_records(plain, {one.key: one.name for one in entries if one.kind.name != "rules"})
    called = {(one.kind.name, one.name.casefold()) for one in entries if one.key in exact}
    spans = tuple(exact.values())
    exact |= {
        one.key: spans[0] for one in entries if (one.kind.name, one.name.casefold()) in called and one.key not in exact
    }
    masked = "".join(" " if _inside(at, exact.values()) else letter for at, letter in enumerate(plain))
    kinds, masked = _kinds(masked)
    by_words, phrase, masked = _by_words(entries, kinds, masked)
    bound = _BOUND.search(masked)
    masked, text = (_BOUND.sub(" ", masked), _BOUND.sub(" ", text)) if bound else (masked, text)
    found, masked = fields_asked(masked)
    if found and not kinds and not by_words and not _POINTS.search(text):
        kinds = tuple(KINDS[name] for name, deed in _DEEDS.items() if deed.search(text))
    for form in (_SUM, *_PICKS.values()):
        masked = form.sub(" ", masked)
    left = [one for one in meaningful(masked) if one not in _FURNITURE]
    if exact:
        chosen, word = _exactly(entries, exact, left)
    elif by_words:
        left = [one for one in left if one not in _OF_PEOPLE]
        chosen, word = ([] if left else by_words), phrase
    else:
        chosen, word = _select_entries(entries, left, kinds, last, text)
        chosen = _resolve_holders(entries, chosen, found)
    if not chosen:
        return _none_of_kind(entries, kinds, left, text)
    is_of_kind = not exact and bool(kinds or word) and (bool(word) or not all(one in last for one in chosen))
    queries = [
        RecordQuery(
            tuple(one for one in chosen if one.kind is kind),
            _of_kind(kind, found, text),
            next((name for name, form in _PICKS.items() if form.search(text)), ""),
            bool(_SUM.search(text)),
            bool(_COUNT.search(text)),
            is_of_kind and (not left or bool(word)),
            word,
            bool(_STATES["over"].search(masked)),
            periods[0] if periods else None,
            bound=_parse_bound(bound),
        )
        for kind in KINDS.values()
        if any(one.kind is kind for one in chosen)
    ]
    return tuple(one for one in queries if _is_whole(one, found, text))


def _latest(entries: Sequence[Entry], text: str) -> list[Entry]:
    """Return records without those that are over, where another of the same kind and name is not."""
    live = {(one.kind.name, one.name.casefold()) for one in entries if one.state == "open"}
    if _STATES["over"].search(text):
        return list(entries)
    return [one for one in entries if one.state == "open" or (one.kind.name, one.name.casefold()) not in live]


def names_kind(text: str) -> bool:
    """Return whether a text names a kind of record, as "jobs" or "campaigns"."""
    return any(kind.words.search(text) for kind in KINDS.values())


def asking_words(text: str) -> str:
    """Return the words of a question that ask for something, without those that name a record."""
    forms = (*_FORMS.values(), _SUM, _COUNT, *_PICKS.values())
    return " ".join(dict.fromkeys(found[0] for form in forms if (found := form.search(text))))


def _parse_bound(found: re.Match[str] | None) -> tuple[bool, float] | None:
    """Return whether a field must be above a sum, and the sum."""
    if found is None:
        return None
    return found["way"].lower() in ("more than", "over", "above", "at least"), float(found["sum"].replace(",", ""))


def _inside(at: int, spans: Collection[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


def _kinds(text: str) -> tuple[tuple[Kind, ...], str]:
    """Return the kinds that a text names, and the text without their words."""
    found = tuple(kind for kind in KINDS.values() if kind.words.search(text))
    for kind in found:
        text = kind.words.sub(" ", text)
    return found, text


def _by_words(entries: Sequence[Entry], kinds: Sequence[Kind], text: str) -> tuple[list[Entry], str, str]:
    """Return whom tags, a company or a skill in a text select, or a channel, the words, and the text without them."""
    able = ("contacts", "contractors", "campaigns")
    chosen = [one for one in entries if one.kind.name in able and (not kinds or one.kind in kinds)]
    said = list[str]()
    for word in sorted({word for one in chosen for word in one.words}, key=len, reverse=True):
        plain = re.escape(re.sub(r"[-_]+", " ", word).removesuffix("s"))
        hit = re.search(rf"\b{plain.replace(chr(92) + ' ', '[- ]')}s?\b", text, re.IGNORECASE)
        if hit and (fewer := [one for one in chosen if word in one.words]):
            chosen, text = fewer, text[: hit.start()] + " " + text[hit.end() :]
            said.append(hit[0])
    return (chosen, " ".join(said), text) if said else ([], "", text)


def _resolve_holders(entries: Sequence[Entry], chosen: Sequence[Entry], found: Sequence[Field]) -> list[Entry]:
    """Return the holders of the records meant, if a field of persons is asked for: "At what rate?"."""
    of_person = [one for one in found if one in ("rate", "phone", "email", "skills", "availability")]
    if not of_person or not chosen or any(one in chosen[0].kind.labels for one in of_person):
        return list(chosen)
    holders = {one.cells["who"].text for one in chosen if "who" in one.cells}
    return [one for one in entries if one.name in holders and of_person[0] in one.kind.labels]


def fields_asked(text: str) -> tuple[tuple[Field, ...], str]:
    """Return the fields that a text asks for, in its order, and the text without their words."""
    at: dict[Field, int] = {}
    rest = text
    for name, form in _FORMS.items():
        if match := form.search(rest):
            at[name] = match.start()
            rest = form.sub(lambda hit: " " * len(hit[0]), rest)
    return tuple(sorted(at, key=at.__getitem__)), rest


def _exactly(entries: Sequence[Entry], exact: Collection[str], left: Sequence[str]) -> tuple[list[Entry], str]:
    """Return the records whose whole names are in a question, if no other word is left."""
    known = [one for one in entries if one.key in exact]
    return (known, "") if all(_covers(known, one) for one in left) else ([], "")


_DETERMINED = re.compile(rf"\b(?:the|our|my) (?!(?:{'|'.join(sorted(STOPWORDS))})\b)(\w+)")


def _select_entries(
    entries: Sequence[Entry], left: Sequence[str], kinds: Sequence[Kind], last: Sequence[Entry], text: str
) -> tuple[list[Entry], str]:
    """Return the records that a question means, and the word that selects them where it is no name."""
    of_kind = [one for one in entries if one.kind in kinds] if kinds else list(entries)
    if left:
        by_name = [one for one in of_kind if one.kind.name != "rules" and _covers([one], *left)]
        if by_name:
            return by_name, ""
        by_word = [one for one in of_kind if one.kind.name in ("contacts", "contractors") and _has_words(one, left)]
        return by_word, " ".join(_words_of(text, left))
    named = [one for one in of_kind if one.kind.name != "rules" and _covers([one], *_DETERMINED.findall(text.lower()))]
    if named and _DETERMINED.search(text.lower()) and not kinds:
        return named, ""  # "the sign" names a record, whatever "to sign" means
    points_back = [one for one in last if not kinds or one.kind in kinds]
    if _SUM.search(text) and re.search(r"(?i)\b(?:we|you)\b", text) and not kinds and not _POINTS.search(text):
        return [], ""  # "How much have we committed altogether?" is of all, not of the last
    if points_back and (_POINTS.search(text) or not kinds):
        return points_back, ""
    return (of_kind, "") if kinds else ([], "")


def _covers(entries: Sequence[Entry], *words: str) -> bool:
    """Return whether the names of records have every one of these words."""
    own = [stem(word) for one in entries for word in terms(one.name)]
    return all(any(alike(word, part) for part in own) for word in words)


def _has_words(entry: Entry, words: Sequence[str]) -> bool:
    """Return whether a record is selected by these words: its tags, its segment, its skills."""
    own = [stem(part) for word in entry.words for part in terms(word.replace("-", " ").replace("_", " "))]
    return bool(own) and all(any(alike(word, part) for part in own) for word in words)


def _words_of(text: str, stems: Sequence[str]) -> list[str]:
    words = re.findall(r"[\w'’-]+", text)
    return [word for word in words if any(stem(part) in stems for part in terms(word.replace("-", " ")))]


def _none_of_kind(
    entries: Sequence[Entry], kinds: Sequence[Kind], left: Sequence[str], text: str
) -> tuple[RecordQuery, ...]:
    """Return a query for a kind of which nothing is on record; nothing where a question has other words too."""
    is_none = (
        "work" not in topics_of(text)  # "Which jobs do you have on hand?" asks for what the agent works on
        and len(kinds) == 1
        and not left
        and not _POINTS.search(text)
        and not any(one.kind in kinds for one in entries)
    )
    return (RecordQuery((), (), is_of_kind=True, nothing_of=kinds[0]),) if is_none and _LIST.search(text) else ()


def _own_field(kind: Kind, asked: Field) -> Field:
    """Return the field of a kind that answers the one asked for: a campaign has a duration, but no end date."""
    if asked == "due" and kind.name == "campaigns":
        return "weeks"
    return kind.costs if asked == "cost" else asked


def _of_kind(kind: Kind, found: Sequence[Field], text: str) -> tuple[Field, ...]:
    """Return the fields of a kind that are asked for; where it asks for a week, a sum is that of a week."""
    fields = [_own_field(kind, one) for one in found]
    if not fields and _SUM.search(text):
        fields = [kind.costs]
    if "weekly" in fields and "weekly" in kind.labels:
        fields = ["weekly", kind.costs] if _WEEK_AND_ALL.search(text) else [one for one in fields if one != "cost"]
    if kind.name == "rules" and _LIMIT.search(text):
        fields = ["cost", *fields]
    if "since" in fields and "due" in fields:
        fields.remove("due")
    if re.search(r"\breach\b", text, re.IGNORECASE) and "email" in kind.labels:
        fields = [*(one for one in fields if one != "phone"), "phone", "email"]
    if _PICKS["min"].search(text) and re.search(r"\b(?:oldest|newest|latest)\b", text, re.IGNORECASE):
        fields = ["since"]
    return tuple(dict.fromkeys(one for one in fields if one in kind.labels))


def _is_whole(query: RecordQuery, found: Sequence[Field], text: str) -> bool:
    """Return whether the records have the fields asked for."""
    if query.period is not None and not (query.is_of_kind and "due" in query.fields):
        return False
    asked = [_own_field(query.kind, one) for one in found]
    if query.kind.name == "decisions" and not all(one in entry.cells for entry in query.entries for one in asked):
        return False  # what a decision has no field for may be in its words
    lacking = [one for one in asked if one not in query.kind.labels]
    if any(one != "who" for one in lacking) or (lacking and not query.is_of_kind):
        return False
    if query.is_of_kind and query.kind.name == "decisions" and not query.pick:
        return False  # what waits for a person is told with the reasons
    if query.is_of_kind:
        return bool(query.is_count or query.fields or query.pick or _LIST.search(text))
    return bool(query.fields)


def answer_query(query: RecordQuery, now: str) -> Statement:
    """Return the answer to a query from the current records."""
    entries, none = _filter_entries(query)
    if not entries:
        return none
    if query.pick and len(entries) > 1 and (field := _find_measure(query)):
        edge = _extreme(query, entries, field, now)
        return together([edge, _total(query, entries, field, now)]) if query.is_sum else edge
    if query.is_sum and (len(entries) > 1 or query.is_of_kind) and (field := _find_measure(query)):
        return _total(query, entries, field, now)
    if query.is_of_kind:
        return _describe_entries(query, entries, now)
    parts = [Statement(one.say(query.fields), one.claims(query.fields, now)) for one in entries[:_SHOWN]]
    return together([*parts, not_named(len(entries) - _SHOWN, query.kind.noun)])


def _filter_entries(query: RecordQuery) -> tuple[tuple[Entry, ...], Statement]:
    """Return the records of a query that are in the state and within the sum that it names, or why there are none."""
    noun, entries = query.kind.noun, query.entries
    if not entries:
        return (), Statement(f"No {noun} is on record")
    if query.is_of_kind and not query.has_state:
        entries = tuple(one for one in entries if one.state == "open")
        if not entries:
            return (), Statement(f"No {noun} is open; {format_count(len(query.entries), noun)} on record are over")
    if query.bound is not None and (field := _find_measure(query)):
        way = "above" if query.bound[0] else "below"
        entries = tuple(one for one in entries if _keeps(one, field, query.bound))
        return entries, Statement(f"No {noun} on record is {way} that sum")
    return entries, Statement()


def _keeps(entry: Entry, field: Field, bound: tuple[bool, float]) -> bool:
    """Return whether a field of a record is above or below a sum."""
    order = entry.cells[field].order if field in entry.cells else ""
    return isinstance(order, float) and (order > bound[1] if bound[0] else order < bound[1])


def _find_measure(query: RecordQuery) -> Field | None:
    """Return the field that a question compares or adds up."""
    able = {name for _, name in _WORDS}
    asked = [one for one in query.fields if one in able]
    return asked[0] if asked else (query.kind.costs if query.kind.costs in query.kind.labels else None)


def _extreme(query: RecordQuery, entries: Sequence[Entry], field: Field, now: str) -> Statement:
    """Return the record with the maximum or minimum of a field, and the values of the others."""
    known = [(one, one.cells[field]) for one in entries if field in one.cells]
    label = query.kind.labels[field]
    if not known:
        many = format_count(len(entries), query.kind.noun)
        return Statement(f"I cannot tell: none of {many} has this on record ({label})")
    edge = (max if query.pick == "max" else min)(cell.order for _, cell in known)
    first = [one for one, cell in known if cell.order == edge]
    rest = [one for one, cell in known if cell.order != edge]
    lacking = [one for one in entries if field not in one.cells]
    fields = tuple(dict.fromkeys((field, *(one for one in query.fields if one in query.kind.labels))))
    word = _WORDS[query.pick, field]
    word = re.sub(r"est$", "er", word) if len(known) == _PAIR else word
    is_named = len({one.label for one in entries}) == len(entries)
    parts = [Statement(f"{word}: {first[0].say(fields if is_named else ())}")]
    parts += [Statement(f"equal to it: {one.say(fields)}") for one in first[1:]]
    if rest:
        place = {
            one.key: "" if is_named or "channel" not in one.cells else f" on {one.cells['channel'].text}"
            for one in rest
        }
        told = join_words(f"{one.label}{place[one.key]} {one.cells[field].text}" for one in rest[:_SHOWN])
        orders = (edge, rest[0].cells[field].order)
        if len(rest) == 1 and all(isinstance(one, float) for one in orders) and field in ("cost", "rate", "weekly"):
            told += f", {money(abs(float(orders[0]) - float(orders[1])))} {'less' if query.pick == 'max' else 'more'}"
        parts.append(Statement(f"The {'other' if len(rest) == 1 else 'others'}: {told}"))
    if lacking:
        parts.append(Statement(f"Without it on record: {join_words(one.label for one in lacking[:_SHOWN])}"))
    claims = tuple(claim for one in (*first, *rest[:_SHOWN]) for claim in one.claims((field,), now))
    return Statement(together(parts).text, claims)


_PAIR = 2
_WORDS: Mapping[tuple[Pick, Field], str] = {
    ("max", "cost"): "The dearest", ("min", "cost"): "The cheapest", ("max", "rate"): "The dearest",
    ("min", "rate"): "The cheapest", ("max", "weekly"): "The dearest", ("min", "weekly"): "The cheapest",
    ("max", "due"): "The last", ("min", "due"): "The first", ("max", "since"): "The newest",
    ("min", "since"): "The oldest", ("max", "weeks"): "The longest", ("min", "weeks"): "The shortest",
}  # fmt: skip


def _total(query: RecordQuery, entries: Sequence[Entry], field: Field, now: str) -> Statement:
    """Return the sum of a field over records, with its parts."""
    known = [(one, one.cells[field]) for one in entries if field in one.cells]
    sums = [cell.order for _, cell in known if isinstance(cell.order, float)]
    if not sums or len(sums) < len(known):
        return Statement()
    per = " a week" if field == "weekly" else ""
    more = [name for name in query.fields if name != field]
    also = [[one.cells[name].text for name in more if name in one.cells] for one, _ in known]
    told = join_words(
        f"{one.label} {join_words([cell.text, *rest])} ({one.id})"
        for (one, cell), rest in zip(known[:_MOST], also, strict=False)
    )
    is_spent = query.kind.name == "campaigns"
    word = "committed" if is_spent else "altogether"
    lead = f"{money(sum(sums))}{per} {word} for {format_count(len(known), query.kind.noun)}: {told}"
    claims = tuple(claim for one, _ in known for claim in one.claims((field,), now))
    spent = sum(float(one.record.get("spent_usd") or 0.0) for one, _ in known)
    notes = []
    if is_spent:
        notes = [Statement(f"{money(spent)} of it is reported as spent" if spent else "No spending is reported yet")]
    return together([Statement(lead, claims), *notes])


def _describe_entries(query: RecordQuery, entries: Sequence[Entry], now: str) -> Statement:
    """Return how many records of a kind there are, and each with the fields that are asked for."""
    if query.period is not None:
        entries = [one for one in entries if "due" in one.cells and _is_in(one.cells["due"], query.period)]
    by = f" ({query.selected_by})" if query.selected_by else ""
    if not entries:
        return Statement(f"No {query.kind.noun}{by} is on record")
    fields = tuple(one for one in query.fields if one in query.kind.labels)
    lead = f"{format_count(len(entries), query.kind.noun)}{by}"
    claims = tuple(claim for one in entries[:_MOST] for claim in one.claims(fields, now))
    names_only = query.is_count or query.kind.name == "contacts"
    if names_only and not fields:
        return together([Statement(f"{lead}: {join_words(one.label for one in entries[:_MOST])}", claims)])
    lines = [f"- {sentence(one.say(fields))}" for one in entries[:_MOST]]
    more = not_named(len(entries) - _MOST, "").text
    return Statement("\n".join([f"{lead}:", *lines, *filter(None, [more, _together(entries, fields)])]), claims)


def _together(entries: Sequence[Entry], fields: Sequence[Field]) -> str:
    """Return the total of a list's sums; empty if it has none, or a record lacks its own."""
    known = [
        one.cells[name].order for name in fields if name in ("cost", "weekly") for one in entries if name in one.cells
    ]
    sums = [one for one in known if isinstance(one, float)]
    is_whole = len(entries) > 1 and len(sums) == len(known) == len(entries) and entries[0].kind.name != "prices"
    return f"{money(sum(sums))}{' a week' if 'weekly' in fields else ''} altogether." if is_whole else ""


def _is_in(cell: Cell, period: Period) -> bool:
    """Return whether a day falls into a period, or into the same one a year later: "in April" may be ahead."""
    return period.holds_ahead(date.fromisoformat(str(cell.order)))


def not_named(number: int, noun: str) -> Statement:
    """Return how many records a reply leaves out; empty if it names all."""
    return (
        Statement(f"{format_count(number, f'more {noun}'.strip(), 'more')} not named here")
        if number > 0
        else Statement()
    )
