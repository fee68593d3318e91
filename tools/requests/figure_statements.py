"""Read the owner's remarks about figures: a value, its correction, or a permanent target.

    figure_readings(agent, "Correction: cash at the end of October was 36,900, not 38,400.")

Such a sentence is about a series on record, or about one that such a business measures. It changes no open order,
whatever was said last.
"""

import re

from mabos.language.amounts import amounts_in
from mabos.language.request import Claim, Reading, Request, Slot
from mabos.language.sentences import split
from mabos.language.wordlists import order_form
from mabos.society.describing_figures import figures_in, names_of
from mabos.society.figure_words import amount
from mabos.society.figures import OWNER, BusinessFigure, target_words
from mabos.society.metrics import MetricPoint, build_point
from mabos.tools.business.figure_watch import assign, pack_of, series_words, targets_in
from mabos.tools.requests.answers.periods import periods_in
from mabos.tools.requests.answers.wording import join_words
from mabos.tools.requests.response import Ask, Response, Say
from mabos.tools.requests.wording import day
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time
from mabos.workspace.copies import replace
from mabos.workspace.currencies import CODE, MARKS
from mabos.workspace.numbers import without_zeros

OPERATION = "figure"
"""The operation of a request about a figure: it writes the series or its target itself."""
_SAME = 1e-9
_NUMBER = rf"(?:{MARKS}|(?:{CODE}) ?)?\d"
_TARGET = order_form("figure_statements.target")
_MOVED = order_form("figure_statements.moved")
_WRONG = order_form("figure_statements.wrong")
_STATED = re.compile(
    rf"(?i)^\W*(?:our |the |my |correct, )?(?P<name>[^\W\d][\w &'-]{{2,40}}?)"
    rf"(?: (?:(?:in|for|of|during|at the end of) (?:the )?(?:\w+ )?\w+|(?:last|this) \w+))? "
    rf"(?:is|are|was|were|stands? at|stood at|came to) (?:now |currently |about |still )?(?:at )?{_NUMBER}"
)
_COUNTED = order_form("figure_statements.counted")
_OF_WEEK = re.compile(r"(?i)\bweek of\b|\b(?:this|last|the) week\b|\byesterday\b")
_EMPHASIS = re.compile(r"(?i),? \b(?:actually|really|in fact|as a matter of fact)\b,?")
_OLD = re.compile(r",? *\b(?:and )?(?:not|instead of) (?=[$€£]?\d)", re.IGNORECASE)


_IT_WAS = re.compile(
    rf"(?is)^.*\b(?:wrong|not right|mistake|miscount\w*|error)\b.*?(?:[.!;:,]|\s[-–])\s*(?:it|that|they|there) "
    rf"(?:was|were|is|are|should (?:be|have been)) (?:really |actually |in fact )?(?P<value>{_NUMBER}[\d,.]*)"
)


def _told_of_last(agent: Agent, text: str) -> tuple[Reading, ...]:
    """Return the correction of the one figure of the last question: "The count was wrong. It was 5,610."."""
    if (found := _IT_WAS.match(text)) is None:
        return ()
    last = next((one for one in reversed(agent.requests.all()) if one.act == "question" and one.data), None)
    names, periods = (last.data.get("series"), last.data.get("periods")) if last is not None else (None, None)
    values = amounts_in(found["value"])
    is_of_target = last is not None and "target" in last.data.get("wants", ())
    if not isinstance(names, list) or len(names) != 1 or len(values) != 1 or is_of_target:
        return ()
    period = " and ".join(str(one[2]) for one in periods) if isinstance(periods, list) else ""
    slots = (Slot("name", names[0]), Slot("value", values[0].value), Slot("period", period))
    return (Reading("order", text, OPERATION, slots),)


