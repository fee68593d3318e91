"""Customers' willingness to pay, signing and leaving in a segment: a particle filter with weekly weights.

A share `1 / (1 + (price / worth)^e)` of a segment accepts a price. Leads sign in proportion to it, customers leave
according to the share that refuses their price, and a rise is resented. Each particle is a guess at all of these; a
week's change in customers and new customers weighs the guesses, and those that explain little make way for copies of
better ones (a bootstrap filter: Gordon, Salmond and Smith, 1993).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mabos.mind.effects.records import Records

Array = NDArray[np.float64]
PARTICLES = 240
RENEWING = 0.12
"""The share of the book that comes to pay the list price in a week."""
_NAMES = (
    "worth", "steepness", "conversion", "leaving", "refusing", "walking", "resenting", "delay", "found", "quality",
)  # fmt: skip
_WIDTHS = np.array([0.9, 0.35, 0.4, 0.6, 0.4, 0.5, 0.4, 0.6, 0.5, 0.4])
"""The widths of the priors, as logarithms."""
_WALK = np.array([0.025, 0.01, 0.04, 0.04, 0.02, 0.02, 0.02, 0.02, 0.04, 0.02])
"""The drift of a guess in a week, as a logarithm."""
SIGNING, LEAVING = 0.38, 0.01
"""The share of leads that signs of those who accept the price, and of content customers that leaves in a week."""
_DRAWN = 3000
_SEED = 20240229


@dataclass(frozen=True)
class SegmentBelief:
    """Particles for one segment (a row of `log` each), and its state: customers, prices, undecided leads."""

    log: Array
    pipeline: Array
    """Leads that have not decided, by guess."""
    opening_price: float
    customers: float
    listed: float
    paid: float
    gap: float
    """The lead of the product over customers' expectations, in shares of a quality of 1."""
    free_leads: float
    paid_leads: float
    kind: str = "subscription"

    @cached_property
    def guesses(self) -> dict[str, Array]:
        """The values of all particles, by name."""
        return {name: np.exp(self.log[:, [place]]) for place, name in enumerate(_NAMES)}

    def accepting(self, price: Array | float, gap: float | None = None) -> Array:
        """Return the share that accepts a price, by particle (rows) and price (columns)."""
        known, here = self.guesses, self.gap if gap is None else gap
        worth = self.log[:, [0]] + np.minimum(0.25, np.maximum(-0.9, known["quality"] * here))
        return np.asarray(1 / (1 + np.exp(known["steepness"] * (np.log(price) - worth))))

    def thin_guesses(self) -> "SegmentBelief":
        """Return the belief with every second particle, which suffices to compare prices."""
        return replace(self, log=self.log[::2], pipeline=self.pipeline[::2])

    def signing(self, price: Array | float, gap: float | None = None) -> Array:
        """Return the share of deciding leads that sign at a price."""
        known, here = self.guesses, self.gap if gap is None else gap
        return np.asarray(np.minimum(0.9, known["conversion"] * self.accepting(price, gap) * np.exp(0.6 * here)))

    def leaving(self, paid: Array | float, listed: Array | float, gap: float | None = None) -> Array:
        """Return the weekly share of customers leaving who pay `paid` while the list price is `listed`."""
        known, here = self.guesses, self.gap if gap is None else gap
        factor = known["leaving"] * self._annoyance(paid, listed, gap)
        return np.asarray(np.minimum(0.5, factor * (1 + 6 * max(0.0, -here))))

    def complaining(self, paid: Array | float, listed: Array | float) -> Array:
        """Return how likely customers who leave name the price as their reason, by guess."""
        annoyance = self._annoyance(paid, listed, None)
        return np.asarray(np.where(annoyance > 1 + 6 * max(0.0, -self.gap), np.clip(annoyance - 1, 0, 1), 0.0))

    def _annoyance(self, paid: Array | float, listed: Array | float, gap: float | None) -> Array:
        """Return the factor by which prices and their rise make customers leave, by guess."""
        known, refused = self.guesses, 1 - self.accepting(paid, gap)
        rise = 1 + known["resenting"] * np.maximum(0, np.asarray(listed) / np.asarray(paid) - 1)
        return np.asarray(
            (0.6 + known["refusing"] * refused**2 + known["walking"] * np.maximum(0, refused - 0.3)) * rise
        )

    def ordering(self, price: Array | float) -> Array:
        """Return a customer's orders at a price, relative to the opening price; 1 unless the company is a shop."""
        if self.kind != "shop":
            return np.ones((len(self.log), np.size(price)))
        return np.minimum(1.5, self.accepting(price) / self.accepting(self.opening_price))

    def worth_interval(self) -> tuple[float, float, float]:
        """Return the price that half of the segment accepts: the 10th, 50th and 90th percentile of the particles."""
        low, middle, high = np.quantile(np.exp(self.log[:, 0]), (0.1, 0.5, 0.9))
        return float(low), float(middle), float(high)


