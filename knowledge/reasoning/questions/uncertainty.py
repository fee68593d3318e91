"""Uncertain figures: which matters most, the probability of a loss, and the threshold probability."""

import re
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.problem import identifier
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, Phrasing, bare_name, figure, join_items, stem
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["sensitivity"]
N = NUMBER
_SPREAD = WORDS["spread"]
_SIGNS = {"times": "*", "x": "*", "plus": "+", "minus": "-", "divided by": "/"}


def read_sensitivity(q: Phrasing, _held: Holdings) -> Reading:
    """Read a figure computed from uncertain ones: which of them matters most."""
    if not q.has(WORDS["asks"]):
        return None
    ranges = {
        bare_name(one["name"]): (q.value(one["a"] or one["c"]), q.value(one["b"] or one["d"]), one)
        for one in q.matches(_SPREAD)
    }
    rule = q.search(WORDS["formula"])
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
