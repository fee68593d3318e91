"""The first page of a report: events, reasons, lessons, and open decisions.

    page = leading_page(report)
    page.happened[0]             # "Cash fell from $420,000 to $231,308 (−45%)."

Every sentence states figures of the report: of its series, its records of campaigns and prices, or its decisions.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mabos.society.simulation.figures import BY_SEGMENT, figure, is_beyond, reading
from mabos.society.simulation.kpis import Kpi
from mabos.society.simulation.report_input import CampaignResult, PriceChange, ReportedDecision, ReportInput
from mabos.society.simulation.timeline import KINDS, Kind, kind_of
from mabos.society.simulation.wording import customers, plainly

_MAIN: Final = ("cash", "mrr", "revenue", "subscribers", "orders", "utilisation")
_COMPARED: Final = ("cash", "mrr", "revenue", "subscribers", "churn_rate", "runway_months")
_OF_CUSTOMERS: Final = ("conversion_rate", "churn_rate", "nps", "quality")
_COSTS: Final = ("payroll", "ad_spend", "contractor_spend")
_SHORT: Final = 6.0
"""Months of runway below which the owner is asked what to do."""
_LEADS: Final = re.compile(r"has run: (\d+) leads for")
_QUOTED: Final = re.compile(r"'[^']+'")
_GOAL: Final = "goal "
_VERDICTS: Final = (" contradicted: ", " missed: ")
_GROUPS, _OPEN, _SHOWN = 6, 6, 4


@dataclass(frozen=True, slots=True)
class DecisionGroup:
    """Decisions of one agent of one kind, for one goal and with one end; `first` is the number of the first of them."""

    kind: Kind
    agent: str
    goal: str
    decisions: tuple[ReportedDecision, ...]
    first: int

    @property
    def cost(self) -> float:
        """Their total cost."""
        return sum(one.cost for one in self.decisions)

    @property
    def is_done(self) -> bool:
        """Return whether they were done."""
        return self.decisions[0].is_done

    @property
    def weeks(self) -> str:
        """The weeks of the decisions: `week 3`, or `weeks 1 to 12`."""
        first, last = self.decisions[0].week, self.decisions[-1].week
        return f"week {first}" if first == last else f"weeks {first} to {last}"

    @property
    def subject(self) -> str:
        """Their subject: a single deed in its own words, many by their kind and number."""
        if len(self.decisions) == 1:
            return self.decisions[0].subject
        label = KINDS[self.kind] if self.is_done else f"{KINDS[self.kind]} wanted, and not done"
        return f"{label}: {len(self.decisions)}"

    @property
    def outcome(self) -> str:
        """The result of the decisions: the sum of leads, or the outcome of a single one; "" if unknown."""
        leads = [int(found[1]) for one in self.decisions if (found := _LEADS.search(one.outcome))]
        if leads and len(self.decisions) > 1:
            return f"{sum(leads):,} leads by the {len(leads)} that are over"
        return plainly(self.decisions[0].outcome) if len(self.decisions) == 1 else ""


@dataclass(frozen=True, slots=True)
class LeadingPage:
    """The first page of a report, in sentences; `groups` are its decisions, the dearest first."""

    happened: tuple[str, ...]
    why: tuple[str, ...]
    learned: tuple[tuple[str, tuple[str, ...]], ...]
    to_decide: tuple[str, ...]
    groups: tuple[DecisionGroup, ...]


def leading_page(report: ReportInput) -> LeadingPage:
    """Return the first page of a report."""
    groups = group_decisions(report.decisions)
    return LeadingPage(
        happened=tuple(_summarize_course(report)),
        why=tuple(_why(report, groups)),
        learned=(
            ("Channels", tuple(_of_channels(report.campaigns))),
            ("Prices", tuple(_of_prices(report))),
            ("Customers", tuple(_of_customers(report))),
            ("Expectations", tuple(_of_expectations(report))),
        ),
        to_decide=tuple(_to_decide(report, groups)) or ("Nothing waits for you, and no goal is behind.",),
        groups=groups,
    )


def group_decisions(decisions: Sequence[ReportedDecision]) -> tuple[DecisionGroup, ...]:
    """Return decisions by agent, kind, goal and whether they came to pass, the dearest group first."""
    found: dict[tuple[str, Kind, str, bool], list[int]] = {}
    for number, one in enumerate(decisions):
        found.setdefault((one.agent, kind_of(one.tool), _goal(one), one.is_done), []).append(number)
    groups = [
        DecisionGroup(kind, agent, goal, tuple(decisions[number] for number in numbers), numbers[0] + 1)
        for (agent, kind, goal, _), numbers in found.items()
    ]
    return tuple(sorted(groups, key=lambda one: (-one.cost, -len(one.decisions), one.first)))


def _goal(one: ReportedDecision) -> str:
    """Return the goal that a decision serves, without its target, which moves from week to week."""
    said = next((why.removeprefix(_GOAL) for why in one.why if why.startswith(_GOAL)), "")
    return said.partition(": ")[0]


def _summarize_course(report: ReportInput) -> Iterator[str]:
    moves = [_move(kpi) for name in _MAIN if (kpi := report.kpi(name)) is not None and kpi.end is not None]
    if moves:
        yield _join_clauses(moves)
    runway = report.kpi("runway_months")
    if runway is not None and runway.end is not None and not is_beyond("runway_months", runway.end):
        lasts = reading("runway_months", runway.end)
        yield f"At the present burn the cash lasts {lasts} months; at the start it was {_start(runway)}."
    if report.bankrupt:
        yield "The company went bankrupt."
    weeks: dict[str, list[int]] = {}
    for one in report.news:
        if one.is_event:
            weeks.setdefault(one.text.rstrip("."), []).append(one.week)
    if weeks:
        said = (
            f"{text} (week{'s' if len(when) > 1 else ''} {' and '.join(map(str, when))})"
            for text, when in weeks.items()
        )
        yield f"From outside: {'; '.join(said)}."


def _move(kpi: Kpi) -> str:
    kind, start, end = figure(kpi.name, kpi.unit), kpi.start or 0.0, kpi.end or 0.0
    if kind.delta(start, end) == "±0":
        return f"{kind.label} stayed at {reading(kpi.name, end)}"
    share = kind.share(start, end)
    verb = "rose" if end > start else "fell"
    is_known = not (is_beyond(kpi.name, start) or is_beyond(kpi.name, end))
    behind = f" ({share})" if share and is_known else ""
    return f"{kind.label} {verb} from {reading(kpi.name, start)} to {reading(kpi.name, end)}{behind}"


def _join_clauses(said: Sequence[str]) -> str:
    """Return parts of a sentence as one: each but the first begins small, unless it is an abbreviation."""
    rest = (one if one[1:2].isupper() else f"{one[:1].lower()}{one[1:]}" for one in said[1:])
    return f"{'; '.join((said[0], *rest))}."


def _start(kpi: Kpi) -> str:
    return reading(kpi.name, kpi.start or 0.0)


def _why(report: ReportInput, groups: Sequence[DecisionGroup]) -> Iterator[str]:
    """Yield the agents' effect on the same market, and the largest spending."""
    compared = [
        f"{figure(name).label} {reading(name, kpi.end)} instead of {reading(name, report.idle[name])}"
        for name in _COMPARED
        if name in report.idle and (kpi := report.kpi(name)) is not None and kpi.end is not None
    ]
    if compared:
        yield f"What the agents' work made of the same market: {_join_clauses(['', *compared])[2:]}"
    done = [one for one in groups if one.is_done]
    for group in done[:_GROUPS]:
        cost = f" for {figure('cash').written(group.cost)}" if group.cost else ""
        goal = f", to: {plainly(group.goal)}" if group.goal else ""
        came = f". {group.outcome.rstrip('.')}" if group.outcome else ""
        yield f"{plainly(group.subject)}{cost} ({group.agent}, {group.weeks}){goal}{came}."
    if not done:
        yield "Nobody did anything that moves the market."


