"""The first page of a report: events, reasons, lessons, and open decisions.

    page = leading_page(report)
    page.happened[0]             # "Cash fell from $420,000 to $231,308 (−45%)."

Every sentence states figures of the report: of its series, its records of campaigns and prices, or its decisions.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mabos.society.simulation.figures import BY_SEGMENT, figure, is_beyond, reading
from mabos.society.simulation.kpis import Kpi
from mabos.society.simulation.report_input import CampaignResult, PriceChange, ReportedDecision, ReportInput
from mabos.society.simulation.timeline import KINDS, Kind, kind_of
from mabos.society.simulation.wording import ASKED, AWARD, BELIEF, NOT_DONE, customers, plainly
from mabos.workspace.currencies import money

_MAIN: Final = ("cash", "mrr", "revenue", "subscribers", "orders", "utilisation")
_COMPARED: Final = ("cash", "mrr", "revenue", "subscribers", "churn_rate", "runway_months")
_OF_CUSTOMERS: Final = ("conversion_rate", "churn_rate", "nps", "quality")
_GROWTH: Final = ("ad_spend", "contractor_spend")
_COSTS: Final = ("payroll", *_GROWTH)
_SHORT: Final = 6.0
"""Months of runway below which the owner is asked what to do."""
_LEADS: Final = re.compile(r"has run: (\d+) leads for")
_QUOTED: Final = re.compile(r"'[^']+'")
_DATED: Final = re.compile(r",? \d{4}-\d\d-\d\d'$")
_GOAL: Final = "goal "
_MISSED: Final = re.compile(r"^(?P<plan>.+?) (?:contradicted|missed): (?P<told>.+)$", re.DOTALL)
_SEGMENT: Final = re.compile(r"\b(smb|mid|ent|all) customers\b")
_LISTED: Final = re.compile(r"; the list says [^,;]*[\d,.]*\d")
_LARGE: Final = re.compile(r"(?<![\d.,-])\d{4,}(?![\d.-])")
_REASONED: Final = re.compile(r" \([^()]*, week \d+\)$")
_AMOUNT: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_WEEKS_A_MONTH: Final = 52 / 12
_GROUPS, _OPEN, _SHOWN = 6, 4, 4


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
        undone = ", open or refused" if self.kind == "question" else " wanted, and not done"
        label = f"{KINDS[self.kind]}{'' if self.is_done else undone}"
        titles = {_DATED.sub("'", found[0]) for one in self.decisions if (found := _QUOTED.search(one.subject))}
        return f"{label}: {len(self.decisions)}" + (f", {titles.pop()}" if len(titles) == 1 else "")

    @property
    def outcome(self) -> str:
        """The result of the decisions: the sum of leads, or the outcome of a single one; "" if unknown."""
        leads = [int(found[1]) for one in self.decisions if (found := _LEADS.search(one.outcome))]
        if leads and len(self.decisions) > 1:
            return f"{sum(leads):,} leads by the {len(leads)} that are over"
        return plainly(self.decisions[0].outcome) if len(self.decisions) == 1 else ""


@dataclass(frozen=True, slots=True)
class LeadingPage:
    """The first page of a report, in sentences; `groups` are its decisions, most expensive first."""

    happened: tuple[str, ...]
    why: tuple[str, ...]
    learned: tuple[tuple[str, tuple[str, ...]], ...]
    to_decide: tuple[str, ...]
    groups: tuple[DecisionGroup, ...]


def leading_page(report: ReportInput) -> LeadingPage:
    """Return the first page of a report."""
    groups = group_decisions(report.decisions)
    return LeadingPage(
        happened=tuple(_summarize_course(report, groups)),
        why=tuple(_why(report, groups)),
        learned=(
            ("Channels", tuple(_of_channels(report.campaigns))),
            ("Prices", tuple(_of_prices(report))),
            ("Customers", tuple(_of_customers(report))),
            ("Work", tuple(_of_effects(report, "product"))),
            ("Expectations", tuple(_of_expectations(report))),
        ),
        to_decide=tuple(_to_decide(report, groups)) or ("Nothing waits for you, and no goal is behind.",),
        groups=groups,
    )


def group_decisions(decisions: Sequence[ReportedDecision]) -> tuple[DecisionGroup, ...]:
    """Return decisions by agent, kind, goal and whether they were carried out, the most expensive group first."""
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


def _summarize_course(report: ReportInput, groups: Sequence[DecisionGroup]) -> Iterator[str]:
    moves = [_move(kpi) for name in _MAIN if (kpi := report.kpi(name)) is not None and kpi.end is not None]
    if moves:
        yield _join_clauses(moves)
    runway = report.kpi("runway_months")
    if runway is not None and runway.end is not None and not is_beyond("runway_months", runway.end):
        lasts = reading("runway_months", runway.end)
        yield f"At the present burn the cash lasts {lasts} months; at the start it was {_start(runway)}."
        yield from _judge_growth(report, runway, sum(one.cost for one in groups if one.is_done))
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


def _judge_growth(report: ReportInput, runway: Kpi, spent: float) -> Iterator[str]:
    """Yield whether what was spent has shortened or lengthened the time that the cash lasts."""
    idle, end = report.idle.get("runway_months"), runway.end or 0.0
    if spent and idle is not None and figure(runway.name).delta(idle, end) != "±0":
        verdict = "shortened" if end < idle else "lengthened"
        without = f"had nobody done anything, it would last {reading(runway.name, idle)}"
        yield (
            f"The agents committed {figure('cash').written(spent)}, which has {verdict} the runway so far: the cash"
            f" lasts {reading(runway.name, end)} months; {without}."
        )


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
        goal = f", to: {plainly(group.goal)}" if group.goal else _basis(group)
        came = f". {group.outcome.rstrip('.')}" if group.outcome else ""
        yield f"{plainly(group.subject)}{cost} ({group.agent}, {group.weeks}){goal}{came}."
    if not done:
        yield "Nobody did anything that moves the market."


def _basis(group: DecisionGroup) -> str:
    """Return what decisions without a goal rest on: the lowest and the highest belief, and finance's last answer."""
    found = [[_REASONED.sub("", why) for why in one.why] for one in group.decisions]
    beliefs = [why.removeprefix(BELIEF) for whys in found for why in whys if why.startswith(BELIEF)]
    ranked = sorted(beliefs, key=_first_amount)
    ends = {_first_amount(one): _describe_effect(one) for one in (*ranked[:1], *ranked[-1:])}
    awards = [why.removeprefix(AWARD).rstrip(".") for whys in found for why in whys if why.startswith(AWARD)]
    said = (
        [f"the {'lowest and the highest ' if len(ends) > 1 else ''}belief: {'; '.join(ends.values())}"] if ends else []
    )
    return "".join(f". By {one}" for one in said) + "".join(f". From finance: {one}" for one in awards[-1:])


