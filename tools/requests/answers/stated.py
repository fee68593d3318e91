"""Questions answered by a fact, a `key: value` line or an assumption; all disagreeing sources are named."""

import re
from collections.abc import Collection, Iterable, Sequence

from mabos.language.request import Claim
from mabos.society.quantities import read_amount
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import day_label
from mabos.tools.requests.answers.question import Question, without_idioms
from mabos.tools.requests.answers.sources import KEPT, Sources, StatedValue
from mabos.tools.requests.answers.synonyms import core, coverage, covering, question_forms, stems_of
from mabos.tools.requests.answers.wording import join_words, label, sentence, stated_value
from mabos.workspace.clock import parse_time
from mabos.workspace.dates import MONTHS, day_named
from mabos.workspace.text import fold, terms

PLANNED = question_forms("in_stated")["planned"]
_IS_TIME = re.compile(
    rf"\b(?:19|20)\d\d\b|\b(?:{'|'.join(one[:3] for one in MONTHS)})|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\d[:.]\d\d\b|\b\d{1,2} ?(?:am|pm|o'clock)\b|\d[/.]\d{1,2}\b|\b\d+(?:st|nd|rd|th)\b|\bnoon\b|\bmidnight\b",
    re.IGNORECASE,
)
"""Expressions of time: a day, a month, a time of day."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MOST = 4
_LONGEST = 8
"""Words of a topic that are told with those between them."""


def answer_statements(
    question: Question, sources: Sources, *, assumptions: bool = False, must: Collection[str] = ()
) -> Found | None:
    """Return the answer from facts and lines of documents; None if none covers the topic of the question.

    `must` are words of the topic that must be covered.
    """
    candidates = [
        one
        for one in sources.statements
        if one.is_assumption == assumptions and all(covering(stem, _words(one)) for stem in must)
    ]
    scored = [(score, one) for one in candidates if (score := _score(one, question))]
    if not scored:
        return None
    best = max(score for score, _ in scored)
    chosen = [one for score, one in scored if score == best]
    groups: dict[frozenset[str], list[StatedValue]] = {}
    for one in chosen:
        groups.setdefault(frozenset((*core(one.name), *core(one.owner if _is_thing(one) else ""))), []).append(one)
    lines, claims, conflict = list[str](), list[Claim](), list[list[str]]()
    for group in list(groups.values())[:_MOST]:
        fitting = [one for one in group if _is_of_period(one, question)]
        is_ranked = question.asks("best", "worst", "compare") or _CHEAPER.search(question.text)
        if is_ranked and (ranked := _rank(fitting, question)):
            line, fitting = ranked
            chosen = [*fitting, *(one for one in chosen if one not in fitting)]
            lines.append(line)
            claims += [Claim(one.record, label(one.name), one.value, one.as_of) for one in fitting]
            continue
        lines.append(_describe_statements(fitting) if fitting else _other_period(group, question))
        claims += [Claim(one.record, label(one.name), one.value, one.as_of) for one in fitting or group]
        if fitting and len(_values(fitting)) > 1:
            conflict += [[one.source, stated_value(one.name, one.value), one.as_of] for one in _distinct(fitting)]
    files = list(dict.fromkeys(one.source for one in chosen if not _is_thing(one) and not one.is_assumption))
    about = {"statements": [one.name for one in chosen[:_MOST]], "conflict": conflict, "documents": files}
    if not assumptions:
        about["evidence"] = [[one.source, f"{label(one.name)}: {stated_value(one.name, one.value)}"] for one in chosen]
    return Found(tuple(lines), tuple(claims), about)


def answer_comparison(question: Question, sources: Sources) -> Found | None:
    """Return the comparison of a value of two things or people, as "Does Ann earn more than Bo?", or None."""
    if not question.asks("compare", "best", "worst"):
        return None
    owned = [
        one for one in sources.statements if _is_thing(one) and one.owner and coverage(one.name, question.stems)[0]
    ]
    named = [one for one in owned if any(covering(stem, question.stems) for stem in core(one.owner))]
    pairs = [(one, read_amount(one.value)) for one in named]
    known = [(one, float(amount.value)) for one, amount in pairs if amount is not None]
    names = {frozenset(core(one.name)) for one, _ in known}
    if len(names) != 1 or len({one.owner for one, _ in known}) != 2 or len(known) != 2:
        return None
    (first, more), (second, less) = sorted(known, key=lambda one: -one[1])
    word = "as much as" if more == less else "more than"
    told = join_words([_describe_statements([first]).rstrip("."), _describe_statements([second]).rstrip(".")])
    lines = (f"{label(first.owner)} has {word} {label(second.owner)}: {told}.",)
    claims = tuple(Claim(one.record, label(one.name), one.value, one.as_of) for one in (first, second))
    return Found(lines, claims, {"statements": [first.name]})


_CHEAPER = re.compile(r"\b(?:cheap|dear)er\b|\b(?:more|less) expensive\b", re.IGNORECASE)
_LOW = re.compile(r"\b(?:cheap|low|less|least|few|small|short)\w*", re.IGNORECASE)


def _rank(statements: Sequence[StatedValue], question: Question) -> tuple[str, list[StatedValue]] | None:
    """Return which of several sources has the lowest or highest amount, and all in order; None if there is no order.

    Price lists of several suppliers are no contradiction where a question asks for the cheapest.
    """
    amounts = [(float(amount.value), one) for one in statements if (amount := read_amount(one.value)) is not None]
    files = {one.source for one in statements if not _is_thing(one) and one.source}
    if len(amounts) != len(statements) or len(files) != len(amounts) or len(amounts) <= 1:
        return None
    is_low = _LOW.search(question.text) is not None
    amounts.sort(key=lambda pair: pair[0], reverse=not is_low)
    told = [
        f"{stated_value(one.name, one.value)} at {one.owner or one.source} ({one.source})"
        + (f", {abs(value - amounts[0][0]):.2f} {'more' if is_low else 'less'}" if at else "")
        for at, (value, one) in enumerate(amounts)
    ]
    lead = f"{label(amounts[0][1].name)}: the {'lowest' if is_low else 'highest'} is {told[0]}"
    return sentence("; ".join([lead, *told[1:]])), [one for _, one in amounts]


def _is_thing(one: StatedValue) -> bool:
    """Return whether the owner of a statement is a thing with a name, and no heading above a line."""
    return one.record.startswith("fact ") or one.record.partition("/")[0] in KEPT


def _words(one: StatedValue) -> list[str]:
    return [stem for text in (one.name, one.owner, one.value) for stem in core(text)]


def _score(one: StatedValue, question: Question) -> float:
    """Return how well a statement fits: 0 where it leaves a word of the topic open that it should cover."""
    if question.asks("when") and not _IS_TIME.search(one.value):
        return 0.0  # a sum answers no question for a day
    is_planned = PLANNED.search(f"{one.owner} {one.source}") and not PLANNED.search(question.text)
    if question.periods and is_planned and not question.asks("target"):
        return 0.0  # what was planned answers no question for what was
    share, words = coverage(one.name, question.stems)
    around = {stem for text in (one.owner, one.source) for word in terms(text) for stem in stems_of(word)}
    inside = {stem for stem in question.topic if covering(stem, [*core(one.name), *around, *core(one.value)])}
    left = [stem for stem in question.topic if stem not in inside and stem not in words]
    hits = words & set(question.topic)
    if not hits or (one.is_assumption and (share < 1 or left)):
        return 0.0
    if _is_thing(one) and one.owner and not any(covering(stem, question.stems) for stem in core(one.owner)):
        return 0.0
    if share >= 1 and not any(stem in question.proper for stem in left) and len(left) <= len(hits):
        return 2 + len(hits) - 0.5 * len(left)
    return 0.0 if left else 1 + share + len(hits)


def _is_of_period(one: StatedValue, question: Question) -> bool:
    """Return whether a statement is not about another year than the one asked for."""
    years = {period.first.year for period in question.periods} | {period.last.year for period in question.periods}
    named = {int(year) for year in _YEAR.findall(one.value)} or {int(year) for year in _YEAR.findall(one.owner)}
    return not years or not named or bool(years & named)


def _values(statements: Iterable[StatedValue]) -> set[object]:
    """Return the different values: numbers by amount, dates by day, words without case."""
    return {_comparable(one) for one in statements}


def _comparable(one: StatedValue) -> object:
    amount = read_amount(one.value)
    if amount is not None:
        return float(amount.value)
    return day_named(one.value) or fold(one.value)


def _distinct(statements: Sequence[StatedValue]) -> list[StatedValue]:
    return list({(_comparable(one), one.source): one for one in statements}.values())


def _describe_statements(statements: Sequence[StatedValue]) -> str:
    """Return one statement in words, or all where they differ."""
    first = statements[0]
    if first.is_assumption:
        return sentence(f'nothing is measured or on file; my role starts from this assumption: "{first.value}"')
    name = label(first.name)
    if _is_thing(first) and first.owner:
        name = f"{label(first.owner)}, {name}"
    if len(_values(statements)) == 1:
        sources = join_words(list(dict.fromkeys(_source(one) for one in statements)))
        return sentence(f"{name}: {stated_value(first.name, first.value)} ({sources})")
    said = join_words(
        [f"{_cite_statement(one)} says {stated_value(one.name, one.value)}" for one in _distinct(statements)]
    )
    return f"{sentence(f'the sources differ on {name}: {said}')} I do not choose between them; which is right?"


def _cite_statement(one: StatedValue) -> str:
    """Return the location of one of several values: its source with the place, and its day."""
    place = one.record.rpartition(", ")[2] if one.source and f"{one.source}, " in one.record else ""
    dated = f"of {day_label(parse_time(one.as_of).date())}" if one.as_of else ""
    told = ", ".join(filter(None, (place, dated)))
    return f"{one.source} ({told})" if told else one.source


def _source(one: StatedValue) -> str:
    """Return the source of a value; for a plan or the like with the heading above that says so."""
    is_heading = not _is_thing(one) and one.owner and (PLANNED.search(one.owner) or _YEAR.search(one.owner))
    return f"{one.source}, {one.owner}" if is_heading else one.source


def _other_period(statements: Sequence[StatedValue], question: Question) -> str:
    asked = join_words([period.label for period in question.periods])
    told = join_words([f"{stated_value(one.name, one.value)} ({_source(one)})" for one in _distinct(statements)])
    return sentence(f"I have nothing on {label(statements[0].name)} for {asked}; on record is {told}")


def answer_choice(conflict: Sequence[Sequence[str]]) -> Found | None:
    """Return the evidence for each of the disagreeing values, and ask for the right one."""
    if len(conflict) < 2:
        return None
    dated = [one for one in conflict if one[2]]
    told = [f"{value} is in {source}" + (f", dated {at[:10]}" if at else "") for source, value, at in conflict]
    newer = ""
    if len(dated) == len(conflict) and len({one[2][:10] for one in dated}) > 1:
        latest = max(dated, key=lambda one: one[2])
        newer = f" {latest[0]} is the newer one, which does not make it right."
    else:
        newer = " Neither says that it replaces the other."
    text = f"That is for you to say. {sentence(join_words(told))}{newer} Which is right?"
    claims = tuple(Claim(source, "value", value, at) for source, value, at in conflict)
    return Found((text,), claims, {"conflict": [list(one) for one in conflict]})


def words_of(question: Question) -> str:
    """Return the topic of a question in its own words, for a reply that it is unknown."""
    wanted = set(question.topic)
    words = [
        (one, bool(wanted & {*core(one), *core(without_idioms(f"how {one}")), *terms(one)}))
        for one in re.findall(r"[\w'’-]+", question.text)
    ]
    at = [number for number, (_, is_topic) in enumerate(words) if is_topic]
    whole = words[at[0] : at[-1] + 1] if at else []
    kept = (
        whole
        if len(whole) <= _LONGEST and sum(one for _, one in whole) * 2 > len(whole)
        else [w for w in words if w[1]]
    )
    return " ".join(dict.fromkeys(word for word, _ in kept))
