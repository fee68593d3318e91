"""Questions of time: when people can meet, and how long a project takes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import FIRST_HOUR, NUMBER, Phrasing, clock, figure, join_items, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["plans"]

Window = tuple[float, float]
_TIME = r"«[nt]\d+»"
_RANGE = rf"(?P<a>{_TIME})(?:\s?(?:to|until|till|and|–|—|-)\s?)(?P<b>{_TIME})"
_NO_NAME = frozenset(WORDS["no_name"].split())
_FILLER = re.compile(WORDS["filler"], re.IGNORECASE)
_HOURS = {"hour": 60.0, "hours": 60.0, "minute": 1.0, "minutes": 1.0, "min": 1.0, "mins": 1.0, "h": 60.0}


def read_meeting(q: Phrasing, _held: Holdings) -> Reading:
    """Read when each person is free or busy and how long a meeting is: the first time that suits all."""
    if not q.has(r"\b(?:free|busy|available|has time|can (?:do|make|meet)|meet\w*|slot|taken|around|together)\b"):
        return None
    free, busy, day = _windows(q)
    if len(free.keys() | busy.keys()) < 2:
        return None
    length = _length(q)
    if length is None:
        return MissingFields("temporal", ("how long the meeting is",))
    if busy and day is None:
        return MissingFields("temporal", ("between which hours they could meet at all",))
    windows = {name: list(spans) for name, spans in free.items()}
    for name, spans in busy.items():
        windows[name] = _without(windows.get(name) or [day or (0.0, 1440.0)], spans)
    if day is not None:
        windows = {
            name: [(max(a, day[0]), min(b, day[1])) for a, b in spans if min(b, day[1]) > max(a, day[0])]
            for name, spans in windows.items()
        }
    q.use_question()
    q.find(r"\bas (?:early|soon|late) as possible\b")
    q.counted(len(windows))
    q.use_settings((len(windows),))
    return _schedule_meeting(windows, length)


def _windows(q: Phrasing) -> tuple[dict[str, list[Window]], dict[str, list[Window]], Window | None]:
    """Return the free and busy times of each person, and the hours of the day; mark the words read."""
    free: dict[str, list[Window]] = {}
    busy: dict[str, list[Window]] = {}
    day: Window | None = None
    for one in q.matches(_RANGE):
        a, b = _minutes(q, one["a"]), _minutes(q, one["b"])
        if a is None or b is None:
            continue
        if b <= a and b <= 720:
            b += 720
        before = q.plain[: one.start()]
        sentence = before[max(before.rfind(". "), before.rfind("? ")) + 1 :]
        names = [name for name in re.finditer(WORDS["person"], sentence) if name[0].lower() not in _NO_NAME]
        if re.search(r"\b(?:working day|office hours|day|we meet|meet between|open)\b[^«]*$", sentence, re.I) and (
            not names or "«" in sentence[names[-1].end() :] or re.search(r"\bworking day|office hours", sentence)
        ):
            day = (a, b)
            q.use((one.start() - len(sentence), one.end()))
            continue
        if not names or b <= a:
            continue
        before_name, after_name = sentence[: names[-1].start()].rstrip(), sentence[names[-1].end() :]
        if (before_name and not re.search(r"(?:[,;:»?]|\b(?:and|while|but|find [^«]*for))$", before_name, re.I)) or (
            re.sub(_FILLER, "", after_name).strip(" ,;-–—")
        ):
            return {}, {}, None  # it says more of the time than is read here: a day, a place, an exception
        state = [*re.finditer(WORDS["state"], sentence, re.I)]
        name = names[-1][0]
        (busy if state and state[-1]["busy"] else free).setdefault(name, []).append((a, b))
        q.use((one.start() - len(sentence) + names[-1].start(), one.end()))
    return free, busy, day


def _minutes(q: Phrasing, token: str) -> float | None:
    value = q.value(token)
    if token.startswith("«t"):
        return value
    return 60 * (value + 12 * (1 <= value < FIRST_HOUR)) if 0 <= value <= 24 else None


def _length(q: Phrasing) -> float | None:
    for one in q.matches(rf"({NUMBER})[ -]?(hours?|minutes?|mins?|h)\b"):
        q.use(one)
        return q.value(one[1]) * _HOURS[one[2].lower()]
    return 60.0 if q.find(r"\b(?:an|one) hour\b") else None


def _without(spans: Sequence[Window], taken: Sequence[Window]) -> list[Window]:
    for start, end in taken:
        spans = [one for a, b in spans for one in ((a, min(b, start)), (max(a, end), b)) if one[1] > one[0]]
    return list(spans)


def _common(windows: Mapping[str, Sequence[Window]], length: float) -> list[Window]:
    """Return when all are free for so long."""
    spans: list[Window] = [(0.0, 1440.0)]
    for own in windows.values():
        spans = [(max(a, c), min(b, d)) for a, b in spans for c, d in own if min(b, d) - max(a, c) >= length]
    return sorted(spans)


def _schedule_meeting(windows: Mapping[str, Sequence[Window]], length: float) -> Reading:
    every = _common(windows, length)
    either = [
        [
            {"before": "midnight", "after": "meeting", "at_least": a, "at_most": b - length, "id": f"{name} {clock(a)}"}
            for a, b in spans
            if b - a >= length
        ]
        for name, spans in windows.items()
    ]
    shown = "; ".join(
        f"{name} {join_items(f'{clock(a)} to {clock(b)}' for a, b in spans) if spans else 'never'}"
        for name, spans in windows.items()
    )
    echo = f"{figure(length)} minutes together; free: {shown}"

    def conclude(result: MethodResult[Any]) -> Upshot:
        if not all(either) or not result.answer.consistent:
            return Upshot(
                f"No: there is no time of {figure(length)} minutes at which {join_items(windows)} are all free.",
                "never",
                changes="a shorter meeting, or another window of one of them.",
            )
        start = result.answer.window["meeting"][0]
        rest = [one for one in every if one[0] > start]
        more = (
            f" They are also all free {join_items(f'from {clock(a)} to {clock(b)}' for a, b in rest)}." if rest else ""
        )
        sentence = f"From {clock(start)} to {clock(start + length)}.{more}"
        return Upshot(sentence, clock(start), changes="another window of one of them.")

    bounds = [{"before": "midnight", "after": "meeting", "at_least": 0, "at_most": 1440 - length}]
    problem = {"kind": "timeline", "start": "midnight", "bounds": bounds, "either": [one for one in either if one]}
    return FilledForm("temporal", problem, echo, conclude)


# -- projects


@dataclass(slots=True)
class _Task:
    """A piece of work: how long it takes and what must be done before it."""

    name: str
    length: float
    needs: list[str] = field(default_factory=list)
    is_free: bool = False


_UNIT = r"(?:working |business )?(?:minutes?|hours?|days?|weeks?|months?)"
_LASTS = re.compile(WORDS["lasts"], re.IGNORECASE)
_NEEDS: str = WORDS["needs"]
_ALONGSIDE: str = WORDS["alongside"]


def read_project(q: Phrasing, _held: Holdings) -> Reading:
    """Read tasks with their lengths and needs: the length of the whole, and its critical path."""
    marks = [*_LASTS.finditer(q.plain)]
    if len(marks) < 2 or not q.has(WORDS["asks_project"]):
        return None
    units = {one["unit"].lower().removeprefix("working ").removeprefix("business ").rstrip("s") for one in marks}
    if len(units) != 1:
        return None
    unit = units.pop()
    tasks: dict[str, _Task] = {}
    for mark in marks:
        name = _task_name(mark["task"])
        if not name or name in tasks:
            return None
        tasks[name] = _Task(name, q.value(mark["n"]))
    lacking = _read_needs(q, marks, tasks)
    if lacking:
        return MissingFields("temporal", tuple(f"how long {one} takes" for one in lacking))
    if not any(one.needs for one in tasks.values()):
        return MissingFields("temporal", ("which task must wait for which",))
    milestones = _milestones(q, tasks)
    for mark in marks:
        q.use(mark)
    q.every(_ALONGSIDE)
    return _schedule_tasks(q, tasks, unit, milestones)


def _task_name(text: str) -> str:
    bare = re.sub(r"^.*\b(?:then|and|after|before|while|once|waits? for)\b\s+", "", text.strip(), flags=re.I)
    return re.sub(r"^(?:the|a|an|our)\s+", "", bare, flags=re.I).strip()


def _read_needs(q: Phrasing, marks: Sequence[re.Match[str]], tasks: Mapping[str, _Task]) -> list[str]:
    """Write the needs into the tasks; return needed tasks without a length."""
    names = list(tasks)
    lacking: list[str] = []
    for place, mark in enumerate(marks):
        task = tasks[names[place]]
        following = marks[place + 1] if place + 1 < len(marks) else None
        sentence = next(b for a, b in q.sentences() if a <= mark.start("n") < b)
        end = min(
            sentence,
            following.start()
            if following
            and not re.search(rf"{_NEEDS}\s*(?:the )?\w*\s*$", q.plain[mark.end() : following.end("task")], re.I)
            else following.end("task")
            if following
            else sentence,
        )
        tail = q.plain[mark.end() : end]
        if found := re.search(rf"\b{_NEEDS}\s+(?P<what>[^.;«]+)", tail, re.I):
            for what in re.split(
                r",\s*(?:and\s+)?|\s+and\s+",
                re.sub(r"\b(?:is|are) (?:done|finished|complete|ready)\b|,\s*$", "", found["what"]).strip(" ,."),
            ):
                known = _match_task(what, tasks, names[place])
                if re.fullmatch(
                    r"(?:everything|all|both|all (?:of them|others|the others|that|this))(?: else)?", what.strip()
                ):
                    task.needs += [name for name in names if name != names[place]]
                elif known:
                    task.needs.append(known)
                elif what.strip() and not re.match(r"(?:it|that|this)\b|\w+ing\b.*", what.strip()):
                    lacking.append(what.strip())
            q.use((mark.end(), mark.end() + found.end()))
        elif found := re.search(WORDS["at_once"], tail, re.I):
            task.is_free = True
            q.use((mark.end(), mark.end() + found.end()))
        if place and not task.needs and re.search(r"\b(?:then|after that|afterwards|next)\b", mark["task"], re.I):
            task.needs.append(names[place - 1])
    for one in re.finditer(WORDS["comes_before"], q.plain):
        first, second = _match_task(one["a"], tasks, ""), _match_task(one["b"], tasks, "")
        if first and second:
            tasks[second].needs.append(first)
            q.use(one)
    return lacking


def _match_task(what: str, tasks: Mapping[str, _Task], but: str) -> str:
    """Return the task that some words name: the one that shares all their stems, or the most of them."""
    bare = re.sub(r"^(?:the|a|an|our|its)\s+", "", what.strip(), flags=re.I)
    for name in tasks:
        if name != but and name.lower() in (bare.lower(), f"task {bare.lower()}"):
            return name
    words = stems(bare)
    scores = {name: len(words & stems(name)) for name in tasks if name != but}
    best = max(scores, key=lambda one: scores[one], default="")
    return best if best and scores[best] and [*scores.values()].count(scores[best]) == 1 else ""


def _milestones(q: Phrasing, tasks: dict[str, _Task]) -> list[str]:
    """Read "The launch needs building and documentation": an event of no length."""
    found = []
    for one in re.finditer(WORDS["milestone"], q.plain):
        needs = [_match_task(what, tasks, "") for what in re.split(r",\s*(?:and\s+)?|\s+and\s+", one["what"])]
        if all(needs):
            tasks[one["name"].strip()] = _Task(one["name"].strip(), 0.0, needs)
            found.append(one["name"].strip())
            q.use(one)
    return found


def _due(q: Phrasing) -> re.Match[str] | None:
    """Return by when everything must be done, where a question says so; the length of a task is not meant."""
    due = q.search(WORDS["due"])
    lengths = [one.start("n") for one in _LASTS.finditer(q.plain)]
    return due if due and not any(due.start() <= one < due.end() for one in lengths) else None


def _schedule_tasks(q: Phrasing, tasks: Mapping[str, _Task], unit: str, milestones: Sequence[str]) -> Reading:
    bounds = [
        {"before": "start" if not one.needs else f"{need} done", "after": f"{name} done", "at_least": one.length}
        for name, one in tasks.items() for need in (one.needs or [""])
    ]  # fmt: skip
    begins = q.search(r"\bwe (?:start|begin) at (?P<t>«t\d+»)|\bstart(?:ing)? at (?P<t2>«t\d+»)")
    due = _due(q)
    q.use(begins)
    if due is not None:
        if unit not in due[0]:
            return None
        q.use(next((a, b) for a, b in q.sentences() if a <= due.start() < b))
    q.use_question()
    limit = q.value(due["n"] or due["n2"]) if due else None
    steps = {"minute": 1.0, "hour": 60.0}

    def conclude(result: MethodResult[Any]) -> Upshot:
        ends = {name: result.answer.window[f"{name} done"][0] for name in tasks}
        last = max(ends, key=lambda one: (ends[one], one in milestones))
        path = [last]
        while tasks[path[-1]].needs:
            path.append(max(tasks[path[-1]].needs, key=lambda one: ends[one]))
        chain = join_items(list(reversed([one for one in path if tasks[one].length])), "then")
        total = ends[last]
        if begins is not None and unit in steps:
            at = q.value(begins["t"] or begins["t2"]) + total * steps[unit]
            sentence = f"At {clock(at)}, {figure(total)} {unit}s after the start; what it hangs on: {chain}."
            return Upshot(sentence, clock(at))
        if limit is not None:
            says = "Yes" if total <= limit else "No"
            return Upshot(
                f"{says}: it takes at least {figure(total)} {unit}s, and there are {figure(limit)}; "
                f"what it hangs on: {chain}.",
                says,
            )
        return Upshot(
            f"{figure(total)} {unit}s at the earliest; what it hangs on: {chain}.",
            total,
            changes=f"a delay of any of {chain}; the other tasks have slack.",
        )

    shown = "; ".join(
        f"{one.name} {figure(one.length)} {unit}s"
        + (f" after {join_items(one.needs)}" if one.needs else " from the start")
        for one in tasks.values()
    )
    assumes = "tasks that need nothing from each other run side by side"
    return FilledForm("temporal", {"kind": "timeline", "bounds": bounds}, shown, conclude, assumes=assumes)
