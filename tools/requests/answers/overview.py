"""Questions about the whole: how the business does, and what stands out in its figures.

    answer_overview(read_question("How's business?", today), sources, today)

What stands out is a last value beyond twice the usual distance of the values before it from their median (the median
absolute deviation, as a robust measure of spread: Rousseeuw and Croux, 1993), else the largest change.
"""

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from statistics import median

from mabos.tools.requests.answers.figures import Found, View, claims_of
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.sources import Point, Series, Sources
from mabos.tools.requests.answers.wording import joined, sentence

_WHOLE = re.compile(
    r"\bhow(?:'s|’s|s| is| are| was)\b.{0,12}\b(?:business|trade|the (?:company|shop|firm|place|practice)|things|"
    r"it all|everything|we)\b(?: (?:doing|going|looking|getting on|at the moment|today|now|overall))*\W*$|"
    r"\b(?:overview|summary|summari[sz]e|rundown|run-down|picture|state) of (?:the |our |all )*"
    r"(?:figures|numbers|business|company|key figures)\b|"
    r"\b(?:key|main|latest|current) (?:figures|numbers)\b|\bwhere do we stand\W*$",
    re.IGNORECASE,
)
_UNUSUAL = re.compile(
    r"\b(?:unusual|odd|strange|stands? out|striking|out of (?:line|the ordinary)|surpris\w+|abnormal|worry|worried|"
    r"worrying|alarming|concern\w*|red flags?|look out for|watch out for)\b",
    re.IGNORECASE,
)
_SHOWN = 6
_ENOUGH = 4  # values before the last one, below which nothing can be called unusual
_BEYOND = 2.0


def is_overview(text: str) -> bool:
    """Return whether a question is about the business as a whole, or about what stands out in it."""
    return bool(_UNUSUAL.search(text) or _WHOLE.search(text))


def answer_overview(question: Question, sources: Sources, today: date) -> Found | None:
    """Return the latest figures with their changes, or what stands out among them; None for another question."""
    series = [one for one in sources.series.values() if one.points and not one.points[-1].is_disputed]
    if not series:
        return None
    if _UNUSUAL.search(question.text):
        return _unusual(series, today)
    return _figures(series, today) if _WHOLE.search(question.text) else None


def _figures(series: Sequence[Series], today: date) -> Found:
    newest = sorted(series, key=lambda one: one.points[-1].day, reverse=True)[:_SHOWN]
    lines = [_changed(View(one, today)) for one in newest]
    more = len(series) - len(newest)
    lead = f"The latest figures{f' ({more} more are on record)' if more > 0 else ''}:"
    claims = tuple(claim for one in newest for claim in claims_of(one, one.points[-2:]))
    return Found((lead, *lines), claims, {"series": [one.name for one in newest]})


def _changed(view: View) -> str:
    last, before = view.series.points[-1], view.series.points[-2:-1]
    now = f"{view.label}: {view.say(last.value)} in {view.when(last.day)}"
    source = joined(list(dict.fromkeys(one.source for one in last.values)))
    if not before or before[0].is_disputed:
        return sentence(f"{now} ({source})")
    if before[0].value == last.value:
        return sentence(f"{now}, as in {view.when(before[0].day)} ({source})")
    way = "up" if last.value > before[0].value else "down"
    change = f"{way} by {view.gap(last.value, before[0].value)} since {view.when(before[0].day)}"
    return sentence(f"{now}, {change} ({source})")


def _unusual(series: Sequence[Series], today: date) -> Found:
    """Return the figures whose last value is far from those before; else which moved most, and that none is far."""
    rated = sorted(((_distance(one.points), one) for one in series), key=lambda one: -one[0])
    far = [one for distance, one in rated if distance > _BEYOND][:3]
    if far:
        claims = tuple(claim for one in far for claim in claims_of(one, one.points))
        lines = tuple(_stands_out(View(one, today)) for one in far)
        return Found(("These stand out among the figures:", *lines), claims, {"series": [one.name for one in far]})
    moved = sorted((one for one in series if len(one.points) > 1), key=lambda one: -_change(one.points))[:2]
    if not moved:
        return Found(("The figures have one value each, so nothing can be called unusual yet.",))
    lines = tuple(_changed(View(one, today)) for one in moved)
    claims = tuple(claim for one in moved for claim in claims_of(one, one.points[-2:]))
    lead = "No figure is far from its usual values. Those that changed most:"
    return Found((lead, *lines), claims, {"series": [one.name for one in moved]})


def _stands_out(view: View) -> str:
    points = view.series.points
    usual = median(one.value for one in points[:-1])
    text = f"{view.label}: {view.say(points[-1].value)} in {view.when(points[-1].day)}"
    return sentence(f"{text}, where {view.say(usual)} is the middle of the {len(points) - 1} values before")


def _distance(points: Sequence[Point]) -> float:
    """Return how far the last value is from the median of those before, in median absolute deviations."""
    values = [one.value for one in points[:-1]]
    if len(values) < _ENOUGH:
        return 0.0
    middle = median(values)
    spread = median(abs(one - middle) for one in values) * 1.4826
    usual = spread or median(abs(later - earlier) for earlier, later in pairwise(values))
    return abs(points[-1].value - middle) / usual if usual else 0.0


def _change(points: Sequence[Point]) -> float:
    earlier, later = points[-2].value, points[-1].value
    return abs(later - earlier) / abs(earlier) if earlier else 0.0