def _of_channels(campaigns: Sequence[CampaignResult]) -> Iterator[str]:
    """Yield the cost of a lead on each channel, and where it was lowest and highest."""
    usd = figure("cash").written
    ran = [one for one in campaigns if one.spent_usd > 0]
    if not ran:
        yield "Nothing was learned of channels: no campaign has spent anything."
        return
    totals = {
        channel: (sum(one.spent_usd for one in ran if one.channel == channel), _leads(ran, channel))
        for channel in dict.fromkeys(one.channel for one in ran)
    }
    for channel, (spent, leads) in sorted(totals.items(), key=lambda one: one[1][0] / (one[1][1] or 0.5)):
        number = sum(one.channel == channel for one in ran)
        each = f"{usd(spent / leads)} a lead" if leads else "not one lead"
        yield f"{channel.capitalize()}: {each} ({number} campaigns, {usd(spent)}, {leads:,} leads)."
    places: dict[tuple[str, str], list[CampaignResult]] = {}
    for one in ran:
        places.setdefault((one.channel, one.segment), []).append(one)
    costs = {
        key: sum(one.spent_usd for one in ones) / leads
        for key, ones in places.items()
        if (leads := sum(one.leads for one in ones))
    }
    if len(costs) > 1:
        low, high = min(costs, key=lambda key: costs[key]), max(costs, key=lambda key: costs[key])
        yield (
            f"A lead cost least by {low[0]} for {customers(low[1])} ({usd(costs[low])})"
            f" and most by {high[0]} for {customers(high[1])} ({usd(costs[high])})."
        )


