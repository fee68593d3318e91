"""Scheduled duties: a reminder on its day, and a report of figures in its rhythm, each read when it is due."""

from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from mabos.language.nth_weekdays import nth_weekday
from mabos.language.request import Claim, Request, Slot
from mabos.society.metrics import MetricPoint
from mabos.society.quantities import metric_named
from mabos.tools.business.figure_watch import series_words
from mabos.tools.requests.outcome import day
from mabos.tools.requests.response import Ask, Response, Say
from mabos.tools.requests.wording import join_words
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.copies import replace
from mabos.workspace.currencies import CURRENCIES, money
from mabos.workspace.dates import WEEKDAYS
from mabos.workspace.text import terms

_HOW_TO_NAME = "Drop a table with a column of that name into the inbox, or tell me which figures you mean."
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def remind(agent: Agent, request: Request) -> Response:
    """Record a reminder, or send it: on the day, or at the first cycle after it, and never before."""
    about = str(request.data.get("about") or request.slot("text", request.sentence)).rstrip(".")
    on = str(request.slot("date", "") or request.data.get("date", ""))
    if not on and (rhythm := request.slot("rhythm")):
        return _remind_again(agent, request, rhythm, about)
    if not on:
        return Ask("On which day shall I remind you?", ("date",))
    if not about:
        return Ask("What shall I remind you of?", ("text",))
    due = iso(parse_time(on))
    if request.status == "standing" and due <= agent.now():
        return Say(f"A reminder for {day(on)}: {about}.", (Claim(request.id, "date", on, agent.now()),), "done")
    if due < iso(_midnight(agent.clock())):
        return Ask(f"{day(on)} is over. On which day shall I remind you?", ("date",))
    claims = (Claim(request.id, "date", on, agent.now()),)
    return Say(f"I will remind you on {day(on)}: {about}.", claims, "standing", {"wanted_by": due})


def _remind_again(agent: Agent, request: Request, rhythm: Mapping[str, Any], about: str) -> Response:
    """Take on a reminder that comes back in its rhythm, or remind; one of a figure is a report of it."""
    if request.slot("figures") or not about or figure(agent, about):
        figures = [Slot("figures", [about], about)] if not request.slot("figures") else []
        return report_regularly(agent, replace(request, slots=(*request.slots, *figures)))
    following = iso(next_time(rhythm, agent.clock()))
    claims = (Claim(request.id, "rhythm", dict(rhythm), agent.now()),)
    if request.status == "standing" and "" < request.wanted_by <= agent.now():
        told = f"A reminder for {day(agent.now())}: {about}. The next one comes on {day(following)}."
        return Say(told, claims, "standing", {"wanted_by": following})
    told = f"I will remind you {describe_rhythm(rhythm)}: {about}. The first time is {day(following)}."
    return Say(told, claims, "standing", {"wanted_by": following})


def report_regularly(agent: Agent, request: Request, answer: Callable[[str], Say | None] = lambda _: None) -> Response:
    """Record a regular report, or make it, from the figures on record on the day.

    `answer` answers what is no figure from the records.
    """
    rhythm, figures = request.slot("rhythm", {}), tuple(request.slot("figures", ()))
    if not rhythm:
        return Ask("How often, and on which day, do you want this report?", ("rhythm",))
    if not figures:
        return Ask("Which figures do you want in this report?", ("figures",))
    left_out = tuple(map(str, request.slot("left_out", ())))
    following = iso(_next_wanted(rhythm, _begin(agent, request), left_out))
    if request.status != "standing" or not request.wanted_by or request.wanted_by > agent.now():
        told = f"I will report {join_words(figures)} {describe_rhythm(rhythm)}, the next time on {day(following)}."
        if coming := [one for one in left_out if one >= agent.now()[:10]]:
            told += f" Left out: {join_words([day(one) for one in coming])}."
        told = " ".join(filter(None, (told, *_terms(request))))
        return Say(
            told, (Claim(request.id, "rhythm", dict(rhythm), agent.now()),), "standing", {"wanted_by": following}
        )
    lines, claims, shown = _report_lines(agent, request, figures, answer)
    made = int(request.data.get("made", 0)) + 1
    is_last = made == request.slot("times", 0) or (bool(until := request.slot("until", "")) and following[:10] > until)
    last = " This was the last one, as you wanted." if is_last else ""
    told = f"Your report for {day(agent.now())}. {' '.join(lines)}{last}"
    data = {"wanted_by": following, "made": made, "shown": shown}
    return Say(told, tuple(claims), "done" if is_last else "standing", data)


def _begin(agent: Agent, request: Request) -> datetime:
    """Return the moment after which a report is due: now, or the eve of the day from which it is wanted."""
    begin = str(request.slot("from", ""))
    return max(agent.clock(), parse_time(begin[:10]) - timedelta(days=1)) if begin else agent.clock()


def _terms(request: Request) -> Iterator[str]:
    """Yield in words the end of a report, and its text when there is nothing new."""
    times, until = int(request.slot("times", 0) or 0), str(request.slot("until", ""))
    if times:
        yield f"It ends after {times} {'report' if times == 1 else 'reports'}."
    if until:
        yield f"It ends after {day(until)}."
    if request.slot("open_end"):
        yield "It goes on until you end it."
    if request.slot("fallback"):
        yield "Where there is no new figure, I say so."


