"""Effects of work on the product: its quality, and the gain from an order of work."""

from dataclasses import dataclass

from mabos.mind.effects.records import Records

GAIN_SD = 0.08
"""The width of the prior for the quality that ordered work adds to a product of quality 0."""
_NOISE = 0.04
"""The deviation of a difference of two means of surveys."""


@dataclass(frozen=True, slots=True)
class ProductBelief:
    """The quality of the product, from 0 to 1, and the gain from one order of work at quality 0."""

    quality: float
    gain: float
    deliveries: int


def product_belief(records: Records, gain: float, *, learns: bool = True) -> ProductBelief:
    """Return the belief about the product: each delivery shows in the surveys around it."""
    series = records.figures.get("quality", ())
    mean, variance, seen = gain, GAIN_SD**2, 0
    for one in records.commissions if learns else ():
        if one.area != "product" or one.delivered is None or one.delivered + 1 > len(series) - 1:
            continue
        before = series[max(0, one.delivered - 2) : one.delivered]
        after = series[one.delivered : one.delivered + 2]
        if not before or not after:
            continue
        left = max(0.1, 1 - sum(before) / len(before))
        jump = (sum(after) / len(after) - sum(before) / len(before)) / left
        noise = (_NOISE / left) ** 2
        mean, variance = (mean * noise + jump * variance) / (noise + variance), variance * noise / (noise + variance)
        seen += 1
    recent = series[-3:]
    return ProductBelief(sum(recent) / len(recent) if recent else 0.6, max(0.0, mean), seen)
