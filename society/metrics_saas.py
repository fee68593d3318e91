"""Derived figures of a subscription business, by the standard formulas, each with its inputs.

    for row in derive_figures(metrics):
        row.name, row.value, row.formula, row.inputs, row.needs

Every figure rests on recorded points only. If a point is missing, the row names it and has no value. A month ends at
the newest point and starts at the last one at least four weeks before; flows, as new customers or spend, are summed
over it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

from mabos.society import metrics as formulas
from mabos.society.metrics import MetricPoint, Metrics, monthly
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.currencies import CODES, DOLLARS, home, money
from mabos.workspace.numbers import without_zeros

MONTH = timedelta(days=28)
"""The least between two points that are a month apart: every calendar month has it, and four weeks do."""

MONTH_MOST, YEAR_LEAST, YEAR_MOST = timedelta(days=45), timedelta(days=350), timedelta(days=400)
NEW, EXPANSION, CONTRACTION, CHURNED = MOVES = ("new_mrr", "expansion_mrr", "contraction_mrr", "churned_mrr")


class MissingInput(Exception):
    """An input of a figure that is not recorded."""


class Meaningless(Exception):
    """The reason why a figure has no value despite recorded inputs."""


class MetricInputs:
    """The recorded numbers for the formulas; `used` are those that were found, by name."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self.used: dict[str, float] = {}
        self.currencies: set[str] = set()

    def latest(self, name: str) -> float:
        """Return the newest value."""
        return self._note(name, self._point(name).value)

    def rate(self, name: str) -> float:
        """Return a share as a number from 0 to 1, even if it was recorded in percent."""
        point = self._point(name)
        is_percent = point.unit.startswith("%") or abs(point.value) > 1
        return self._note(name, point.value / 100 if is_percent else point.value)

    def before(self, name: str, least: timedelta = MONTH, most: timedelta = MONTH_MOST, ago: str = "a month") -> float:
        """Return the last value at least a month, or another period, older than the newest."""
        said = f"{name} {ago} before"
        at = parse_time(self._point(name, said).at)
        found = self._metrics.series(name, since=iso(at - most), until=iso(at - least))
        if not found:
            raise MissingInput(said)
        return self._note(said, found[-1].value)

    def flow(self, name: str) -> float:
        """Return the sum of a flow over its newest month."""
        return self._note(name, self._sum(name, self._point(name).at))

    def sum_moves(self, name: str) -> float:
        """Return the change of MRR in its newest month: 0 if changes are recorded, but none of this kind."""
        ends = [point.at for one in ("mrr", *MOVES) if (point := self._metrics.latest(one)) is not None]
        if not any(self._metrics.latest(one) for one in MOVES):
            raise MissingInput("one of " + ", ".join(MOVES))
        return self._note(name, self._sum(name, max(ends)))

    def a_month(self, name: str) -> float:
        """Return the newest amount of a period, converted to a month."""
        return self._note(f"{name} a month", monthly(self._point(name)))

    def either(self, *ways: Callable[["MetricInputs"], float]) -> float:
        """Return the value of the first formula whose inputs exist; raises `MissingInput` with the missing ones."""
        before, lacked = dict(self.used), list[str]()
        for way in ways:
            try:
                return way(self)
            except MissingInput as missing:
                lacked.append(str(missing))
                self.used = dict(before)
        raise MissingInput(" or ".join(dict.fromkeys(lacked)))

    def every(self, *ways: Callable[["MetricInputs"], float]) -> tuple[float, ...]:
        """Return the values of all formulas; raises `MissingInput` with all missing inputs."""
        found, lacked = list[float](), list[str]()
        for way in ways:
            try:
                found.append(way(self))
            except MissingInput as missing:
                lacked.append(str(missing))
        if lacked:
            raise MissingInput(" and ".join(dict.fromkeys(lacked)))
        return tuple(found)

    def _point(self, name: str, said: str = "") -> MetricPoint:
        point = self._metrics.latest(name)
        if point is None:
            raise MissingInput(said or name)
        self.currencies |= {point.unit[:3]} & set(CODES)
        return point

    def _sum(self, name: str, until: str) -> float:
        begins = iso(parse_time(until) - MONTH)
        return sum(point.value for point in self._metrics.series(name) if begins < point.at <= until)

    def _note(self, name: str, value: float) -> float:
        self.used[name] = round(value, 4)
        return value


RECORDED = {"logo_churn": "churn_rate"}
"""Other names under which a figure may be recorded."""


