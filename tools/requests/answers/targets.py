"""Compare figures with the targets, plans and budgets for them."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from operator import eq, ge, gt, le, lt
from typing import Any, NamedTuple

from mabos.language.request import Claim
from mabos.language.wordlists import order_table
from mabos.mind.conditions import is_comparison, parse, subjects
from mabos.mind.model import Desire, Goal
from mabos.society.figures import OWNER, SAID, target_words
from mabos.society.quantities import spellings_of
from mabos.tools.requests.answers.figures import Found, View, claims_of, serialize_periods
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.sources import Point, Series, Sources, StatedValue, passages_of
from mabos.tools.requests.answers.synonyms import core, question_forms, stems_of
from mabos.tools.requests.answers.wording import join_words, label, money_or_number, sentence, unit_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import terms

_FORMS = question_forms("in_targets")
_OPERATORS = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}
_WORDS = tuple(order_table("targets.words").items())
_NUMBER = re.compile(r"[$€£]?\s?-?\d[\d,]*(?:\.\d+)?\s?(%|percent)?")
_BAND = _FORMS["band"]
_IS_TARGET = re.compile(r"\b(?:targets?|plan|goals?|budget|aims?|objectives?|quota|marks?)\b", re.IGNORECASE)
_PLAN_STEMS = frozenset(core("target plan planned goal budget budgeted aim quota objective"))


@dataclass(frozen=True, slots=True)
class Target:
    """A source's target for a figure: an operator ("" if only a number is given), the number, and its words.

    A band has the operator ">=" and, as `most`, its upper bound.
    """

    operator: str
    value: float
    words: str
    source: str
    record: str
    unit: str = ""
    most: float | None = None


class WantedBound(NamedTuple):
    """A wanted value: an operator, the number, its unit, and the upper end of a band."""

    operator: str
    value: float
    unit: str = ""
    most: float | None = None


def target_in(text: str) -> WantedBound | None:
    """Return the bound in a text, as `at least 2.50`.

    >>> target_in("9 %, should be below 8 %"), target_in("between 20 and 25 %")[3]
    (WantedBound(operator='<', value=8.0, unit='%', most=None), 25.0)
    """
    if band := _BAND.search(text):
        low, high = (float(re.sub(r"[^\d.]", "", one)) for one in (band["low"] or band["least"], band["high"]))
        return WantedBound(">=", low, "%" if "%" in band[0] or "percent" in band[0] else "", high)
    signs = ((sign, re.search(pattern, text, re.IGNORECASE)) for sign, pattern in _WORDS)
    operator, word = next(((sign, one) for sign, one in signs if one), ("", None))
    found = (_NUMBER.search(text, word.end()) if word else None) or _NUMBER.search(text)
    if found is None:
        return None
    number = float(re.sub(r"[^\d.-]", "", found[0]))
    return WantedBound(operator, number, "%" if found[1] else "")


def targets_of(agent: Agent, series: Series, sources: Sources, on: date) -> tuple[Target, ...]:
    """Return the targets in documents and facts for a figure, else in a goal, one per source."""
    watched = tuple(_watch_targets(agent, series))
    if watched and watched[0].source.startswith(OWNER):
        return watched
    titles = {one.file: f"{one.title} {one.file}" for one in sources.documents}
    stated = [
        _target(said, _bound(said, one.value, series.unit), one.source, one.record)
        for one in sources.statements
        if not one.is_assumption and _is_of(one, series, titles) and (said := target_in(one.value))
    ]
    stated += [
        one for one in _sentence_targets(series, sources) if one.source not in {known.source for known in stated}
    ]
    return tuple(stated) or tuple(_column_targets(series, sources, on)) or tuple(_goal_targets(agent, series))


def _target(said: WantedBound, words: str, source: str, record: str) -> Target:
    return Target(said.operator, said.value, words, source, record, said.unit, said.most)


def _bound(said: WantedBound, text: str, unit: str) -> str:
    """Return the words of a target: its text, or its bound alone where the text holds other numbers too."""
    if not said[0] or len(_NUMBER.findall(text)) == 1 + (said.most is not None):
        return text
    if said.most is not None:
        return f"between {money_or_number(said[1], said[2] or unit)} and {money_or_number(said.most, said[2] or unit)}"
    return f"{SAID[said[0]]} {money_or_number(said[1], said[2] or unit)}"


def _is_of(one: StatedValue, series: Series, titles: dict[str, str]) -> bool:
    """Return whether a statement is a target of a series: by its name, and by a word as plan near it or a bound."""
    names = {frozenset(core(name)) for name in (series.name, *spellings_of(series.name))}
    own = frozenset(core(one.name))
    around = f"{titles.get(one.source, '')} {one.owner} {one.source}".replace("-", " ").replace("_", " ")
    if own - _PLAN_STEMS in names and own & _PLAN_STEMS:
        return True
    said = target_in(one.value)
    return own in names and bool(_IS_TARGET.search(around) or (said and said[0]))


def _sentence_targets(series: Series, sources: Sources) -> Iterator[Target]:
    """Yield the target for a figure in a sentence of a plan: "Keep waste under 55 kg a week"."""
    for document in sources.documents:
        for passage in passages_of(document):
            around = f"{document.title} {passage.heading} {document.file}".replace("-", " ").replace("_", " ")
            if not _IS_TARGET.search(around) or ": " in passage.text:
                continue
            stems = [stem for word in terms(passage.text) for stem in stems_of(word)]
            said = target_in(passage.text)
            if said and said[0] and all(part in stems for part in core(series.name)):
                record = f"{document.name}, {passage.place}"
                yield _target(said, f'"{passage.text}"', document.file, record)


def _column_targets(series: Series, sources: Sources, on: date) -> Iterator[Target]:
    """Yield the target of a column as `tickets_plan` for the same period."""
    for other in sources.series.values():
        own = frozenset(core(other.name))
        if other.name != series.name and own & _PLAN_STEMS and own - _PLAN_STEMS == frozenset(core(series.name)):
            for point in other.points[::-1]:
                if point.day <= on:
                    unit = unit_of(series.name, series.unit)
                    words = money_or_number(point.value, unit)
                    yield Target("", point.value, words, point.values[0].source, point.values[0].record)
                    return


def _goal_targets(agent: Agent, series: Series) -> Iterator[Target]:
    # of colleagues the standing aims alone: their goals come and go while agents think side by side
    holders = agent.business.manifest.agents.values() if agent.business_id else ()
    others = [one for one in holders if one != agent.id]
    kept: list[tuple[str, str, Goal | Desire]] = [("my", "goal", one) for one in agent.mind.goals]
    kept += [("my", "standing aim", one) for one in agent.mind.desires]
    for holder in others:
        kept += [(f"the {holder.upper()}'s", "standing aim", one) for one in agent.services.agent(holder).mind.desires]
    for whose, kind, one in kept:
        is_over = one.status in ("dropped", "abandoned") or (one.status == "achieved" and whose == "my")
        parsed = [] if is_over or series.name not in one.target else parse(one.target)
        clauses = [it for every in parsed for it in every if it.subject == series.name and it.op]
        own = [f"{it.subject} {it.op} {it.value}" for it in clauses]
        if said := target_in(" and ".join(own).partition(" ")[2]) if own else None:
            words = target_words(one.target, series.unit)
            yield _target(said, words, f"{whose} {kind} {one.id}", f"{kind} {one.id}")
    yield from _watch_targets(agent, series)


def unmeasured_targets(agent: Agent, known: Collection[str]) -> Iterator[Target]:
    """Yield the targets of all agents of a business for figures without a value, each once."""
    told = set[str]()
    for holder in agent.business.manifest.agents.values() if agent.business_id else ():
        for one in agent.services.agent(holder).mind.desires:
            names = subjects(one.target) if one.status == "active" and is_comparison(one.target) else ()
            if names and not {*names}.intersection(known) and one.target not in told and " " not in names[0]:
                told.add(one.target)
                words = f"{label(names[0])}: {target_words(one.target, unit_of(names[0], ''))}"
                yield Target("", 0.0, words, f"{holder.upper()}'s aim", f"standing aim {one.id}")


def _watch_targets(agent: Agent, series: Series) -> Iterator[Target]:
    """Yield the target of a figure that a colleague watches, as it is on record."""
    found = agent.business.figures.find(series.name) if agent.business_id else None
    if found is not None and found.target and (said := target_in(found.target)):
        words = target_words(f"{found.id} {found.target}", series.unit)
        yield _target(said, words, found.because, f"figure {found.id}")


_REACHES = _FORMS["reaches"]
_ASKS_TIMES = _FORMS["asks_times"]


_MISSES, _FEWER, _MORE = _FORMS["misses"], _FORMS["fewer"], _FORMS["more"]
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}


def answer_times(
    question: Question, series: Sequence[Series], today: date, targets: Sequence[Target] = ()
) -> Found | None:
    """Return when a figure was above or below a bound, or its target: "In which months were visitors under 500?".

    None for other questions.
    """
    said = target_in(question.text)
    aims = [] if said and said[0] else [one for one in targets if one.operator]
    asked = _ASKS_TIMES.search(question.text)
    if aims and asked and (question.asks("target") or _REACHES.search(question.text)):
        misses = _FEWER if aims[0].operator.startswith(">") else _MORE
        is_missed = (misses if _THAN.search(question.text) else _MISSES).search(question.text) is not None
        said = WantedBound(_OPPOSITE[aims[0].operator] if is_missed else aims[0].operator, aims[0].value, aims[0].unit)
    if len(series) != 1 or asked is None or said is None or not said[0]:
        return None
    view, (operator, bound, *_) = View(series[0], today), said
    points = view.within(question.periods) if question.periods else series[0].points
    known = [one for one in points if not one.is_disputed]
    hits = [one for one in known if _OPERATORS[operator](one.value, bound)]
    is_every = bool(asked["every"]) and operator in _OPPOSITE
    is_so = len(hits) == len(points) if is_every else bool(hits)
    if is_every and not is_so:  # those that are not tell more
        operator, hits = _OPPOSITE[operator], [one for one in known if one not in hits]
    told = join_words([f"{view.when(one.day)} ({view.say(one.value)})" for one in hits]) or "never"
    words = {"<": "below", ">": "above", "<=": "at most", ">=": "at least", "=": "at"}[operator]
    sources = join_words(list(dict.fromkeys(value.source for one in points for value in one.values)))
    text = f"{view.label} {words} {view.say(bound)}, {len(hits)} of {len(points)}: {told} ({sources})"
    verdict = ("Yes." if is_so else "No.",) if is_every or asked["ever"] else ()
    return Found(
        (*verdict, sentence(text)), claims_of(series[0], points if verdict else hits), {"series": [series[0].name]}
    )


_ASKS_BOUND = _FORMS["asks_bound"]


def bound_of(question: Question, told: str = "") -> Target | None:
    """Return the bound for a figure that a person names in a question, or None.

    `told` is the rest of the message: "Is it all right? We want 32 % or less."
    """
    text = question.text if target_in(question.text) else told
    said = target_in(text) if _ASKS_BOUND.search(question.text) else None
    if (
        said is None
        or not said[0]
        or re.match(r"\W*how\b", question.text, re.IGNORECASE)
        or question.asks("count", "when", "who", "duration")
    ):
        return None
    if said.most is not None:
        return _target(said, _bound(said, f"{text} 0 0 0", said.unit), "your words", "")
    words = next(found[0] for _, form in _WORDS if (found := re.search(form, text, re.IGNORECASE)))
    return _target(said, _bound_in_words(words, said[1], said[2]), "your words", "")


def _bound_in_words(words: str, value: float, unit: str) -> str:
    number = f"{value:,g}{unit}"
    return f"{number} {words}" if words.lower().startswith("or ") else f"{words} {number}"


def answer_targets(
    agent: Agent,
    question: Question,
    series: Sequence[Series],
    sources: Sources,
    today: date,
    *,
    bound: Target | None = None,
) -> Found | None:
    """Return whether these series reach their targets, or the `bound` that the question itself names."""
    lines, claims, verdicts = list[str](), list[Claim](), list[bool | None]()
    for one in series:
        view = View(one, today)
        inside = view.within(question.periods) if question.periods else one.points
        if not inside:
            asked = join_words([period.label for period in question.periods])
            lines.append(f"I have no value of {view.label} for {asked}.")
            continue
        targets = (bound,) if bound else targets_of(agent, one, sources, inside[-1].day)
        claims += claims_of(one, inside[-1:])
        if not targets:
            lines.append(_without_target(view, inside[-1]))
            verdicts.append(None)
        for target in {(one.operator, one.value, one.most): one for one in targets[::-1]}.values():
            met, line = _against(view, inside[-1], target)
            verdicts.append(_is_as_asked(question, inside[-1], target, met))
            lines.append(line)
            claims += [Claim(target.record, "target", target.words)] if target.record else []
    if not lines:
        return None
    about: dict[str, Any] = {"series": [one.name for one in series], "periods": serialize_periods(question.periods)}
    verdict = () if _ASKS_WHICH.match(question.text) else _verdict(verdicts)
    return Found((*verdict, *lines), tuple(claims), about)


_ASKS_WHICH = re.compile(r"(?i)\W*(?:and |so |but |by )*(?:how|what|which|list|show|give|tell|name|remind)\b")


def _is_as_asked(question: Question, point: Point, target: Target, met: bool | None) -> bool | None:
    """Return whether a value is on the side of its target that a question names: "Is it under the line?"."""
    sides = [one for one in ("below", "above", "missed") if _FORMS[one].search(question.text)]
    if not sides or point.is_disputed or _THAN.search(question.text):
        return met
    if len(sides) > 1 or _NOT.search(question.text):
        return None
    is_missed = None if met is None else not met
    return {"below": point.value < target.value, "above": point.value > target.value, "missed": is_missed}[sides[0]]


_NOT = re.compile(r"n[’']t\b|\bnot\b", re.IGNORECASE)


def _verdict(verdicts: Sequence[bool | None]) -> tuple[str, ...]:
    if not verdicts or None in verdicts:
        return ()
    if all(verdicts):
        return ("Yes.",)
    return ("Not all of them.",) if any(verdicts) else ("No.",)


def _without_target(view: View, point: Point) -> str:
    value, when = view.say(point.value), view.at(point.day)
    return sentence(f"{view.label} was {value} {when}; I find no target for it in goals, facts or documents")


def is_reached(point: Point, target: Target) -> bool | None:
    """Return whether a value reaches a target; None if the target names no direction, or sources differ."""
    if not target.operator or point.is_disputed:
        return None
    return _OPERATORS[target.operator](point.value, target.value) and (
        target.most is None or point.value <= target.most
    )


def describe_target(point: Point, target: Target) -> str:
    """Return a target in words, and whether a value reaches it."""
    reached = is_reached(point, target)
    verdict = "" if reached is None else ", reached" if reached else ", missed"
    return f"Target: {target.words}{verdict} ({target.source})."


def _against(view: View, point: Point, target: Target) -> tuple[bool | None, str]:
    """Return whether a value reaches a target, and that in words."""
    unit = view.unit or target.unit
    value = money_or_number(point.value, unit)
    missed = target.value if target.most is None or point.value < target.value else target.most
    gap = money_or_number(abs(round(point.value - missed, 4)), "" if unit == "%" else unit)
    gap += " percentage points" if unit == "%" else ""
    met = is_reached(point, target)
    base = f"{value} {view.at(point.day)}"
    said = f"{target.words} ({target.source})"
    if point.is_disputed:
        values = join_words([f"{money_or_number(one.value, unit)} ({one.source})" for one in point.values])
        return None, sentence(f"{view.label}: the sources differ, {values}; the target is {said}")
    if met:
        return True, sentence(f"{view.label}: {base}, on target, which is {said}")
    if met is None and point.value == target.value:
        return None, sentence(f"{view.label}: {base}, exactly the planned {said}")
    way = "above" if point.value > missed else "below"
    apart = f"{gap} {way}" if point.value != missed else "not within"
    return met, sentence(
        f"{view.label}: {base}, {apart} the {'target, which is' if target.operator else 'planned'} {said}"
    )
