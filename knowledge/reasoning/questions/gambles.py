"""Gambles: the best of several on average, and whether one is worth its price."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import ANY, NUMBER, Phrasing, figure, is_chance, join_items, percent
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["gambles"]

_LOSES = r"\b(?:los\w+|costs?|costing|damages?|down|minus|owes?|burns?|destroys?|we pay|i pay|you pay)\b"
_GAINS: str = WORDS["gains"]
_SURE = r"\b(?:for sure|for certain|guaranteed|certain(?:ly)?|fixed|safe|sure|always)\b"
_REST = r"\b(?:otherwise|or else|else|if not|or)\b"


@dataclass(slots=True)
class _Gamble:
    """One option: what it may bring with which probability, and what it costs in any case."""

    name: str
    outcomes: list[tuple[float, float]] = field(default_factory=list)
    cost: float = 0.0


_OPTION = re.compile(WORDS["option"], re.IGNORECASE)


def read_gambles(q: Phrasing, _held: Holdings) -> Reading:
    """Read one or more options with chances and amounts: the best on average, or whether one is worth its price."""
    if not q.has(r"\b(?:should|worth|which|what|better|choose|expected value|on average|take|accept|pick|prefer)\b"):
        return None
    if q.has(r"\bprobability p\b"):
        return None
    chances = [one for one in re.finditer(ANY, q.plain) if is_chance(q, one[0], one.start())]
    if not chances or (q.search(r"\bif\b[^.;?]*,[^.;?]*«n") and len(q.numbers()) > 3):
        return None
    gambles = _gambles(q)
    if not gambles:
        return None
    return _several_gambles(gambles) if len(gambles) > 1 else _one_gamble(q, gambles[0])


def _gambles(q: Phrasing) -> list[_Gamble]:
    named = [*_OPTION.finditer(q.plain)]
    starts: dict[str, int] = {}
    for one in named:
        name = one["name"] or one["rank"]
        if name.lower() not in {key.lower() for key in starts} and re.search(
            ANY, q.plain[one.end() : _sentence_end(q, one.end())]
        ):
            starts[name] = one.start()
    if len(starts) > 1:
        cuts = [*sorted(starts.values()), len(q.plain)]
        names = sorted(starts, key=lambda one: starts[one])
        found = []
        for name, (a, b) in zip(names, pairwise(cuts), strict=True):
            end = _last_figure_end(q, a, b)
            if (gamble := _gamble(q, name, a, end)) is None:
                return []
            found.append(gamble)
        q.use_question()
        return found
    return _by_headings(q) or _single(q)


def _by_headings(q: Phrasing) -> list[_Gamble]:
    """Read "Launch now: 50% chance of 200. Wait: ...": a sentence for each option, with its name before a colon."""
    marks = [*re.finditer(r"(?:^|(?<=[.;?!] ))(?P<name>[A-Z][^.;:?«]{1,40}): (?=[^.;?]*«)", q.plain)]
    found = [_gamble(q, one["name"], one.end(), _sentence_end(q, one.end())) for one in marks]
    gambles = [one for one in found if one is not None]
    if len(marks) < 2 or len(gambles) < len(marks):
        return []
    q.use(*marks)
    q.use_question()
    return gambles


def _sentence_end(q: Phrasing, place: int) -> int:
    return next((b for a, b in q.sentences() if a <= place < b), len(q.plain))


def _last_figure_end(q: Phrasing, start: int, end: int) -> int:
    """Return the end of the clause with the last figure of a stretch."""
    figures = [one.end() for one in re.finditer(ANY, q.plain[:end]) if one.start() >= start]
    if not figures:
        return end
    mark = re.search(r"[.;?]|$", q.plain[figures[-1] : end])
    return figures[-1] + (mark.start() if mark else 0)


def _single(q: Phrasing) -> list[_Gamble]:
    figures = [*re.finditer(ANY, q.plain)]
    gamble = _gamble(q, "it", 0, len(q.plain)) if figures else None
    if gamble is None:
        return []
    q.use_question()
    return [gamble]


def _gamble(q: Phrasing, name: str, start: int, end: int) -> _Gamble | None:  # noqa: PLR0912  # one for each way to say it
    """Read the outcomes of one option between two places; every figure there must be put to use."""
    gamble = _Gamble(name)
    tokens = list(re.compile(ANY).finditer(q.plain, start, end))
    pending: float | None = None
    amounts: list[tuple[float, re.Match[str]]] = []
    for one in tokens:
        before = q.plain[max(start, tokens[tokens.index(one) - 1].end() if tokens.index(one) else start) : one.start()]
        after = q.plain[one.end() : min(end, one.end() + 40)]
        if is_chance(q, one[0], one.start()):
            if pending is not None:
                return None
            follows = re.match(rf"[^.;«]{{0,45}}?(?:{NUMBER}|\bnothing\b)", q.plain[one.end() : end])
            if amounts and _is_of_amount(q, one, before):
                value, _ = amounts.pop()
                gamble.outcomes.append((q.value(one[0]), value))
            elif follows:
                pending = q.value(one[0])
                if re.search(r"\bnothing\b", follows[0]) and "«" not in follows[0]:
                    gamble.outcomes.append((pending, 0.0))
                    pending = None
            else:
                return None
            continue
        if one[0].startswith("«t"):
            return None
        value = _sign_amount(q, one[0], before)
        if pending is not None:
            gamble.outcomes.append((pending, value))
            pending = None
        elif (
            re.search(rf"{_REST}[^«.;]*$", before, re.I)
            and gamble.outcomes
            and not re.search(r"\bor the\b", before, re.I)
        ):
            gamble.outcomes.append((round(1 - sum(p for p, _ in gamble.outcomes), 12), value))
        elif re.search(r"\b(?:costs?|premium|price|fee|stake|ticket costs|entry)\b[^«,;.]*$", before, re.I):
            gamble.cost += abs(q.value(one[0]))
        elif re.search(_SURE, before[-40:] + after, re.I) or (len(tokens) == 1 and re.search(r"\bfor\s*$", before)):
            gamble.outcomes.append((1.0, value))
        else:
            amounts.append((value, one))
    if amounts or pending is not None:
        return None
    stated = sum(p for p, _ in gamble.outcomes)
    if not gamble.outcomes or stated > 1 + 1e-9:
        return None
    if stated < 1 - 1e-9:
        gamble.outcomes.append((1 - stated, 0.0))
    q.use_clauses((start, end))
    q.every(r"\b(?:otherwise|or|and|else)? ?nothing\b(?: otherwise| else)?", start, end)
    return gamble


def _is_of_amount(q: Phrasing, chance: re.Match[str], before: str) -> bool:
    """Return whether a chance belongs to the amount before it: "1,000 with 30%"."""
    if not re.search(r"\b(?:with|at|has|have|is|in)\b[^,;.]*$|\(\s*$", before) or re.search(r"[.;]", before):
        return False
    starts = re.match(r",?\s*(?:it|they|we|you|i|he|she)\b", q.plain[chance.end() :].lstrip(), re.I)
    return not (starts and re.search(r"\bwith\b[^«]*$", before)) and not _opens(before)


def _opens(before: str) -> bool:
    """Return whether a chance begins a new outcome: ", 30% chance of ..." or ". With 30% ..."."""
    return (
        re.search(r"(?:[,.;:]|\band)\s*(?:an? |with |there is an? )?(?:probability |chance )?(?:of )?$", before, re.I)
        is not None
        and not re.search(r"«", before)
        and re.search(r"\bwith\b|\bhas\b", before) is None
    )


def _sign_amount(q: Phrasing, token: str, before: str) -> float:
    """Return an amount with the sign that the verb before it gives."""
    value = q.value(token)
    loses = [one.end() for one in re.finditer(_LOSES, before, re.I)]
    gains = [one.end() for one in re.finditer(_GAINS, before, re.I)]
    return -abs(value) if loses and max(loses) > max(gains, default=-1) else value


def _problem(gambles: Sequence[_Gamble]) -> dict[str, Any]:
    lotteries = {
        one.name: [{"p": p, "value": value - one.cost} for p, value in one.outcomes if p > 0] for one in gambles
    }
    return {"kind": "lotteries", "lotteries": lotteries}


def _describe_gamble(one: _Gamble) -> str:
    parts = [
        f"{figure(value)} with {percent(p)}" if p < 1 else f"{figure(value)} for sure" for p, value in one.outcomes
    ]
    return f"{one.name}: {join_items(parts)}" + (f", at a cost of {figure(one.cost)}" if one.cost else "")


def _several_gambles(gambles: Sequence[_Gamble]) -> Reading:
    def conclude(result: MethodResult[Any]) -> Upshot:
        worth = {name: one.expected_value for name, one in result.answer.lotteries.items()}
        ranked = sorted(worth, key=lambda one: (-worth[one], one))
        best, second = ranked[0], ranked[1]
        if worth[best] - worth[second] <= 1e-9 * max(1.0, abs(worth[best])):
            return Upshot(f"Neither is better on average: both are worth {figure(worth[best])}.", "neither")
        others = join_items(f"{name} {figure(worth[name])}" for name in ranked[1:])
        return Upshot(f"{best}: it is worth {figure(worth[best])} on average, against {others}.", best)

    assumes = "only the average counts, not the risk"
    return FilledForm(
        "expected-utility", _problem(gambles), "; ".join(map(_describe_gamble, gambles)), conclude, assumes=assumes
    )


def _one_gamble(q: Phrasing, gamble: _Gamble) -> Reading:
    insures = q.has(r"\binsur\w+|\bpremium\b|\bwarranty\b")
    asks_yes = q.has(r"\b(?:should|worth|pay off|accept|take it|good (?:idea|bet|deal)|bid)\b")
    expected = q.has(r"\bexpected\b|\bon average\b|\bfair price\b|\bworth\b")
    if not (asks_yes or expected) or (len(gamble.outcomes) < 2 and not gamble.cost):
        return None
    if insures and gamble.cost <= 0:
        return MissingFields("expected-utility", ("the premium",))
    if insures and all(value >= 0 for _, value in gamble.outcomes):  # it is told by what the insurance pays
        gamble.outcomes = [(p, -value) for p, value in gamble.outcomes]
    if insures and any(value > 0 for _, value in gamble.outcomes):
        return None
    if asks_yes and not expected and not gamble.cost and all(value >= 0 for _, value in gamble.outcomes):
        return MissingFields("expected-utility", ("what it costs",))
    if len(gamble.outcomes) > 2 and all(value <= 0 for _, value in gamble.outcomes):
        return None  # several risks, which may all come true
    cost, gamble.cost = gamble.cost, 0.0 if insures else gamble.cost

    def conclude(result: MethodResult[Any]) -> Upshot:
        mean = result.answer.lotteries[gamble.name].expected_value
        if insures:
            says = "No" if -mean < cost else "Yes"
            return Upshot(
                f"{says}: the expected loss without insurance is {figure(-mean)} and the premium "
                f"{figure(cost)}, on average.",
                says,
                changes="a loss that you could not bear speaks for insurance whatever the average is.",
            )
        if asks_yes:
            says = "Yes" if mean > 0 else "No"
            return Upshot(f"{says}: it {'brings' if mean >= 0 else 'loses'} {figure(abs(mean))} on average.", says)
        return Upshot(f"It is worth {figure(mean)} on average.", mean)

    shown = _describe_gamble(_Gamble("it", gamble.outcomes, cost))
    assumes = "only the average counts, and what is not named brings nothing"
    return FilledForm("expected-utility", _problem([gamble]), shown, conclude, assumes=assumes)
