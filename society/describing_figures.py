"""Figures in an owner's words: a target with its direction, or a dated value, each with its unit and words.

figures_in("Food waste is 9 % and should be below 5 %.", names) # waste_rate is 9 %, and should be below 5 %

Only plain statements that a figure is, was or should be something count. Numbers in conditions, working hours and
shares of something else are left out: a missing figure is requested, but a wrong one is believed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mabos.language.amounts import SpokenAmount, amounts_in
from mabos.language.selectors import singular
from mabos.society.describing_words import patterns_of, words_of
from mabos.society.figures import BusinessFigure
from mabos.society.quantities import SHARES, metric_named, spellings_of
from mabos.society.templates import BusinessTemplate
from mabos.workspace.text import STOPWORDS, one_line, slug, terms

_PATTERNS = patterns_of("figures")
_OPERATORS = tuple(patterns_of("operators").items())
_BUYERS = words_of("buyers")
_NO_TITLE = words_of("no_title")
_TIMES = words_of("times")
_SIZES = words_of("sizes")
_MEASURES = _TIMES | _SIZES
_OF_MONEY = words_of("of_money")
_FULL = words_of("full")
_LESS = frozenset(("less", "lower", "below", "under", "fewer"))
_LONGEST_NAME = 5


@dataclass(frozen=True, slots=True)
class DescribedFigure:
    """A figure that was read: a `target` as a comparison without the name, or a `value` at the time `when`."""

    name: str
    target: str = ""
    value: float = 0.0
    unit: str = ""
    words: str = ""
    title: str = ""
    figure: BusinessFigure | None = None
    when: str = ""


@dataclass(frozen=True, slots=True)
class _Topic:
    """The figure that a sentence is about so far, and its last value; `is_known` if that value counts by itself."""

    name: str = ""
    title: str = ""
    amount: SpokenAmount | None = None
    is_known: bool = False
    when: str = ""


def names_of(pack: BusinessTemplate) -> Mapping[str, str]:
    """Return the series names of a line of business by each way in which people write them."""
    known: dict[str, str] = {}
    for name in ("cash", "burn", "runway_months", "revenue", *pack.measures):
        for spelling in (name.replace("_", " "), *spellings_of(name)):
            known.setdefault(spelling.lower(), name)
    for figure in pack.figures:
        for spelling in (figure.called, *figure.also):
            known[spelling.lower()] = figure.name
    return known


def figures_in(text: str, names: Mapping[str, str], *, is_listed: bool = False) -> tuple[DescribedFigure, ...]:
    """Return the figures of a sentence in order; a number without a clear figure is left out.

    In a list of figures (`is_listed`) the words before a colon name one: `Accidents: 0 this year`.
    """
    whole = one_line(text)
    counted = _PATTERNS["costs"].sub(r"\g<np> cost is ", _PATTERNS["none"].sub(r"\1 be at most 0", whole))
    said, band = _lower_bound(counted, is_listed=is_listed)
    amounts = [one for one in amounts_in(said) if not is_of_time(said, one)]
    read, topic, start = list[DescribedFigure](), _Topic(), 0
    for number, amount in enumerate(amounts):
        at = _digits_at(said, amount)
        until = amounts[number + 1].start if number + 1 < len(amounts) else len(said)
        clause = _Clause(said, said[start:at], said[amount.end : until], amount, names, is_listed and number == 0)
        start = amount.end
        op, named = clause.target(topic) or ("", None)
        if named is not None:
            is_vague = topic.is_known or _PATTERNS["vague"].search(topic.when)
            if topic.amount and named.name == topic.name and not is_vague:
                read.append(_figure(topic, "", topic.amount, whole))
            read.append(_figure(named, op, amount, whole, band, like=topic.amount))
            topic = _Topic(named.name, named.title, amount, is_known=True)
        elif (value := clause.value(topic)) is not None:
            topic = value
            read += (
                [_figure(value, "", amount, whole)]
                if value.is_known and not _PATTERNS["vague"].search(value.when)
                else []
            )
        elif clause.part and not _PATTERNS["aim"].match(clause.part) and clause.part not in ("of ", "out of "):
            topic = _Topic()
    given: dict[tuple[str, bool, str], set[object]] = {}
    for one in read:
        given.setdefault((one.name, bool(one.target), one.when), set()).add(one.target or one.value)
    return tuple(
        one for one in read if len(given[one.name, bool(one.target), one.when]) == 1
    )  # two for one say nothing


@dataclass(frozen=True, slots=True)
class _Clause:
    """A number with the words before and after it, up to its neighbours, and the names of series."""

    said: str
    before: str
    after: str
    amount: SpokenAmount
    names: Mapping[str, str]
    is_listed: bool

    @property
    def part(self) -> str:
        """The words before the number in its own clause."""
        undated = _PATTERNS["when"].sub("", _PATTERNS["parts"].split(self.before)[-1])
        return _PATTERNS["now"].sub("", undated).replace("  ", " ").lstrip()

    @property
    def when(self) -> str:
        """The time that the words after a number or before it name."""
        tail, part = re.split(r"[;.,] | and | but ", self.after)[0], _PATTERNS["parts"].split(self.before)[-1]
        if _PATTERNS["now"].search(tail) or _PATTERNS["now"].search(part):
            return ""
        begun = None if re.search(r"\b(?:is|are)\b", part) else _PATTERNS["when"].match(self.said)
        found = _PATTERNS["when"].search(tail) or _PATTERNS["when"].search(part) or begun
        return found[0].strip() if found else ""

    def target(self, topic: _Topic) -> tuple[str, _Topic] | None:
        """Return the comparison and the figure of a target; None where the words set none, or not for a figure."""
        if _PATTERNS["subordinate"].search(re.split(r"[;.] ", self.before)[-1]):
            return None
        if (
            _PATTERNS["aim"].match(self.part)
            and topic.amount is not None
            and self._fits(topic.amount)
            and not self._count_noun()
        ):
            return (">=" if self.amount.value >= topic.amount.value else "<="), topic
        op, head = ("", "") if self.after == " in " else _comparison(self.part)  # "at most 1 in 20"
        op = op or self._bound_after(topic)
        wanted = _PATTERNS["should"].match(head) or _PATTERNS["want"].match(head)
        if not op and wanted and re.search(r"\b(?:to|at|reach\w*) $", head):
            op = "<=" if _PATTERNS["down"].search(head) else ">=" if _PATTERNS["up"].search(head) else ""
        if not op:
            return None
        return self._target_of(op, wanted, topic) if wanted else self._bare_target(op, head, topic)

    def _bound_after(self, topic: _Topic) -> str:
        """Return the comparison that the words after a number give: "410 or better", "4 % or lower"."""
        found = _PATTERNS["or_more"].match(self.after)
        word = found["op"].lower() if found else {"at most": "less", "at least": "more"}.get(self.amount.meaning, "")
        if word == "better":
            return "" if topic.amount is None else ">=" if self.amount.value >= topic.amount.value else "<="
        return {"": ""}.get(word, "<=" if word in _LESS else ">=")

    def _bare_target(self, op: str, head: str, topic: _Topic) -> tuple[str, _Topic] | None:
        """Return a target without a verb, or of what is done: "Waste below 5 %", "should do at least 12 drops"."""
        counted = self._count_noun()
        if _PATTERNS["should_do"].match(head) or not head:
            title = counted or (topic.title if head else "")
            return self._settle(op, title, _Topic() if counted else topic)
        is_plain = self.is_listed or ":" in head or head.strip(" :").lower() in self.names
        return self._settle(op, head, _Topic()) if is_plain and not self._goes_on() else None

    def _target_of(self, op: str, wanted: re.Match[str], topic: _Topic) -> tuple[str, _Topic] | None:
        """Return a target that somebody wants, of what the words name, of what was spoken of, or of what is counted."""
        counted = self._count_noun()
        if not _PATTERNS["pronoun"].match(wanted["np"].strip(" :")):
            return None if counted else self._settle(op, wanted["np"], topic)
        if counted and "verb" in wanted.re.groupindex:
            return self._settle(op, counted, _Topic())
        return self._settle(op, topic.title, topic) if topic.name else self._settle_nearest(op)

    def _settle(self, op: str, words: str, topic: _Topic) -> tuple[str, _Topic] | None:
        """Return a target of the figure that words name, if its kind of number may be one of that figure."""
        named = topic if topic.name and words == topic.title else _find_figure(words, self.names)
        if named is None or not self._suits(named.name):
            return None
        last = topic.amount if topic.name == named.name else None
        unit = _unit(self.amount)
        is_of_other = unit in _SIZES or (unit in _TIMES and not _PATTERNS["of_time"].search(named.title))
        is_own = last is None and named.name not in self.names.values()
        if (last is not None and not self._fits(last)) or (is_own and is_of_other):
            return None
        return op, named

    def _settle_nearest(self, op: str) -> tuple[str, _Topic] | None:
        """Return a target of the series last named before: "What is our churn, and how do we bring it below 6 %?"."""
        if not self.said.startswith(self.before):
            return None  # a number before was of something else: "We lose 5 % of members, I want that below 4 %"
        flat = f" {re.sub(r'[,;?]', ' ', self.before.lower())} "
        near = max(((flat.rfind(f" {one} "), len(one), one) for one in self.names), default=(-1, 0, ""))
        return self._settle(op, near[2], _Topic()) if near[0] >= 0 else None

    def value(self, topic: _Topic) -> _Topic | None:
        """Return the figure that has this value; not `is_known` where only a target makes it a figure."""
        part = self.part
        if _PATTERNS["subordinate"].search(re.split(r"[;.] ", self.before)[-1]) or _comparison(part)[0]:
            return None
        name, title = self._phrase(part, topic)
        if not name and self._is_dated() and _PATTERNS["did"].search(part) and (counted := self._count_noun()):
            name, title = (_find_figure(counted, self.names) or _Topic()).name, ""
        if not name or not self._suits(name):
            return None
        is_seasonal = re.search(r"\bfrom [A-Z]\w+ to [A-Z]", self.after)
        is_told = not title or (self._is_dated() and re.search(r"\b(?:were|are) ", part))  # "Funerals were 9 in May"
        stated = _PATTERNS["is"].match(part)
        is_told = is_told or bool(stated and _PATTERNS["measure"].search(stated["np"]) and not self._goes_on())
        return _Topic(name, title, self.amount, bool(is_told) and not is_seasonal, self.when)

    def _phrase(self, part: str, topic: _Topic) -> tuple[str, str]:
        """Return the series of a value and, for a figure of the owner's own that has no series, its title."""
        if self.amount.kind == "money" and (name := self._money(part)):
            return name, ""
        if self._is_share(part):
            return "occupancy", ""
        shared = _PATTERNS["share_of"].match(self.after) if self.amount.kind == "percent" and not part else None
        if shared and (named := _find_figure(_rate(shared["what"]), self.names)):
            return named.name, "" if named.is_known else named.title
        done = _PATTERNS["to_do"].match(self.after) if self.amount.unit in _TIMES else None
        if done and _PATTERNS["takes"].match(part):
            return slug(title := f"{self.amount.unit} to {done['verb']}", "_"), title
        return self._named_phrase(part, topic)

    def _named_phrase(self, part: str, topic: _Topic) -> tuple[str, str]:
        """Return the series that the words before a number name, and its title, as `_phrase`."""
        stated = _PATTERNS["is"].match(part) or _PATTERNS["remarked"].match(part)
        colon = part.rstrip().endswith(":")
        if colon and not self.said.startswith(self.before) and part == self.before.lstrip():
            return "", ""  # the number before counts these: "injuries per 1,000 visits: 0.8"
        words = (stated["np"] if stated else part).strip(" :,=")
        again = _PATTERNS["from"].match(part) or not part
        if (again or (stated and _PATTERNS["pronoun"].match(words))) and topic.name and topic.amount is not None:
            is_same = self._fits(topic.amount) and (not again or bool(self.when) or not self.before.strip(" ,"))
            return (topic.name, "" if topic.is_known else topic.title) if is_same else ("", "")
        is_plain = stated or colon or words.lower() in self.names or re.match(r"^ ?\w*\s*(?:[,;.]|$)", self.after)
        named = _find_figure(words, self.names) if is_plain and not again else None
        if named is None:
            return "", ""
        is_of = self.amount.kind == "percent" and re.match(" of [a-z]", self.after)
        if is_of and not named.is_known and (rate := _rate(named.title)):
            return slug(rate, "_"), rate  # "Call-offs run 7% of shifts" is a rate, and no number of call-offs
        return named.name, "" if named.is_known or (self.is_listed and colon) else named.title

    def _is_share(self, part: str) -> bool:
        """Return whether it says how full the business is: "we're 87 % occupied"."""
        after = self.after.split()
        return self.amount.kind == "percent" and bool(_PATTERNS["share"].match(part) and after) and after[0] in _FULL

    def _money(self, part: str) -> str:
        """Return the series of a sum that is in the bank, lost by the month, or owed to the business; else nothing."""
        owing = _PATTERNS["owe"].match(part)
        if (_PATTERNS["have"].match(part) and _PATTERNS["bank"].match(self.after)) or _PATTERNS["banked"].match(part):
            return "cash"
        if (_PATTERNS["lose"].search(part) and self.amount.per == "month") or (
            _PATTERNS["spend"].search(part) and re.search(r"^.{0,12}\bmore than (?:we|i|it)\b", self.after)
        ):
            return "burn"
        if _PATTERNS["took"].search(part) and self._is_dated():
            return "revenue"
        who = _PATTERNS["leading"].sub("", f"{owing['np'].lower()} ").strip() if owing else ""
        return "receivables" if who in _BUYERS else slug(f"owed by {who}", "_") if who else ""

    def _is_dated(self) -> bool:
        """Return whether the sentence says that the number is of now, or of a time that is not vague."""
        return bool(self.when or _PATTERNS["now"].search(self.said)) and not _PATTERNS["vague"].search(self.when)

    def _goes_on(self) -> bool:
        """Return whether more than a unit follows in the clause: "Claims over £5,000 go to the insurer"."""
        rest = re.split(r"[;,.](?:\s|$)", _PATTERNS["when"].sub("", self.after))[0].split()
        return len(rest) > (2 if rest and rest[0] in ("of", "in") else 1)

    def _count_noun(self) -> str:
        """Return the thing that a number counts: `at least 12 orders a month` counts orders."""
        found = re.match(
            r" ([a-z][a-z-]{2,}(?: [a-z][a-z-]+)?)(?=\s+(?:an?|and|per|each|every|by|in)\b|\s*[.,;]|\s*$)",
            _PATTERNS["now"].sub("", self.after),
        )
        words = found[1].split() if found and self.amount.kind == "count" else []
        is_thing = words and words[0] not in _MEASURES and not set(words) & (_NO_TITLE | set(STOPWORDS))
        return " ".join(words) if is_thing else ""

    def _fits(self, other: SpokenAmount) -> bool:
        """Return whether a number is of the same kind as another of its figure."""
        mine, theirs = _unit(self.amount), _unit(other)
        is_near = mine == theirs or not (mine and theirs) or mine not in _MEASURES
        is_bare = other.kind in ("money", "percent") and self.amount.kind == "count" and not self.amount.unit
        return is_bare or (self.amount.kind == other.kind and is_near)

    def _suits(self, name: str) -> bool:
        """Return whether a number may be one of a series: money of the cash, a percentage of a rate."""
        kind, unit = self.amount.kind, _unit(self.amount)
        is_bare = kind == "count" and unit not in _MEASURES
        if name in _OF_MONEY:
            return is_bare or (kind == "money" and self.amount.per not in ("hour", "day", "night", "each"))
        if name in SHARES or name.endswith(("_rate", "_share", "_margin")):
            return is_bare or kind == "percent"
        return True