def figure_readings(agent: Agent, text: str) -> tuple[Reading, ...]:
    """Return a request for each sentence if all of a message is about figures on record; else nothing."""
    if agent.business_id and (told := _told_of_last(agent, text)):
        return told
    plain, forms = _EMPHASIS.sub("", text), (_WRONG, _TARGET, _MOVED, _STATED, _COUNTED)
    if not agent.business_id or "?" in text or not any(one.search(plain) for one in forms):
        return ()
    read = [_readings(agent, one) for one in split(plain)]
    return tuple(one for found in read for one in found) if all(read) else ()


def _readings(agent: Agent, sentence: str) -> tuple[Reading, ...]:
    """Return the value and the target that a sentence states of one figure; nothing where it is about more."""
    if _TARGET.search(sentence) and (targets := targets_in(agent, sentence)):
        return (_aim(sentence, targets[0].name, targets[0].target),) if len(targets) == 1 else ()
    moved = _MOVED.match(sentence)
    if moved and (name := _find_name(agent, moved["name"] or moved["whose"] or moved["what"])):
        value = amounts_in(sentence[moved.end() :])[0]
        sign, digits = _sign(agent, name, moved[0], value.value), without_zeros(f"{value.value:.6f}")
        target = f"{sign} {digits}{'%' if value.kind == 'percent' else ''}"
        return (_aim(sentence, name, target),)
    said, _, old = sentence.partition(found[0]) if (found := _OLD.search(sentence)) else (sentence, "", "")
    stated, known = _STATED.match(sentence) or _COUNTED.match(sentence), series_words(agent)
    known = {**names_of(pack_of(agent)), **known} if stated else known
    figures = figures_in(said.partition(":")[2] or said, known)
    values, aims = ([one for one in figures if bool(one.target) is is_aim] for is_aim in (False, True))
    names = {one.name for one in values}
    is_named = stated is not None and (known.get(stated["name"].casefold()) in names or bool(aims))
    if not (_WRONG.search(sentence) or is_named) or len(values) != 1 or {one.name for one in aims} - names:
        return ()
    if _OF_WEEK.search(sentence) and _is_monthly(agent, values[0].name):
        return ()  # a week's number is no month's: the next month would seem to have fallen
    slots = (Slot("name", values[0].name), Slot("value", values[0].value), Slot("unit", values[0].unit))
    before = (Slot("old", one.value) for one in amounts_in(old)[:1])
    stated_value = Reading("order", sentence, OPERATION, (*slots, *before))
    return stated_value, *(_aim(sentence, one.name, one.target) for one in aims)


def _is_monthly(agent: Agent, name: str) -> bool:
    last = [parse_time(one.at) for one in agent.business.metrics.series(name)[-2:]]
    return len(last) == 2 and (last[1] - last[0]).days > 20


def _aim(sentence: str, name: str, target: str) -> Reading:
    return Reading("order", sentence, OPERATION, (Slot("name", name), Slot("target", target)))


def _sign(agent: Agent, name: str, words: str, value: float) -> str:
    """Return how a figure compares with its target: as on record, else as its pack or the words say; else "".

    A goal raised above the last value is one to reach, and one lowered below it is a limit.
    """
    own = next((one for one in pack_of(agent).figures if one.name == name), BusinessFigure(name=name))
    known = agent.business.figures.find(name)
    minds = [agent.services.agent(holder).mind for holder in agent.business.manifest.agents.values()]
    aims = [one.target for mind in minds for one in mind.desires if one.target.startswith(f"{name} ")]
    if known is not None and known.target:
        aims.insert(0, f"{name} {known.target}")
    if aims:
        return aims[0].split()[1]
    last = agent.business.metrics.latest(name)
    is_up, is_down = (
        re.match(rf"(?i)\W*(?:please )?(?:{verbs})", words) for verbs in ("raise|increase", "lower|reduce")
    )
    is_rise, is_fall = (last is not None and value > last.value, last is not None and value < last.value)
    moved = ">=" if is_up and is_rise else "<=" if is_down and is_fall else ""
    return {"higher": ">=", "lower": "<=", "": moved}[own.better]


