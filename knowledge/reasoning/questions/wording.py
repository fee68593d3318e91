"""The words of a question with numbered figures, and a record of the words that a reading has used.

A figure appears in `plain` as `«n0»` (a number), `«p1»` (a share) or `«t2»` (a time of day), so that patterns find it
in any spelling. A reading marks the words it uses; `unused` has the remaining figures and clauses: a question with a
remainder is not answered.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.amounts import amounts_in, number_of

WORDS = packaged_yaml("reasoning_words.yaml")["wording"]

NUMBER, SHARE, CLOCK = r"«n\d+»", r"«p\d+»", r"«t\d+»"
ANY = r"«[npt]\d+»"
FIRST_HOUR = 7
"""An hour below it is meant in the afternoon."""
_PARTS = {
    name: at
    for at, name in enumerate("second third quarter fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 2)  # noqa: SIM905
} | {"half": 2, "halve": 2, "fourth": 4, "fifteenth": 15, "twentieth": 20, "fiftieth": 50, "hundredth": 100}
_RATIO = re.compile(WORDS["ratio"].replace("CARD", WORDS["card"]))
_CLOCK = re.compile(WORDS["clock"].replace("CARD", WORDS["card"]))
ATTITUDE = re.compile(WORDS["attitude"])
"""Somebody's opinion, which changes no figure."""
_RESTRICTS = re.compile(WORDS["restricts"])
_DIGITS = re.compile(WORDS["digits"])
_SPELLED = re.compile(WORDS["spelled"], re.IGNORECASE)
_HALF_OF = re.compile(r"\bhalf an?(?=\s(?:year|quarter)\b)", re.IGNORECASE)
_REWRITES = [(re.compile(pattern.replace("CARD", WORDS["card"])), put) for pattern, put in WORDS["rewrites"].items()]
_IDENTIFIES = re.compile(r"(?i)\b(?:invoice|room|number|no\.|nr\.|batch|page|version|chapter|flat|option)\s#?$")
"""A number after one of these is a name."""
_NEVER = re.compile(WORDS["never"], re.IGNORECASE)
"""A restriction that counts as unused even inside what a reader marks, unless it says that it keeps it."""
_CONDITIONS = re.compile(WORDS["conditions"])
_JOINT = re.compile(r"[,:]\s|\s[-–—]\s|\s(?:and|but|so)\s")
_ASKS = re.compile(WORDS["asks"], re.IGNORECASE)
_REQUESTS = re.compile(r"(?:find|rank|compare|forecast|predict|tell|we need|i need|please)\b", re.IGNORECASE)
_CONTENT = re.compile(r"[^\W\d_]{3,}")
_PLAIN_WORDS = frozenset(WORDS["plain_words"].split())
_SPLIT = re.compile(r"[.;?!](?=\s|$)|,(?=\s)|\s(?:and|but|while|whereas|or)\s|:\s|\n")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A figure of a question: its value (minutes of a time of day, 0 to 1 of a share) and its words."""

    value: float
    kind: str
    words: str
    unit: str = ""


class Phrasing:
    """A question, its figures numbered in `plain`; a reader marks the parts that it uses."""

    def __init__(self, text: str, values: Sequence[float] | None = None) -> None:
        self.text = _plainer(" ".join(text.split()))
        self.figures, self.plain = _tokenize_figures(self.text)
        if values is not None:
            self.figures = [
                Numeral(value, one.kind, one.words, one.unit) for value, one in zip(values, self.figures, strict=True)
            ]
        self._used: list[tuple[int, int]] = []
        self._grasped: list[tuple[int, int]] = []
        self._open: list[int] = []

    def value(self, token: str | None) -> float:
        """Return the value of a figure by its token, like `«p1»`."""
        return self.figures[_index(token or "")].value

    def unit(self, token: str) -> str:
        """Return the currency of a figure by its token, or the word that it counts."""
        return self.figures[_index(token)].unit

    def in_digits(self, token: str) -> bool:
        """Return whether a figure is written in digits, by its token."""
        return any(mark.isdigit() for mark in self.figures[_index(token)].words)

    def use(self, *parts: re.Match[str] | tuple[int, int] | None) -> bool:
        """Mark parts as used; return whether there are any."""
        spans = [one if isinstance(one, tuple) else one.span() for one in parts if one is not None]
        self._used += spans
        return bool(spans)

    def leave(self, place: int) -> None:
        """Mark the clause around a position as excluded by the reading."""
        self._open.append(place)

    def use_clauses(self, span: tuple[int, int]) -> None:
        """Mark the clauses of a part that have a figure, and exclude the others."""
        for start, end in self.clauses():
            low, high = max(start, span[0]), min(end, span[1])
            if low < high and re.search(ANY, self.plain[low:high]):
                self._used.append((low, high))

    def use_outside(self, span: tuple[int, int]) -> None:
        """Mark a part except its figures."""
        at = span[0]
        for one in re.compile(ANY).finditer(self.plain, *span):
            self._used.append((at, one.start()))
            at = one.end()
        self._used.append((at, span[1]))

    def asking(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return the part of a sentence that asks; the words before it are a statement."""
        starts = [span[0], *(mark.end() for mark in _JOINT.finditer(self.plain, *span))]
        asks = [one for one in starts if _ASKS.match(self.plain[one : span[1]].lstrip())]
        return (asks[0] if asks else span[0]), span[1]

    def use_asking(self, span: tuple[int, int]) -> None:
        """Mark the asking part of a sentence except its figures, which a reading uses one by one."""
        self.use_outside(self.asking(span))

    def use_question(self) -> None:
        """Mark the words of the asking sentences, except figures and questions with a restriction."""
        for start, end in self.sentences():
            text = self.plain[start:end].strip()
            asks = self.plain[slice(*self.asking((start, end)))]
            if (text.endswith("?") or _REQUESTS.match(text)) and not _CONDITIONS.search(asks):
                self.use_asking((start, end))
                if not re.search(ANY, text):
                    self._used.append((start, end))

    def last(self) -> tuple[int, int]:
        """Return the position of the last sentence, which usually asks."""
        return next(reversed(list(self.sentences())), (0, 0))

    @property
    def question(self) -> str:
        """The last sentence."""
        return self.plain[slice(*self.last())]

    def find(self, pattern: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """Return the first match of a pattern and mark it as used."""
        end = len(self.plain) if end is None else end
        found = re.compile(pattern, re.IGNORECASE).search(self.plain, start, end)
        self.use(found)
        return found

    def every(self, pattern: str, start: int = 0, end: int | None = None) -> list[re.Match[str]]:
        """Return all matches of a pattern and mark them as used."""
        end = len(self.plain) if end is None else end
        found = list(re.compile(pattern, re.IGNORECASE).finditer(self.plain, start, end))
        self.use(*found)
        return found

    def search(self, pattern: str) -> re.Match[str] | None:
        """Return the first match of a pattern, ignoring case, without marking it."""
        return re.search(pattern, self.plain, re.IGNORECASE)

    def search_asking(self, pattern: str) -> re.Match[str] | None:
        """Return the first match of a pattern in an asking sentence, or anywhere if there is none."""
        asking = [(a, b) for a, b in self.sentences() if self.plain[a:b].rstrip().endswith("?")]
        found = (re.compile(pattern, re.IGNORECASE).search(self.plain, a, b) for a, b in asking)
        return next((one for one in found if one), None) or (None if asking else self.search(pattern))

    def matches(self, pattern: str) -> list[re.Match[str]]:
        """Return all matches of a pattern, ignoring case, without marking them."""
        return [*re.finditer(pattern, self.plain, re.IGNORECASE)]

    def has(self, pattern: str) -> bool:
        """Return whether a pattern matches, without marking anything."""
        return self.search(pattern) is not None

    def sentences(self) -> Iterator[tuple[int, int]]:
        """Yield the bounds of the sentences."""
        start = 0
        for mark in re.finditer(r"[.;?!](?=\s|$)|\n", self.plain):
            if self.plain[start : mark.end()].strip():
                yield start, mark.end()
            start = mark.end()
        if self.plain[start:].strip(" .?!"):
            yield start, len(self.plain)

    def shares(self) -> list[str]:
        """Return the tokens of the shares, in order."""
        return re.findall(SHARE, self.plain)

    def numbers(self) -> list[str]:
        """Return the tokens of the plain numbers, in order."""
        return re.findall(NUMBER, self.plain)

    def counted(self, count: int) -> None:
        """Mark a number that only counts things ("two shops", "these three offers")."""
        for token in self.numbers():
            figure = self.figures[_index(token)]
            place = self.plain.index(token)
            if figure.value == count and not figure.words[:1].isdigit():
                self.use((place, place + len(token)))

    def use_settings(self, counts: Iterable[float]) -> None:
        """Mark the sentences whose figures only count things: "eleven members ranked three sites"."""
        known = set(counts)
        for start, end in self.sentences():
            text = self.plain[start:end]
            tokens = re.findall(ANY, text)
            is_bare = not _CONDITIONS.search(text) and not _RESTRICTS.search(text)
            if tokens and is_bare and all(one.startswith("«n") and self.value(one) in known for one in tokens):
                self.use((start, end))

    def written(self, text: str) -> str:
        """Return a part of `plain` with its figures as originally written."""
        return re.sub(ANY, lambda one: self.figures[_index(one[0])].words, text).strip(" ,.;:?!")

    def unused(self) -> list[str]:
        """Return the figures, restrictions and clauses that no reading has used, in their words."""
        left = [self.written(self._clause(place)) for place in self._open]
        left += [
            self.written(self._clause(place))
            for place in [one.start() for one in re.finditer(ANY, self.plain)]
            if not self._is_used(place) and not self._is_opinion(place)
        ]
        left += [
            self.written(self._clause(one.start()))
            for one in _RESTRICTS.finditer(self.plain)
            if not self._is_opinion(one.start())
            and (not self._is_used(one.start()) or (_NEVER.fullmatch(one[0]) and not self._is_grasped(one.start())))
        ]
        left += [
            self.written(self._clause(one.start()))
            for one in re.finditer(r"(?<![«\dnpt])\d+(?!»)", self.plain)
            if not self._is_used(one.start()) and not _IDENTIFIES.search(self.plain[: one.start()])
        ]
        first = re.search(ANY, self.plain)
        for start, end in self.clauses():
            if first is not None and end <= first.start():
                continue  # the setting; the figures come later
            if self.plain[start:end].strip() and self._is_opinion(
                start + len(self.plain[start:end]) - len(self.plain[start:end].lstrip())
            ):
                continue
            words = [one.lower() for one in _CONTENT.findall(self.plain[start:end]) if one.lower() not in _PLAIN_WORDS]
            if len(words) >= 2 and not any(low < end and start < high for low, high in self._used):
                left.append(self.written(self.plain[start:end]))
        return list(dict.fromkeys(one for one in left if one))

    def grasp(self, found: re.Match[str]) -> None:
        """Mark a part as used, including a restriction in it that the reading respects."""
        self._grasped.append(found.span())
        self.use(found)

    def grasp_all(self, span: tuple[int, int]) -> None:
        """Mark a part as used, including all its restrictions, which the reading respects."""
        self._grasped.append(span)
        self._used.append(span)

    def _is_grasped(self, place: int) -> bool:
        return any(start <= place < end for start, end in self._grasped)

    def _is_opinion(self, place: int) -> bool:
        """Return whether a clause is somebody's opinion, with no figure but what was given before."""
        a, b = next(one for one in self.sentences() if one[0] <= place < one[1])
        before = {self.value(one) for one in re.findall(ANY, self.plain[:a])}
        own = {self.value(one) for one in re.findall(ANY, self.plain[a:b])}
        is_setting = not re.search(ANY, self.plain[:b]) and re.match(
            r"(?i)(?:mon|tues|wednes|thurs|fri|satur|sun)day", self.plain[place:]
        )
        is_told = ATTITUDE.search(self._clause(place)) is not None and not re.search(ANY, self._clause(place))
        return bool(is_told or is_setting) or (
            ATTITUDE.search(self.plain[a:b]) is not None and own <= before and "?" not in self.plain[a:b]
        )

    def _is_used(self, place: int) -> bool:
        return any(start <= place < end for start, end in self._used)

    def clauses(self) -> Iterator[tuple[int, int]]:
        """Yield the bounds of the clauses."""
        start = 0
        for mark in _SPLIT.finditer(self.plain):
            yield start, mark.start()
            start = mark.end()
        yield start, len(self.plain)

    def _clause(self, place: int) -> str:
        """Return the clause around a place."""
        return next((self.plain[a:b] for a, b in self.clauses() if a <= place < b), self.plain)


_ASIDES = re.compile(WORDS["asides"])
"""Words of a question that change nothing."""
_LISTED = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?(?: \d+(?:\.\d+)?){4,}(?![\w.,]\d)")
_HOURS = re.compile(r"(?i)(?<![\w.,])(\d\d?) ?h(?:ours?|rs?)? ?(?:and )?(\d\d)(?: ?min(?:ute)?s?)?(?![\w:.,]\d)\b")
_SLASHED = re.compile(r"(?<![\w/.])\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?){2,}(?![\w/])")


def _plainer(text: str) -> str:
    """Return a question without asides; "9-13" reads as a range, "6/8/9" as a list and "8/10" as a mark of 8."""
    text = _ASIDES.sub("", text)
    for pattern, put in _REWRITES:
        text = pattern.sub(put, text)
    text = _LISTED.sub(lambda one: one[0].replace(" ", ", "), text)
    text = _HOURS.sub(lambda one: f"{60 * int(one[1]) + int(one[2])} minutes", text)
    text = _SLASHED.sub(lambda one: one[0].replace("/", ", "), text)
    text = re.sub(r"(?<![\w/.,])(\d{1,2})/10(?![\w/])", r"\1", text)
    return re.sub(r"(?<![\w.,:/-])(\d{1,2}(?::\d\d)?) ?[-–] ?(\d{1,2}(?::\d\d)?)(?![\w/:-]|[.,]\d)", r"\1 to \2", text)


def _index(token: str) -> int:
    return int(token[2:-1])


def _tokenize_figures(text: str) -> tuple[list[Numeral], str]:
    """Return the figures of a text and the text with a token in the place of each."""
    places: list[tuple[int, int, Numeral]] = []

    def add(start: int, end: int, value: float, kind: str, unit: str = "") -> None:
        if not any(start < high and low < end for low, high, _ in places):
            places.append((start, end, Numeral(value, kind, text[start:end], unit)))

    for one in _CLOCK.finditer(text):
        if (minutes := _minutes(one)) is not None:
            add(one.start(), one.end(), minutes, "t")
    for one in _RATIO.finditer(text):
        add(one.start(), one.end(), _ratio(one), "p")
    for one in _HALF_OF.finditer(text):
        add(one.start(), one.end(), 0.5, "n")
    for amount in amounts_in(text):
        spelled = text[amount.start : amount.start + len(amount.words)]
        found = _DIGITS.search(spelled) or _SPELLED.search(spelled)
        if found is None or (
            amount.kind != "money"
            and _IDENTIFIES.search(text[: amount.start + found.start()])
            and amount.kind != "percent"
        ):
            continue
        start, end = amount.start + found.start(), amount.start + found.end()
        if amount.kind == "percent":
            sign = re.match(r"\s?(?:%|per ?cent\b|percent\b|pct\b)", text[end:], re.IGNORECASE)
            add(start, end + (sign.end() if sign else 0), round(amount.value / 100, 12), "p")
            continue
        negative = re.search(r"(?:^|[\s(:,])[-−–]$", text[:start])
        add(start - bool(negative), end, -amount.value if negative else amount.value, "n", amount.unit)
    places.sort(key=lambda one: one[0])
    plain, at = [], 0
    for number_, (start, end, figure) in enumerate(places):
        plain += [text[at:start], f"«{figure.kind}{number_}»"]
        at = end
    return [one for *_, one in places], "".join((*plain, text[at:]))


def _minutes(found: re.Match[str]) -> float | None:
    """Return a time of day in minutes, None of a bare number; without its half of the day it is in working hours."""
    if found["named"]:
        return 1440.0 if found["named"].lower() == "midnight" else 720.0
    away, half = found["past"] or found["to"], (found["half"] or found["part"] or "")[:1].lower()
    has_minutes = found["minute"] and found["point"] == ":"
    if not (away or half or has_minutes or found["sharp"]):
        return None
    hour, minutes = _count(found["hour"]), float(found["minute"] or 0)
    if away:
        minutes = {"half": 30.0, "quarter": 15.0}.get(away.lower()) or _count(away)
    hour = hour % 12 + 12 * (half not in "am") if half else hour + 12 * (not found["minute"] and hour < FIRST_HOUR)
    return 60 * hour + (-minutes if found["to"] else minutes)


def _ratio(found: re.Match[str]) -> float:  # noqa: PLR0911  # one return for each way to write it
    """Return "1 in 50", "once in 50 years", "two thirds" or "9 to 1 against" as a share."""
    if found["even"] or found["half"]:
        return 0.5
    if found["rest"]:
        return 1 / _PARTS[found["rest"].lower()]
    if found["parts"]:
        return _count(found["num"]) / _PARTS[re.sub(r"s$", "", found["parts"].lower())]
    if found["nth"]:
        nth = found["nth"].lower()
        return 1 / (_PARTS.get(nth) or _count(nth[:-2]))
    if found["tiny"]:
        return 0.01 / _PARTS[found["tiny"].lower()]
    if found["per"]:
        return _count(found["per"]) / _count(found["of"])
    if found["years"]:
        return 1 / _count(found["years"])
    if found["this"]:
        a, b = _count(found["this"]), _count(found["that"])
        return (b if found["way"] == "against" else a) / (a + b)
    return min(1.0, _count(found["part"]) / _count(found["whole"]))


def _count(words: str) -> float:
    """Return a number in figures or words."""
    digits = re.sub(r"[,\s]", "", words).rstrip(".")
    return float(digits) if digits[:1].isdigit() else number_of(words.replace("-", " ")) or 1.0


def figure(value: float, digits: int = 4) -> str:
    """Return a number formatted for people: `1,234.5`, `20,000`, `0.125`."""
    rounded = float(f"{value:.{digits}g}") if abs(value) < 1000 else round(value, 2)
    shown = f"{rounded:,.6f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def percent(share: float) -> str:
    """Return a share formatted for people: `9.2%`."""
    return f"{figure(100 * share, 3)}%"


def clock(minutes: float) -> str:
    """Return minutes since midnight as a time of day."""
    return f"{int(minutes) // 60:02d}:{int(minutes) % 60:02d}"


def join_items(items: Iterable[str], word: str = "and") -> str:
    """Return items as prose: `a, b and c`."""
    every = list(items)
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} {word} {every[-1]}" if every else ""


