"""Systems of independently failing parts: the probability that the whole fails or works, by its structure.

A rule is read as alternatives of conditions; each condition names a part, or a number of similar ones, and whether they
fail or work. Each probability belongs to the part in its clause.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import FigureSlot, distinct, slots
from mabos.knowledge.reasoning.questions.wording import ANY, NUMBER, Phrasing, is_chance, join_items, percent, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["parts"]
_FAILS = re.compile(WORDS["fails"], re.IGNORECASE)
_WORKS = re.compile(WORDS["works"], re.IGNORECASE)
_RULE = re.compile(WORDS["rule"], re.IGNORECASE)
_COUNT = re.compile(WORDS["count"], re.IGNORECASE)
_FILLER = re.compile(WORDS["filler"], re.IGNORECASE)
_PAIR = re.compile(WORDS["pair"], re.IGNORECASE)
"""A word that only joins two names: "either A or B", "both A and B fail", "A and B are both down"."""


@dataclass(frozen=True, slots=True)
class _Condition:
    """A condition of a rule: so many of a number of parts alike must fail, or must work."""

    name: str
    of: int = 1
    least: int = 1
    fails: bool = True
    at: tuple[int, int] = (0, 0)

    @property
    def failing(self) -> int:
        """The least number of failures with which the condition is lost, or that it asks for."""
        return self.least if self.fails else self.of - self.least + 1


_PartRule = tuple[list[list[_Condition]], tuple[int, int], bool]


def read_parts(q: Phrasing, _held: Holdings) -> Reading:
    """Read a rule of parts and the probability of each, and whether the failure of the whole is in question."""
    if not q.has(WORDS["asks"]) or q.has(WORDS["never"]):
        return None
    found, repeated = distinct(slots(q))
    q.use(*(one.at for one in repeated))
    rates = [one for one in found if one.kind == "p" or is_chance(q, q.plain[slice(*one.at)], one.at[0])]
    if not rates or len(rates) > 6:
        return None
    if q.has(WORDS["common"]):
        return _common_cause(q, rates)
    rules = list(_rules(q, rates))
    for groups, at, needed in rules:
        if reading := _tie(q, _expand(q, groups, rules), rates, at, needed=needed):
            return reading
    return None


def _expand(q: Phrasing, groups: list[list[_Condition]], rules: Sequence[_PartRule]) -> list[list[_Condition]]:
    """Return the alternatives with a part that another rule explains replaced by the conditions of that rule."""
    made = list[list[_Condition]]()
    for own in groups:
        start = next((a for a, b in q.sentences() if a <= own[0].at[0] < b), 0)
        found = [
            (other, at)
            for other, at, _ in rules
            if other is not groups and len(own) == 1 and stems(own[0].name)
            for a, b in q.sentences()
            if a <= at[0] < b and a != start and stems(own[0].name) <= stems(q.plain[a : at[0]])
        ]
        made += found[0][0] if found else [own]
        for _, at in found:
            q.grasp_all(next(one for one in q.sentences() if one[0] <= at[0] < one[1]))
    return made


def _common_cause(q: Phrasing, rates: Sequence[FigureSlot]) -> Reading:
    """Read parts alike that fail by themselves, and something else that takes out all of them."""
    hit = [next(text for a, b in q.sentences() if a <= one.at[0] < b and (text := q.plain[a:b])) for one in rates]
    shared = [one for one, text in zip(rates, hit, strict=True) if re.search(WORDS["common"], text)]
    counts = {int(q.value(one)) for one in q.numbers() if q.value(one) in range(2, 13)}
    count = counts.pop() if len(counts) == 1 else 2 if q.has(r"\bboth\b") and not counts else 0
    if len(rates) != 2 or len(shared) != 1 or not count:
        return None
    own = next(one for one in rates if one not in shared)
    names = [f"part {at}" for at in range(1, count + 1)]
    if re.search(r"(?i)\bat least one\b|\beither\b", q.question):
        return None
    q.use(*(one for one in q.sentences() if "«" in q.plain[slice(*one)]))
    events = dict.fromkeys(names, own.value) | {"the common cause": shared[0].value}
    gates = {"each": {"when": "all", "of": names}, "top": {"when": "any", "of": ["each", "the common cause"]}}
    for one in q.sentences():
        q.grasp_all(one)
    return _form(q, events, gates, own.at, asks_failure=_asks_failure(q, fails=True))


def _rules(q: Phrasing, rates: Sequence[FigureSlot]) -> Iterator[_PartRule]:
    """Yield the readings of the rule: alternatives of conditions, where it is, and whether it says what is needed."""
    for found in _RULE.finditer(q.plain, 0, q.last()[0] or len(q.plain)):
        end = next(b for a, b in q.sentences() if a <= found.start() < b)
        end = found.end() + (re.search(r"[.;?:]|$", q.plain[found.end() : end]) or found).start()
        end = min(end, q.asking(q.last())[0]) if q.asking(q.last())[0] > found.end() else end
        is_bad = re.match(r"(?i)only", found[0]) and _FAILS.search(q.plain[found.end() : end])  # "only when it fails"
        groups, needed = _alternatives(q, found.end(), end, rates), bool(found["need"] or found["must"]) and not is_bad
        if groups and (
            needed or _FAILS.search(q.plain[found.end() : end]) or _WORKS.search(q.plain[found.end() : end])
        ):
            groups = [[replace(one, fails=one.fails and not needed) for one in own] for own in groups]
            yield groups, (found.start(), end), needed
    if enough := q.search(WORDS["enough"]):
        named = _number(q, enough["k"] or "one")
        yield [[_Condition("", _count_of(q, rates), named, fails=False)]], enough.span(), True
    quantity = _quantity(q)
    if quantity and len(rates) <= 2:
        yield [[quantity]], q.last(), False
    if q.has(WORDS["all"]) and len(rates) > 1 and not q.has(WORDS["spare"]):
        yield [[_Condition(f"part {at}", fails=False, at=one.at) for at, one in enumerate(rates, 1)]], (0, 0), True


def _alternatives(q: Phrasing, start: int, end: int, rates: Sequence[FigureSlot]) -> list[list[_Condition]]:
    """Return the conditions joined by "or", each a list of conditions that are joined by "and"."""
    groups, fails, at, join = list[list[_Condition]](), None, start, "or"
    plain = _PAIR.sub(lambda one: " " * len(one[0]), q.plain[start:end])
    for mark in re.finditer(r"(?i),?\s(?P<join>or|and)\s|,\s|$", plain):
        text = plain[at - start : mark.start()]
        if _FILLER.sub("", re.sub(ANY, "", text)).strip(" ,.()"):
            fails = bool(_FAILS.search(text)) if _FAILS.search(text) or _WORKS.search(text) else fails
            one = _condition(q, text, (at, start + mark.start()), rates)
            one = replace(one, fails=fails) if fails is not None else one
            groups = [*groups, [one]] if join.lower() == "or" or not groups else [*groups[:-1], [*groups[-1], one]]
        elif groups:  # "the pump fails, 2% a year"
            groups[-1][-1] = replace(groups[-1][-1], at=(groups[-1][-1].at[0], start + mark.start()))
        at = start + mark.end()
        join = mark["join"] or (re.search(r"\s(or|and)\s|$", plain[mark.end() :]) or mark)[1] or "and"
    known = next((one.fails for own in groups for one in own if _FAILS.search(q.plain[slice(*one.at)])), None)
    if known is not None and not any(_WORKS.search(q.plain[slice(*one.at)]) for own in groups for one in own):
        groups = [[replace(one, fails=True) for one in own] for own in groups]
    return groups


def _condition(q: Phrasing, text: str, at: tuple[int, int], rates: Sequence[FigureSlot]) -> _Condition:
    """Return a part, or so many of several alike, by the words of one condition."""
    found = _COUNT.search(text)
    name = _FILLER.sub(" ", _WORKS.sub(" ", _FAILS.sub(" ", re.sub(ANY, " ", _COUNT.sub(" ", text)))))
    name = " ".join(re.sub(r"[^\w'’ -]", " ", name).split())
    if found is None:
        return _Condition(name, at=at)
    word, own = (found["k"] or "one").lower(), _number(q, found["n"]) if found["n"] else 0
    count = own or (
        2
        if word in ("both", "either", "neither")
        else _count_of(q, rates, stems(name), at if found["k"].startswith("«") else (0, 0))
    )
    least = (
        count if word in ("both", "all", "neither", "every") else 1 if word in ("either", "any") else _number(q, word)
    )
    return _Condition(name, max(count, least), least, at=at)


def _number(q: Phrasing, word: str) -> int:
    return int(q.value(word)) if word.startswith("«") else 1


def _count_of(
    q: Phrasing, rates: Sequence[FigureSlot], names: set[str] | None = None, at: tuple[int, int] = (0, 0)
) -> int:
    """Return how many parts alike there are: the number before their name, or the largest number of things."""
    taken = {one.at[0] for one in rates} | {*range(*at)}
    counts = [
        (mark.start(), int(q.value(mark[0]))) for mark in re.finditer(NUMBER, q.plain) if mark.start() not in taken
    ]
    named = [count for at, count in counts if names and stems(" ".join(q.plain[at:].split()[1:4])) & names]
    return max(named or [count for _, count in counts] or [2 if q.has(r"\bboth\b|\beither\b") else 1])


def _quantity(q: Phrasing) -> _Condition | None:
    """Return how many of some things alike are asked for to fail or to work, by the sentence that asks."""
    asked = q.question
    count = _count_of(q, [one for one in slots(q) if one.kind == "p"])
    if count < 2 or count > 50:
        return None
    fails = bool(_FAILS.search(asked)) or not _WORKS.search(asked)
    if re.search(r"(?i)\bat least one\b|\bone or more\b|\bany of\b", asked):
        return _Condition("", count, 1, fails)
    if found := re.search(rf"(?i)\bat least ({NUMBER})", asked):
        return _Condition("", count, int(q.value(found[1])), fails)
    if re.search(r"(?i)\bnone\b|\bno one\b|\bneither\b|\bnot one\b|\bwithout a single\b", asked):
        return _Condition("", count, count, not fails)
    if re.search(r"(?i)\b(?:all|both|every one)\b", asked) and not re.search(r"(?i)\bnot (?:all|both)\b", asked):
        return _Condition("", count, count, fails)
    return None


def _tie(
    q: Phrasing,
    groups: Sequence[Sequence[_Condition]],
    rates: Sequence[FigureSlot],
    at: tuple[int, int],
    *,
    needed: bool,
) -> Reading:
    """Return the fault tree of a rule with the chance of every part, or the chances that are missing."""
    every = [one for own in groups for one in own]
    if not every or len({one.fails for one in every}) > 1 or any(one.of > 12 or one.failing < 1 for one in every):
        return None
    events, gates, lacking, taken = dict[str, float](), dict[str, dict[str, Any]](), list[str](), set[FigureSlot]()
    fails = every[0].fails and not needed
    for number, own in enumerate(groups, 1):
        for place, one in enumerate(own, 1):
            chances, used = _chances(one, rates, every)
            taken |= used
            if not chances:
                lacking.append(f"the probability that {_article(one.name)} {'fails' if one.fails else 'works'}")
            if len(chances) < one.of and chances:
                lacking.append(f"the probability that the other {one.name} fails (the second one)")
            names = [f"{one.name or 'part'} {at}" if one.of > 1 else one.name or "part" for at in range(1, one.of + 1)]
            names = [f"{name} ({number}.{place})" if name in events else name for name in names]
            events |= dict(zip(names, chances, strict=False))
            gates[f"{number}.{place}"] = {"when": "at least", "of": names, "least": one.failing}
        gates[f"group {number}"] = {
            "when": "all" if fails else "any",
            "of": [f"{number}.{at}" for at in range(1, len(own) + 1)],
        }
    if lacking:
        return MissingFields("root-cause", tuple(dict.fromkeys(lacking))) if taken or len(every) > 1 else None
    counts = {float(count) for one in every for count in (one.of, one.least, 1, len(rates), len(every), len(groups))}
    counted = [token for token in q.numbers() if not any(q.plain[slice(*one.at)] == token for one in rates)]
    if len(taken) < len(rates) or any(q.value(token) not in counts for token in counted):
        return None
    q.use(*((q.plain.index(token), q.plain.index(token) + len(token)) for token in counted))
    gates["top"] = {"when": "any" if fails else "all", "of": [f"group {at}" for at in range(1, len(groups) + 1)]}
    return _form(q, events, gates, at, asks_failure=_asks_failure(q, fails=fails))


def _article(name: str) -> str:
    return name if name[:1].isupper() else f"the {name or 'part'}"


def _chances(
    part: _Condition, rates: Sequence[FigureSlot], every: Sequence[_Condition]
) -> tuple[list[float], set[FigureSlot]]:
    """Return the chances that the parts of a condition fail, and the figures that say so: within it, or by its name."""
    inside = [one for one in rates if part.at[0] <= one.at[0] < part.at[1]]
    words = stems(part.name)
    others = set[str]().union(*(stems(one.name) for one in every if one is not part)) - words
    outside = [one for one in rates if not any(other.at[0] <= one.at[0] < other.at[1] for other in every)]
    scores = {one: len(words & stems(_clause(one))) - len(others & stems(_clause(one))) for one in outside}
    best = max(scores.values(), default=0)
    named = inside or [one for one in outside if scores[one] == best and best > 0]
    if (not named and len(every) == 1) or (not named and not words):
        named = outside or list(rates)
    if len(named) > part.of:
        return [], set()
    values = [_fail_chance(one, part) for one in named]
    alike = len(values) == 1 and part.of > 1 and (inside or not re.search(WORDS["single"], _clause(named[0]), re.I))
    return values * part.of if alike else values, set(named)


_ENDS = re.compile(r"[,;:()]\s?|\s(?:and|or|but)\s")


def _clause(one: FigureSlot) -> str:
    before = re.sub(r"[:(]\s*(?:about |roughly )?$", " ", one.before)  # "the mill is slow (2%)", "compressor: 1%"
    return f"{_ENDS.split(before)[-1]} {_ENDS.split(one.after)[0]}"


def _fail_chance(one: FigureSlot, part: _Condition) -> float:
    """Return the chance that a part fails, where its clause says that it works so often."""
    text = _clause(one)
    fails, works = _FAILS.search(text) is not None, _WORKS.search(text) is not None
    if fails or (not works and (part.fails or one.value < 0.5)):
        return one.value
    return 1 - one.value


def _asks_failure(q: Phrasing, *, fails: bool) -> bool:
    """Return whether a failure of the whole is asked for; words of the rule itself ask for what it says."""
    asked = q.plain[slice(*q.asking(q.last()))]
    if _FAILS.search(asked) or _WORKS.search(asked) or re.search(WORDS["none"], asked, re.I):
        return not _WORKS.search(asked) or _FAILS.search(asked) is not None
    return fails


def _form(
    q: Phrasing, events: dict[str, float], gates: dict[str, dict[str, Any]], at: tuple[int, int], *, asks_failure: bool
) -> FilledForm:
    q.use(at)
    for one in re.finditer(r"[^.;:«»]+: (?=«)", q.plain):
        q.grasp(one)
    for one in _RULE.finditer(q.plain, *at):
        q.grasp(one)
    for a, b in q.clauses():
        if a <= at[0] < b:
            q.use((a, b))
        if re.search(ANY, q.plain[a:b]) or re.search(WORDS["independent"], q.plain[a:b], re.I):
            q.use((a, b))
            for one in re.finditer(WORDS["independent"], q.plain[a:b], re.I):
                q.use((a + one.start(), a + one.end()))
    q.use_asking(q.last())

    def conclude(result: MethodResult[Any]) -> Upshot:
        chance = float(result.answer.probability)
        value = chance if asks_failure else 1 - chance
        ranked = sorted(result.answer.importance.items(), key=lambda one: (-one[1].criticality, one[0]))
        alike = len({round(one[1].criticality, 9) for one in ranked}) == 1
        source = "" if alike or not asks_failure else f" Most of it comes from {ranked[0][0]}."
        return Upshot(f"The probability is {percent(value)}.{source}", value, 1.0)

    shown = join_items(f"{name} ({percent(chance)})" for name, chance in events.items())
    echo = f"parts that may fail: {shown}; asked is {'a failure' if asks_failure else 'that it works'}"
    problem = {"kind": "fault_tree", "top": "top", "gates": gates, "events": events}
    return FilledForm("root-cause", problem, echo, conclude, assumes="the parts fail independently of each other")