@dataclass(frozen=True, slots=True)
class DerivedFigure:
    """A figure: its value, or its missing inputs; `inputs` are the numbers it was computed from.

    `is_recorded` means that it was measured, not computed.
    """

    name: str
    label: str
    unit: str
    formula: str
    value: float | None = None
    inputs: Mapping[str, float] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    note: str = ""
    is_recorded: bool = False

    @property
    def how(self) -> str:
        """The source of the value, or why it is missing."""
        if self.value is None:
            return self.note or f"needs {', '.join(self.needs)}"
        return "as recorded" if self.is_recorded else self.formula

    @property
    def text(self) -> str:
        """The figure as people read it."""
        told = f"{self.written} ({self.how})" if self.value is not None else f"cannot be computed: {self.how}"
        return f"{self.label}: {told}"

    @property
    def written(self) -> str:
        """The value with its unit; empty without a value."""
        if self.value is None:
            return ""
        if self.unit in CODES:
            return f"{'−' if self.value < 0 else ''}{money(abs(self.value), self.unit, places=0)}"
        number = without_zeros(f"{self.value:,.2f}")
        return number + {"%": "%", "months": " months"}.get(self.unit, "")


Input = Callable[[MetricInputs], float]


@dataclass(frozen=True, slots=True)
class FigureFormula:
    """A figure of the table: its formula in words, its inputs, and the formula itself."""

    name: str
    label: str
    unit: str
    formula: str
    inputs: tuple[Input, ...]
    work: Callable[..., float]


def derive_figures(metrics: Metrics) -> tuple[DerivedFigure, ...]:
    """Return every figure of the table, in its order: computed, or with its missing inputs."""
    return tuple(_row(metrics, line) for line in TABLE)


def _row(metrics: Metrics, line: FigureFormula) -> DerivedFigure:
    figures, values, needs = MetricInputs(metrics), list[float](), list[str]()
    told = DerivedFigure(line.name, line.label, line.unit, line.formula)
    try:
        for take in line.inputs:
            try:
                values.append(take(figures))
            except MissingInput as missing:
                needs.append(str(missing))
        told = replace(told, inputs=figures.used)
        if needs:
            return replace(told, needs=tuple(dict.fromkeys(needs)))
        value = line.work(*values)
    except Meaningless as none:
        return replace(told, inputs=figures.used, note=str(none))
    if not math.isfinite(value):
        return replace(told, note="the numbers are too large")
    if len(figures.currencies) > 1:
        return replace(told, note=f"its numbers are in {' and '.join(sorted(figures.currencies))}")
    if line.unit == DOLLARS:
        told = replace(told, unit=next(iter(figures.currencies), home()))
    is_recorded = set(figures.used) <= {RECORDED.get(line.name, line.name)}
    return replace(told, value=round(value, 2), is_recorded=is_recorded)


def _mrr(figures: MetricInputs) -> float:
    return figures.either(lambda one: one.latest("mrr"), _compute_mrr)


def _compute_mrr(figures: MetricInputs) -> float:
    count, price = figures.every(lambda one: one.latest("subscribers"), lambda one: one.latest("price"))
    return formulas.mrr([(count, price)])


def _net_new(figures: MetricInputs) -> float:
    return figures.either(
        lambda one: one.latest("mrr") - one.before("mrr"),
        lambda one: one.sum_moves(NEW) + one.sum_moves(EXPANSION) - one.sum_moves(CONTRACTION) - one.sum_moves(CHURNED),
    )


def _logo_churn(figures: MetricInputs) -> float:
    """Return customer churn of a month in percent: counted, else as recorded."""
    return figures.either(
        lambda one: formulas.churn_rate(one.flow("churned_subscribers"), one.before("subscribers")),
        lambda one: 100 * one.rate("churn_rate"),
    )


def _arpa(figures: MetricInputs) -> float:
    return figures.either(
        lambda one: _share(_mrr(one), one.latest("subscribers"), "there are no subscribers"),
        lambda one: one.latest("price"),
    )


def _cac(figures: MetricInputs) -> float:
    return figures.either(lambda one: one.latest("cac"), _spent_a_customer)


def _spent_a_customer(figures: MetricInputs) -> float:
    spent, won = figures.every(_sales_spend, lambda one: one.flow("new_subscribers"))
    return _share(spent, won, "nobody new came")


def _sales_spend(figures: MetricInputs) -> float:
    return figures.either(lambda one: one.flow("sales_marketing_spend"), lambda one: one.flow("ad_spend"))


def _ltv(figures: MetricInputs) -> float:
    return figures.either(lambda one: one.latest("ltv"), _worth_of_a_customer)


