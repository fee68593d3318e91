"""House rules and permissions as conditions on a case, and whether the case meets them.

A rule is a guard (for whom, from which amount on), a modality, and a requirement or exception. Guards and conditions
are limits on a figure of the case, or features that the case states or denies. Open points are asked for.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import FigureSlot, slots
from mabos.knowledge.reasoning.questions.wording import Phrasing, join_items, stem, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["rules"]
_MODAL = re.compile(WORDS["modal"])
_ASKS = re.compile(WORDS["asks"])
_CASE = re.compile(WORDS["case"])
_DENIES = re.compile(WORDS["denies"])
_EXCEPT = re.compile(WORDS["except"])
_IF = re.compile(WORDS["if"])
_ABOVE, _BELOW = re.compile(WORDS["above"]), re.compile(WORDS["below"])
_SAME = {stem(word): group.split()[0] for group in WORDS["same"] for word in group.split()}
_GENERIC = frozenset(stem(word) for word in WORDS["generic"].split())
_WEAK = frozenset(stem(word) for word in WORDS["weak"].split())
_DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}


@dataclass(frozen=True, slots=True)
class _Test:
    """A condition: a limit on a figure of the case (`low` or `high`), or a feature that the case must have.

    A loose feature holds if the case has one of its words; `place` marks a location.
    """

    text: str
    words: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    strict: bool = False
    unit: str = ""
    denied: bool = False
    loose: bool = False
    place: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class _HouseRule:
    """A rule: where all tests of its guard hold, one list of `needs` must hold as well; an empty one never does."""

    text: str
    permits: bool
    guard: tuple[_Test, ...]
    needs: tuple[tuple[_Test, ...], ...]


@dataclass(frozen=True, slots=True)
class _Case:
    """The statements of a case: clauses with their words, denied or not, and figures with their units."""

    clauses: tuple[tuple[frozenset[str], bool], ...]
    figures: tuple[tuple[FigureSlot, str, float], ...]
    closed: bool


def read_rules(q: Phrasing, _held: Holdings) -> Reading:
    """Read house rules and a case: is the case allowed, due or needed?"""
    sentences = [(a, b, q.plain[a:b].strip()) for a, b in q.sentences()]
    asks = [one for one in sentences if one[2].endswith("?")]
    if not asks or len(sentences) < 2:
        return None
    asking = q.plain[slice(*q.asking(asks[-1][:2]))].lstrip()
    if not _ASKS.search(asking) and not (q.has(WORDS["strong"]) and re.match(WORDS["yes_no"], asking)):
        return None
    found = slots(q)
    names = "|".join(re.findall(WORDS["name"], q.plain)) or "«"
    rules, told = list[_HouseRule](), list[tuple[int, int]]()
    for a, b, text in sentences:
        is_case = text.endswith("?") or _CASE.search(text) or re.match(rf"(?:\w+ )?(?:{names})\b", text)
        stated = [] if is_case else _rules(q, a, b, found)
        if stated is None:
            return None
        rules += stated
        if not stated:
            told.append((a, b))
    if not rules:
        return None
    return _judge(q, rules, _case(q, told, found), asks[-1])


def _rules(q: Phrasing, start: int, end: int, found: Sequence[FigureSlot]) -> list[_HouseRule] | None:
    """Return the rules of a sentence, None where it says more; a clause without a verb takes that of the last one."""
    made, at, lead = list[_HouseRule](), start, ""
    cuts = [one.end() for one in re.finditer(WORDS["cut"], q.plain[start:end])]
    for cut in [*(start + one for one in cuts), end]:
        text = q.plain[at:cut]
        mark = _MODAL.search(text)
        if mark is None and made and re.search(r"«", text):  # "above 500 he needs a signature, above 5,000 two"
            mark = re.search(r"(?<=»)(?: ?[€$£])?\s*", text)
        if mark is not None:
            lead = mark[0].strip() or lead
            rule = _rule(q, text, at, mark, found=found, lead=lead)
            if rule is None:
                return None
            made += [rule] if rule.text else []
        elif made and _plain(text):
            return None
        at = cut
    return made


def _rule(  # noqa: PLR0911  # one return for each kind of rule
    q: Phrasing, text: str, at: int, mark: re.Match[str], *, found: Sequence[FigureSlot], lead: str
) -> _HouseRule | None:
    """Return the rule of one clause: what is before its verb guards it, what is behind it is asked for."""
    if re.search(WORDS["others"], text):
        return None
    verb = lead.lower()
    subject, body = text[: mark.start()], text[mark.end() :]
    subject = re.sub(WORDS["heading"], lambda one: " " * len(one[0]), subject)
    nobody = re.search(r"(?i)^\s*(?:and |but )?(?:nobody|no one|no (?=\w)|never\b|none of)", subject)
    only = re.search(r"(?i)\bonly\b", f"{subject} {verb}") or re.match(r"(?i)\s*only\b", body)
    forbids = bool(re.search(WORDS["forbids"], verb)) != bool(nobody)
    demands = re.search(WORDS["demands"], verb) is not None and not forbids
    spare = _EXCEPT.search(body)
    condition = _IF.search(body[: spare.start()] if spare else body)
    core = body[: min(one.start() for one in (spare, condition) if one)] if spare or condition else body
    offset = at + mark.end()
    if re.match(r"(?i)\s*not\b", body) and demands:  # "employees need not"
        return _HouseRule("", permits=True, guard=(), needs=())
    core = re.split(r"(?i)\b(?:before|after|until|when) (?:they|it|he|she|you|we|the)\b", core)[0]
    subject_tests = tuple(_tests(q, subject, at, found, guard=True))
    core_tests = tuple(_tests(q, core, offset, found))
    limits = tuple(one for one in core_tests if one.low is not None or one.high is not None)
    extra = _split_or(q, body, offset, condition, spare, found=found) if condition else ()
    bounds = [(one.unit, one.low is None) for one in (*limits, *(extra[0] if len(extra) == 1 else ())) if not one.words]
    if len(set(bounds)) < len(bounds):
        return None  # several limits of one kind, each for another one
    told = q.written(text)
    if forbids:
        but = _split_or(q, body, offset, spare, None, found=found) if spare else ()
        more = [one for one in core_tests if one not in limits]
        more = [replace(one, loose=bool(limits), place=bool(re.match(WORDS["place"], core))) for one in more]
        guard = (*subject_tests, *limits, *more, *(extra[0] if len(extra) == 1 else ()))
        return _HouseRule(told, False, guard, but)
    if demands:
        guard = (*subject_tests, *(extra[0] if len(extra) == 1 else ()))
        or_else = _split_or(q, body, offset, spare, None, found=found) if spare else ()
        return _HouseRule(told, False, guard, (core_tests, *or_else) if core_tests else ())
    if spare:
        but = _split_or(q, body, offset, spare, None, found=found)
        extra = tuple(
            (*one, *(replace(each, denied=not each.denied) for way in but for each in way)) for one in extra or ((),)
        )
    if only and not condition and subject.strip() and not re.match(r"(?i)\s*only\b", body):
        return _HouseRule(told, True, (), ((*subject_tests, *limits),))
    if not lead:  # "no more than 48 hours a week"
        return _HouseRule(told, False, (), tuple((*limits, *one) for one in extra) or (limits,))
    places = [one for one in core_tests if one not in limits] if re.match(WORDS["place"], core) else []
    limits = (*limits, *places)
    needs = tuple((*limits, *one) for one in extra) or ((limits,) if limits else ((),))
    return _HouseRule(told, True, subject_tests, needs)


def _split_or(
    q: Phrasing, body: str, offset: int, start: re.Match[str], end: re.Match[str] | None, *, found: Sequence[FigureSlot]
) -> tuple[tuple[_Test, ...], ...]:
    """Return the alternatives of a condition, each a list of tests."""
    stop = end.start() if end and end.start() > start.end() else len(body)
    ways, at = list[tuple[_Test, ...]](), start.end()
    for mark in re.finditer(r"\sor\s(?!more|less|older|over|under|above|fewer|higher)|$", body[:stop]):
        if mark.start() >= at and (tests := tuple(_tests(q, body[at : mark.start()], offset + at, found))):
            ways.append(tests)
        at = mark.end()
    return tuple(ways)


def _tests(q: Phrasing, text: str, at: int, found: Sequence[FigureSlot], *, guard: bool = False) -> Iterator[_Test]:
    """Yield the tests of a stretch: one for each figure with its bound, and one for each other thing."""
    start = 0
    for mark in re.finditer(r",?\s(?:and|plus|as well as)\s|,\s|$", text):
        part = text[start : mark.start()]
        own = [one for one in found if at + start <= one.at[0] < at + mark.start()]
        for one in own:
            if (test := _limit(q, one, part, guard=guard)) is not None:
                yield test
        words = tuple(_words(re.sub(r"«[^»]*».*" if own else "«»", " ", part) if not guard else part))
        telling = [one for one in words if one not in _WEAK and not (guard and one in _GENERIC)]
        if telling and not own:
            is_loose = re.search(r"(?i)\bwho(?:ever)?\b", part) is not None
            yield _Test(
                q.written(part),
                tuple(telling),
                denied=bool(_DENIES.search(part)) and not guard,
                loose=is_loose,
                whole=guard,
            )
        start = mark.end()


def _limit(q: Phrasing, one: FigureSlot, part: str, *, guard: bool) -> _Test | None:
    """Return the limit that a figure is, by the words around it."""
    if one.kind == "p":
        return None
    near = f"{one.before[-40:]}«»{one.after[:30]}"
    value, unit = _measure(q, one)
    if _ABOVE.search(near):
        strict = re.search(WORDS["strictly"], near) is not None
        return _Test(part, low=value, strict=strict, unit=unit)
    if _BELOW.search(near):
        return _Test(part, high=value, strict=re.search(WORDS["strictly"], near) is not None, unit=unit)
    return None if guard else _Test(part, low=value, unit=unit)


def _measure(q: Phrasing, one: FigureSlot) -> tuple[float, str]:
    """Return the value of a figure and its unit: all lengths of time in days."""
    unit = re.match(r"[-\s]*(?:full |working |calendar )?(minute|hour|day|week|month|year)s?\b(?! old)", one.after)
    if one.kind == "n" and unit and not re.match(r"[-\s]*(?:hour|day|week)s? (?:a|per)\b", one.after):
        return one.value * _DAYS[unit[1]], "time"
    said = q.unit(q.plain[slice(*one.at)])
    return one.value, "clock" if one.kind == "t" else "money" if said.isupper() else stem(
        one.noun
    ) if one.noun in said else ""


def _words(text: str) -> list[str]:
    return [
        _SAME.get(one, one)
        for one in (stem(word) for word in re.findall(r"[^\W\d_«»]{3,}", text))
        if one in _plain(text)
    ]


def _plain(text: str) -> set[str]:
    return stems(re.sub(r"«[^»]*»", " ", text))


def _case(q: Phrasing, told: Sequence[tuple[int, int]], found: Sequence[FigureSlot]) -> _Case:
    """Return what the sentences that are no rules say of the case."""
    clauses = list[tuple[frozenset[str], bool]]()
    for a, b in told:
        for part in re.split(r"[,;:.?!]\s|\s(?:and|but|while|though)\s|\s[-–—]\s", q.plain[a:b]):
            words, denied = frozenset(_words(part)), _DENIES.search(part) is not None
            if clauses and denied and re.match(r"(?i)\s*(?:but )?(?:it|they|that|this|which|his|her|the one)\b", part):
                clauses[-1] = (clauses[-1][0], True)
            clauses.append((words, denied))
    own = [one for one in found if any(a <= one.at[0] < b for a, b in told)]
    closed = q.has(r"\bnothing else\b|\bnobody else\b|\bno one else\b|\bnothing more\b|\bonly that\b|\bthat['’]s all\b")
    return _Case(tuple(clauses), tuple((one, unit, value) for one in own for value, unit in [_measure(q, one)]), closed)


def _holds(test: _Test, case: _Case, rivals: Sequence[_Test] = ()) -> bool | None:
    """Return whether a test holds in the case; None where the case does not say."""
    if test.low is not None or test.high is not None:
        fits = [one for one in case.figures if one[1] == test.unit] or [
            one
            for one in case.figures
            if {"", "money"} & {one[1], test.unit} and not {"time", "clock"} & {one[1], test.unit}
        ]
        if len(fits) > 1:
            near = set(_words(test.text))
            scores = [len(near & set(_words(one[0].before + one[0].after))) for one in fits]
            fits = [one for one, score in zip(fits, scores, strict=True) if score == max(scores)]
        if len({one[2] for one in fits}) != 1:
            return None
        value = fits[0][2]
        if test.low is not None:
            return value > test.low if test.strict else value >= test.low - 1e-9
        return value < (test.high or 0) if test.strict else value <= (test.high or 0) + 1e-9
    words = set(test.words)
    shared = {word for one in rivals if one is not test and set(one.words) != words for word in one.words}
    if any(denied and (words - shared or words) & said for said, denied in case.clauses):
        return test.denied
    said = frozenset[str]().union(*(said for said, _ in case.clauses))
    if words <= said or (test.loose and words & said) or (not test.whole and test.words[-1] in said - shared):
        return not test.denied
    return False if case.closed and not test.denied else None


def _all(tests: Sequence[_Test], case: _Case, rivals: Sequence[_Test]) -> tuple[bool | None, list[_Test]]:
    """Return whether all tests hold, None where that is open, with those that fail or are open."""
    seen = [(one, _holds(one, case, rivals)) for one in tests]
    if failed := [one for one, holds in seen if holds is False]:
        return False, failed
    open_ = [one for one, holds in seen if holds is None]
    return (None, open_) if open_ else (True, [])


def _verdicts(rules: Sequence[_HouseRule], case: _Case) -> Iterator[tuple[_HouseRule, bool | None, list[_Test]]]:
    """Yield each rule that is for the case, whether the case meets it, and the tests that fail or are open."""
    rivals = [one for rule in rules for tests in (rule.guard, *rule.needs) for one in tests]
    classes = [one for rule in rules for one in rule.guard if one.words and not one.place]
    for rule in rules:
        applies, tests = _all(rule.guard, case, rivals)
        features = [one for one in rule.guard if one.words and not one.place]
        is_other = any(_holds(one, case, rivals) for one in classes if one not in features)
        if applies is None and rule.permits and is_other and all(one in features for one in tests):
            continue  # the case is of another class
        if applies is None:
            yield rule, None, tests
        if not applies:
            continue
        ways = [_all(one, case, rivals) for one in rule.needs]
        if not ways:
            yield rule, False, []
        elif any(holds for holds, _ in ways):
            yield rule, True, []
        elif any(holds is None for holds, _ in ways):
            yield rule, None, [one for holds, tests in ways if holds is None for one in tests]
        else:
            yield rule, False, [one for _, tests in ways for one in tests]


def _judge(q: Phrasing, rules: Sequence[_HouseRule], case: _Case, asked: tuple[int, int, str]) -> Reading:
    """Read whether the case meets the rules, or whether one of them asks for what the question names."""
    text = q.plain[slice(*q.asking(asked[:2]))].strip()
    words = set(_words(text))
    if re.search(r"(?i)\b(?:who|whom|which|what|how)\b", text):
        return None
    seen = list(_verdicts(rules, case))
    asks = [rule for rule in rules if not rule.permits]
    duties = [
        rule for rule in asks if any(test.words and test.words[-1] in words for way in rule.needs for test in way)
    ]
    if re.search(WORDS["obliged"], text) and duties:
        return _duty(q, rules, case, duties)
    if not seen:
        return None
    failed = [(rule, tests) for rule, holds, tests in seen if holds is False]
    met = [rule for rule, holds, _ in seen if holds]
    granted = [one for one in met if one.permits]
    open_ = [
        test for _, holds, tests in seen if holds is None
        for test in tests if not (test.place and any(one.guard for one in granted))
    ]  # fmt: skip
    if any(rule.permits for rule, _ in failed) and granted and not [rule for rule, _ in failed if not rule.permits]:
        failed = []  # one of several permissions is enough
    if not failed and open_:
        return MissingFields(
            "deontic", tuple(dict.fromkeys(f"whether this holds: {q.written(one.text)}" for one in open_))
        )
    if not failed and not met:
        return None
    _use(q, rules, case)
    says = "No" if failed else "Yes"
    why = [rule.text for rule, _ in failed] or [rule.text for rule in met]
    lacks = [q.written(one.text) for _, tests in failed for one in tests]
    note = f", and this is not met: {join_items(dict.fromkeys(lacks))}" if lacks else ""
    sentence = f"{says}, it is {'not ' if failed else ''}allowed: the rule is “{join_items(why)}”{note}."
    return _form(rules, says, sentence, "permitted")


def _duty(q: Phrasing, rules: Sequence[_HouseRule], case: _Case, duties: Sequence[_HouseRule]) -> Reading:
    """Read whether a rule asks for something of this case."""
    rivals = [one for rule in rules for one in rule.guard]
    states = [_all(rule.guard, case, rivals) for rule in duties]
    if any(holds for holds, _ in states):
        rule = next(rule for rule, (holds, _) in zip(duties, states, strict=True) if holds)
        sentence, says = f"Yes: the rule “{rule.text}” asks for it.", "Yes"
    elif all(holds is False for holds, _ in states):
        sentence, says = f"No: the rule “{duties[0].text}” is not for this case.", "No"
    else:
        lacking = (f"whether this holds: {q.written(one.text)}" for _, tests in states for one in tests)
        return MissingFields("deontic", tuple(dict.fromkeys(lacking)))
    _use(q, rules, case)
    return _form(rules, says, sentence, "obligatory")


def _use(q: Phrasing, rules: Sequence[_HouseRule], case: _Case) -> None:
    """Mark the words; a figure of the case that no rule is about stays open, and so does a change of the rules."""
    q.use((0, len(q.plain)))
    for one in q.matches(WORDS["grasps"]):
        q.grasp(one)
    limits = [test for rule in rules for way in (rule.guard, *rule.needs) for test in way if not test.words]
    for slot, unit, _ in case.figures:
        is_digit = q.in_digits(q.plain[slice(*slot.at)])
        if is_digit and not any(
            (test.unit in ("time", "clock") or unit in ("time", "clock")) <= (test.unit == unit) for test in limits
        ):
            q.leave(slot.at[0])


def _form(rules: Sequence[_HouseRule], says: str, sentence: str, modality: str) -> FilledForm:
    """Return the norms as they are in force for the case."""
    force = modality if says == "Yes" else "forbidden" if modality == "permitted" else "permitted"
    problem = {
        "kind": "norms",
        "norms": [{"id": "rules", "modality": force, "act": ["act", "case"], "if": [["asked", "case"]]}],
        "facts": [["asked", "case"]],
        "goal": {"modality": modality, "act": ["act", "case"]},
    }

    def conclude(_result: MethodResult[Any]) -> Upshot:
        return Upshot(sentence, says, 1.0, "another rule, or another statement about the case.")

    return FilledForm("deontic", problem, "; ".join(one.text for one in rules), conclude)
