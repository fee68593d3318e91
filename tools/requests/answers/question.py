"""Parse a question: its words, the periods it names, and the kinds of answer it wants.

>>> asked = read_question("How did new patients develop since July?", date(2026, 11, 9))
>>> asked.wants, [period.label for period in asked.periods], asked.topic
(frozenset({'trend'}), ['July 2026'], ('new', 'patient'))
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, get_args

from mabos.memory.stem import stem
from mabos.tools.requests.answers.periods import Period, periods_in
from mabos.tools.requests.answers.synonyms import core, covering, empty_words, question_forms, stems_of
from mabos.workspace.text import STOPWORDS, terms

_FORMS = question_forms("in_question")
Want = Literal[
    "compare", "trend", "best", "worst", "target", "cause", "sum", "average", "choose", "when", "duration", "amount",
    "count", "who", "ratio", "where", "often",
]  # fmt: skip

_MOVED = _FORMS["moved"]
_FURNITURE = frozenset(stem for word in empty_words("of_figures") for stem in stems_of(word))
_NUMBERS = re.compile(r"\d[\d.,]*")
_COMPOUND = re.compile(r"\b\w+(?:[-_]\w+)+\b")
_HYPHENED = re.compile(r"\b[^\W\d_]+(?:-[^\W\d_]+)+\b")
_SPLIT = _FORMS["split"]
_MEANT = _FORMS["meant"]
"""The start of a sentence that rewords the question: "How full were we? I mean the occupancy."."""
_CLAUSE = re.compile(r"^\W*(?:if|suppose|assuming|in case|since|as)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[?!])\s+|(?<=[a-z\d)][.])\s+(?=[A-Z])")
_ASKS = _FORMS["asks"]
_POINTS = _FORMS["points"]
_OF_ROWS = frozenset(stem for word in ("missing", "lacking", "short") for stem in stems_of(word))
_OF_ALL = re.compile(r"\b(?:they|them|those|these|the (?:two|three|four|lot)|all)\b", re.IGNORECASE)
_APART = frozenset({"sum", "average", "who", "where"})
"""The question about everything that the previous question names."""
_HOW = frozenset({"sum", "average", "best", "worst"})
"""The operation on the values that the next clause names."""
_FEW = 2
_LEANS = _FORMS["leans"]
_RUNNER_UP = _FORMS["runner_up"]
"""A question for the next one after the best: "and which comes second?"."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its text, the stems of its words in order, those of its topic, periods, and wants.

    `proper` are the stems of names in it; `leans` tells whether it depends on the question before.
    """

    text: str
    stems: tuple[str, ...]
    topic: tuple[str, ...]
    periods: tuple[Period, ...] = ()
    wants: frozenset[str] = frozenset()
    proper: frozenset[str] = frozenset()
    leans: bool = False
    today: date = date.min

    def asks(self, *wants: Want) -> bool:
        """Return whether it asks for one of these kinds."""
        return not self.wants.isdisjoint(wants)


_LIMITS = frozenset(stem for word in ("limits", "within", "bounds") for stem in stems_of(word))
_OF_TARGETS = frozenset(terms("plan plans planned target targets budget goal goals change changes value values total"))


def read_question(text: str, today: date, names: Collection[str] = ()) -> Question:
    """Parse a question; `names` are words that name figures, whatever else they may mean."""
    periods, rest = periods_in(text, today)
    rest = _HYPHENED.sub(
        lambda word: joined if (joined := word[0].replace("-", "")).lower() in names else word[0], rest
    )
    rest = without_idioms(rest)
    inside = {word for compound in _COMPOUND.findall(rest) for word in terms(compound)}
    words = terms(rest)
    stems = tuple(stem for word in words for stem in stems_of(word))
    content = [
        word
        for word in words
        if (word in inside or word not in STOPWORDS) and not _NUMBERS.fullmatch(word) and len(word) > 1
    ]
    kept = inside | (set(names) - _OF_TARGETS)
    forms = question_forms("wants")
    kinds: tuple[Want, ...] = get_args(Want)
    said = _LIMIT.sub(" ", text)  # "below their minimum" asks for no smallest one
    wants = frozenset(want for want in kinds if forms[want].search(said if want in ("best", "worst") else text))
    superlative = find_superlative(text)
    if superlative and not superlative.is_of_day:
        wants |= {"worst" if superlative.is_low else "best"}
    empty = _FURNITURE | (_LIMITS if "target" in wants else frozenset())
    if superlative:
        empty |= {superlative.word}
    topic = [stem for word in content for stem in stems_of(word) if word in kept or stem not in empty]
    if _MOVED.search(text) and not wants & {"target", "best", "worst", "when"}:
        wants |= {"trend" if any(one.role == "since" for one in periods) else "compare"}
    return Question(
        text.strip(),
        stems,
        tuple(dict.fromkeys(topic)),
        periods,
        _reconcile_wants(wants, text, periods),
        proper_names(rest),
        bool(_LEANS.search(text)),
        today,
    )


def without_idioms(text: str) -> str:
    """Return a text with idioms replaced by plain words: "into the red" is an overdraft."""
    for replacement, pattern in question_forms("phrases").items():
        text = pattern.sub(replacement, text)
    return text


def _reconcile_wants(wants: frozenset[str], text: str, periods: tuple[Period, ...]) -> frozenset[str]:
    """Return the wants without those that others explain: a plan is compared with, and two periods are a comparison."""
    found = set(wants)
    if any(period.role == "since" for period in periods) and not found & {
        "best",
        "worst",
        "cause",
        "sum",
        "average",
        "target",
    }:
        found.add("trend")
    if any(period.role == "versus" for period in periods):
        found.add("compare")
    if re.search(r"\bmost recent\b|\bat (?:most|least)\b", text, re.I):
        found -= {"best", "worst"}
    if "when" in found and re.match(r"\W*(?:and )?(?:until|till|by|from|since|on) (?:what|which|when)\b", text, re.I):
        found.discard("amount")  # "Until what date is the price good?"
    return frozenset(found)


def proper_names(text: str) -> frozenset[str]:
    """Return the stems of words capitalised inside a sentence, which are probably names."""
    found = re.findall(r"(?<![.?!:]\s)(?<!^)\b[A-Z][a-z]\w+", text.strip())
    return frozenset(stem for word in found if word.lower() not in STOPWORDS for stem in stems_of(word.lower()))


def split(text: str, today: date, names: Collection[str] = ()) -> tuple[tuple[Question, ...], str]:
    """Return the questions of a message in order, and its other sentences, as where an answer is found.

    What names no topic of its own belongs to the question before it.
    """
    parts: list[Question] = []
    told: list[str] = []
    sentences = [one.strip() for one in _SENTENCE.split(text.strip()) if one.strip()]
    for sentence in sentences:
        if not _ASKS.search(sentence) or _POINTS.search(sentence):
            told.append(sentence)
            continue
        pieces = [one.strip(" ,;") for one in _SPLIT.split(sentence) if one and one.strip(" ,;")]
        for at in reversed(range(len(pieces) - 1)):
            if _CLAUSE.search(pieces[at]) or not _ASKS.search(pieces[at]):
                pieces[at : at + 2] = [f"{pieces[at]}, {pieces[at + 1]}"]
        for piece in pieces:
            read = read_question(piece, today, names)
            if parts and not (parts[-1].topic or parts[-1].wants - _HOW):  # "On average, how many came?"
                parts[-1] = replace(merge_questions(parts[-1], read), topic=read.topic)
            elif parts and _is_of_last(read, parts[-1]):
                parts[-1] = merge_questions(parts[-1], read)
            else:
                parts.append(read)
    if not parts:
        return (read_question(text, today, names),), ""
    for said in list(told):
        topic = read_question(_MEANT.sub("", said), today, names).topic
        is_name = len(terms(said)) <= _FEW and any(stem in topic for word in names for stem in stems_of(word))
        if topic and (_MEANT.search(said) or (is_name and sentences.index(said))):
            parts[-1] = replace(parts[-1], topic=topic, text=f"{parts[-1].text} {said}")
            told.remove(said)
    lead = " ".join(one for one in told if not _POINTS.search(one))
    if lead and (
        not parts[0].topic or (parts[0].leans and len(parts[0].topic) < _FEW)
    ):  # "Our water use has shot up. Any idea why?"
        parts[0] = merge_questions(read_question(lead, today, names), parts[0])
    return tuple(parts), " ".join(told)


def _is_of_last(read: Question, last: Question) -> bool:
    """Return whether a part of a message asks for more of what the part before it asks for."""
    is_bare = set(read.topic) <= _OF_ROWS and not (_OF_ALL.search(read.text) and read.wants & _APART)
    return is_bare or bool(find_superlative(last.text) and _RUNNER_UP.search(read.text))


_IS_NOW = re.compile(r"\b(?:is|are|do|does)\b", re.IGNORECASE)
_WAS = re.compile(r"\b(?:was|were|did)\b", re.IGNORECASE)


def merge_questions(first: Question, second: Question) -> Question:
    """Return two questions about one topic as one; if both name a period, they are compared."""
    wants = set(first.wants | second.wants)
    periods = first.periods + tuple(one for one in second.periods if one not in first.periods)
    if second.periods and not first.periods and _IS_NOW.search(first.text) and _WAS.search(second.text):
        wants.add("compare")  # "How high is it, and what was it in January?"
    return replace(
        first,
        text=f"{first.text} {second.text}",
        stems=first.stems + second.stems,
        periods=periods,
        wants=_reconcile_wants(frozenset(wants), "", periods),
        proper=first.proper | second.proper,
    )


def uncovered_stems(question: Question, covered: Iterable[str]) -> tuple[str, ...]:
    """Return the stems of its topic that nothing covers."""
    known = set(covered)
    return tuple(stem for stem in question.topic if stem not in known)


_DAYS = {
    "next": (True, True), "first": (True, False), "earliest": (True, False), "soonest": (True, True),
    "nearest": (True, True), "last": (False, False), "latest": (False, False), "newest": (False, False),
    "oldest": (True, False), "most recent": (False, False),
}  # fmt: skip
_NO = empty_words("no_superlatives")
_LOW = empty_words("low_superlatives")
_WORD = question_forms("in_question")["word"]
_PERIOD = re.compile(r"\b(?:next|last) (?:\d+ |\w+ )?(?:week|month|year|quarter|\w+day|night|time)s?\b", re.IGNORECASE)
_LIMIT = re.compile(
    r"(?i)\b(?:below|under|above|over|than|against) (?:(?:the|their|its|our|a|his|her) )?(?:min|max)imum\b"
)
_BOUND = re.compile(r"\bat (?:most|least)\b|\bat last\b|\bfirst (?:of all|name)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Superlative:
    """The word and its adjective as stems; whether the low end is meant, and days, or only days ahead."""

    word: str
    stem: str
    is_low: bool
    is_of_day: bool = False
    is_next: bool = False


def find_superlative(text: str) -> Superlative | None:
    """Return the first superlative of a text, or None."""
    return next(iter(superlatives(text)), None)


def superlatives(text: str) -> Iterator[Superlative]:
    """Yield the superlatives of a text, in its order."""
    skipped = [one.span() for pattern in (_PERIOD, _BOUND, _LIMIT) for one in pattern.finditer(text)]
    for found in _WORD.finditer(text):
        word = found[0].lower()
        if word in _NO or any(start <= found.start() < end for start, end in skipped):
            continue
        if word in _DAYS:
            is_low, is_next = _DAYS[word]
            yield Superlative(stem(word), stem(word), is_low, is_of_day=True, is_next=is_next)
            continue
        inverse = _INVERSE.match(text[found.end() :]) if word in ("most", "least") else None
        base = word.removesuffix("est").removesuffix("er") if len(word) > _FEW + 2 else word
        base = re.sub(r"([bdgmnt])\1$", r"\1", base)  # the biggest is big
        base = stem(inverse["of"]) if inverse else stem(base)
        yield Superlative(stem(word), base, (word in _LOW) != bool(inverse and inverse["low"]))


_INVERSE = re.compile(
    r"\W+(?P<of>(?P<low>economic\w*|affordable|reasonabl\w+|inexpensive)|expensive|costly|pricey|often|frequent\w*)\b",
    re.I,
)
"""What is the most or the least of a thing; the most economic one costs the least."""


_DIRECTED = r"(?:promis|ow(?:e|ing)|lend|lent|borrow|offer|agree|ask|want|charg|demand|refus|accept)\w*"
_VERB = rf"(?:{_DIRECTED}|pa(?:y|ys|id)|sell|sold|buy|bought|spen[dt]|earn\w*|get|have|need|think|say|said)"
_ASKED = re.compile(
    rf"\b(?:do|does|did|has|have|had|will|would|must|can)\s+(?P<who>(?!not\b)[\w.'’&-]+(?:\s+[\w.'’&-]+){{0,3}}?)\s+"
    rf"(?:(?:still|now|really|already|ever|currently|have to|to)\s+)*(?P<verb>{_VERB})\b",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b(?:we|i|us|our|ours|my)\b", re.IGNORECASE)
_PRONOUNS = re.compile(r"^(?:we|i|you|he|she|it|they|that|this|these|those|one|anybody|anyone|somebody|people)\b", re.I)
_NAMED = re.compile(r"\b(?i:the|a|an|mr|mrs|ms|dr|their|his|her)\.? \w+\W*(?:\w+\W*){0,2}$|\b[A-Z][a-z]+\W*$")


@dataclass(frozen=True, slots=True)
class Party:
    """The subject of a question: its words, their stems, whether it is us, and the stem of the verb."""

    words: str
    stems: tuple[str, ...]
    is_us: bool
    verb: str


def party_of(question: str) -> Party | None:
    """Return the party whose value a question asks for, or None if it names none or uses a pronoun."""
    found = _ASKED.search(question)
    if found is None:
        return None
    words, verb = found["who"], found["verb"].lower()
    directed = stems_of(verb)[0] if re.fullmatch(_DIRECTED, verb) else ""
    if re.match(r"(?:we|i)\b", words, re.IGNORECASE):
        paid = "pays" if re.fullmatch(r"pay|paid|spen[dt]", verb) else ""  # "the landlord pays for the roof" is not us
        return Party(words, (), True, directed or paid) if directed or paid else None
    return None if _PRONOUNS.match(words) else Party(words, core(words), False, directed)


def fits(party: Party, text: str, around: str) -> bool:
    """Return whether a sentence fits this party: it names it, unless it is us, and no other is before the verb.

    `around` is the context of the sentence: the title, the sender and the file of its document.
    """
    at = _place_of(party.verb, text)
    before = text[:at] if at is not None else ""
    if party.is_us:
        return at is None or not before.strip() or bool(_OURS.search(before)) or not _NAMED.search(before)
    own = [stem for word in terms(f"{text} {around}") for stem in stems_of(word)]
    is_ours_there = at is not None and re.search(r"\b(?:we|i)\W+(?:\w+\W+)?$", before, re.IGNORECASE)
    return all(covering(stem, own) for stem in party.stems) and not is_ours_there


def _place_of(verb: str, text: str) -> int | None:
    """Return where a text has a verb, by its stem."""
    for found in re.finditer(r"[\w'’]+", text) if verb else ():
        if verb in (found[0].lower(), *stems_of(found[0].lower())):
            return found.start()
    return None
