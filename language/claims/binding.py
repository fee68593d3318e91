"""Check that a true value belongs to its own thing: the words around it are those of its passage.

A value is misattributed where its subject has other values in the evidence, and none of its own places names that
subject: "churn is 2,400", where 2,400 is the revenue. The same holds for days, and for values of another month or day.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mabos.language.claims.days import DaySpan, day_spans
from mabos.language.claims.figures import WrittenFigure
from mabos.language.claims.index import EvidenceText
from mabos.language.claims.reply import ReplyText
from mabos.language.claims.stems import folded_word, stem, stems_of, words_of
from mabos.language.claims.support import EvidenceIndex
from mabos.language.wordlists import order_form, order_table
from mabos.workspace.dates import MONTHS, WEEKDAYS

_CLAUSE = order_form("claims_binding.clause")
_VERB = re.compile(order_table("claims_binding.verb"), re.IGNORECASE)
_VERB_AND_WORD = re.compile(rf"(?:{_VERB.pattern}|\bhave\b)(?=\W+\w)", re.IGNORECASE)
_TRAILING = order_form("claims_binding.trailing")
_VAGUE = stems_of(
    " ".join((*MONTHS, *WEEKDAYS))
    + """
    time month amount number total sum value figure price cost dollar euro pound new last next first second current
    currently present still now record due until since before after order request customer thing person people owner
    company plan work like want wish ask say think need would target goal source csv usd data done open wait approval
    decision id status name day week year today together other rest left
    """
)
_FAR = 2
"""Content words between a verb and a value up to which the value is what the verb says of its subject."""
_SPECIFIC, _KIND = 4, 8
"""Passages with values up to which a word says which thing is meant, and beyond which it names a kind of thing."""
_DENIED = re.compile(r"\b(?:not|no|never|nothing|cannot)\b|n['’]t\b", re.IGNORECASE)
_BEFORE_VALUE = re.compile(r"\b(?:over|of|at)\s+(?:about |some |only )?[$€£]?$", re.IGNORECASE)
_TAKES_OBJECT = re.compile(r"(?i)spent|paid|pays?|asked|asks?|want(?:s|ed)?|needs?|(?<=there )(?:is|are|was|were)")
_COMPARED = order_form("claims_binding.compared")
_PRONOUN = re.compile(r"\W*(?:it|this|that|they|she|he|there|these|those|we|i)\b", re.IGNORECASE)
_IT = re.compile(r"(?i)\W*(?:(?:and|but|so) )?(?:it|that)\s+(?:now |still |currently |already |then |again )?")
_NOT_AT = order_form("claims_binding.not_at")
_ROLE = re.compile(r"\b(C[A-Z]O|HR|head of \w+|general counsel)\b")
_ROLE_SAYS = order_form("claims_binding.role_says")
_RATE = order_form("claims_binding.rate")
_RATE_NEAR = re.compile(r"(?:an?|per|each|/) ?(?:week|month|year|day|hour|night)\b|(?:weekly|monthly|hourly|daily)")
_LARGE = re.compile(r"\b[A-Z][\w'’-]+")
_NAME = re.compile(r"[^\W\d_][\w'’-]*")


Labels = Sequence[tuple[EvidenceText, frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Spot:
    """An occurrence of a value in the evidence, with the words of its passage."""

    text: EvidenceText
    at: int
    words: frozenset[str]


def spots_of(found: Sequence[tuple[EvidenceText, int]]) -> list[Spot]:
    """Return the occurrences of a value with the words of their passages; "It rose to 40" means the one before."""
    spots = []
    for text, at in found[:40]:
        passage, start = text.passage_around(at)
        words = text.about(at) | text.around(at)
        if _PRONOUN.match(passage) and start > 1:
            words |= text.about(start - 2)
        line = text.text[max(0, start - 300) : start].rpartition("\n")[2]
        if line and not text.rows:
            words |= stems_of(" ".join(match[0] for match in _LARGE.finditer(line)))
        spots.append(Spot(text, at, words))
    return spots


def is_of_another_thing(
    figure: WrittenFigure, reply: ReplyText, position: int, spots: Sequence[Spot], support: EvidenceIndex
) -> bool:
    """Return whether a number is given for a subject with others, while no place of the number names that subject."""
    sentence = reply.sentences[position].text
    lead = _lead(sentence, figure.start)
    if _COMPARED.search(lead) or sentence.rstrip().endswith("?"):
        return False
    if _is_of_another_role(sentence, spots):
        return True
    verb = list(_VERB.finditer(lead))
    if verb and len(stems_of(lead[verb[-1].end() :])) > _FAR:
        return False
    if not verb and ((end := _BEFORE_VALUE.search(lead)) or (aside := _aside(reply, position, figure))):
        return (
            _is_of_another_person(lead[: end.start()], spots, support)
            if end
            else _misses(stems_of(aside) - _VAGUE, spots, support.labels["number"], support.proper)
        )
    named = lead[: verb[-1].start()] if verb else ""
    is_pronoun = _IT.fullmatch(named) and " that " not in sentence[figure.end :]
    antecedent = _antecedent(reply, position, sentence.rfind(lead, 0, figure.start)) if is_pronoun else ""
    words = set(stems_of(named.replace("_", " ")))
    if verb and _TAKES_OBJECT.fullmatch(verb[-1][0]):
        words |= _objects(sentence, figure) | stems_of(verb[-1][0])
    return (
        _misses(frozenset(words) - _VAGUE, spots, support.labels["number"], support.proper)
        or _is_of_another_person(named, spots, support)
        or _is_far_from(stems_of(antecedent) - _VAGUE, spots, support)
    )


def _is_far_from(words: frozenset[str], spots: Sequence[Spot], support: EvidenceIndex) -> bool:
    """Return whether no place of a number has any word that "it" may mean, and another number has."""
    is_near = any(_overlap(words, spot.words) for spot in spots)
    return not is_near and _misses(words, spots, support.labels["number"], frozenset())


def _antecedent(reply: ReplyText, position: int, start: int) -> str:
    """Return the possible antecedent of "it": the clause before it, else the sentence before it."""
    before = reply.sentences[position].text[:start] if start > 0 else ""
    if stems_of(before) or not position or reply.sentences[position - 1].kind != reply.sentences[position].kind:
        return before
    return reply.sentences[position - 1].text


def _aside(reply: ReplyText, position: int, figure: WrittenFigure) -> str:
    """Return the subject of money in brackets, or at the end of an item of a list."""
    sentence = reply.sentences[position]
    before = sentence.text[: figure.start]
    if figure.kind != "money":
        return ""
    if bracket := re.search(r"([^,;:.()]+)\(\s*$", before):
        return bracket[1]
    return before if sentence.kind == "item" and before.rstrip().endswith(",") else ""


def _is_of_another_role(sentence: str, spots: Sequence[Spot]) -> bool:
    """Return whether a sentence names one role as the source of a number, and all its places name another."""
    said = _ROLE_SAYS.search(sentence)
    if not said or not spots:
        return False
    told_by = [set(_ROLE.findall(spot.text.passage(spot.at))) for spot in spots]
    return all(roles and (said[1] or said[2]) not in roles for roles in told_by)


def _objects(sentence: str, figure: WrittenFigure) -> frozenset[str]:
    after = _TRAILING.match(sentence, figure.end)
    return stems_of(after[1]) if after else frozenset()


def day_of_another_thing(span: DaySpan, sentence: str, spots: Sequence[Spot], support: EvidenceIndex) -> bool:
    """Return whether a day or time is given for a subject with others, while no place of it names that subject."""
    if _DENIED.search(sentence):
        return False
    words = stems_of(_lead(sentence, span.start, wide=True)) - _VAGUE
    return _misses(words, spots, support.labels["day" if span.day else "clock"], support.proper)


def _lead(sentence: str, at: int, *, wide: bool = False) -> str:
    """Return the clause before a place; `wide` reaches back over "from 3 to " and asides without a subject."""
    edges = [0, *(one.end() for one in _CLAUSE.finditer(sentence, 0, at))]
    start = edges.pop()
    if sentence[start - 1 : start] == ":" and _is_clause(sentence[:start], sentence[start:at]):
        return sentence[start:at]
    while edges and (
        re.match(r"\W*(?:\d|$)", sentence[start:at]) or (wide and not stems_of(sentence[start:at]) - _VAGUE)
    ):
        start = edges.pop()
    if sentence[start - 1 : start] in (":", "|"):
        start = edges.pop() if edges else 0
    return sentence[start:at]


def _is_clause(before: str, after: str) -> bool:
    """Return whether a colon does not introduce a value: one of its sides has a verb and more words."""
    return bool(_VERB.search(after) or _VERB_AND_WORD.search(before))


def _misses(words: frozenset[str], spots: Sequence[Spot], labels: Labels, proper: frozenset[str]) -> bool:
    """Return whether none of the places has the words, or all lack a name or one found near another value."""
    counts = {one: sum(one in each for _, each in labels) for one in words}
    known = frozenset(one for one, count in counts.items() if 0 < count <= _KIND)
    if not known or not spots or any(not (spot.words - _VAGUE) for spot in spots):
        return False
    if not any(_overlap(known, spot.words) for spot in spots):
        return min(counts[one] for one in known) <= _SPECIFIC
    names = frozenset(stem(one) for one in proper)
    texts = {id(spot.text) for spot in spots}
    wholes = [(id(text) in texts, each) for text, each in labels if known <= each]
    return bool(wholes) and all(
        any(counts[one] <= 2 and (one in names or any(is_near for is_near, _ in wholes)) for one in known - spot.words)
        for spot in spots
    )


def _overlap(known: frozenset[str], words: frozenset[str]) -> bool:
    """Return whether two sets share a stem, or a longer form of one: "bag" and "baggag"."""
    longer = [one for one in words if len(one) > 2]
    return bool(known & words) or any(one.startswith(each) or each.startswith(one) for one in known for each in longer)


def _is_of_another_person(named: str, spots: Sequence[Spot], support: EvidenceIndex) -> bool:
    """Return whether a number is given for a person or company, and every place of it names only others."""
    names = {folded_word(one) for one in _NAME.findall(named) if one[0].isupper()} & support.proper
    if not names or not spots:
        return False
    for spot in spots:
        passage = {folded_word(one) for one in words_of(spot.text.passage(spot.at))}
        others = passage & support.proper
        is_within = {stem(one) for one in names} & spot.text.around(spot.at)
        if names & passage or not others or is_within or support.share_a_record(names, others):
            return False
    return True


def is_of_another_day(figure: WrittenFigure, reply: ReplyText, position: int, spots: Sequence[Spot]) -> bool:
    """Return whether a value is given for one day or month but belongs to another, and the first has its own value."""
    span = day_told(figure, reply, position)
    if span is None or not spots:
        return False
    wrong = False
    for spot in spots:
        passage, start = spot.text.passage_around(spot.at)
        pairs = list(_pairs(passage))
        own = [day for at, day in pairs if abs(at + start - spot.at) < 2]
        if not own:
            own = [one for one in day_spans(passage) if one.month][:2]
            own = own if len(own) == 1 else []
        if any(_same(day, span) for day in own):
            return False
        wrong = wrong or (bool(own) and any(_same(day, span) for at, day in pairs if abs(at + start - spot.at) >= 2))
    return wrong


def is_of_another_unit(figure: WrittenFigure, sentence: str, spots: Sequence[Spot], support: EvidenceIndex) -> bool:
    """Return whether a number has the wrong unit: weekly, total or of letters, as others are, but nowhere this one."""
    if figure.kind == "money" and spots:
        unit = _RATE.match(sentence, figure.end)
        return unit is not None and _is_of_another_rate((unit[1] or "total").lower(), spots, support)
    noun = re.sub(r"ie$", "", figure.noun.removesuffix("s"))
    if figure.kind != "count" or not figure.noun.endswith("s") or len(noun) < 3 or not spots:
        return False
    if any(noun in spot.text.passage(spot.at).lower() or stem(noun) in spot.words for spot in spots):
        return False
    return any(noun in text.counted for text in support.texts)


def _is_of_another_rate(wanted: str, spots: Sequence[Spot], support: EvidenceIndex) -> bool:
    """Return whether no place of an amount is by a time, or the total, and other amounts are."""
    near = [_beside(spot.text.text, spot.at) for spot in spots]
    if wanted == "total":
        is_rate = any(_RATE_NEAR.search(one) for one in near)
        return is_rate and not any("total" in one or " in all" in one for one in near)
    by = re.compile(rf"(?:an?|per|each|every|/) ?{wanted}\b|{wanted}ly|daily")
    return not any(by.search(one) for one in near) and any(wanted in text.rates for text in support.texts)


def _beside(text: str, at: int) -> str:
    """Return the text before and after a number, up to the next numbers."""
    before = re.split(r"\d", text[max(0, at - 30) : at])[-1]
    after = re.sub(r"^\W?[\d,.]+", "", text[at : at + 40])
    return f"{before} {re.split(r'[0-9(]', after)[0]}".lower()


def day_told(figure: WrittenFigure, reply: ReplyText, position: int) -> DaySpan | None:
    """Return the day or month to which a sentence assigns a value: the one after it, or the only one."""
    sentence = reply.sentences[position].text
    spans = [one for one in reply.days[position] if one.month]
    behind = [one for one in spans if 0 <= one.start - figure.end < 40 and _is_near(sentence[figure.end : one.start])]
    before = [one for one in spans if figure.start - one.end >= 0 and _is_near(sentence[one.end : figure.start])]
    chosen = behind[0] if behind else before[-1] if before else None
    return None if chosen is None or _NOT_AT.search(sentence[: chosen.start]) else chosen


def _is_near(between: str) -> bool:
    """Return whether nothing parts a value and a day: no other number and no other clause."""
    return not re.search(r"\d|[,;:]\s|\b(?:and|but|while)\b", re.sub(r"\bk?m[23]\b", "", between))


def _pairs(passage: str) -> Iterator[tuple[int, DaySpan]]:
    """Yield the place of each number that a day or month follows at once, with that day."""
    for span in day_spans(passage):
        if not span.month:
            continue
        before = passage[: span.start]
        found = re.search(r"([$€£]?\d[\d,.]*\s?%?)[\s,(]*(?:on |in |at |of |for )*(?:the week of )?$", before)
        if found:
            digits = re.search(r"\d", found[1])
            yield found.start(1) + (digits.start() if digits else 0), span
    for match in _COURSE.finditer(passage):
        for span in day_spans(match["month"]):
            yield match.start("value"), span


_COURSE = re.compile(r"(?:before: |, )(?P<value>[$€£]?\d{1,2})(?= (?P<month>[A-Z][a-z]+ (?:19|20)\d\d)\b)")


def _same(one: DaySpan, other: DaySpan) -> bool:
    return (
        one.month == other.month
        and (not one.day or not other.day or one.day == other.day)
        and (not one.year or not other.year or one.year == other.year)
    )