@dataclass(frozen=True, slots=True)
class SegmentHistory:
    """The beliefs about each segment after some weeks, and their inputs."""

    beliefs: Mapping[str, SegmentBelief]
    week: int
    made_of: tuple[object, ...]


def segment_beliefs(
    records: Records,
    paid_leads: Mapping[str, Sequence[float]],
    *,
    kind: str,
    worth: float,
    learns: bool = True,
    known: SegmentHistory | None = None,
) -> SegmentHistory:
    """Return the beliefs about each segment after the recorded weeks.

    `paid_leads` are the leads of campaigns by segment and week, `kind` is subscription, shop or practice. `worth` is
    the believed initial worth of the product, as a multiple of the opening price. If `known` was made from the first of
    these weeks, only the later ones are processed.
    """
    first, held = 0, dict[str, SegmentBelief]()
    if known is not None and known.made_of == _made_of(records, paid_leads, known.week, worth, learns):
        first, held = known.week, dict(known.beliefs)
    luck = np.random.default_rng(_SEED)
    held = held or {name: _opening(name, records, kind, luck, worth) for name in records.segments}
    for week in range(first + 1, records.week + 1):
        luck = np.random.default_rng((_SEED, week))
        moved = _week(held, records, week, {name: paid_leads[name][week - 1] for name in held})
        held = {name: one.after for name, one in moved.items()}
        if learns:
            held = {
                name: _resample(one, _log_likelihood(name, moved, records, week), luck) for name, one in held.items()
            }
    return SegmentHistory(held, records.week, _made_of(records, paid_leads, records.week, worth, learns))


def _made_of(
    records: Records, paid_leads: Mapping[str, Sequence[float]], week: int, worth: float, learns: bool
) -> tuple[object, ...]:
    """Return the inputs of beliefs after a week, for comparison."""
    names = ("leads", "nps", "new_subscribers", "demand", "conversion_rate", "churn_rate")
    own = [f"{kind}_{one}" for one in records.segments for kind in ("price", "subscribers")]
    figures = tuple(tuple(records.figures.get(name, ())[: week + 1]) for name in (*names, *own))
    heard = {each: names for each, names in records.complaints.items() if each <= week}
    return worth, learns, records.segments, heard, figures, tuple(tuple(leads[:week]) for leads in paid_leads.values())


def _opening(name: str, records: Records, kind: str, luck: np.random.Generator, worth: float) -> SegmentBelief:
    price = records.figures[f"price_{name}"][0]
    customers = max(1.0, records.figures[f"subscribers_{name}"][0])
    total = sum(max(1.0, records.figures[f"subscribers_{one}"][0]) for one in records.segments)
    middle = (worth * price, 3.4, SIGNING, LEAVING, 1.6, 10.0, 1.2, 2.5, customers / total, 1.0)
    log = np.log(np.array(middle)) + _WIDTHS * luck.standard_normal((_DRAWN, len(_NAMES)))
    drawn = SegmentBelief(log, np.zeros(_DRAWN), price, customers, price, price, _gap(records, 0), 0.0, 0.0, kind)
    log = log[_places(_first_look(drawn, records), luck)]
    free = records.figures["leads"][0] * customers / total
    pipeline = free * np.exp(log[:, 8] - np.log(customers / total)) * np.exp(log[:, 7])
    return replace(drawn, log=log, pipeline=pipeline, free_leads=free)


def _first_look(one: SegmentBelief, records: Records) -> Array:
    """Return how likely each guess makes the first rates: where a price is too dear, few sign and many leave."""
    log = np.zeros(len(one.log))
    signing, leaving = (
        records.figures.get("conversion_rate", (0.0,))[0] / 100,
        records.figures.get("churn_rate", (0.0,))[0],
    )
    if signing > 0:
        log -= 0.5 * (np.log(one.signing(one.opening_price)[:, 0] / signing) / 0.3) ** 2
    if leaving > 0 and one.kind != "practice":
        log -= 0.5 * (np.log(one.leaving(one.opening_price, one.opening_price)[:, 0] / (leaving / 433)) / 0.4) ** 2
    return log


