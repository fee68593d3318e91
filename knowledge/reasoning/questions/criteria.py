"""Options with their values by criterion, from the question or from facts: which is the best."""

import re
from collections.abc import Iterator, Mapping, Sequence
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
    """Read options with their values by criterion, from the question or from facts, and which criteria count most."""
    if not q.has(r"\b(?:which|who|whom|what|compare|better|best|cheaper|or|rule out)\b") or q.has(r"\brisks?\b"):
        return None
    return _from_facts(q, held) or _options(q)


def _options(q: Phrasing) -> Reading:
    options: dict[str, dict[str, float]] = {}
    spans = []
    for name, begin, start, end in _find_descriptions(q):
        values = _values(q, start, end)
        if values is None:
            return None
        options[name] = values
        q.use((begin, start))
        spans.append((begin, end))
    if len(options) < 2:
        return None
    criteria = list(dict.fromkeys(name for one in options.values() for name in one))
    directions = {name: _direction(name) for name in criteria}
    lacking = [
        f"{criterion} of {name}" for name, one in options.items() for criterion in criteria if criterion not in one
    ]
    if lacking:
        return MissingFields("expected-utility", tuple(lacking[:4]))
    if unclear := [name for name, one in directions.items() if one is None]:
        return MissingFields("expected-utility", tuple(f"whether more {name} is better" for name in unclear))
    for span in spans:
        q.use_clauses(span)
    weights = _weights(q, criteria)
    if weights is None:
        return None
    q.use_question()
    return build_comparison(q, options, {name: bool(one) for name, one in directions.items()}, weights)


def _find_descriptions(q: Phrasing) -> Iterator[tuple[str, int, int, int]]:
    """Yield the options with the positions of their descriptions: "Office A: rent 3,000, 80 sqm."."""
    pattern = re.compile(
        r"(?:^|[.;?:]\s+|,\s(?:and |while )?(?=(?:the|candidate|option|supplier|office|offer|vendor|applicant)\b)|"
        r"\band (?=the\b))(?:the\s+)?(?P<name>(?:(?:option|supplier|"
        "office|candidate|flat|offer|truck|laptop|car|vendor|plan|product|house|bank|machine|printer|hotel|venue|tool|"
        r"provider|city|applicant)\s+)?(?-i:[A-Z][\w-]*|\d+)|(?P<kind>flat|option) (?:one|two|three))(?P<join>:\s*|"
        r"\s+(?:costs?|has|scores?|gets|is rated|rates|is|takes|offers|carries|needs|delivers|rates|weighs|"
        r"comes)\b\s*)",
        re.IGNORECASE,
    )
    marks = [one for one in pattern.finditer(q.plain) if re.search(ANY, q.plain[one.end() : one.end() + 60])]
    for place, mark in enumerate(marks):
        limit = marks[place + 1].start() if place + 1 < len(marks) else len(q.plain)
        stop = re.search(r"[.;?](?=\s|$)", q.plain[mark.end() : limit])
        end = mark.end() + (stop.start() if stop else limit - mark.end())
        start = mark.start("join") if not mark["join"].startswith(":") else mark.end()
        name = mark["name"].split()[-1]
        if name.lower() not in ("which", "what", "compare", "price", "quality"):
            yield name, mark.start(), start, end


_SCORES = r"\b(?:scores?|scored|gets?|got|rates?|rated|earns?|receives?|points?)\b"
_UNITS = {
    "sqm": "size",
    "m2": "size",
    "minutes": "minutes",
    "days": "delivery",
    "hours": "hours",
    "weeks": "weeks",
    "rooms": "rooms",
}
_SAID = {"costs": "price", "cost": "price", "scores": "score", "rents": "rent"}


def _values(q: Phrasing, start: int, end: int) -> dict[str, float] | None:
    """Return the values of one option by criterion; None where a figure has no name."""
    values: dict[str, float] = {}
    at = start
    for one in re.compile(ANY).finditer(q.plain, start, end):
        before = re.sub(r"\b(?:and|is|has|an?|the|of|its|with|at|in|for)\b|[,:]", " ", q.plain[at : one.start()])
        after = re.match(r"\s*(?:out of ten|/10)?\s*([^\W\d]+)(?: from (\w+))?", q.plain[one.end() : end])
        words = before.split()
        behind = re.match(r"\s*(?:points? |out of ten )?(?:on|for|in) (?:the )?([a-z]+)", q.plain[one.end() : end])
        if behind and re.search(_SCORES, q.plain[start:end], re.I):
            name = f"{behind[1].lower()} score"
        elif words and not re.search(r"[,;]", q.plain[at : one.start()].strip(" ,;")):
            name = " ".join(words[-2:]).lower()
        elif after and after[1].lower() not in ("and", "but", "or"):
            name = after[1].lower()
        else:
            return None
        name = _SAID.get(name, _UNITS.get(name, name))
        if after and not words:
            name = _UNITS.get(after[1].lower(), name)
        if name in values or one[0].startswith("«t"):
            return None
        values[name] = q.value(one[0])
        at = one.end() + (
            after.end() if after and after[1].lower() in (*_UNITS, "days", "tons", "points", "euros", "dollars") else 0
        )
    return values or None


