"""Compare colleagues' answers to the same question: agreement, and the amount of the difference.

Only answers with exactly one figure are compared; days and sources in them do not count as figures.
"""

import re
from collections.abc import Sequence

from mabos.language.request import Claim, Request
from mabos.language.wordlists import order_form
from mabos.tools.requests.acceptance import judge
from mabos.tools.requests.colleagues import title
from mabos.tools.requests.response import Say
from mabos.tools.runtime.services import Agent

Answer = tuple[str, str, str]
"""Who answered, the question, and the answer."""
_ASIDE = order_form("comparing.aside")
_FIGURE = re.compile(r"(?<![\w.])\$?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.])\$?\d+(?:\.\d+)?")


_AGREES = order_form("comparing.agrees")
_APART = order_form("comparing.apart")


def compare(agent: Agent, request: Request) -> Say | None:
    """Return whether the last answers of colleagues agree, or None where a question asks for something else."""
    agrees, apart = _AGREES.search(request.sentence), _APART.search(request.sentence)
    own = [one for one in agent.requests.all() if one.sender == request.sender and one.act == "order"]
    if not (agrees or apart) or not own or own[-1].operation != "ask_colleagues":
        return None
    lines = compare_figures(answers_of(agent, own[-1]))
    if not lines:
        return None
    text = " ".join(lines) if agrees else " ".join(one.rpartition(". ")[2] for one in lines)
    checks = [verdict.found[-1] for verdict in judge(agent, own[-1].checks) if verdict.found]
    claims = tuple(Claim(str(one["id"]), "content", one["content"], str(one.get("timestamp", ""))) for one in checks)
    return Say(text, claims)


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
    """Return the only figure of an answer, or None where it has none or several.

    >>> figure_of("Frames in stock: 1,240 in October 2026 (stock.csv)"), figure_of("5 of 7")
    (1240.0, None)
    """
    found = _FIGURE.findall(_ASIDE.sub(" ", answer))
    return float(found[0].lstrip("$").replace(",", "")) if len(found) == 1 else None


def _side_by_side(values: Sequence[tuple[str, float]]) -> str:
    numbers = [value for _, value in values]
    if len(set(numbers)) == 1:
        return f"They agree: {numbers[0]:,g}."
    said = ", ".join(f"{who} says {value:,g}" for who, value in values)
    return f"They do not agree: {said}. They are {max(numbers) - min(numbers):,g} apart."