def _find_name(agent: Agent, words: str) -> str:
    """Return the series that these words name, whole or as the only one with them in its name; else ""."""
    known, said = series_words(agent), words.casefold()
    partly = {name for name in agent.business.metrics.names() if said.replace(" ", "_") in name}
    return known.get(said, "") or (partly.pop() if len(partly) == 1 else "")


def settle_figure(agent: Agent, request: Request) -> Response:
    """Correct a value on record, or set a target, and report the result; ask if no value fits."""
    name = str(request.slot("name"))
    title = BusinessFigure(name=name).called
    if target := str(request.slot("target", "")):
        if target.startswith(" "):
            asked = f"Should {title} be at least or at most{target}? I have set nothing yet. Say it so: "
            return Say(f"{asked}our target for {title} is at least{target}.")
        assign(agent, name, target, because=f"{OWNER}: {request.sentence}", title=title)
        figure = agent.business.figures.find(name)
        if figure is None or figure.target != target:
            return Ask(f"I could not set this target for {title}: {target}. What should it be?", ("target",))
        text = f"From now on {title} should be {target_words(f'{name} {target}')}. {figure.owner.upper()} watches it."
        return Say(text, (Claim("figures.json", "target", target),), "done")
    wrong = _points_to_correct(agent, request, name)
    is_correction = request.slot("period") is not None or _WRONG.search(request.sentence)
    if not is_correction and (new := _new_point(agent, request, name)):
        agent.business.metrics.record_all([new])
        text = f"{title[:1].upper()}{title[1:]}: {amount(new.value, new.unit)} on {day(new.at)} is on record."
        return Say(text, (Claim(f"metrics/{new.id}", "value", new.value),), "done")
    if not wrong:
        return Ask(f"For which day or month shall I correct {title}?", ("period",))
    unit, value = wrong[0].unit, float(request.slot("value"))
    agent.business.metrics.record_all(replace(one, value=value, source=OWNER) for one in wrong)
    now = [one for one in agent.business.metrics.series(name) if one.at in {it.at for it in wrong}]
    days = join_words([day(one.at) for one in now])
    text = f"{title[:1].upper()}{title[1:]} of {days} is corrected to {amount(now[0].value, unit)}; it was "
    if value == wrong[0].value:
        text = f"{title[:1].upper()}{title[1:]} of {days} is on record as "
    claims = tuple(Claim(f"metrics/{one.id}", "value", one.value) for one in now)
    return Say(f"{text}{amount(wrong[0].value, unit)}.", claims, "done")


def _new_point(agent: Agent, request: Request, name: str) -> MetricPoint | None:
    """Return the point that a plain statement adds; None where the period that it names has a value already."""
    periods, _ = periods_in(request.sentence, agent.clock().date())
    series = agent.business.metrics.series(name)
    if any(it.holds(parse_time(one.at).date()) for it in periods for one in series):
        return None
    last = min(periods[-1].last, agent.clock().date()).isoformat() if periods else agent.now()
    unit = str(request.slot("unit", "")) or (series[-1].unit if series else "")
    return build_point(name, float(request.slot("value")), last, unit, OWNER)


def _points_to_correct(agent: Agent, request: Request, name: str) -> list[MetricPoint]:
    """Return the points to correct: the newest of the period with the wrong value, and later ones that repeat it."""
    points = agent.business.metrics.series(name)
    said, today = periods_in(request.sentence, agent.clock().date())[0], agent.clock().date()
    periods = said or periods_in(f"in {request.slot('period', '')}", today)[0]
    within = [one for one in points if not periods or any(it.holds(parse_time(one.at).date()) for it in periods)]
    old = request.slot("old", None)
    first = within[-1:]
    if old is not None:  # what the owner told at the founding has the day of the founding, whatever month it is of
        fits = [[one for one in some if abs(one.value - float(old)) < _SAME][-1:] for some in (within, points)]
        first = fits[0] or fits[1]
    return [one for one in points if first and one.at >= first[0].at and abs(one.value - first[0].value) < _SAME]
