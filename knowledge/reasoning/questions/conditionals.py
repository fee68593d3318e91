"""A rule "whenever A, B" with something observed, and statements of which so many are true: what follows."""

import re
from collections.abc import Sequence
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import Phrasing, join_items, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["conditionals"]

_RULE = re.compile(WORDS["rule"])
_HEDGED = re.compile(WORDS["hedged"])
_FILLS = set(WORDS["fills"].split())
_NO = re.compile(r"(?i)\b(?:no|not|none|never|nothing|nobody|without|missing|absent)\b|n['’]t\b|\bnothing['’]s\b")


def _core(text: str) -> set[str]:
    return {one for one in stems(text) if one not in _FILLS}


def _observed_sides(
    facts: Sequence[str], sides: tuple[set[str], set[str]], said: tuple[str, str]
) -> dict[str, bool] | None:
    """Return which side of a rule the facts affirm or deny; None where they do both."""
    seen: dict[str, bool] = {}
    for text in facts:
        part = re.split(WORDS["reports"], text)[0]
        near = [len(_core(part) & one) / len(one) for one in sides]
        if max(near) < 0.5 or near[0] == near[1] or re.search(r"(?i)\b(?:claims?|says?|thinks?)\b", part):
            continue
        place = int(near[1] > near[0])
        holds = bool(_NO.search(part)) == bool(_NO.search(said[place]))
        if seen.setdefault("ab"[place], holds) != holds:
            return None
    return seen


def read_conditional(q: Phrasing, _held: Holdings) -> Reading:  # noqa: PLR0911  # one return for each thing unclear
    """Read one rule, one observation of its condition or its consequence, and a question about the other side."""
    if q.figures:
        return None
    rules = list(_RULE.finditer(q.plain))
    if len(rules) != 1 or _HEDGED.search(rules[0][0]):
        return None
    rule = rules[0]
    cause, effect = (
        (rule["a"], rule["b"]) if rule["a"] else (rule["a2"], rule["b2"]) if rule["a2"] else (rule["a3"], rule["b3"])
    )
    effect = re.split(r",\s*(?:no exception|without exception|always)", effect)[0]
    a, b = _core(cause), _core(effect)
    only_a, only_b = a - b, b - a
    asked = q.last()
    if not only_a or not only_b:
        return None
    facts = [q.plain[x:y] for x, y in q.sentences() if y <= asked[0] + 1 and not (x < rule.end() and rule.start() < y)]
    seen = _observed_sides(facts, (only_a, only_b), (cause, effect))
    if seen is None:
        return None
    if len(seen) != 1:
        return None
    side, holds = next(iter(seen.items()))
    question = q.plain[slice(*asked)]
    told = _core(question) | (set() if _core(question) & (only_a | only_b) else _core(" ".join(facts)))
    if not told & (only_a if side == "b" else only_b):
        return None
    problem = {
        "kind": "fol",
        "premises": [
            {"id": "rule", "says": "a(here) → b(here)"},
            {"id": "observation", "says": f"{'' if holds else '¬'}{side}(here)"},
        ],
        "goal": f"{'b' if side == 'a' else 'a'}(here)",
    }
    q.use((0, len(q.plain)))
    here, there = (cause, effect) if side == "a" else (effect, cause)

    def conclude(result: MethodResult[Any]) -> Upshot:
        answer = result.answer.holds
        if answer is None:
            why = (
                "the rule says nothing of what else may bring it about"
                if side == "b"
                else "it may come about in another way"
            )
            return Upshot(f"No, that does not follow, and neither does the contrary: {why}.", "neither", 1.0)
        if answer:
            return Upshot(f"Yes: it follows from the rule that {there.strip()}.", "yes", 1.0)
        return Upshot(f"No: if it were so that {there.strip()}, then {here.strip()}, and that is not so.", "no", 1.0)

    echo = f"whenever {cause.strip()}, {effect.strip()}; {'' if holds else 'not: '}{here.strip()}"
    return FilledForm("deductive", problem, echo, conclude)


_SAYS = re.compile(WORDS["says"])
_TRUE = re.compile(WORDS["true"])


def read_testimony(q: Phrasing, _held: Holdings) -> Reading:
    """Read who says that who did it, and how many of them tell the truth: who it was."""
    found = [*_SAYS.finditer(q.plain)]
    told = _TRUE.search(q.plain)
    if len(found) < 2 or told is None or not q.has(r"\bwho\b") or q.shares():
        return None
    names = list(dict.fromkeys(one["who"] for one in found))
    names += [
        name for one in found for name in re.findall(r"\b[A-Z]\w+", one["what"]) if name not in names and name != "I"
    ]
    claims = list[tuple[str, str, bool]]()
    for one in found:
        named = [name for name in names if re.search(rf"\b{name}\b", one["what"])]
        own = re.search(r"(?i)\b(?:him|her|himself|herself|he|she|i|me|it wasn.t (?:him|her|me))\b", one["what"])
        whom = named[0] if len(named) == 1 else one["who"] if own and not named else ""
        if not whom:
            return None
        claims.append(
            (one["who"], whom, not _NO.search(one["what"]) and not re.search(r"(?i)\binnocent\b", one["what"]))
        )
    wanted = 1 if told["true"] else len(claims) - 1 if told["lie"] else 0
    fits = [name for name in names if sum((name == whom) == affirmed for _, whom, affirmed in claims) == wanted]
    if any(q.value(one) not in (1, len(names)) for one in q.numbers()):
        return None
    q.use((0, len(q.plain)))
    truths = {name: [who for who, whom, affirmed in claims if (name == whom) == affirmed] for name in names}
    if len(fits) != 1:
        says = (
            f"That does not decide it: it could be {join_items(fits, 'or')}."
            if fits
            else "No one fits: the statements contradict each other."
        )
        return FilledForm(
            "deductive",
            {
                "kind": "assignment",
                "variables": {"culprit": list(range(len(names)))},
                "constraints": [],
                "ask": "must",
                "options": {name: ["==", "culprit", at] for at, name in enumerate(names)},
            },
            "statements",
            lambda _: Upshot("", changes=says),
        )
    best = fits[0]
    problem = {
        "kind": "assignment", "variables": {"culprit": list(range(len(names)))},
        "constraints": [["!=", "culprit", at] for at, name in enumerate(names) if name != best],
        "options": {name: ["==", "culprit", at] for at, name in enumerate(names)}, "ask": "must",
    }  # fmt: skip
    honest = join_items(truths[best]) or "nobody"
    says = f"It was {best}: then {honest} tell{'s' if len(truths[best]) == 1 else ''} the truth, as given."
    echo = "; ".join(f"{who}: it was {'' if affirmed else 'not '}{whom}" for who, whom, affirmed in claims)
    return FilledForm(
        "deductive", problem, f"{echo}; {wanted} of {len(claims)} true", lambda _: Upshot(says, best, 1.0)
    )
