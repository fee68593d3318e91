"""Uncertain figures: which of them matters most, how likely a loss is, and from which probability on."""

import re
from typing import Any

from mabos.knowledge.reasoning.problem import identifier
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, Phrasing, bare_name, figure, join_items, percent, stem
from mabos.knowledge.reasoning.result import MethodResult

N = NUMBER


def read_sensitivity(q: Phrasing, _held: Holdings) -> Reading:
    """Read a figure made of uncertain ones: which of them matters most, or how likely an outcome is."""
    return _matters(q) or _loss(q) or _in_time(q) or _threshold(q)


_SPREAD = (
    r"(?P<name>[A-Za-z][\w -]*?)\s*(?:(?:is|are|lies?|varies?|ranges?|may be|takes?) (?:anywhere )?(?:between|from) "
    rf"(?P<a>{N}) (?:and|to) (?P<b>{N})|\((?P<c>{N}) to (?P<d>{N})\))"
)


_SIGNS = {"times": "*", "x": "*", "plus": "+", "minus": "-", "divided by": "/"}


def _matters(q: Phrasing) -> Reading:
    if not q.has(
        r"\bmatters? (?:the )?(?:most|more)\b|\bmost (?:sensitive|important)\b|\bdrives?\b|\bmost influence\b"
    ):
        return None
    ranges = {
        bare_name(one["name"]): (q.value(one["a"] or one["c"]), q.value(one["b"] or one["d"]), one)
        for one in q.matches(_SPREAD)
    }
    rule = q.search(
        r"(?P<target>\b[A-Za-z]+) (?:is|=|equals) (?P<expr>[A-Za-z]+(?: (?:times|plus|minus|"
        r"divided by|x|\*|\+|-|/) [A-Za-z]+)+)"
    )
    if len(ranges) < 2:
        return None
    if rule is None:
        return MissingFields("monte-carlo", ("the formula that ties them together",))
    words = re.split(r"\s+(times|plus|minus|divided by|x|\*|\+|-|/)\s+", rule["expr"])
    names = {word: next((name for name in ranges if stem(name) == stem(word)), "") for word in words[::2]}
    if not all(names.values()):
        lacking = (f"between what and what {word} lies" for word, name in names.items() if not name)
        return MissingFields("monte-carlo", tuple(lacking))
    expression = " ".join(identifier(names[one]) if one in names else _SIGNS.get(one.lower(), one) for one in words)
    for *_, one in ranges.values():
        q.use(one)
    q.use(rule)
    q.find(r"\b(?:which|what)\b[^.?«]*\?")
    q.find(r"\bour \w+ depends on\b")
    problem = {
        "kind": "simulation",
        "quantities": {name: {"distribution": "uniform", "low": a, "high": b} for name, (a, b, _) in ranges.items()},
        "target": expression,
        "sensitivity": True,
        "samples": 20_000,
    }

    def conclude(result: MethodResult[Any]) -> Upshot:
        shares = {name: total for name, (_, total) in result.answer.sensitivity.items()}
        ranked = sorted(shares, key=lambda one: -shares[one])
        low, high = result.answer.quantiles["5"], result.answer.quantiles["95"]
        others = join_items(f"{name} {shares[name]:.0%}" for name in ranked[1:])
        says = (
            f"{ranked[0].capitalize()}: it makes {shares[ranked[0]]:.0%} of the spread, against {others}; "
            f"{rule['target'].lower()} lies between {figure(low, 3)} and {figure(high, 3)} in nine of ten cases."
        )
        return Upshot(says, ranked[0])

    shown = "; ".join(f"{name} {figure(a)} to {figure(b)}" for name, (a, b, _) in ranges.items())
    echo = f"{rule['target'].lower()} = {expression}; {shown}, each value alike"
    assumes = "they vary independently and evenly within their ranges"
    return FilledForm("monte-carlo", problem, echo, conclude, assumes=assumes)


def _loss(q: Phrasing) -> Reading:
    """Read two figures with a mean and a deviation each: how likely the costs are the greater."""
    pattern = (
        r"(?P<name>\b(?:costs?|expenses|revenues?|income|sales|turnover|demand|supply|capacity|"
        r"stock))\b (?:is|are) (?:normally |about |normal with mean )?(?:distributed )?(?:around "
        f")?(?P<m>{N}) with a standard deviation of (?P<s>{N})"
    )
    found = q.matches(pattern)
    asked = q.search(
        r"\bhow likely is (?:a loss|it that (?P<a>\w+) (?:exceed|are higher than|is higher than)s? (?P<b>\w+))|"
        r"\b(?:probability|chance) (?:of a loss|that we (?:lose|make a loss))"
    )
    if len(found) != 2 or asked is None:
        return None
    kinds = {
        (
            "cost"
            if re.match(r"cost|expens", one["name"], re.I)
            else "gain"
            if re.match(r"reven|incom|sales|turn", one["name"], re.I)
            else one["name"].lower()
        ): one
        for one in found
    }
    if set(kinds) != {"cost", "gain"} or asked.groupdict().get("a"):
        return None
    q.all_used(*found, asked)
    q.find(r"\bhow likely\b[^?]*\?")
    draws = {
        name: {"distribution": "normal", "mean": q.value(one["m"]), "sd": q.value(one["s"])}
        for name, one in kinds.items()
    }
    problem = {
        "kind": "simulation",
        "quantities": draws,
        "target": "gain - cost",
        "event": "gain < cost",
        "samples": 200_000,
    }

    def conclude(result: MethodResult[Any]) -> Upshot:
        chance = result.answer.probability
        return Upshot(
            f"A loss has a probability of {percent(chance)}; the result is {figure(result.answer.mean, 3)} on average.",
            round(chance, 3),
        )

    shown = join_items(f"{q.written(one[0])}" for one in found)
    return FilledForm("monte-carlo", problem, shown, conclude, assumes="both are normally distributed and independent")