def _comparison(part: str) -> tuple[str, str]:
    """Return the comparison at the end of some words, or an empty text, and the words before it."""
    for op, pattern in _OPERATORS:
        if found := pattern.search(part):
            head = part[: found.start()].strip()
            is_order = not head and re.match(
                r"(?i)(?:never|not)\b(?! (?:above|over|below|under|more|less|fewer))", part
            )
            return op, "never " if is_order else f"{head} " if head else ""
    return "", part


def _find_figure(words: str, names: Mapping[str, str]) -> _Topic | None:
    """Return the figure that a noun phrase names: a series, or one of the owner's own, which has a title.

    None for a phrase that names no figure: a pronoun, a person's doing, a whole clause.
    """
    title = (
        _PATTERNS["leading"]
        .sub("", f"{_PATTERNS['now'].sub('', _PATTERNS['when'].sub('', words)).strip(' :,')} ")
        .strip(" :,")
    )
    if len(terms(title)) > _LONGEST_NAME:
        title = title.partition(" of ")[0]  # "the pass rate of the practical test"
    spelled = sorted((one for one in names if f" {one} " in f" {title.lower()} "), key=len, reverse=True)
    rest = f" {title.lower()} "
    for spelling in spelled:
        rest = rest.replace(f" {spelling} ", " ", 1)
    if spelled and set(rest.split()) <= {"the", "our", "rate", "level", "of", "monthly", "number", "on", "hand"}:
        return _Topic(names[spelled[0]], "", is_known=True)
    parts, metric = terms(title), metric_named(title)
    is_name = 0 < len(parts) <= _LONGEST_NAME and not re.search(r"[\d.!?]| (?:of|in|for|on|than)$", title)
    if metric is None or not is_name or set(title.lower().split()) & _NO_TITLE or set(parts) <= set(STOPWORDS):
        return None
    return _Topic(metric.name, title)


