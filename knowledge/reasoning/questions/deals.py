"""Deals between two sides."""

from collections.abc import Mapping
from typing import Any

from mabos.knowledge.reasoning.questions.forms import FilledForm, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import Phrasing, figure
from mabos.knowledge.reasoning.result import MethodResult


def _party(issue: str, values: Mapping[str, float], reservation: float) -> dict[str, Any]:
    """Return a party to a deal about one thing: its value of each outcome, and of no deal."""
    return {"weights": {issue: 1}, "values": {issue: dict(values)}, "reservation": reservation}


def build_bargain(q: Phrasing, least: float, most: float) -> Reading:
    """Return the form of a deal between a seller's minimum and a buyer's maximum."""
    q.use_question()
    span = most - least
    steps = [least + span * place / 20 for place in range(21)]
    labels = list(dict.fromkeys(figure(one, 8) for one in steps))
    if len(labels) != 21:
        labels, steps = [figure(least, 8), figure(most, 8)], [least, most]
    width = abs(span) or 1.0
    gains = {name: (one - least, most - one) for name, one in zip(labels, steps, strict=True)}
    seller, buyer = (
        {name: round(min(1, max(0, 0.5 + gain[side] / (2 * width))), 9) for name, gain in gains.items()}
        for side in (0, 1)
    )
    problem = {
        "kind": "bargaining",
        "issues": {"price": labels},
        "parties": {"seller": _party("price", seller, 0.5), "buyer": _party("price", buyer, 0.5)},
    }

    def conclude(result: MethodResult[Any]) -> Upshot:
        if result.answer.choice is None or span < 0:
            return Upshot(
                f"No: there is no overlap; the seller wants at least {figure(least)} and the buyer pays at most "
                f"{figure(most)}, which is {figure(-span)} less.",
                "no deal",
            )
        price = float(result.answer.choice.terms["price"].replace(",", "")) if span else least
        return Upshot(
            f"Any price from {figure(least)} to {figure(most)} suits both; splitting the gain "
            f"evenly gives {figure(price)}.",
            price,
        )

    return FilledForm(
        "negotiation",
        problem,
        f"the seller wants at least {figure(least)}, the buyer pays at most {figure(most)}",
        conclude,
        assumes="both gain alike from each unit of the price",
    )
