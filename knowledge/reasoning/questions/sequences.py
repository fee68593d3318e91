"""Sequential work in words: the total duration, and the best order of jobs on one machine."""

import re
from itertools import accumulate
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.calculations import build_calculation
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import ANY, NUMBER, Phrasing, clock, figure, join_items, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["sequences"]
_UNIT = r"(?:minutes?|mins?|hours?|days?|weeks?|months?)"
_STEP = re.compile(WORDS["step"], re.IGNORECASE)
_AFTER = re.compile(WORDS["after"])
_BESIDE = re.compile(WORDS["beside"])
_NAMED = re.compile(WORDS["named"])
_HARD = re.compile(WORDS["hard"])


def read_steps(q: Phrasing, _held: Holdings) -> Reading:
    """Read steps with durations, sequence and overlaps: the duration of the whole."""
    asked = q.last()
    if not re.search(WORDS["asks_steps"], q.plain[slice(*asked)], re.I) or _HARD.search(q.plain):
        return None
    marks = list(_STEP.finditer(q.plain, 0, asked[0] + 1))
    tokens = re.findall(ANY, q.plain)
    units = {one["unit"].lower().rstrip("s") for one in marks}
    if len(marks) < 3 or len(units) != 1 or len(marks) != len(tokens) or not _AFTER.search(q.plain):
        return None
    unit = units.pop()
    needs = _needs(q, marks)
    if needs is None:
        return None
    names = [_short(one["name"]) or f"step {place}" for place, one in enumerate(marks, 1)]
    if any(not stems(one) for one in names):
        return None
    names = [f"{name} {place}" if names.count(name) > 1 else name for place, name in enumerate(names, 1)]
    lengths = [q.value(one["n"]) for one in marks]
    bounds = [
        {"before": before, "after": f"{names[place]} done", "at_least": lengths[place]}
        for place, own in enumerate(needs) for before in ([f"{names[need]} done" for need in own] or ["start"])
    ]  # fmt: skip
    q.use((0, len(q.plain)))

    def conclude(result: MethodResult[Any]) -> Upshot:
        ends = {name: result.answer.window[f"{name} done"][0] for name in names}
        path = [max(range(len(names)), key=lambda one: ends[names[one]])]
        while needs[path[-1]]:
            path.append(max(needs[path[-1]], key=lambda one: ends[names[one]]))
        chain = join_items([f"{names[one]} {figure(lengths[one])}" for one in reversed(path)], "and")
        total = max(ends.values())
        return Upshot(
            f"{figure(total)} {unit}s at the earliest: {chain}.",
            total,
            changes="a delay of any of these; the other steps have slack.",
        )

    shown = "; ".join(
        f"{names[place]} {figure(lengths[place])}"
        + (f" after {join_items(names[one] for one in own)}" if own else " from the start")
        for place, own in enumerate(needs)
    )
    assumes = "steps that need nothing from each other run side by side"
    return FilledForm("temporal", {"kind": "timeline", "bounds": bounds}, shown, conclude, assumes=assumes)


def _short(text: str) -> str:
    """Return the name of a step without the words that join it."""
    bare = re.sub(WORDS["joins"], "", text.strip())
    return re.sub(r"(?i)^(?:the|a|an|our|we|i)\s+|\s+(?:is|are|takes?|needs?)$", "", bare).strip()


def _needs(q: Phrasing, marks: list[re.Match[str]]) -> list[list[int]] | None:  # noqa: PLR0912  # one for each link
    """Return which steps each step follows; None where it is unclear."""
    found = list[list[int]]()
    group: list[int] = []
    before: list[int] = []
    for place, mark in enumerate(marks):
        start = marks[place - 1].end() if place else 0
        end = marks[place + 1].start() if place + 1 < len(marks) else len(q.plain)
        lead = re.split(r"[.;]\s", q.plain[start : mark.start("n")])[-1]
        tail = re.split(r"[.;](?=\s|$)|, then\b", q.plain[mark.end() : end])[0]
        tail = re.split(r"(?i)\bthen\b|\bafter that\b", tail)[0]
        named = [own for text in (lead, tail) for own in _matches(text, marks, place)]
        if not place:
            found.append([])
            group = [0]
            continue
        arrives = re.search(r"(?i)\b(?:arrives?|comes?|delivered|ordered?)\b", lead) is not None
        if re.search(r"(?i)\bindependent(?! of each)|\bat any time\b|\bany ?time\b", f"{lead} {tail}") or re.search(
            r"(?i)(?:^|[.;]\s*)meanwhile\b|\bin the meantime\b", lead
        ):
            found.append([])
            group, before = [], []
            continue
        if named:
            own = sorted(set(named))
        elif arrives and not _AFTER.search(lead):
            own = []
        elif (re.search(r"(?i)^\W*(?:and|,)\W", lead) and _BESIDE.search(tail)) or (
            re.search(r"(?i)^\)?\s*and\b", lead) and not _AFTER.search(lead)
        ):
            own = list(before)
        elif re.search(WORDS["all_before"], tail, re.I):
            own = list(group)
        elif _BESIDE.search(lead):
            own = list(before) if before else []
        elif _AFTER.search(lead) and group:
            own = list(group)
        else:
            return None
        if arrives:
            linked = re.search(
                r"(?i)\b(?:laying|fitting|installing|mounting|using|hanging|putting)\b",
                q.plain[mark.end() : marks[min(place + 1, len(marks) - 1)].end()],
            )
            if linked is None:
                return None
        elif (
            found
            and not found[-1]
            and place > 1
            and marks[place - 1]["name"]
            and re.search(r"(?i)\barrives?\b", marks[place - 1][0])
        ):
            own = sorted({*own, place - 1})
        if own == before and own != group and place not in group:
            group = [*group, place]
        elif not arrives:
            before, group = own, [place]
        found.append(own)
    return found


