"""Answer questions about the whole: the state of the business, and outliers in its figures.

    answer_overview(agent, request, sources)       # "The latest figures: ...", "Late: ...", "Waiting for you: ..."

An outlier is a last value beyond twice the usual distance of the values before it from their median (the median
absolute deviation, as a robust measure of spread: Rousseeuw and Croux, 1993), else the largest change.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from statistics import median

from mabos.language.request import Claim, Request
from mabos.tools.requests.answers.entries import entries_of
from mabos.tools.requests.answers.figures import Found, View, claims_of
from mabos.tools.requests.answers.sources import Point, Series, Sources
from mabos.tools.requests.answers.state import deadline, is_asked_for, is_in_hand, waiting, work_in_hand
from mabos.tools.requests.answers.statement import Statement
from mabos.tools.requests.answers.synonyms import question_forms
from mabos.tools.requests.answers.targets import describe_target, targets_of
from mabos.tools.requests.answers.wording import join_words, sentence
from mabos.tools.requests.answers.work_items import work_items
from mabos.tools.requests.response import Say
from mabos.tools.requests.wording import day, quote_text
from mabos.tools.runtime.services import Agent

_FORMS = question_forms("in_overview")
_WHOLE = _FORMS["whole"]
_UNUSUAL = _FORMS["unusual"]
_SHOWN = 6
_LATELY = 14  # days
_ENOUGH = 4  # values before the last one, below which nothing can be called unusual
_BEYOND = 2.0


def is_overview(text: str) -> bool:
    """Return whether a question is about the business as a whole, or about outliers in it."""
    return bool(_UNUSUAL.search(text) or _WHOLE.search(text))


def answer_overview(agent: Agent, request: Request, sources: Sources) -> Say | None:
    """Return an overview of figures, open questions, late work and finished work; None if all is empty.

    A question about outliers gets the figures that are far from their usual values.
    """
    series = [one for one in sources.series.values() if one.points and not one.points[-1].is_disputed]
    today = agent.clock().date()
    if _UNUSUAL.search(request.sentence):
        found = _unusual(series, today) if series else None
        return Say("\n".join(found.lines), found.claims, data=found.about) if found else None
    newest = sorted(series, key=lambda one: one.points[-1].day, reverse=True)[:_SHOWN]
    figures = [_with_target(agent, View(one, today), sources) for one in newest]
    more = f" ({len(series) - len(newest)} more are on record)" if len(series) > len(newest) else ""
    parts = [
        (f"The latest figures{more}:", figures),
        ("Late:", list(_late(agent))),
        ("Waiting for you:", [waiting(agent, request)]),
        ("In hand:", [_in_hand(agent, request)]),
        ("Done lately:", list(_done_lately(agent, request))),
    ]
    told = [(lead, [one for one in several if one]) for lead, several in parts]
    lines = [line for lead, several in told if several for line in (lead, *(f"- {one.text}" for one in several))]
    claims = tuple(claim for _, several in told for one in several for claim in one.claims)
    return Say("\n".join(lines), claims, data={"series": [one.name for one in newest]}) if lines else None


def _with_target(agent: Agent, view: View, sources: Sources) -> Statement:
    """Return the latest value of a figure, its change, and whether it reaches its target."""
    last, text = view.series.points[-1], _describe_latest(view)
    for target in targets_of(agent, view.series, sources, last.day)[:1]:
        text += f" {describe_target(last, target)}"
    return Statement(text, claims_of(view.series, view.series.points[-2:]))


def _late(agent: Agent) -> Iterator[Statement]:
    """Yield the open work and the open records whose day has passed."""
    today = agent.now()[:10]
    for item in work_items(agent):
        if is_in_hand(item) and is_asked_for(item) and (until := deadline(item)) and until[:10] < today:
            yield Statement(
                f"{quote_text(item.title)}, due {day(until)}", (Claim(item.key, "deadline", until, agent.now()),)
            )
    for entry in entries_of(agent):
        due = str(entry.cells["due"].order) if "due" in entry.cells else ""
        if entry.state == "open" and due and due < today and entry.kind.name in ("work_packages", "deals"):
            yield Statement(entry.say(("due",)), entry.claims(("due",), agent.now()))


def _in_hand(agent: Agent, request: Request) -> Statement:
    return (
        work_in_hand(agent, request, is_asked=True)
        if any(is_in_hand(one) and is_asked_for(one) for one in work_items(agent))
        else Statement()
    )


def _done_lately(agent: Agent, request: Request) -> Iterator[Statement]:
    """Yield people's requests that records show as done within two weeks, newest first."""
    since = (agent.clock() - timedelta(days=_LATELY)).date().isoformat()
    done = [
        one for one in work_items(agent, request.sender) if one.request is not None and one.request.status == "done"
    ]
    for item in [one for one in done if one.request is not None and one.request.updated_at[:10] >= since][:_SHOWN]:
        if item.request is not None:
            told = f"{quote_text(item.title)} ({day(item.request.updated_at)})"
            yield Statement(told, (Claim(item.key, "status", "done", agent.now()),))


def _describe_latest(view: View) -> str:
    last, before = view.series.points[-1], view.before()
    now = f"{view.label}: {view.say(last.value)} {view.at(last.day)}"
    source = join_words(list(dict.fromkeys(one.source for one in last.values)))
    if before is None or before.is_disputed:
        return sentence(f"{now} ({source})")
    if before.value == last.value:
        return sentence(f"{now}, as {view.at(before.day)} ({source})")
    way = "up" if last.value > before.value else "down"
    change = f"{way} by {view.gap(last.value, before.value)} since {view.when(before.day)}"
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
    lines = tuple(_describe_latest(View(one, today)) for one in moved)
    claims = tuple(claim for one in moved for claim in claims_of(one, one.points[-2:]))
    lead = "No figure is far from its usual values. Those that changed most:"
    return Found((lead, *lines), claims, {"series": [one.name for one in moved]})


def _stands_out(view: View) -> str:
    points = view.series.points
    usual = median(one.value for one in points[:-1])
    text = f"{view.label}: {view.say(points[-1].value)} {view.at(points[-1].day)}"
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
