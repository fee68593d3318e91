"""Options with values by criterion, from the question or from facts: the best one."""

import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, HeldFact, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import ANY, Phrasing, figure, join_items, percent
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["criteria"]
_LOW_IS_GOOD = frozenset(WORDS["low_is_good"].split())
_HIGH_IS_GOOD = frozenset(WORDS["high_is_good"].split())


def read_comparison(q: Phrasing, held: Holdings) -> Reading:
    """Read which of the named things has more or less of something, by the agent's facts."""
    if not q.has(r"\b(?:which|who|whom|what|compare|better|best|cheaper|or|rule out)\b") or q.has(r"\brisks?\b"):
        return None
    return _from_facts(q, held)


def direction(name: str) -> bool | None:
    """Return whether more of a criterion is better; None if its name does not tell."""
    words = set(name.split())
    if name.endswith(" score"):
        return True
    if words & _LOW_IS_GOOD:
        return False
    return True if words & _HIGH_IS_GOOD else None


def _describe_weights(criteria: Mapping[str, Mapping[str, Any]]) -> str:
    return join_items(
        f"{name} {percent(one['weight'])} ({'more' if one['more_is_better'] else 'less'} is better)"
        for name, one in criteria.items()
    )


def build_comparison(
    q: Phrasing,
    options: Mapping[str, Mapping[str, float]],
    more: Mapping[str, bool],
    weights: Mapping[str, float],
    *,
    out: Sequence[str] = (),
) -> Reading:
    """Return the form of options by criteria; an option worse in every criterion is reported as dominated."""
    total = sum(weights.values())
    criteria = {name: {"weight": weights[name] / total, "more_is_better": more[name]} for name in more}
    dominated = [
        (a, b)
        for a, b in permutations(options, 2)
        if options[a] != options[b] and all((options[b][c] - options[a][c]) * (1 if more[c] else -1) >= 0 for c in more)
    ]
    on_scales = all(
        0 <= value <= (100 if out or min(weights.values()) < 1 else 10)
        for one in options.values()
        for value in one.values()
    ) and all(more.values())
    rules_out = q.has(r"\brule out\b|\bdominated\b|\bdrop\b")

    def conclude(result: MethodResult[Any]) -> Upshot:
        if rules_out and not dominated:
            return Upshot("None: no option is worse in everything than another.", "none")
        if rules_out:
            worse = [f"{a} (worse in everything than {b})" for a, b in dominated]
            return Upshot(f"{join_items(worse)}.", join_items(a for a, _ in dominated))
        worth = dict(result.answer.worth)
        if on_scales:
            parts = (
                1.0 if min(weights.values()) >= 1 and max(weights.values()) > 1 else total
            )  # "importance 5, 3 and 1"
            worth = {name: sum(weights[c] * one[c] for c in more) / parts for name, one in options.items()}
        ranked = sorted(worth, key=lambda one: (-worth[one], one))
        best, others = ranked[0], ranked[1:]
        if worth[best] - worth[others[0]] < 1e-9:
            tie = f"{best} and {others[0]} are equal at {figure(worth[best])} by the weights."
            return Upshot(f"Neither: {tie}" if on_scales else "", "equal", changes=f"{tie} Say what counts more.")
        against = join_items(f"{one} {figure(worth[one])}" for one in others)
        if all((other, best) in dominated for other in others):
            marks = f" ({figure(worth[best])} by the weights, against {against})" if on_scales else ""
            return Upshot(f"{best}: it is at least as good in everything{marks}.", best)
        against += f". Out: {join_items(out)}" if out else ""
        return Upshot(f"{best} comes out on top: {figure(worth[best])} by the weights, against {against}.", best)

    shown = "; ".join(
        f"{name}: {join_items(f'{c} {figure(v)}' for c, v in one.items())}" for name, one in options.items()
    )
    problem = {"kind": "choice", "options": {name: dict(one) for name, one in options.items()}, "criteria": criteria}
    return FilledForm(
        "expected-utility",
        problem,
        f"{shown}. Weights: {_describe_weights(criteria)}",
        conclude,
        assumes="" if on_scales else "each criterion is scaled from the worst to the best of these options",
    )


_COMPARED = (
    (r"\bcheap\w*|\bless expensive|\bprice\b", "price", False), (r"\bdear\w*|\bmore expensive", "price", True),
    (r"\bfast\w*|\bquick\w*", "delivery", False), (r"\b(?:better|best|higher|highest) (?P<what>\w+)", "", True),
    (r"\b(?:lower|lowest|least|fewest) (?P<what>\w+)", "", False),
)  # fmt: skip


def _from_facts(q: Phrasing, held: Holdings) -> Reading:
    """Read which of named things has more or less of something that the agent's facts say of each."""
    if re.search(ANY, q.plain):
        return None
    by_subject: dict[str, list[HeldFact]] = {}
    for fact in held.facts:
        if q.search(rf"\b{re.escape(fact.subject.replace('_', ' '))}\b"):
            by_subject.setdefault(fact.subject, []).append(fact)
    if len(by_subject) < 2:
        return None
    for pattern, name, more in _COMPARED:
        found = q.search(pattern)
        if found is None:
            continue
        what = name or found["what"].lower()
        facts = {
            subject: next(
                (one for one in facts if what in one.predicate.lower().split("_") and _number(one.object) is not None),
                None,
            )
            for subject, facts in by_subject.items()
        }
        if any(one is None for one in facts.values()):
            lacking = [f"the {what} of {subject}" for subject, one in facts.items() if one is None]
            return MissingFields("expected-utility", tuple(lacking))
        values = {
            subject.title() if subject.islower() else subject: _number(one.object) or 0.0
            for subject, one in facts.items()
            if one
        }
        if not q.has(r"\b(?:unless|except|without|but|if|last|year|month|ago|will)\b"):
            q.use((0, len(q.plain)))
        cites = tuple(one.id for one in facts.values() if one)

        def conclude(
            _result: MethodResult[Any], values: Mapping[str, float] = values, more: bool = more, what: str = what
        ) -> Upshot:
            ranked = sorted(values, key=lambda one: values[one], reverse=more)
            if values[ranked[0]] == values[ranked[1]]:
                return Upshot(f"They are equal: {what} {figure(values[ranked[0]])}.", "equal")
            others = join_items(f"{one} {figure(values[one])}" for one in ranked[1:])
            sentence = f"{ranked[0]}: {what} {figure(values[ranked[0]])}, against {others}."
            return Upshot(sentence, ranked[0], changes="another value in one of these facts.")

        shown = "; ".join(f"{what} of {name} is {figure(value)}" for name, value in values.items())
        problem = {
            "kind": "choice",
            "options": {name: {what: value} for name, value in values.items()},
            "criteria": {what: {"weight": 1, "more_is_better": more}},
        }
        return FilledForm("expected-utility", problem, shown, conclude, cites)
    return None


def _number(text: str) -> float | None:
    found = re.fullmatch(r"\s*[$€£]?\s?(-?\d[\d,]*(?:\.\d+)?)\s*%?\s*(?:\w+)?\s*", text)
    return float(found[1].replace(",", "")) if found else None