def _matches(text: str, marks: list[re.Match[str]], place: int) -> list[int]:
    """Return the steps that a text names behind a word of waiting."""
    own = list[int]()
    for one in _NAMED.finditer(text):
        words = stems(one["what"])
        own += [at for at, mark in enumerate(marks) if at != place and words & stems(_short(mark["name"]))]
    return own


def read_queue(q: Phrasing, _held: Holdings) -> Reading:
    """Read jobs of one machine and their durations: the order of least waiting, and its average."""
    listed = max(
        re.finditer(rf"{NUMBER}(?:(?: {_UNIT})?(?:,? and |, |; |/){NUMBER}){{2,}}", q.plain),
        key=lambda one: len(one[0]),
        default=None,
    )
    if (
        listed is None
        or not q.has(r"\b(?:order|sequence|first)\b")
        or not q.has(r"\b(?:wait\w*|average|on average|mean)\b")
    ):
        return None
    if not q.has(r"\b(?:least|shortest|lowest|minimi\w+|as little|quick\w*|smallest)\b") or q.has(
        r"\b(?:due|deadline|late|unless|if|two machines)\b"
    ):
        return None
    lengths = sorted(q.value(token) for token in re.findall(NUMBER, listed[0]))
    unit = re.match(rf"\s*(?P<unit>{_UNIT})", q.plain[listed.end() :])
    ends = list(accumulate(lengths))
    if any(q.in_digits(token) for token in q.numbers() if token not in listed[0]) or q.shares():
        return None
    q.use((0, len(q.plain)))
    told = unit["unit"] if unit else ""
    order = join_items([figure(one) for one in lengths], "then")
    total = {f"end {place}": end for place, end in enumerate(ends, 1)}
    mean = f"({' + '.join(name.replace(' ', '_') for name in total)}) / {len(ends)}"
    return build_calculation(
        total, mean, "mean", f"jobs of {join_items(map(figure, lengths))} {told} on one machine",
        lambda value: Upshot(f"Shortest first: {order}; on average one is done after {figure(value)} {told}.", value),
        assumes="all jobs are there at the start",
    )  # fmt: skip


def read_deadlines(q: Phrasing, _held: Holdings) -> Reading:
    """Read jobs of one machine with durations and deadlines: whether all can be met, and in which order."""
    if not q.has(WORDS["one_machine"]) or not q.search_asking(WORDS["asks_order"]):
        return None
    begin = q.search(WORDS["begin"])
    jobs, at = dict[str, tuple[float, float]](), 0
    for one in q.matches(WORDS["job"]):
        name = re.sub(
            r"(?i)^(?:the|a|an|our|and|one)\s+",
            "",
            re.split(r"[.,;:]\s", q.plain[at : one.start()].strip(" :,-"))[-1].strip(),
        )
        name = re.sub(r"(?i)\s*(?:needs?|takes?|lasts?|requires?|is|will take)\s*$", "", name).strip(" :,-")
        length = (q.value(one["n"]) if one["n"] else 1.0) * (1.0 if one["unit"].lower().startswith("min") else 60.0)
        due = q.value(one["due"]) * (60.0 if one["due"][1] == "n" else 1.0)
        if not name or name in jobs:
            return None
        jobs[name], at = (length, due), one.end()
    if len(jobs) < 2 or begin is None:
        return MissingFields("temporal", ("when the work begins",)) if len(jobs) > 1 else None
    start = q.value(begin["t"]) * (60.0 if begin["t"][1] == "n" else 1.0)
    used = 2 * len(jobs) + 1 - sum(one["n"] is None for one in q.matches(WORDS["job"]))
    if sum(q.in_digits(q.plain[slice(*one.span())]) or one[0][1] == "t" for one in re.finditer(ANY, q.plain)) > used:
        return None
    order = sorted(jobs, key=lambda one: jobs[one][1])
    ends = dict(zip(order, accumulate((jobs[one][0] for one in order), initial=start), strict=False))
    done = {name: ends[name] + jobs[name][0] for name in order}
    late = [name for name in order if done[name] > jobs[name][1]]
    shown = join_items(
        [f"{name} {clock(ends[name])} to {clock(done[name])} (due {clock(jobs[name][1])})" for name in order], "then"
    )
    q.use((0, len(q.plain)))
    for found in q.matches(r"\b(?:before|after|until|only|not)\b"):
        q.grasp(found)
    says = (
        f"Yes: {shown}."
        if not late
        else f"No: even in the order of the deadlines {join_items(late)} would be late: {shown}."
    )
    given = {f"end {place}": done[name] for place, name in enumerate(order, 1)}
    latest = f"end_{len(order)} + 0"
    return build_calculation(
        given, latest, "end", f"one job at a time from {clock(start)}; {join_items(order)}",
        lambda _: Upshot(says, says[:3], 1.0),
        assumes="no job is interrupted",
    )  # fmt: skip