def _direction(name: str) -> bool | None:
    """Return whether more of a criterion is better; None where its name does not say."""
    words = set(name.split())
    if name.endswith(" score"):
        return True
    if words & _LOW_IS_GOOD:
        return False
    return True if words & _HIGH_IS_GOOD else None


def _weights(q: Phrasing, criteria: Sequence[str]) -> dict[str, float] | None:
    """Return the weights of the criteria that the question gives, else equal ones; None where unclear."""
    weights = dict.fromkeys(criteria, 1.0)
    for name in criteria:
        word = re.escape(name.removesuffix(" score").split()[-1])
        if found := q.find(
            rf"\b{word}\b (?:counts?(?: for)?|has (?:a )?weight(?: of)?|weighs|is weighted(?: at)?|matters)"
            rf"\s*(?P<much>double|twice(?: as much)?|{ANY}|most|triple|three times)"
        ):
            much = found["much"].lower()
            weights[name] = (
                q.value(found["much"])
                if much.startswith("«")
                else {"double": 2.0, "triple": 3.0, "three times": 3.0, "most": 0.0}.get(much, 2.0)
            )
            if much == "most":
                weights[name] = float(len(criteria))  # more than all the others together
    tokens = [q.value(one[0]) for one in re.finditer(r"«p\d+»", q.plain)]
    if tokens and any(0 < one < 1 for one in weights.values()):
        for name in criteria:
            if weights[name] == 1.0 and (
                found := q.find(rf"\band {re.escape(name.removesuffix(' score').split()[-1])}\b(?: has)? ({ANY})")
            ):
                weights[name] = q.value(found[1])
        given = [one for one in weights.values() if one < 1]
        if len(given) == len(criteria) - 1:
            rest = next(name for name in criteria if weights[name] == 1.0)
            weights[rest] = round(1 - sum(given), 9)
        return weights if abs(sum(weights.values()) - 1) < 1e-6 else None
    return weights


def build_comparison(
    q: Phrasing,
    options: Mapping[str, Mapping[str, float]],
    more: Mapping[str, bool],
    weights: Mapping[str, float],
    *,
    out: Sequence[str] = (),
) -> Reading:
    """Return the form of options by criteria; an option beaten in every criterion is reported as dominated."""
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
            worse = join_items(f"{a} (worse in everything than {b})" for a, b in dominated)
            return Upshot(f"{worse}.", join_items(a for a, _ in dominated))
        worth = dict(result.answer.worth)
        if on_scales:
            worth = {name: sum(weights[c] * one[c] for c in more) / total for name, one in options.items()}
        ranked = sorted(worth, key=lambda one: (-worth[one], one))
        best, others = ranked[0], ranked[1:]
        if worth[best] - worth[others[0]] < 1e-9:
            return Upshot("", changes=f"{best} and {others[0]} come out equal; say what counts more")
        against = join_items(f"{one} {figure(worth[one])}" for one in others)
        if all((other, best) in dominated for other in others):
            marks = f" ({figure(worth[best])} by the weights, against {against})" if on_scales else ""
            return Upshot(f"{best}: it is at least as good in everything{marks}.", best)
        note = f" Out: {join_items(out)}." if out else ""
        return Upshot(f"{best} comes out on top: {figure(worth[best])} by the weights, against {against}.{note}", best)

    shown = "; ".join(
        f"{name}: {join_items(f'{c} {figure(v)}' for c, v in one.items())}" for name, one in options.items()
    )
    how = join_items(
        f"{name} {percent(one['weight'])} ({'more' if one['more_is_better'] else 'less'} is better)"
        for name, one in criteria.items()
    )
    problem = {"kind": "choice", "options": {name: dict(one) for name, one in options.items()}, "criteria": criteria}
    return FilledForm(
        "expected-utility",
        problem,
        f"{shown}. Weights: {how}",
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
