"""Risks with a probability and a damage each: which is the bigger one."""

import re
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import slots
from mabos.knowledge.reasoning.questions.wording import ANY, NUMBER, Phrasing, figure, is_chance, join_items, percent
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["risks"]


def read_risks(q: Phrasing, _held: Holdings) -> Reading:
    """Read risks with a probability and a damage each: which is the bigger one on average."""
    if not q.has(WORDS["asks"]):
        return None
    if lasting := _over_years(q):
        return lasting
    risks = _read_ratings(q) or _risks(q)
    if len(risks) < 2 or len({name for name, *_ in risks}) < len(risks):
        return None
    q.use_question()
    problem = {
        "kind": "lotteries",
        "lotteries": {
            name: [{"p": p, "value": -loss}, *([{"p": 1 - p, "value": 0}] if p < 1 else [])] for name, p, loss in risks
        },
    }
    compares = q.has(r"\b(?:is|are)\b[^?]*\bworse than\b")

    def conclude(result: MethodResult[Any]) -> Upshot:
        worth = {name: -one.expected_value for name, one in result.answer.lotteries.items()}
        ranked = sorted(worth, key=lambda one: (-worth[one], one))
        best, second = ranked[:2]
        if worth[best] - worth[second] <= 1e-9 * max(1.0, worth[best]):
            return Upshot(f"They are equal on average: {figure(worth[best])} each.", "equal")
        others = join_items(f"{name} {figure(worth[name])}" for name in ranked[1:])
        says = ("Yes: " if best == risks[0][0] else "No: ") if compares else ""
        worst = max(risks, key=lambda one: one[2])
        note = "" if worst[0] == best else f" The largest single damage is that of {worst[0]}."
        return Upshot(
            f"{says}{best} is the bigger risk: {figure(worth[best])} on average, against {others}.{note}", best
        )

    shown = "; ".join(f"{name}: {percent(p)} of {figure(loss)}" for name, p, loss in risks)
    assumes = "risks are compared by probability times damage"
    return FilledForm("expected-utility", problem, shown, conclude, assumes=assumes)


def _read_ratings(q: Phrasing) -> list[tuple[str, float, float]]:
    """Read "likelihood 4 of 5, impact 2 of 5"."""
    pattern = (
        r"(?:^|[.;]\s+)(?P<name>[^.;:«]+?)(?::| has(?: a)?| is)\s+(?:likelihood|probability)"
        f"(?: of)? (?P<a>{NUMBER})(?: (?:of|out of|/) (?P<b>{NUMBER}))?,? (?:and )?(?:impact|"
        f"damage|severity)(?: of)? (?P<c>{NUMBER})(?: (?:of|out of|/) (?P<d>{NUMBER}))?"
    )
    found = []
    for one in q.matches(pattern):
        top = q.value(one["b"]) if one["b"] else 10.0
        high = q.value(one["d"]) if one["d"] else 10.0
        if not 0 <= q.value(one["a"]) <= top or not 0 <= q.value(one["c"]) <= high:
            return []
        found.append((one["name"].strip(), q.value(one["a"]) / top, q.value(one["c"]) / high))
        q.use(one)
    return found if len(found) > 1 else []


def _over_years(q: Phrasing) -> Reading:
    """Read two things with a chance a year and the years that each lasts: which is likelier to happen at least once."""
    found = slots(q)
    if [bool(one.kind == "p") for one in found] != [True, False, True, False] or not q.has(r"\blikel\w+|\bprobab\w+"):
        return None
    if any(one.span != "year" for one in found[1::2]) or not q.has(
        r"\b(?:at least once|ever|live through|happen\w*|see|face|hit)\b"
    ):
        return None
    names = [
        _RISK_OF.match(one.before.lstrip(" .,"))
        or re.match(
            r"\W*(?:an?|the|our)?\s*(?P<name>[\w -]+?) (?:happens|occurs|hits|comes|has|is)\b", one.before, re.I
        )
        for one in found[::2]
    ]
    if not all(names):
        return None
    titles = [re.split(r" (?:at|in|of|on|is|to)\b", one["name"])[0].strip() for one in names if one]
    chances = {name: (one.value, years.value) for name, one, years in zip(titles, found[::2], found[1::2], strict=True)}
    q.use((0, len(q.plain)))
    once = {name: 1 - (1 - p) ** years for name, (p, years) in chances.items()}
    best, other = sorted(once, key=lambda one: -once[one])
    problem = {
        "kind": "lotteries",
        "lotteries": {name: [{"p": p, "value": 1}, {"p": 1 - p, "value": 0}] for name, p in once.items()},
    }
    first, second = (f"{percent(once[name])} over {figure(chances[name][1])} years" for name in (best, other))
    says = f"The {best} is more likely: {first}, against {second} for the {other}."
    shown = "; ".join(f"{name}: {percent(p)} a year for {figure(years)} years" for name, (p, years) in chances.items())
    return FilledForm(
        "expected-utility",
        problem,
        shown,
        lambda _: Upshot(says, best),
        assumes="each year is independent of the others",
    )


_EMPTY = re.compile(r"(?:there(?:['’]s|\s+is)?|we|it|a|an|the|face|\s|['’]s)*", re.IGNORECASE)
_RISK_OF = re.compile(WORDS["risk_of"])
_HEAD = re.compile(WORDS["head"], re.I | re.S)


def _risks(q: Phrasing) -> list[tuple[str, float, float]]:
    """Read pairs of a probability and a damage, in either order, each with the name before it."""
    tokens = list(re.finditer(ANY, q.plain))
    if len(tokens) % 2 or len(tokens) < 4:
        return []
    found: list[tuple[str, float, float]] = []
    at = 0
    for first, second in zip(tokens[::2], tokens[1::2], strict=True):
        kinds = [
            first[0].startswith("«p") or is_chance(q, first[0], first.start()),
            second[0].startswith("«p") or is_chance(q, second[0], second.start()),
        ]
        if sum(kinds) != 1 or re.search(r"[.;]\s", q.plain[first.end() : second.start()]):
            return []
        chance, loss = (first, second) if kinds[0] else (second, first)
        name = _HEAD.sub("", re.split(r"[.?!]\s", q.plain[at : first.start()])[-1], count=1)
        name = re.sub(
            r"\s*\b(?:happens?|occurs?|hits|comes up|means|has|have|with|would|will|is|are|does|comes?|costs?)\b.*$|"
            r"\s*[(:,].*$",
            "",
            name,
            flags=re.I | re.S,
        ).strip()
        if not name or _EMPTY.fullmatch(name):
            told = _RISK_OF.match(q.plain[chance.end() : loss.start()]) if chance is first else None
            name = told["name"].strip() if told else ""
        name = name or f"{q.written(chance[0])} of {q.written(loss[0])}"
        if re.match(r"(?:which|what|how|rank)\b", name, re.I):
            return []
        found.append((name, q.value(chance[0]), abs(q.value(loss[0]))))
        q.use((at, second.end()))
        at = second.end()
    return found