def _first_amount(said: str) -> float:
    found = _AMOUNT.search(said)
    return float(found[0].replace(",", "")) if found else 0.0


def _describe_effect(said: str) -> str:
    """Return a belief about a lever in words for the owner."""
    return _SEGMENT.sub(lambda found: customers(found[1]), _LISTED.sub("", said)).rstrip(".")


def _of_channels(campaigns: Sequence[CampaignResult]) -> Iterator[str]:
    """Yield the cost of a lead on each channel, and where it was lowest and highest."""
    usd = figure("cash").written
    ran = [one for one in campaigns if one.spent_usd > 0]
    if not ran:
        yield "Nothing was learned of channels: no campaign has spent anything."
        return
    spent, leads = defaultdict[tuple[str, ...], float](float), Counter[tuple[str, ...]]()
    for one in ran:
        for key in ((one.channel,), (one.channel, one.segment)):
            spent[key] += one.spent_usd
            leads[key] += one.leads
    for key in sorted((key for key in spent if len(key) == 1), key=lambda key: spent[key] / (leads[key] or 0.5)):
        number = sum(one.channel == key[0] for one in ran)
        each = f"{usd(spent[key] / leads[key])} a lead" if leads[key] else "not one lead"
        yield f"{key[0].capitalize()}: {each} ({number} campaigns, {usd(spent[key])}, {leads[key]:,} leads)."
    costs = {key: spent[key] / leads[key] for key in spent if len(key) > 1 and leads[key]}
    if len(costs) > 1:
        low, high = min(costs, key=lambda key: costs[key]), max(costs, key=lambda key: costs[key])
        yield (
            f"A lead cost least by {low[0]} for {customers(low[1])} ({usd(costs[low])})"
            f" and most by {high[0]} for {customers(high[1])} ({usd(costs[high])})."
        )