def _in_time(q: Phrasing) -> Reading:
    """Read tasks with a least, a likeliest and a longest time: how likely they are done in time."""
    pattern = (
        rf"(?P<name>(?:the )?[a-z]+) takes between (?P<a>{N}) and (?P<b>{N}) (?P<unit>\w+)"
        f",? (?:but )?(?:most likely|usually|mostly) (?P<m>{N})"
    )
    found = q.matches(pattern)
    asked = q.search(rf"\b(?:how likely|probability|chance)\b[^?«]*\b(?:within|in at most|in less than|in) (?P<n>{N})")
    if not found or asked is None:
        return None
    serial = q.find(r"\bone after (?:the other|another)\b|\bin a row\b|\bin sequence\b")
    parallel = None if serial else q.find(r"\b(?:in parallel|at the same time|side by side)\b")
    if len(found) > 1 and not serial and not parallel:
        return MissingFields("monte-carlo", ("whether they run one after the other or side by side",))
    q.all_used(*found, asked)
    q.find(r"\bhow likely\b[^«]*")
    q.find(rf"(?<=»)(?: {found[0]['unit']})?,? ?(?:one after the other)?\?")
    draws = {
        identifier(bare_name(one["name"])): {
            "distribution": "triangular",
            "low": q.value(one["a"]),
            "mode": q.value(one["m"]),
            "high": q.value(one["b"]),
        }
        for one in found
    }
    whole = " + ".join(draws) if not parallel else f"max({', '.join(draws)})"
    limit = q.value(asked["n"])
    problem = {
        "kind": "simulation",
        "quantities": draws,
        "target": whole,
        "event": f"{whole} <= {limit!r}",
        "samples": 100_000,
    }

    def conclude(result: MethodResult[Any]) -> Upshot:
        chance = result.answer.probability
        return Upshot(
            f"With a probability of {percent(round(chance, 3))}; on average it takes "
            f"{figure(result.answer.mean, 3)} {found[0]['unit']}.",
            round(chance, 3),
        )

    shown = "; ".join(
        f"{name} {q.written(one['a'])} to {q.written(one['b'])}, most likely {q.written(one['m'])}"
        for name, one in zip(draws, found, strict=True)
    )
    return FilledForm(
        "monte-carlo",
        problem,
        f"{shown}; {'side by side' if parallel else 'one after the other'}; within {figure(limit)}",
        conclude,
        assumes="triangular distributions, independent of each other",
    )


def _threshold(q: Phrasing) -> Reading:
    """Read "A earns 100 with probability p and 0 otherwise; B earns 40 for sure: from what probability on"."""
    risky = q.search(
        rf"(?P<name>\b\w+ [A-Z]\w*) (?:earns|pays|brings|yields|makes) (?P<x>{N}) with probability "
        f"p(?:,)? and (?P<y>{N}|nothing) (?:otherwise|else)"
    )
    sure = q.search(
        rf"(?P<name>\b\w+ [A-Z]\w*) (?:earns|pays|brings|yields|makes) (?P<z>{N})(?: for "
        "(?:sure|certain)| in any case)"
    )
    if risky is None or sure is None:
        return None
    q.find(r"\bfrom (?:what|which) probability\b[^?]*\?")
    q.all_used(risky, sure)
    x, y, z = q.value(risky["x"]), 0.0 if risky["y"].lower() == "nothing" else q.value(risky["y"]), q.value(sure["z"])
    if not min(x, y) < z < max(x, y):
        return None
    share = (z - y) / (x - y)
    problem = {
        "kind": "lotteries",
        "lotteries": {
            risky["name"]: [{"p": share, "value": x}, {"p": 1 - share, "value": y}],
            sure["name"]: [{"p": 1, "value": z}],
        },
    }

    def conclude(result: MethodResult[Any]) -> Upshot:
        worth = [one.expected_value for one in result.answer.lotteries.values()]
        if abs(worth[0] - worth[1]) > 1e-6 * max(1.0, abs(z)):
            return Upshot("", changes="the two are not equal anywhere")
        return Upshot(f"From a probability of {percent(share)} on.", share, 1.0)

    echo = f"{q.written(risky[0])}; {q.written(sure[0])}"
    return FilledForm("expected-utility", problem, echo, conclude, assumes="only the average counts")