def _rate(title: str) -> str:
    """Return the name of the share of things that a plural names: `call-offs` is the call-off rate, `labor` none."""
    first, _, last = title.rpartition(" ")
    first = f"{first[:1].lower()}{first[1:]}"
    return f"{first} {one} rate".strip() if (one := singular(last.lower())) != last.lower() else ""


def is_of_time(text: str, amount: SpokenAmount) -> bool:
    """Return whether a number is part of a date."""
    at = _digits_at(text, amount)
    return any(one.start() <= at < one.end() for one in _PATTERNS["when"].finditer(text))


def _digits_at(text: str, amount: SpokenAmount) -> int:
    """Return where the number of an amount begins, after words as `at most`."""
    digits = re.search(r"(?:US\$|USD|EUR|GBP|CHF|[$€£])?\s?\d", text[amount.start : amount.end])
    lead = _PATTERNS["lead"].match(text, amount.start)
    return amount.start + digits.start() if digits else lead.end() if lead else amount.start


def _unit(amount: SpokenAmount) -> str:
    return amount.unit if amount.kind == "money" or amount.unit in _MEASURES else ""


def _lower_bound(said: str, *, is_listed: bool) -> tuple[str, str]:
    """Return a sentence with the lower bound alone of a wanted range, "between 4 and 6 %", and the upper one."""
    found = _PATTERNS["range"].search(said)
    if found is None or not (is_listed or _PATTERNS["wish"].search(said[: found.start()])):
        return said, ""
    high = found["high"].replace(",", "")
    if float(found["low"].replace(",", "")) >= float(high):
        return said, ""
    low = f"{found['sign'] or ''}{found['low']}{found['unit'] or ''}"
    return f"{said[: found.start()]}at least {low}{said[found.end() :]}", high


def _figure(
    topic: _Topic, op: str, amount: SpokenAmount, text: str, band: str = "", *, like: SpokenAmount | None = None
) -> DescribedFigure:
    is_bare = like is not None and amount.kind == "count" and not amount.unit
    amount = replace(amount, kind=like.kind, unit=like.unit) if like is not None and is_bare else amount
    unit = "%" if amount.kind == "percent" else amount.unit if amount.kind == "money" else ""
    if not unit and amount.unit in ("days", "weeks", "months", "hours", "minutes"):
        unit = amount.unit
    if amount.kind == "money" and amount.per in ("week", "month", "year", "day"):
        unit = f"{unit}/{amount.per}"
    value = f"{amount.value:g}" if amount.value < 1e6 else f"{amount.value:.0f}"
    mark = "%" if unit == "%" else ""
    target = f"{op} {value}{mark}" if op else ""
    target += f" and {topic.name} <= {band}{mark}" if op == ">=" and band else ""
    return DescribedFigure(topic.name, target, amount.value, unit, text, topic.title, when="" if op else topic.when)
