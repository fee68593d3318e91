"""Deals between two sides, and how much power each of several has."""

import re
from collections.abc import Mapping
from typing import Any

from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, SHARE, Phrasing, figure, join_items, percent
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


def read_power(q: Phrasing, _held: Holdings) -> Reading:
    """Read seats or shares and how many are needed to decide: how much power each has (Shapley)."""
    if not q.has(r"\bpower\w*|\bdecisive\b|\bmatter at all\b"):
        return None
    needed = q.search(
        rf"\b(?:needs?|requires?|quota(?: is)?(?: of)?)\s+(?P<q>{NUMBER}|{SHARE}|more than "
        "half|a majority|two[- ]thirds)(?: votes| seats)?"
    )
    if needed is None:
        if len(q.figures) > 2 and q.has(r"\b(?:seats|shares|votes|shareholders)\b"):
            return MissingFields("game-theory", ("how many votes a decision needs",))
        return None
    token = rf"(?:{NUMBER}|{SHARE})"
    before = q.plain[: needed.start()]
    named = [*re.finditer(rf"(?P<name>\b[A-Z]\w*) (?:has|holds|owns|with)? ?(?P<n>{token})", before)]
    if len(named) >= 2:
        weights = {one["name"]: q.value(one["n"]) for one in named}
    else:
        weights = {f"the one with {q.written(one)}": q.value(one) for one in re.findall(token, before)}
    if len(weights) < 2 or len(weights) != len(re.findall(token, before)):
        return None
    sentence = next(b for a, b in q.sentences() if a <= needed.start() < b)
    q.use_clauses((0, sentence))
    q.use(needed)
    q.use_question()
    quota = _quota(q, needed["q"], weights)
    if quota is None:
        return None
    problem = {"kind": "coalition", "players": list(weights), "weights": weights, "quota": quota}
    asks_none = q.search(r"\bpowerless\b|\bno power\b")

    def conclude(result: MethodResult[Any]) -> Upshot:
        power = {name: float(share) for name, share in result.answer.shapley.items()}
        shown = join_items(f"{name} {percent(share)}" for name, share in power.items())
        if asks_none:
            least = min(weights, key=lambda one: weights[one])
            return Upshot(
                f"{'Yes' if power[least] == 0 else 'No'}: {least} has {percent(power[least])} of the power ({shown}).",
                power[least],
            )
        return Upshot(f"{shown} of the power.", shown)

    echo = f"{join_items(f'{name}: {figure(one)}' for name, one in weights.items())}; {figure(quota)} decide"
    assumes = "power is Shapley's: how often each turns a losing side into a winning one"
    return FilledForm("game-theory", problem, echo, conclude, assumes=assumes)


def _quota(q: Phrasing, words: str, weights: Mapping[str, float]) -> float | None:
    """Return how much weight decides, or None where that is no more than half or more than all."""
    total = sum(weights.values())
    quota = (
        q.value(words)
        if words.startswith("«")
        else total * 2 / 3
        if "third" in words.lower()
        else total / 2 + min(weights.values()) * 1e-6
    )
    return quota if total / 2 < quota <= total else None
