"""Forms from roles: updates on a sign, options with chances, risks, and parts that fail."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mabos.knowledge.reasoning.questions.forms import Reading, Upshot
from mabos.knowledge.reasoning.questions.shape_roles import MissingRole, Roles
from mabos.knowledge.reasoning.questions.slots import in_unit
from mabos.knowledge.reasoning.questions.wording import figure, join_items, percent
from mabos.knowledge.reasoning.result import MethodResult


def build_bayes(r: Roles) -> Reading:
    """Return an update on a sign, the share of the sign, or the likeliest of several sources."""
    if r.ask == "which_source":
        return _sources(r)
    whole = r.get("population")
    prior = _share(r, "prior", "prior_not", whole)
    base = prior * whole if whole and prior is not None else None
    hit = _share(r, "hit", "miss", base)
    false = _share(r, "false", "clear", whole - base if whole and base is not None else None)
    for value, role in ((prior, "prior"), (hit, "hit"), (false, "false")):
        if value is None:
            raise MissingRole(r.lack(role))
    if prior is None or hit is None or false is None or not all(0 <= one <= 1 for one in (prior, hit, false)):
        return None
    if false >= hit or false > 0.5 or prior > 0.5:
        return None  # more likely a rate was taken for another, or the share for that of the contrary
    overall = prior * hit + (1 - prior) * false
    if r.ask == "sign_overall":
        given = {"prior": prior, "hit": hit, "false": false}
        after = f"; it is so in {percent(prior * hit / overall)} of these" if overall else ""
        return r.tell(given, "prior * hit + (1 - prior) * false", f"{{p}} of all show the sign{after}.")
    absent = r.ask == "given_no_sign"
    likelihood = {"so": 1 - hit, "not so": 1 - false} if absent else {"so": hit, "not so": false}
    miss = prior * (1 - hit) / (1 - overall) if overall < 1 else 0.0
    seen = prior * hit / overall if overall else 0.0

    def conclude(result: MethodResult[Any]) -> Upshot:
        sure = dict(result.claims[0].distribution)["so"]
        first, second = ("without", "with") if absent else ("with", "without")
        is_not = f"{percent4(1 - sure)} that it is not"
        text = f"The probability that it is so is {percent4(sure)} {first} the sign ({is_not})"
        text += f", {percent(seen if absent else miss)} {second} it"
        return Upshot(f"{text}, and {percent(prior)} before; {percent(overall)} of all show the sign.", sure, sure)

    return r.form(
        "bayesian",
        {"kind": "hypotheses", "prior": {"so": prior, "not so": 1 - prior}, "likelihood": likelihood},
        conclude,
    )


def _share(r: Roles, role: str, other: str, whole: float | None) -> float | None:
    """Return a share, from its contrary or from a count of a whole."""
    r.used.update((role, other))
    for name in (role, other):
        one = r.mark(name)
        if one is not None and one.slot is not None:
            value = one.value
            if one.slot.kind == "n" and value > 1:
                if not whole:
                    raise MissingRole(r.lack("population"))
                value /= whole
            return value if name == role else 1 - value
    return None


def _sources(r: Roles) -> Reading:
    names = r.names()
    if len(names) < 2:
        return None
    rates = {group: r.require("rate", group) for group in names}
    shares = {group: r.get("share", group) for group in names}
    open_ = [group for group, share in shares.items() if share is None]
    if len(open_) > 1:
        raise MissingRole(r.lack("share", open_[0]))
    known = [share for share in shares.values() if share is not None]
    whole = 1.0 if all(one <= 1 for one in known) else sum(known)
    if open_ and whole > 1:
        raise MissingRole(r.lack("share", open_[0]))
    full = {group: (1 - sum(known) if share is None else share / whole) for group, share in shares.items()}
    if (
        abs(sum(full.values()) - 1) > 0.011
        or min(full.values()) < 0
        or not all(0 <= one <= 1 for one in rates.values())
    ):
        return None

    def conclude(result: MethodResult[Any]) -> Upshot:
        found = dict(result.claims[0].distribution)
        best, *others = sorted(found, key=lambda one: -found[one])
        rest = join_items(f"{name} {percent(found[name])}" for name in others)
        return Upshot(f"Most likely {best}, with probability {percent(found[best])} ({rest}).", best, found[best])

    problem = {
        "kind": "hypotheses",
        "prior": {names[group]: share / sum(full.values()) for group, share in full.items()},
        "likelihood": {names[group]: rate for group, rate in rates.items()},
    }
    return r.form("bayesian", problem, conclude)


def build_risk(r: Roles) -> Reading:  # noqa: PLR0911  # one return for each thing asked
    """Return risks with their chance and damage: the greater, the loss on average, or whether insurance pays."""
    groups = r.groups()
    unit = next((one.slot.period for one in r.reading.marks if one.slot and one.slot.period), "")
    often = {group: _frequency(r, group, unit) for group in groups}
    cost = {group: r.require("damage", group) for group in groups}
    mean = {group: often[group] * cost[group] for group in groups}
    if not groups or (len(groups) > 1 and r.ask != "insure" and not r.names()):
        return None
    names = {group: r.name(group) if len(groups) > 1 else "it" for group in groups}
    scale = max(1.0, *often.values())
    lotteries = {
        names[group]: [
            {"p": often[group] / scale, "value": -cost[group] * scale},
            {"p": 1 - often[group] / scale, "value": 0},
        ]
        for group in groups
    }
    problem = {"kind": "lotteries", "lotteries": lotteries}
    ranked = sorted(groups, key=lambda one: -mean[one])
    if r.ask == "insure" or r.has("premium"):
        return _insurance(r, problem, [(often[one], cost[one]) for one in groups])
    if r.ask == "which":
        if len(groups) < 2:
            return None
        best, second = ranked[:2]
        if mean[best] - mean[second] <= 1e-9 * max(1.0, mean[best]):
            return r.form(
                "expected-utility",
                problem,
                lambda _: Upshot(
                    f"They are equal on average: {figure(mean[best])} each, together {figure(sum(mean.values()))}.",
                    "equal",
                ),
            )
        against = join_items(f"{names[one]} {figure(mean[one])}" for one in ranked[1:])
        both = f"together {figure(sum(mean.values()))}"
        return r.form(
            "expected-utility",
            problem,
            lambda _: Upshot(
                f"{names[best]} is the bigger risk: {figure(mean[best])} on average, against {against}; {both}.",
                names[best],
            ),
            "risks are compared by chance times damage",
        )
    if r.ask == "expected" and len(groups) != 1:
        return None
    total = sum(mean.values())
    parts = f" ({join_items(f'{names[one]} {figure(mean[one])}' for one in groups)})" if len(groups) > 1 else ""
    return r.form(
        "expected-utility",
        problem,
        lambda _: Upshot(f"{figure(total)} on average{f' a {unit}' if unit else ''}{parts}.", total),
    )


def _insurance(r: Roles, problem: Mapping[str, Any], risks: Sequence[tuple[float, float]]) -> Reading:
    """Return whether an insurance pays more on average than it costs."""
    premium, kept = r.require("premium"), r.get("deductible") or 0.0
    saved = sum(often * max(0.0, cost - kept) for often, cost in risks)
    says = "Yes" if saved > premium else "No"
    text = f"{says}: on average it pays {figure(saved)}, and the premium is {figure(premium)}."
    note = "a loss that you could not bear speaks for insurance whatever the average is."
    return r.form("expected-utility", problem, lambda _: Upshot(text, says, changes=note), "only the average counts")


def _frequency(r: Roles, group: int, unit: str) -> float:
    """Return how often a risk comes true, by the unit of time."""
    one = r.mark("chance", group) or r.mark("frequency", group)
    if one is None or one.slot is None:
        damage = r.mark("damage", group)
        if (
            damage
            and damage.slot
            and re.match(r"\s*(?:a|per|each|every|/) ?(?:day|week|month|quarter|year)\b", damage.slot.after)
        ):
            return 1.0
        raise MissingRole(r.lack("chance", group))
    factor = in_unit(1.0, unit, one.slot.period) if unit and one.slot.period and one.slot.period != unit else 1.0
    if factor is None or (one.role == "chance" and not 0 <= one.value <= 1):
        raise LookupError("chance")
    return one.value * factor


def percent4(share: float) -> str:
    """Return a share to four digits of what is rarer."""
    rare = min(share, 1 - share)
    return f"{figure(100 * share, 4 if rare >= 0.001 or share < 0.5 else 6)}%"
