"""The name and the format of each number for people, and whether more of it is better."""

import re
from dataclasses import dataclass, replace
from math import inf

from mabos.configs.yaml_file import packaged_yaml
from mabos.society.metrics import LONGEST_RUNWAY_MONTHS
from mabos.society.simulation.wording import customers
from mabos.workspace.currencies import sign_of


@dataclass(frozen=True, slots=True)
class FigureFormat:
    """The format of a metric: `form` is a format with one value, `better` is 1 (more), -1 (less) or 0 (neither).

    With `has_shares` a change is also shown as a share of the start: a quarter more cash, but never a quarter more
    rate.
    """

    label: str
    form: str = "{:,.0f}"
    better: int = 0
    has_shares: bool = True

    def written(self, value: float) -> str:
        """Return the value in full, with its sign before the currency."""
        text = self._plainly(abs(value))
        return f"−{text}" if value < 0 and any(digit in text for digit in "123456789") else text

    def delta(self, start: float, end: float) -> str:
        """Return the change between both values as printed, with its sign; a rate changes by points."""
        change = self._round_value(end) - self._round_value(start)
        text = self._plainly(abs(change)).replace("%", " points")
        if not any(digit in text for digit in "123456789"):
            return "±0"
        return ("+" if change > 0 else "−") + text

    def _plainly(self, size: float) -> str:
        """Return a number in this form; the plain form has decimals only where they say something.

        >>> FigureFormat("Waste", "{:,.2f}%").written(8.4), FigureFormat("Till", "${:,.2f}").written(8.4)
        ('8.4%', '$8.40')
        """
        if _PLAIN not in self.form:
            return self.form.format(size)
        digits = f"{size:,.2f}".removesuffix(".00")
        is_money = self.form[:1] != "{"
        return self.form.replace(_PLAIN, digits if is_money or "." not in digits else digits.rstrip("0"))

    def share(self, start: float, end: float) -> str:
        """Return the change as a share of the start, with its sign; "" if it has no meaning."""
        if not self.has_shares or abs(start) <= 1e-9:
            return ""
        percent = round(100 * (end - start) / abs(start))
        return f"{'+' if percent > 0 else '−' if percent < 0 else '±'}{abs(percent):,}%"

    def _round_value(self, value: float) -> float:
        places = re.search(r"\.(\d+)f", self.form)
        return round(value, int(places[1])) if places else value

    def axis(self, value: float) -> str:
        """Return the value short enough for an axis: $320k."""
        sign, _, _ = self.form.partition("{")
        if abs(value) >= 10_000 and sign:
            short = f"{sign}{abs(value) / 1000:,.0f}k"
            return f"−{short}" if value < 0 else short
        return self.written(value)


_PLAIN = "{:,.2f}"
"""The format of a figure that the table does not list; a whole number has no decimals."""
_CODE = re.compile(r"[A-Z]{3}\b")
_WEEKLY = " a week"
_PERIODS = ("day", "month", "quarter", "year")
BY_SEGMENT = "subscribers_"
"""The prefixes of metrics that count the customers of one segment."""

FIGURES = {name: FigureFormat(**row) for name, row in packaged_yaml("figures.yaml").items()}

SHOWN: tuple[str, ...] = tuple(FIGURES)
"""The metrics of the table, in its order."""


def place(name: str) -> float:
    """Return the position of a metric in the table, those of segments after their sum; infinity if it is not shown."""
    if name.startswith(BY_SEGMENT):
        return SHOWN.index("subscribers") + 0.5
    return SHOWN.index(name) if name in FIGURES else inf


def reading(name: str, value: float, unit: str | None = None) -> str:
    """Return a value in readable form, money as in `figure`; a runway is shown up to the longest one.

    >>> reading("runway_months", 60.0), reading("runway_months", 5.25)
    ('60+', '5.2')
    """
    return f"{value:.0f}+" if is_beyond(name, value) else figure(name, unit).written(value)


def is_beyond(name: str, value: float) -> bool:
    """Return whether a value has reached the maximum counted, so that its difference from others is unknown."""
    return name == "runway_months" and value >= LONGEST_RUNWAY_MONTHS


def figure(name: str, unit: str | None = None) -> FigureFormat:
    """Return the format of a metric; an unlisted one shows its own name.

    The simulated market measures flows by the week. With a `unit` the label has the period of that, or none. Money is
    in the currency of the unit, or else in that of the business at work.

    >>> figure("burn").label, figure("burn", "USD/month").label, figure("burn", "USD").label
    ('Net burn a week', 'Net burn a month', 'Net burn')
    """
    kind = _find_format(name)
    if kind.form == _PLAIN and unit:
        kind = replace(kind, form=f"${_PLAIN}" if _CODE.match(unit) else _PLAIN + ("%" if unit == "%" else f" {unit}"))
    if kind.form.startswith("$"):
        code = _CODE.match(unit or "")
        kind = replace(kind, form=sign_of(code[0] if code else "") + kind.form[1:])
    if unit is None or "week" in unit.casefold() or not kind.label.endswith(_WEEKLY):
        return kind
    period = next((f" a {one}" for one in _PERIODS if one in unit.casefold()), "")
    return replace(kind, label=kind.label.removesuffix(_WEEKLY) + period)


def _find_format(name: str) -> FigureFormat:
    if name in FIGURES:
        return FIGURES[name]
    segment = name.removeprefix(BY_SEGMENT)
    if segment != name:
        return FigureFormat(customers(segment).capitalize(), better=1)
    return FigureFormat(name.replace("_", " ").capitalize(), _PLAIN)