def _of_prices(report: ReportInput) -> Iterator[str]:
    """Yield the course of each price with that of the customers concerned, and what customers are believed to pay."""
    if not report.prices:
        yield "Nothing was learned of prices: none was changed."
    for segment in dict.fromkeys(one.segment for one in report.prices):
        changes = [one for one in report.prices if one.segment == segment]
        first = changes[0].before
        steps = [f"{money(one.after, places=0)} from week {one.week}" for one in changes]
        course = ", ".join(([f"{money(first, places=0)}"] if first is not None else []) + steps)
        yield f"The price for {customers(segment)} was {course}{_since(report, changes[0])}."
    yield from _of_effects(report, "price_")


def _of_effects(report: ReportInput, lever: str) -> Iterator[str]:
    """Yield what the agents have come to believe of their levers."""
    for name, said in report.effects:
        if name.startswith(lever):
            yield f"{_describe_effect(said)}."


def _since(report: ReportInput, change: PriceChange) -> str:
    kpi = report.kpi(f"{BY_SEGMENT}{change.segment}") or report.kpi("subscribers")
    if kpi is None or kpi.end is None or change.week >= len(kpi.values):
        return ""
    before = kpi.values[max(0, change.week - 1)]
    if before is None:
        return ""
    label = figure(kpi.name).label.lower()
    return f"; {label} since week {change.week}: {reading(kpi.name, before)} to {reading(kpi.name, kpi.end)}"


def _of_customers(report: ReportInput) -> Iterator[str]:
    segments = [kpi for kpi in report.kpis if kpi.name.startswith(BY_SEGMENT) and kpi.end is not None]
    moves = [_move(kpi) for kpi in sorted(segments, key=lambda kpi: -((kpi.end or 0.0) / (kpi.start or 1.0)))]
    others = [_move(kpi) for name in _OF_CUSTOMERS if (kpi := report.kpi(name)) is not None and kpi.end is not None]
    if not moves and not others:
        yield "Nothing was learned of customers: nothing about them was measured."
    yield from (_join_clauses(one) for one in (moves, others) if one)


def _of_expectations(report: ReportInput) -> Iterator[str]:
    """Yield results that differed from a plan's expectation, the most frequent plan first."""
    wrong = [(found, one) for one in report.learnings if (found := _MISSED.match(one.insight))]
    last = {found["plan"]: (found["told"], one.agent) for found, one in wrong}
    for plan, number in Counter(found["plan"] for found, _ in wrong).most_common(_SHOWN):
        told, agent = last[plan]
        told = _LARGE.sub(lambda found: f"{int(found[0]):,}", plainly(told))
        yield f"{plan!r} ({agent}) {told}{f' ({number} times)' if number > 1 else ''}."
    if not wrong:
        yield "No plan came otherwise than it was expected."


def _title(one: ReportedDecision) -> str:
    """Return the subject of a question: the title in it, else all of it."""
    found = _QUOTED.search(one.subject)
    return found[0] if found else one.subject.removeprefix(NOT_DONE).removeprefix(ASKED)


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
    yield (
        f"The cash lasts {lasts} months. Which cost goes down, or what brings money: {', '.join(costs)}?"
        f"{_without_growth(report)}"
    )


def _without_growth(report: ReportInput) -> str:
    """Return how long the cash would last at the present sales without the weekly cost of growth, or ""."""
    last = {name: kpi.end for name in ("cash", "burn", *_GROWTH) if (kpi := report.kpi(name)) and kpi.end is not None}
    growth = sum(last.get(name, 0.0) for name in _GROWTH)
    if growth <= 0 or "cash" not in last or "burn" not in last:
        return ""
    burn = last["burn"] - growth
    if burn <= 0:
        return " Without advertising and contractors it would not shrink, for as long as the customers stay."
    months = reading("runway_months", last["cash"] / burn / _WEEKS_A_MONTH)
    return f" Without advertising and contractors it would last {months}, for as long as the customers stay."


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
    behind.sort(key=lambda one: (one.level != "strategic", one.progress))
    for status, lead in (("blocked", "No plan is left for"), ("active", "Under way, and not there yet")):
        told = [
            f"{plainly(one.description)!r} ({one.agent}, {one.progress:.0f} %)"
            for one in behind
            if one.status == status
        ]
        if told:
            more = f" and {len(told) - _OPEN} more" if len(told) > _OPEN else ""
            ask = ". Lower the target, or give what is missing?" if status == "blocked" else "."
            yield f"{lead}: {', '.join(told[:_OPEN])}{more}{ask}"