def _report_lines(
    agent: Agent, request: Request, figures: Sequence[str], answer: Callable[[str], Say | None]
) -> tuple[list[str], list[Claim], dict[str, str]]:
    """Return the sentences of a report, their claims, and the day of each figure; a repeated figure is not new.

    That there is no record is said once.
    """
    lines, claims, stale = list[str](), list[Claim](), dict[str, list[str]]()
    before, shown = request.data.get("shown", {}), dict[str, str]()
    for words in figures:
        found = figure(agent, words)
        if found is None:
            shown[words], name = agent.now(), f"{words[:1].upper()}{words[1:]}"
            if told := answer(f"{words}?"):
                lines.append(f"{name}: {told.text}")
                claims += told.claims
            elif words not in before:
                lines.append(f"{name}: I have no figure. {_HOW_TO_NAME}")
            continue
        shown[found.name] = found.at
        if before.get(found.name, "") >= found.at:
            stale.setdefault(day(found.at), []).append(_label(words, found.name))
            continue
        lines.append(f"{_label(words, found.name)}: {format_value(found)} ({day(found.at)}{_source(found)}).")
        claims.append(Claim(f"metrics/{found.name}", "value", found.value, found.at))
    lines += [f"There is no new figure for {join_words(names).lower()} since {at}." for at, names in stale.items()]
    return lines or ["There is nothing new."], claims, shown


def _next_wanted(rhythm: Mapping[str, Any], now: datetime, left_out: Sequence[str]) -> datetime:
    """Return the first moment after today at which a report is due, without the days that are left out."""
    following = next_time(rhythm, now)
    while iso(following)[:10] in left_out:
        following = next_time(rhythm, following)
    return following


def next_time(rhythm: Mapping[str, Any], now: datetime) -> datetime:
    """Return the first moment after today at which a rhythm is due, at the start of that day."""
    today, every = _midnight(now), str(rhythm.get("every", "week"))
    if every == "day":
        return today + timedelta(days=1)
    if every == "week":
        weekday = str(rhythm.get("weekday", "Monday")).capitalize()
        wanted = WEEKDAYS.index(weekday) if weekday in WEEKDAYS else 0
        interval = max(1, int(rhythm.get("interval", 1) or 1))
        return today + timedelta(days=((wanted - today.weekday() - 1) % 7 + 1) + 7 * (interval - 1))
    months, number = _MONTHS.get(every, 1), int(rhythm.get("day", 1) or 1)
    candidate, later = _on_day(today, number), _on_day(_later(today, months), number)
    if which := int(rhythm.get("which", 0) or 0):
        at = WEEKDAYS.index(str(rhythm["weekday"]))
        days = [nth_weekday(one.date().replace(day=1), at, which) for one in (candidate, later)]
        candidate, later = (one.replace(day=day.day) for one, day in zip((candidate, later), days, strict=True))
    return candidate if candidate > today and months == 1 else later


def describe_rhythm(rhythm: Mapping[str, Any]) -> str:
    """Return a rhythm in words: `every Monday`, `on day 1 of every month`."""
    every = str(rhythm.get("every", "week"))
    if every == "week" and rhythm.get("weekday"):
        return f"every {str(rhythm['weekday']).capitalize()}"
    if every in ("month", "quarter", "year"):
        number = int(rhythm.get("day", 1) or 1)
        if which := int(rhythm.get("which", 0) or 0):
            named = {1: "first", 2: "second", 3: "third", 4: "fourth", -1: "last"}.get(which, f"{which}th")
            return f"on the {named} {rhythm['weekday']} of every {every}"
        return f"on {'the last day' if number < 0 else f'day {number}'} of every {every}"
    return f"every {every}"


_UNITS = frozenset(terms("kg g t litres liters l ml km m kwh mwh usd eur gbp dollars euros pounds pcs pieces hours"))
"""Ends of the names of series that a person leaves out: "the feed used" is `feed_kg`."""


def figure(agent: Agent, words: str) -> MetricPoint | None:
    """Return the latest point of the series that these words name, or None if they name none or several."""
    if not agent.business_id:
        return None
    metrics, wanted = agent.business.metrics, set(terms(words))
    named = [(name, set(terms(name.replace("_", " ")))) for name in metrics.names()]
    exact = [name for name, known in named if known == wanted]
    close = [name for name, known in named if wanted and ((known - _UNITS or known) <= wanted or wanted <= known)]
    known_as = metric_named(words)
    spelled = [name for name in metrics.names() if known_as is not None and name == known_as.name]
    named_so = series_words(agent).get(words.strip().casefold())
    chosen = exact or spelled or ([named_so] if named_so else close)
    return metrics.latest(chosen[0]) if len(chosen) == 1 else None


def format_value(point: MetricPoint) -> str:
    """Return a value with its unit, as people write it."""
    unit, text = point.unit.casefold(), f"{point.value:,.2f}".rstrip("0").rstrip(".")
    if code := next((CURRENCIES[sign] for sign in (unit[:3], unit[:1]) if sign in CURRENCIES), ""):
        return money(point.value, code)
    if point.name.endswith("usd"):
        return money(point.value)
    return f"{text} %" if unit in ("%", "percent") else f"{text} {point.unit}".strip()


def _label(words: str, name: str) -> str:
    """Return a figure by its name on record, or by the words it was asked for where these are other ones."""
    own = name.replace("_", " ")
    label = own if set(terms(own)) & set(terms(words)) else words
    return label[:1].upper() + label[1:]


def _source(point: MetricPoint) -> str:
    return f", {PurePosixPath(point.source).name.partition(':')[0]}" if point.source else ""


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _later(at: datetime, months: int) -> datetime:
    years, month = divmod(at.month - 1 + months, 12)
    return at.replace(year=at.year + years, month=month + 1, day=1)


def _on_day(at: datetime, number: int) -> datetime:
    return at.replace(day=min(number if number > 0 else 31, monthrange(at.year, at.month)[1]))