def _leads(campaigns: Iterable[CampaignResult], channel: str) -> int:
    return sum(one.leads for one in campaigns if one.channel == channel)


def _of_prices(report: ReportInput) -> Iterator[str]:
    """Yield each change of a price, and the later behaviour of the customers concerned."""
    if not report.prices:
        yield "Nothing was learned of prices: none was changed."
    for change in report.prices:
        yield f"{_describe_price_change(change)}{_since(report, change)}."


def _describe_price_change(change: PriceChange) -> str:
    words = f"The price for {customers(change.segment)}"
    if change.before is None:
        return f"{words} is ${change.after:,.0f} since week {change.week}"
    verb = "rose" if change.after > change.before else "fell"
    return f"{words} {verb} from ${change.before:,.0f} to ${change.after:,.0f} in week {change.week}"


def _since(report: ReportInput, change: PriceChange) -> str:
    kpi = report.kpi(f"{BY_SEGMENT}{change.segment}") or report.kpi("subscribers")
    if kpi is None or kpi.end is None or change.week >= len(kpi.values):
        return ""
    before = kpi.values[max(0, change.week - 1)]
    if before is None:
        return ""
    return f"; {figure(kpi.name).label.lower()} since then: {reading(kpi.name, before)} to {reading(kpi.name, kpi.end)}"


def _of_customers(report: ReportInput) -> Iterator[str]:
    segments = [kpi for kpi in report.kpis if kpi.name.startswith(BY_SEGMENT) and kpi.end is not None]
    moves = [_move(kpi) for kpi in sorted(segments, key=lambda kpi: -((kpi.end or 0.0) / (kpi.start or 1.0)))]
    moves += [_move(kpi) for name in _OF_CUSTOMERS if (kpi := report.kpi(name)) is not None and kpi.end is not None]
    yield _join_clauses(moves) if moves else "Nothing was learned of customers: nothing about them was measured."


def _of_expectations(report: ReportInput) -> Iterator[str]:
    """Yield results that differed from a plan's expectation, the most frequent plan first."""
    wrong = [one for one in report.learnings if any(verdict in one.insight for verdict in _VERDICTS)]
    last = {re.split(r" contradicted: | missed: ", one.insight)[0]: one for one in wrong}
    times = Counter(re.split(r" contradicted: | missed: ", one.insight)[0] for one in wrong)
    for plan, number in times.most_common(_SHOWN):
        often = f" ({number} times)" if number > 1 else ""
        yield f"{last[plan].agent}: {plainly(last[plan].insight)}{often}."
    if not wrong:
        yield "No plan came otherwise than it was expected."


def _title(one: ReportedDecision) -> str:
    """Return the subject of a question: the title in it, else all of it."""
    found = _QUOTED.search(one.subject)
    return found[0] if found else one.subject


def _short_of_cash(report: ReportInput) -> Iterator[str]:
    """Yield the weekly costs if the cash lasts less than half a year."""
    runway = report.kpi("runway_months")
    if runway is None or runway.end is None or runway.end >= _SHORT:
        return
    costs = [
        f"{figure(name).label.lower()} {reading(name, kpi.end)}"
        for name in _COSTS
        if (kpi := report.kpi(name)) is not None and kpi.end
    ]
    lasts = reading("runway_months", runway.end)
    yield f"The cash lasts {lasts} months. Which cost goes down, or what brings money: {', '.join(costs)}?"


def _to_decide(report: ReportInput, groups: Sequence[DecisionGroup]) -> Iterator[str]:
    """Yield the open questions, the refusals, and the goals that are behind."""
    usd = figure("cash").written
    for group in groups:
        waiting = [one for one in group.decisions if one.approval in ("pending", "deferred")]
        refused = [one for one in group.decisions if one.approval == "rejected"]
        for kind, ones in (("Waits for your answer", waiting), ("You rejected", refused)):
            if ones:
                what = _title(ones[0]) if len(ones) == 1 else f"{KINDS[group.kind]}: {len(ones)}"
                cost = sum(one.cost for one in ones)
                yield f"{kind}: {plainly(what)}{f', {usd(cost)}' if cost else ''} ({group.agent})."
    yield from _short_of_cash(report)
    last = {(one.agent, one.description): one for one in report.goals}
    behind = [one for one in last.values() if one.status in ("active", "blocked") and one.level != "operational"]
    for goal in sorted(behind, key=lambda one: (one.level != "strategic", one.progress))[:_OPEN]:
        state = "cannot go on" if goal.status == "blocked" else "is not there yet"
        yield f"{goal.agent}: {plainly(goal.description)!r} {state}, at {goal.progress:.0f} % of its target."