def _worth_of_a_customer(figures: MetricInputs) -> float:
    earned, margin, churn = figures.every(_arpa, lambda one: one.rate("gross_margin"), _logo_churn)
    return _share(earned * margin, churn / 100, "nobody leaves")


def _margin(figures: MetricInputs) -> float:
    """Return the profit margin in percent: burn counts as a loss, of revenue or, without it, of MRR."""
    revenue = figures.either(lambda one: one.a_month("revenue"), _mrr)
    return _share(-100 * figures.a_month("burn"), revenue, "there is no revenue")


def _growth(figures: MetricInputs) -> float:
    before = figures.before("mrr", YEAR_LEAST, YEAR_MOST, "a year")
    return _share(100 * (figures.latest("mrr") - before), before, "there was no MRR a year before")


def _of_start(change: Callable[[MetricInputs], float]) -> Input:
    """Return the share of the MRR a month before that a change makes, in percent."""
    return lambda one: _share(100 * change(one), one.before("mrr"), "there was no MRR a month before")


def _share(part: float, whole: float, otherwise: str) -> float:
    if whole <= 0:
        raise Meaningless(otherwise)
    return part / whole


def _compute_retained_mrr(figures: MetricInputs) -> float:
    return figures.before("mrr") - figures.sum_moves(CONTRACTION) - figures.sum_moves(CHURNED)


def _burn_multiple(burnt: float, net_new: float) -> float:
    if burnt <= 0:
        raise Meaningless("burn is zero")
    return _share(burnt, formulas.arr(net_new), "no recurring revenue was added")


def _same(value: float) -> float:
    return value


TABLE: tuple[FigureFormula, ...] = (
    FigureFormula("mrr", "MRR", "USD", "subscribers x price", (_mrr,), _same),
    FigureFormula("arr", "ARR", "USD", "12 x MRR", (_mrr,), formulas.arr),
    FigureFormula("net_new_mrr", "Net new MRR", "USD", "MRR - MRR a month before", (_net_new,), _same),
    FigureFormula(
        "logo_churn", "Customer churn a month", "%", "customers lost / customers before", (_logo_churn,), _same,
    ),
    FigureFormula(
        "revenue_churn", "Revenue churn a month", "%", "(churned MRR + contraction MRR) / MRR a month before",
        (_of_start(lambda one: one.sum_moves(CHURNED) + one.sum_moves(CONTRACTION)),), _same,
    ),
    FigureFormula(
        "nrr", "Net revenue retention", "%", "(MRR a month before + expansion - contraction - churned) / it",
        (_of_start(lambda one: _compute_retained_mrr(one) + one.sum_moves(EXPANSION)),), _same,
    ),
    FigureFormula(
        "grr", "Gross revenue retention", "%", "(MRR a month before - contraction - churned) / it",
        (_of_start(_compute_retained_mrr),), _same,
    ),
    FigureFormula("arpa", "Revenue per account", "USD", "MRR / subscribers", (_arpa,), _same),
    FigureFormula(
        "cac", "Cost of a customer (CAC)", "USD", "sales and marketing spend / new customers", (_cac,), _same,
    ),
    FigureFormula(
        "ltv", "Lifetime value (LTV)", "USD", "revenue per account x gross margin / customer churn", (_ltv,), _same,
    ),
    FigureFormula(
        "ltv_to_cac", "LTV to CAC", "x", "LTV / CAC", (_ltv, _cac), lambda ltv, cac: _share(ltv, cac, "CAC is 0"),
    ),
    FigureFormula(
        "cac_payback_months", "CAC payback", "months", "CAC / (revenue per account x gross margin)",
        (_cac, _arpa, lambda one: one.rate("gross_margin")),
        lambda cac, arpa, margin: _share(cac, arpa * margin, "an account earns nothing"),
    ),
    FigureFormula(
        "burn_multiple", "Burn multiple", "x", "burn a month / (12 x net new MRR)",
        (lambda one: one.a_month("burn"), _net_new), _burn_multiple,
    ),
    FigureFormula(
        "runway_months", "Runway", "months", f"cash / burn a month, at most {formulas.LONGEST_RUNWAY_MONTHS:.0f}",
        (lambda one: one.latest("cash"), lambda one: one.a_month("burn")), formulas.runway_months,
    ),
    FigureFormula(
        "rule_of_40", "Rule of 40", "%", "growth of MRR in a year + profit margin (- burn / revenue)",
        (_growth, _margin), lambda growth, margin: growth + margin,
    ),
)  # fmt: skip
