"""Compare colleagues' answers to the same question: agreement, and the amount of the difference.

Only answers with exactly one figure are compared; days and sources in them do not count as figures.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from mabos.language.request import Claim, Request
from mabos.language.wordlists import order_form
from mabos.tools.requests.acceptance import judge
from mabos.tools.requests.colleagues import title
from mabos.tools.requests.response import Say
from mabos.tools.runtime.services import Agent

Answer = tuple[str, str, str]
"""The colleague, the question, and the answer."""
_ASIDE = order_form("comparing.aside")
_FIGURE = re.compile(r"(?<![\w.])\$?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.])\$?\d+(?:\.\d+)?")


_AGREES, _APART, _MORE, _SAY_WHY, _REASON, _SHORT = (
    order_form(f"comparing.{name}") for name in ("agrees", "apart", "more", "say_why", "reason", "short")
)
_BACK = 3
"""So many orders to ask colleagues, one after another, are compared."""


def compare(agent: Agent, request: Request) -> Say | None:
    """Return the comparison of colleagues' latest answers, or None if a question asks for something else."""
    asked = request.sentence
    agrees, apart, more, why, short = (form.search(asked) for form in (_AGREES, _APART, _MORE, _SAY_WHY, _SHORT))
    own = [one for one in agent.requests.all() if one.sender == request.sender and one.act == "order"]
    last = list(takewhile(lambda one: one.operation == "ask_colleagues", reversed(own)))[:_BACK]
    if not (agrees or apart or more or why or short) or not last:
        return None
    answers = [answer for one in reversed(last) for answer in answers_of(agent, one)]
    if why:
        lines = _reasons(answers)
    elif short:
        lines = _against_need(answers, asked)
    elif more:
        lines = _order(answers, is_less=more["less"] is not None)
    else:
        same = compare_figures(answers)
        lines = same if agrees or not same else [one.rpartition(". ")[2] for one in same]
        lines = lines or _order(answers, is_less=False)
    if not lines:
        return None
    text = " ".join(lines)
    checks = [verdict.found[-1] for one in last for verdict in judge(agent, one.checks) if verdict.found]
    claims = tuple(Claim(str(one["id"]), "content", one["content"], str(one.get("timestamp", ""))) for one in checks)
    return Say(text, claims)


def _reasons(answers: Sequence[Answer]) -> list[str]:
    """Return the answers that give a reason, or that none does."""
    given = [f"{who} says: {said}" for who, _, said in answers if _REASON.search(said)]
    told = "; ".join(f"{who}: {said}" for who, _, said in answers)
    return given or ([f"No: none of the answers gives a reason. {told}"] if answers else [])


def _against_need(answers: Sequence[Answer], asked: str) -> list[str]:
    """Return by how much the last figure of a colleague is below or above the one number of a question."""
    need = figure_of(asked)
    known = [(who, value) for who, _, said in answers if (value := figure_of(said)) is not None]
    if need is None or not known:
        return []
    who, value = known[-1]
    word = f"{need - value:,g} short" if value < need else f"Not short, {value - need:,g} more than needed"
    return [f"{word}: {who} says {value:,g}, and {need:,g} are needed."]


def _order(answers: Sequence[Answer], *, is_less: bool) -> list[str]:
    """Return whose figure of two answers is higher or lower, and by how much, whatever each was asked."""
    found = {who: (value, asked) for who, asked, said in answers if (value := figure_of(said)) is not None}
    if len(found) != 2:  # a pair
        return []
    (first, (one, about)), (other, (two, of)) = sorted(found.items(), key=lambda pair: pair[1][0], reverse=not is_less)
    if one == two:
        return [f"They are equal: {one:,g}."]
    told = [f"{one:,g}{f' ({about})' if about != of else ''}", f"{two:,g}{f' ({of})' if about != of else ''}"]
    word = "lower" if is_less else "higher"
    return [f"That of {first} is {word}: {told[0]}, against {told[1]} of {other}. They are {abs(one - two):,g} apart."]


def answers_of(agent: Agent, request: Request) -> list[Answer]:
    """Return the colleagues' answers to the questions of a request, from the messages on record."""
    last = [one.found[-1] for one in judge(agent, request.checks) if one.check.section == "messages" and one.found]
    return [
        (title(agent, str(one["from"])), _question_of(request, str(one["conversation_id"])), str(one["content"]))
        for one in last
        if one["from"] != agent.id
    ]


def _question_of(request: Request, thread: str) -> str:
    """Return the question that a conversation with a colleague was begun with, or an empty text."""
    number = thread.removeprefix(f"{request.id}-").partition("-")[0]
    questions = request.slot("questions", ())
    return str(questions[int(number) - 1]["question"]) if number.isdigit() and int(number) <= len(questions) else ""


def compare_figures(answers: Sequence[Answer]) -> list[str]:
    """Return for each question that several colleagues answered with one figure whether their figures agree."""
    lines = list[str]()
    for question in dict.fromkeys(asked for _, asked, _ in answers):
        found = [(who, figure_of(said)) for who, asked, said in answers if asked == question]
        values = [(who, value) for who, value in found if value is not None]
        if question and len(values) == len(found) > 1:
            lines.append(_side_by_side(values))
    return lines


def figure_of(answer: str) -> float | None:
    """Return the only figure of an answer, or None if it has none or several.

    >>> figure_of("Frames in stock: 1,240 in October 2026 (stock.csv)"), figure_of("5 of 7")
    (1240.0, None)
    """
    found = _FIGURE.findall(_ASIDE.sub(" ", answer))
    return float(found[0].lstrip("$").replace(",", "")) if len(found) == 1 else None


def _side_by_side(values: Sequence[tuple[str, float]]) -> str:
    numbers = [value for _, value in values]
    if len({who for who, _ in values}) == 1:  # one colleague, asked again
        return f"Unchanged: {numbers[-1]:,g}." if len(set(numbers)) == 1 else (
            f"No longer the same: {numbers[-1]:,g} now, {numbers[-2]:,g} before."
        )  # fmt: skip
    if len(set(numbers)) == 1:
        return f"They agree: {numbers[0]:,g}."
    said = ", ".join(f"{who} says {value:,g}" for who, value in values)
    return f"They do not agree: {said}. They are {max(numbers) - min(numbers):,g} apart."