def _gap(records: Records, week: int) -> float:
    """Return customer satisfaction from the promoter score, smoothed over some weeks."""
    series = records.figures.get("nps", ())
    recent = series[max(0, week - 2) : week + 1]
    return float(np.clip((sum(recent) / len(recent) - 20) / 180, -0.4, 0.25)) if recent else 0.0


@dataclass(frozen=True, slots=True)
class _Move:
    """A segment after one more week, and how many each guess makes win and lose in it."""

    after: SegmentBelief
    won: Array
    lost: Array
    change: float
    blamed: Array
    """The probability of a price complaint under each guess."""


def _week(
    held: Mapping[str, SegmentBelief], records: Records, week: int, paid: Mapping[str, float]
) -> dict[str, _Move]:
    """Return each segment after one more week, with the leads that were `paid` for in it."""
    figures = records.figures
    free = max(0.0, figures["leads"][week] - sum(paid.values()))
    found = sum(float(one.guesses["found"].mean()) for one in held.values())
    moved = {}
    for name, one in held.items():
        listed = figures[f"price_{name}"][week]
        asked = one.paid + RENEWING * (listed - one.paid) if one.kind == "subscription" else listed
        known, customers = one.guesses, figures[f"subscribers_{name}"][week]
        fresh = free * known["found"][:, 0] / found + paid[name]
        deciding = one.pipeline / np.maximum(1.0, known["delay"][:, 0])
        here = replace(one, gap=_gap(records, week), listed=listed, paid=asked)
        after = replace(
            here,
            pipeline=np.maximum(0.0, one.pipeline - deciding + fresh),
            customers=customers,
            free_leads=0.8 * one.free_leads + 0.2 * float(fresh.mean() - paid[name]),
            paid_leads=paid[name],
        )
        won, lost = deciding * here.signing(listed)[:, 0], one.customers * here.leaving(one.paid, listed)[:, 0]
        blamed = 0.03 + 0.85 * (1 - np.exp(-lost)) * here.complaining(one.paid, listed)[:, 0]
        moved[name] = _Move(after, won, lost, customers - one.customers, blamed)
    return moved


def _log_likelihood(name: str, moved: Mapping[str, _Move], records: Records, week: int) -> Array:
    """Return the log-likelihood of the week's counts under each guess about a segment."""
    here, others = moved[name], [one for key, one in moved.items() if key != name]
    elsewhere = sum(float(one.won.mean()) for one in others)
    spread = (0.15 * here.won) ** 2 + 0.5
    log = _normal(records.figures["new_subscribers"][week] - elsewhere - here.won, here.won + elsewhere + spread)
    if here.after.kind != "practice":  # where engagements end when they are done, the change says nothing of who left
        log = log + _normal(here.change - here.won + here.lost, here.won + here.lost + spread)
    if week in records.complaints and here.after.kind != "practice":  # there engagements end by themselves
        log = log + np.log(here.blamed if name in records.complaints[week] else 1 - here.blamed)
    if here.after.kind == "shop" and records.figures.get("demand"):
        rate = order_rate(records)
        orders = sum(one.after.customers * rate * float(one.after.ordering(one.after.listed).mean()) for one in others)
        mine = here.after.customers * rate * here.after.ordering(here.after.listed)[:, 0]
        demand = mine + orders
        log = log + _normal(records.figures["demand"][week] - demand, demand + (0.06 * demand) ** 2)
    return log


def order_rate(records: Records) -> float:
    """Return a customer's weekly orders from the first figures of a shop."""
    total = sum(records.figures[f"subscribers_{name}"][0] for name in records.segments)
    return records.figures["demand"][0] / max(1.0, total)


def _normal(off: Array, variance: Array) -> Array:
    return np.asarray(-0.5 * off**2 / variance - 0.5 * np.log(variance))


def _resample(one: SegmentBelief, log: Array, luck: np.random.Generator) -> SegmentBelief:
    """Return the belief with its guesses drawn again by their weight where few of them count, and moved a little."""
    drawn = _places(0.7 * log, luck)  # tempered: the shapes of the market are not quite these
    noise = luck.standard_normal(one.log.shape) * (0.08 * one.log.std(axis=0) + _WALK)
    return replace(one, log=one.log[drawn] + noise, pipeline=one.pipeline[drawn])


def _places(log: Array, luck: np.random.Generator) -> NDArray[np.int64]:
    """Return which guesses are drawn, in proportion to their weight (systematic resampling)."""
    weights = np.exp(np.maximum(log - log.max(), -12.0))
    upto = np.cumsum(weights / weights.sum())
    places = np.searchsorted(upto, (np.arange(PARTICLES) + luck.random()) / PARTICLES)
    return np.minimum(places, len(log) - 1)
