"""Gambles: the best on average, and whether one is worth its price."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import FigureSlot, clause_of, distinct, slots
from mabos.knowledge.reasoning.questions.wording import ANY, Phrasing, figure, is_chance, join_items, percent, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS, SUMS = (packaged_yaml("reasoning_words.yaml")[name] for name in ("gambles", "sums"))

_LOSES = r"\b(?:los\w+|costs?|costing|damages?|down|minus|burns?|destroys?|we pay|i pay|you pay)\b"
_GAINS: str = WORDS["gains"]


@dataclass(slots=True)
class _Gamble:
    """One option: what it may bring with which probability, and what it costs in any case."""

    name: str
    outcomes: list[tuple[float, float]] = field(default_factory=list)
    cost: float = 0.0
    sure: float | None = None
    figures: list[int] = field(default_factory=list)


_OPTION = re.compile(WORDS["option"], re.IGNORECASE)


def read_gambles(q: Phrasing, _held: Holdings) -> Reading:
    """Read one or more options with chances and amounts: the best on average, or whether one is worth its price."""
    if not q.has(WORDS["asks"]):
        return None
    if q.has(WORDS["never"]):
        return None
    chances = [one for one in slots(q) if _is_chance(q, one)]
    state = q.search(WORDS["state"])
    if not chances and len(q.numbers()) > 1 and state and not q.has(r"\brival\b|\bcompetitor\b|\bboth\b"):
        wants_mean = q.search_asking(r"\bon average\b|\bexpect\w*\b") is not None
        return MissingFields(
            "expected-utility", (f"the probability that {state['state'].strip()}",), settles=wants_mean
        )
    if not chances:
        return None
    gambles = _gambles(q)
    if not any(0 < p < 1 for one in gambles for p, _ in one.outcomes):
        return None
    _use_words(q, [at for one in gambles for at in one.figures])
    return _several_gambles(q, gambles) if len(gambles) > 1 else _one_gamble(q, gambles[0])


def _use_words(q: Phrasing, figures: Sequence[int]) -> None:
    """Mark all words; leave figures that no option has, and clauses without figures that may change something."""
    q.use((0, len(q.plain)))
    for found in q.matches(WORDS["grasps"]):
        q.grasp(found)
    for one in slots(q):
        if one.at[0] not in figures and (one.kind == "p" or q.in_digits(q.plain[slice(*one.at)])):
            q.leave(one.at[0])
    for a, b in q.clauses():
        text = re.sub(WORDS["grasps"], "", q.plain[a:b], flags=re.I)
        if not re.search(ANY, text) and re.search(WORDS["matters"], text, re.I) and not text.rstrip().endswith("?"):
            q.leave(a)


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
    """Read one gamble, and the sure thing that it is weighed against, where there is one."""
    option = q.search(SUMS["option"])
    gamble = _gamble(q, f"the {option['name']}" if option else "the uncertain one", 0, len(q.plain))
    if gamble is None:
        return []
    q.use_question()
    if gamble.sure is None:
        return [gamble]
    chance = next(one for one in slots(q) if _is_chance(q, one)).at[0]
    text = next(q.plain[a:b] for a, b in q.sentences() if a <= chance < b)
    if asked := re.search(r"(?i)\b(?P<a>[a-z]{4,}) or (?:the |an? |go(?:ing)? to )?(?P<b>[a-z]{4,})\W*\?", q.question):
        risky = [name for name in asked.groups() if stems(name) & stems(text)]
        if len(risky) == 1:
            gamble.name = risky[0]
            return [gamble, _Gamble(next(one for one in asked.groups() if one != risky[0]), [(1.0, gamble.sure)])]
    cue = q.search(r"\b(?:fixed|safe|steady|guaranteed|certain|secure)\b")
    return [gamble, _Gamble(f"the {cue[0].lower() if cue else 'sure'} one", [(1.0, gamble.sure)])]


def _gamble(q: Phrasing, name: str, start: int, end: int) -> _Gamble | None:  # noqa: PLR0912  # one for each role
    """Read the chances, pay-offs and costs of one option between two places; every figure there must be put to use."""
    gamble = _Gamble(name)
    figures, repeated = distinct([one for one in slots(q) if start <= one.at[0] < end and not _is_count(q, one)])
    chances = [one for one in figures if _is_chance(q, one)]
    payoffs = list[FigureSlot]()
    for one in figures:
        clause = clause_of(one)
        if one in chances:
            continue
        if one.kind != "n" or one.span or one.period == "day":
            return None
        if (
            re.search(WORDS["cost"], clause, re.I)
            and not re.search(WORDS["pays"], one.before[-30:], re.I)
            and (chances or len(figures) > 1)
        ):
            gamble.cost += abs(one.value)
        elif chances and gamble.sure is None and re.search(WORDS["sure"], clause, re.I) and len(figures) > 2:
            gamble.sure = _sign_amount(one)
        else:
            payoffs.append(one)
    values = [_sign_amount(one) for one in payoffs]
    shares = [one.value for one in chances]
    if len(payoffs) == len(chances) - 1:  # "80% chance of 90, 20% of nothing"
        nothing = [at for at, one in enumerate(chances) if re.search(r"(?i)\b(?:nothing|zero)\b", one.after)]
        if len(nothing) != 1:
            return None
        values.insert(nothing[0], 0.0)
    elif len(payoffs) == len(chances) + 1 and chances:
        rest = [
            at for at, one in enumerate(payoffs) if re.search(WORDS["otherwise"], f"{one.before}«»{one.after}", re.I)
        ]
        low = rest[-1] if rest else len(payoffs) - 1 if re.search(r"(?i)\bif\b", payoffs[-1].before) else None
        if low is None or sum(shares) >= 1:
            return None
        shares.insert(low, round(1 - sum(shares), 12))
    elif not chances and len(payoffs) == 1:
        shares = [1.0]
    if len(shares) != len(values) or not values or sum(shares) > 1 + 1e-9:
        return None
    gamble.outcomes = list(zip(shares, values, strict=True))
    if sum(shares) < 1 - 1e-9:
        gamble.outcomes.append((round(1 - sum(shares), 12), 0.0))
    gamble.figures += [one.at[0] for one in (*figures, *repeated)]
    return gamble


def _is_count(q: Phrasing, one: FigureSlot) -> bool:
    """Return whether a figure only counts things: "three outcomes"."""
    return one.kind == "n" and one.value < 10 and one.noun != "" and not q.in_digits(q.plain[slice(*one.at)])


def _is_chance(q: Phrasing, one: FigureSlot) -> bool:
    if one.kind == "p":
        return not re.match(r"\s*(?:off|discount|interest|margin|more|less|cheaper)\b", one.after)
    return is_chance(q, q.plain[slice(*one.at)], one.at[0])


def _sign_amount(one: FigureSlot) -> float:
    """Return an amount with the sign that the verb before it, or the words behind it, give."""
    value = one.value
    loses = [found.end() for found in re.finditer(_LOSES, one.before, re.I)]
    gains = [found.end() for found in re.finditer(_GAINS, one.before, re.I)]
    behind = re.match(r"(?i)\s*(?:in the red|down|loss|lost|of losses)\b", one.after)
    return -abs(value) if behind or (loses and max(loses) > max(gains, default=-1)) else value


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


def _several_gambles(q: Phrasing, gambles: Sequence[_Gamble]) -> Reading:
    def conclude(result: MethodResult[Any]) -> Upshot:
        worth = {name: one.expected_value for name, one in result.answer.lotteries.items()}
        ranked = sorted(worth, key=lambda one: (-worth[one], one))
        best, second = ranked[0], ranked[1]
        if worth[best] - worth[second] <= 1e-9 * max(1.0, abs(worth[best])):
            return Upshot(f"Neither is better on average: both are worth {figure(worth[best])}.", "neither")
        others = join_items(f"{name} {figure(worth[name])}" for name in ranked[1:])
        offered = gambles[-1] if q.search_asking(r"\baccept\b|\btake (?:it|(?:the|his|her|their) offer)\b") else None
        is_sure = offered is not None and offered.sure is None and len(offered.outcomes) == 1
        says = "" if not is_sure or offered is None else "Accept: " if offered.name == best else "Do not accept: "
        return Upshot(f"{says}{best}: it is worth {figure(worth[best])} on average, against {others}.", best)

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
    if sum(value < 0 for _, value in gamble.outcomes) > 1 and all(value <= 0 for _, value in gamble.outcomes):
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
