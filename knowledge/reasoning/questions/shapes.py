"""Forms from roles: votes, deals and series."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from mabos.knowledge.reasoning.questions.deals import build_bargain
from mabos.knowledge.reasoning.questions.forms import FilledForm, Reading, Upshot
from mabos.knowledge.reasoning.questions.roles import TABLE
from mabos.knowledge.reasoning.questions.series import AskedPeriod, find_unusual, forecast_values
from mabos.knowledge.reasoning.questions.shape_roles import MissingRole, Roles
from mabos.knowledge.reasoning.questions.votes import plurality
from mabos.knowledge.reasoning.questions.wording import figure, percent
from mabos.knowledge.reasoning.result import MethodResult

WORDS: Mapping[str, str] = TABLE["votes"]


def build_vote(r: Roles) -> Reading:  # noqa: PLR0911  # one return for each thing asked
    """Return the winner of votes, whether a motion passes, or by how much."""
    if r.ask == "passes" or (r.ask == "margin" and r.has("for")):
        return _motion(r)
    if r.ask == "share" and r.has("for"):
        yes, no = r.require("for"), r.get("against")
        whole = (
            r.get("present") or r.get("members") or (yes + no + (r.get("abstain") or 0.0) if no is not None else None)
        )
        if whole is None:
            raise MissingRole(r.lack("present"))
        return r.tell({"yes": yes, "whole": whole}, "yes / whole", f"{{p}}: {figure(yes)} of {figure(whole)}.")
    names = r.names()
    if len(names) < 2:
        if r.of("votes"):
            raise MissingRole("the votes of the other options (the total)")
        return None
    votes = {name: r.require("votes", group) for group, name in names.items()}
    if any(one != int(one) for one in votes.values()):
        return None
    if r.ask == "winner":
        return plurality(votes)
    first, second = sorted(votes, key=lambda one: -votes[one])[:2]
    total = sum(votes.values())
    asked = r.mark("asked")
    own = [name for name in votes if asked and name.lower() == asked.words.lower()]
    if r.ask == "share" and len(own) == 1:
        return r.tell({"own": votes[own[0]], "all": total}, "own / all", f"{own[0]} has {{p}} of the votes.")
    if r.ask != "margin":
        return None
    text = f"{first} is ahead of {second} by {{}} votes ({figure(votes[first])} to {figure(votes[second])})."
    return r.sums(
        {"first": votes[first], "second": votes[second]}, "first - second", lambda v: Upshot(text.format(figure(v)), v)
    )


def _motion(r: Roles) -> Reading:
    """Return whether a motion has the votes and the turnout that it needs."""
    yes, no, abstain = r.require("for"), r.get("against"), r.get("abstain") or 0.0
    if r.ask == "margin":
        given = {"yes": yes, "no": r.require("against")}
        return r.sums(
            given,
            "yes - no",
            lambda v: Upshot(f"By {figure(abs(v))} votes ({figure(yes)} for, {figure(given['no'])} against).", v),
        )
    threshold, quorum = r.get("threshold"), r.get("quorum")
    if (quorum is not None and quorum <= 1) or (quorum is None and r.q.has(r"\b(?:turnout|quorum|quorate)\b")):
        r.require("members")
    of_all, of_present = r.q.has(WORDS["of_all"]), r.q.has(WORDS["of_present"])
    plain = (
        threshold is None
        and not r.q.has(WORDS["special"])
        and r.q.has(r"\bmajority\b|\bmore (?:yes|ayes|for)\b|\bmore than half\b")
    )
    if threshold is None and not plain:
        raise MissingRole(r.lack("threshold"))
    if (
        (
            abstain
            and not plain
            and not r.q.has(r"\bvotes cast\b|\byes and no\b|\babst\w+ (?:do not|don.?t) count\b|\bvalid votes\b")
        )
        or of_all
        or of_present
    ):
        whole = r.get("members") if of_all else r.get("present") if of_present else None
        if whole is None:
            if not (of_all or of_present):
                return None
            raise MissingRole(r.lack("members" if of_all else "present"))
    elif no is None:
        present = r.get("present")
        if present is None:
            raise MissingRole(r.lack("against"))
        whole = present - abstain
    else:
        whole = yes + no
    if threshold is not None and threshold > 1:
        threshold /= whole
    need = 0.5 if threshold is None else threshold
    strict = plain or (r.q.has(r"\bmore than\b|\bover half\b|\bmajority of\b") and need <= 0.5)
    passed = yes > need * whole if strict else yes >= need * whole - 1e-9
    turnout = ""
    if quorum is not None:
        members = r.require("members") if quorum <= 1 else None
        present = r.get("present") or (yes + (no or 0.0) + abstain)
        least = quorum * members if members is not None else quorum
        passed = passed and present >= least - 1e-9
        shown = f" ({percent(present / members)} of {figure(members)})" if members else ""
        turnout = f"; {figure(present)} took part{shown}, and {figure(least)} are needed"
    says = "Yes, it passes" if passed else "No, it does not pass"
    needed = f"{'more than ' if strict else ''}{percent(need)} is needed{turnout}"
    text = f"{says}: {figure(yes)} of {figure(whole)} votes are {percent(yes / whole)}, and {needed}."
    return r.sums({"yes": yes, "whole": whole}, "yes / whole", lambda _: Upshot(text, says, 1.0))


def build_deal(r: Roles) -> Reading:  # noqa: PLR0911  # one return for each thing asked
    """Return the range of a deal, an even split, or whether to accept an offer."""
    if r.ask == "accept":
        return _offer(r)
    if r.has("together"):
        together, mine, theirs = (
            r.require("together"),
            r.get("alone_mine") or r.get("fallback") or 0.0,
            r.get("alone_theirs") or r.get("their_fallback") or 0.0,
        )
        if r.ask == "range":
            return None
        for own, other in (("alone_mine", "fallback"), ("alone_theirs", "their_fallback")):
            if not r.has(own, other):
                raise MissingRole(r.lack(own))
        given = {"together": together, "mine": mine, "theirs": theirs}

        def says(value: float) -> Upshot:
            gain = together - mine - theirs
            if gain < 0:
                return Upshot(
                    f"No deal: alone you make {figure(mine + theirs)}, and together only {figure(together)}.", "no deal"
                )
            return Upshot(
                f"{figure(value)} for you and {figure(together - value)} for the other: "
                f"each gets {figure(gain / 2)} more than alone.",
                value,
            )

        return r.sums(given, "mine + (together - mine - theirs) / 2", says, "the gain is split evenly")
    if (
        r.ask == "fair"
        and r.has("asks")
        and r.has("bids")
        and r.q.has(r"\b(?:middle|half ?-?way|midpoint|split the difference)\b")
    ):
        given = {"asks": r.require("asks"), "bids": r.require("bids")}
        return r.tell(given, "(asks + bids) / 2", "The middle is {v}.")
    low, high = r.require("seller_min"), r.require("buyer_max")
    if low == high:
        return r.tell({"low": low}, "low + 0", "Yes, but only at exactly {v}.")
    if not 0.2 < low / high < 5:
        return None
    form = build_bargain(r.q, low, high)
    if not isinstance(form, FilledForm) or r.ask != "range" or low > high:
        return form

    def conclude(result: MethodResult[Any]) -> Upshot:
        said = form.conclude(result)
        return replace(
            said, sentence=f"Yes, a deal is possible between {figure(low)} and {figure(high)}. {said.sentence}"
        )

    return replace(form, conclude=conclude)


def _offer(r: Roles) -> Reading:
    """Return whether an offer is better than the alternative of the side that asks."""
    offer, limit = r.require("offer"), r.get("fallback")
    if limit is None:
        limit = r.get("seller_min" if r.kind == "seller" else "buyer_max")
    if limit is None:
        raise MissingRole(r.lack("fallback"))
    given = {"offer": offer, "fallback": limit}
    sign = "offer - fallback" if r.kind == "seller" else "fallback - offer"

    def says(value: float) -> Upshot:
        if value == 0:
            return Upshot(f"It makes no difference: both are {figure(offer)}.", "equal")
        if value > 0:
            return Upshot(
                f"Yes, accept: {figure(offer)} is {figure(value)} better for you than {figure(limit)}.", "yes"
            )
        return Upshot(
            f"No, do not accept: {figure(offer)} is {figure(-value)} worse for you than {figure(limit)}.", "no"
        )

    return r.sums(given, sign, says, "nothing but the amount counts")


def _is_one_list(r: Roles) -> bool:
    """Return whether the values follow each other with a few words between them at most, as in one list."""
    places = [one.at for one in r.of("value")]
    gaps = [b - a for a, b in pairwise(places)]
    return not gaps or max(gaps) <= min(gaps) + 2


def build_forecast(r: Roles) -> Reading:
    """Return the next values of a series, with their interval."""
    if not _is_one_list(r):
        return None
    values = [one.value for one in r.of("value")]
    kinds = {one.slot.kind for one in r.of("value") if one.slot}
    if not values:
        raise MissingRole("the past values (figures of earlier periods)")
    if len(kinds) != 1:
        return None
    if r.ask == "reach":
        return _reach(r, values)
    ahead = int(r.get("ahead") or 1) if r.ask != "next" else 1
    if r.ask == "ahead" and not r.has("ahead"):
        raise MissingRole(r.lack("ahead"))
    return forecast_values(r.q, values, AskedPeriod(ahead, 0, "step", ""))


def _reach(r: Roles, values: Sequence[float]) -> Reading:
    """Return after how many steps a series reaches a target if it goes on by its average change."""
    target = r.require("target")
    if len(values) < 4:
        raise MissingRole("at least 4 past values")
    step = (values[-1] - values[0]) / (len(values) - 1)
    steady = sum((b - a) * step > 0 for a, b in pairwise(values)) >= 0.7 * (len(values) - 1)
    if not step or not steady or (target - values[-1]) / step <= 0:
        return None
    given = {"target": target, "last": values[-1], "step": step}
    return r.sums(
        given,
        "(target - last) / step",
        lambda v: Upshot(
            f"In about {figure(-(-v // 1))} steps: the last value is {figure(values[-1])}, "
            f"and each step brings {figure(step)} on average.",
            v,
        ),
        "it goes on at its average change",
    )


def build_unusual(r: Roles) -> Reading:
    """Return the values out of line, or whether one is."""
    values = [one.value for one in r.of("value")]
    kinds = {one.slot.kind for one in r.reading.marks if one.slot and one.role != "-"}
    if r.ask == "which":
        if len(kinds) > 1 or not _is_one_list(r):
            return None
        if len(values) < 5:
            raise MissingRole("at least 5 values to compare")
        return find_unusual(r.q, [100 * one for one in values] if kinds == {"p"} else values, gap=0.0)
    one = r.require("candidate")
    spelled = {any(mark.isdigit() for mark in each.words) for each in r.reading.marks if each.slot and each.role != "-"}
    if len(kinds) > 1 or len(spelled) > 1:  # "fridge two stands at 6.1": a name more likely than a value
        return None
    if r.has("low", "high"):
        low, high = r.require("low"), r.require("high")
        inside = low <= one <= high
        where = f"{'within' if inside else 'outside'} the usual range from {figure(low)} to {figure(high)}"
        says = f"{'No, it is not unusual' if inside else 'Yes, it is unusual'}: {figure(one)} is {where}."
        return r.sums({"one": one}, "one + 0", lambda _: Upshot(says, says[:2]))
    if not r.has("mean", "spread") and len(values) >= 5:
        middle = sum(values) / len(values)
        spread = (sum((each - middle) ** 2 for each in values) / (len(values) - 1)) ** 0.5
    else:
        middle, spread = r.require("mean"), r.require("spread")
    if spread <= 0:
        return None

    def tell(value: float) -> Upshot:
        if 1.95 < abs(value) < 2.5:
            return Upshot(
                "",
                changes=f"{figure(one)} is {figure(abs(value), 3)} standard deviations off, a borderline case.",
            )
        odd = abs(value) >= 2
        side = "above" if value > 0 else "below"
        shown = f"{figure(one)} is {figure(abs(value), 3)} standard deviations {side} the usual {figure(middle)}"
        return Upshot(f"{'Yes, it is unusual' if odd else 'No, it is not unusual'}: {shown}.", "yes" if odd else "no")

    return r.sums({"one": one, "middle": middle, "spread": spread}, "(one - middle) / spread", tell)
