"""Answers to questions in words: read, checked for missing input, solved, with the changes that would matter.

Every reader is tried. The first in the order of `READERS` that fills a form and uses the whole question wins. Otherwise
the refusal names the missing fields of one method, or quotes the unused words.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.configs.errors import MabosError
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from mabos.knowledge.reasoning.questions.forms import NOTHING_HELD, FilledForm, Holdings, MissingFields, Reader, Upshot
from mabos.knowledge.reasoning.questions.learned import shape_shares
from mabos.knowledge.reasoning.questions.readers import READERS, SHAPES
from mabos.knowledge.reasoning.questions.wording import Phrasing, figure, join_items, percent
from mabos.knowledge.reasoning.result import MethodResult

ENOUGH = 0.6
"""The confidence of a learned or estimated answer below which it is not given: there is not enough evidence."""
VARIED = 0.2
"""By how much each figure of a question is varied to find what would change the answer."""
MOST_VARIED = 14
_LONGEST = 4_000
_SOLVED = frozenset(
    {"proved", "disproved", "computed", "estimated", "satisficed", "unknown", "infeasible", "inconsistent"}
)


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """The reply to a question: answered, or refused with the missing or unused parts.

    `answer` is the sentence alone, `text` the whole reply to a person, `result` the method's own.
    """

    answered: bool
    text: str
    answer: str = ""
    reading: str = ""
    method: str = ""
    confidence: float | None = None
    changes: str = ""
    missing: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    result: MethodResult[Any] | None = None


def reply_to(question: str, held: Holdings = NOTHING_HELD, engine: Engine | None = None) -> QuestionReply | None:
    """Return the reply to a question in words, or None if no reader knows its shape."""
    if not question.strip() or len(question) > _LONGEST:
        return None
    solver = engine or Engine(no_premises)
    partly: list[tuple[FilledForm, list[str]]] = []
    lacking: list[MissingFields] = []
    shares = shape_shares(Phrasing(question).text)
    for reader in READERS:
        shapes, least = SHAPES.get(reader, ("", 0.0))
        if shares and sum(shares.get(one, 0.0) for one in shapes.split()) < least:
            continue
        wording = Phrasing(question)
        reading = reader(wording, held)
        if isinstance(reading, MissingFields):
            if reading.settles:
                return _lacks(reading)
            lacking.append(reading)
        elif isinstance(reading, FilledForm):
            left = wording.unused()
            if left:
                partly.append((reading, left))
                continue
            reply = _solve_form(question, reading, reader, held, solver)
            if reply is not None:
                return reply
    if partly:
        form, left = min(partly, key=lambda one: len(one[1]))
        return _left_out(form, left)
    return _lacks(lacking[0]) if lacking else None


def _solve_form(
    question: str, form: FilledForm, reader: Reader, held: Holdings, engine: Engine
) -> QuestionReply | None:
    """Return the reply of one filled form; if the method refuses the problem, the reply has its reason."""
    try:
        result = engine.reason(ReasoningRequest(form.problem, method=form.method, seconds=5.0)).result
    except MabosError as refusal:
        why = refusal.message.partition("; a ")[0]
        text = f"I read this: {form.echo}. The method {form.method} cannot answer it: {why}."
        return QuestionReply(False, text, reading=form.echo, method=form.method, missing=(refusal.message,))
    if result.status not in _SOLVED:
        text = f"I read this: {form.echo}. The method {form.method} did not finish in time, so I have no answer."
        return QuestionReply(False, text, reading=form.echo, method=form.method, result=result)
    said = form.conclude(result)
    if not said.sentence:
        text = f"I read this: {form.echo}. That does not decide it ({form.method}): {said.changes}"
        return QuestionReply(False, text, reading=form.echo, method=form.method, missing=(said.changes,), result=result)
    is_estimate = result.soundness >= 3
    if is_estimate and said.confidence is not None and said.confidence < ENOUGH:
        text = (
            f"Not enough evidence: {said.sentence.rstrip('.')} is only {percent(said.confidence)} sure "
            f"({form.method}). I read this: {form.echo}."
        )
        return QuestionReply(
            False, text, reading=form.echo, method=form.method, confidence=said.confidence, result=result
        )
    changes = said.changes or _changes(question, said, reader, held, engine)
    return QuestionReply(
        True,
        _compose_reply(form, said, result, changes),
        said.sentence,
        form.echo,
        form.method,
        said.confidence if said.confidence is not None else result.confidence,
        changes,
        cites=form.cites,
        result=result,
    )


def _compose_reply(form: FilledForm, said: Upshot, result: MethodResult[Any], changes: str) -> str:
    """Return the full reply: the reading of the question, the answer, its confidence and possible changes."""
    exact = "exact, if the figures and statements are right" if result.soundness <= 2 else "an estimate"
    sure = said.confidence
    certainty = f"{percent(sure)} sure" if sure is not None and sure < 1 and result.soundness >= 3 else exact
    assumed = f" Taken as given: {form.assumes}." if form.assumes else ""
    source = f" From {join_items(form.cites)}." if form.cites else ""
    return f"{said.sentence}\nI read this: {form.echo}.{source}\nMethod: {form.method} ({certainty}).{assumed}" + (
        f"\nWhat would change it: {changes}" if changes else ""
    )


def _left_out(form: FilledForm, left: Sequence[str]) -> QuestionReply:
    quoted = join_items(f"“{one}”" for one in left[:4])
    text = (
        f"I do not answer this, because my reading leaves out {quoted}. I read this: {form.echo} ({form.method}). "
        "Say it without that part, or say what it changes in the figures."
    )
    return QuestionReply(False, text, reading=form.echo, method=form.method, unused=tuple(left))


def _lacks(lacking: MissingFields) -> QuestionReply:
    read = f" I read this: {lacking.understood}." if lacking.understood else ""
    text = f"To answer this by the method {lacking.method} I need {join_items(lacking.fields)}.{read}"
    return QuestionReply(False, text, reading=lacking.understood, method=lacking.method, missing=lacking.fields)


def _changes(question: str, said: Upshot, reader: Reader, held: Holdings, engine: Engine) -> str:
    """Return which figure, varied by itself, turns the answer, or moves it most."""
    if said.headline == "":
        return ""
    moved: list[tuple[float, str, float, str | float]] = []
    for words, factor, other in _vary_figures(question, reader, held, engine):
        if isinstance(said.headline, str) or isinstance(other, str):
            if other != said.headline:
                return f"{words} {factor:+.0%} would make it {other}.".replace("%", "%")
        else:
            moved.append((abs(other - said.headline), words, factor, other))
    if isinstance(said.headline, str):
        unmoved = f"no single figure {VARIED:.0%} higher or lower changes the choice."
        return unmoved if Phrasing(question).figures else ""
    if not moved:
        return ""
    gap, words, factor, other = max(moved, key=lambda one: one[0])
    if gap <= 1e-9 * max(1.0, abs(said.headline)):
        return ""
    is_share = "%" in said.sentence and abs(said.headline) <= 1
    shown = percent(float(other)) if is_share else figure(float(other))
    return f"it depends most on {words}: {factor:+.0%} there makes it {shown}."


def _vary_figures(
    question: str, reader: Reader, held: Holdings, engine: Engine
) -> Iterator[tuple[str, float, str | float]]:
    """Yield the words of each figure, the change made to it, and the answer then."""
    plain = Phrasing(question)
    for place, one in enumerate(plain.figures[:MOST_VARIED]):
        if one.kind == "t" or not any(mark.isdigit() for mark in one.words):
            continue
        for factor in (VARIED, -VARIED):
            values = [figure.value for figure in plain.figures]
            values[place] *= 1 + factor
            if one.kind == "p" and values[place] > 1:
                continue
            headline = _headline(question, values, reader, held, engine)
            if headline is not None:
                yield one.words, factor, headline


def _headline(
    question: str, values: Sequence[float], reader: Reader, held: Holdings, engine: Engine
) -> str | float | None:
    """Return the short answer to a question with other figures, or None where it cannot be answered."""
    reading = reader(Phrasing(question, values), held)
    if not isinstance(reading, FilledForm):
        return None
    try:
        result = engine.reason(ReasoningRequest(reading.problem, method=reading.method, seconds=1.0)).result
        said = reading.conclude(result) if result.status in _SOLVED else None
        return said.headline if said is not None and said.sentence else None
    except (MabosError, ArithmeticError, LookupError):
        return None


Replies = Callable[[str], QuestionReply | None]