def stem(word: str) -> str:
    """Return a word without its ending, for comparison."""
    word = re.sub(r"['’]s?$", "", word.lower())
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-2] if word.endswith("ies") else word[:-1]
    for ending in ("ing", "er", "ed", "e", "y", "i"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def stems(text: str) -> set[str]:
    """Return the stems of the content words of a text."""
    return {
        stem(one) for one in re.findall(r"[^\W_]{3,}", text) if one.lower() not in _PLAIN_WORDS and not one.isdigit()
    }


_CHANCES = r"(?:probability|chance|likelihood|odds|likely|risk|remaining|of the time|of cases|probable)"


def is_chance(q: Phrasing, token: str, place: int) -> bool:
    """Return whether a figure is a probability: a share, or a number up to 1 next to a word of chance."""
    value = q.value(token)
    if token.startswith("«p"):
        return not re.match(
            r"\s*(?:of (?!the time|cases|nothing|losing)|off|discount|interest)", q.plain[place + len(token) :]
        )
    if re.search(r"«p\d+»[^«.;,]{0,24}$", q.plain[:place]):
        return False  # "a 40% chance of 0"
    near = q.plain[max(0, place - 25) : place + len(token) + 14]
    return token.startswith("«n") and 0 <= value <= 1 and re.search(_CHANCES, near, re.IGNORECASE) is not None


def bare_name(text: str) -> str:
    """Return the name of a figure without articles and lead-in words."""
    bare = re.sub(r"^.*\b(?:while|and|when|as|because|that|with)\s+", "", text.strip(), flags=re.I)
    return re.sub(r"^(?:the|our|its|a)\s+", "", bare, flags=re.I).strip().lower()
