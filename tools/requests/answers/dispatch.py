"""Which records answer a question: the agent's own work, or figures, facts and documents; both where it has two halves.

A question about the agent's own work names a piece of it, or nothing but the agent and the person. Everything else is
looked up in the records of the business first. Nothing found is said as that, with what was looked for and where.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mabos.language.request import Request
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.reasons import reasons_of, reasons_of_belief
from mabos.tools.requests.answers.state import waiting, work_in_hand
from mabos.tools.requests.answers.statement import Statement, together
from mabos.tools.requests.answers.topics import Topic, halves, how_many, refers_back, topics_of
from mabos.tools.requests.answers.work_items import WorkItem, find, work_items
from mabos.tools.requests.response import Say
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.text import one_line


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: who asks whom, the work it may mean, and the pieces of work that it names or points at."""

    agent: Agent
    request: Request
    items: Sequence[WorkItem]
    meant: Sequence[WorkItem]
    named: bool

    @property
    def question(self) -> str:
        """The words of the question."""
        return self.request.sentence


def answer_question(agent: Agent, request: Request) -> Say:
    """Return the answer to a question, from records read now; every half of it is answered."""
    parts = halves(request.sentence) or (request.sentence,)
    return together([_answer(agent, replace(request, sentence=part)) for part in parts]).say()


def _answer(agent: Agent, request: Request) -> Statement:
    asked = _asked(agent, request)
    topics = topics_of(request.sentence)
    for topic in topics:
        found = _ANSWERS[topic](asked) if topic in _ANSWERS else Statement()
        if found:
            return found
    return _nothing(asked)


def _asked(agent: Agent, request: Request) -> Asked:
    """Return the question with the work that it means: what it names, else what its sender asked for last."""
    items = work_items(agent, "" if request.sender == STAKEHOLDER else request.sender)
    named = find(items, request.sentence)
    if named or not refers_back(request.sentence):
        return Asked(agent, request, items, named, bool(named))
    own = [one for one in items if one.request is not None and one.request.sender == request.sender]
    return Asked(agent, request, items, own[: how_many(request.sentence)], named=False)


def _waiting(asked: Asked) -> Statement:
    return waiting(asked.agent, asked.request)


def _work(asked: Asked) -> Statement:
    return Statement() if asked.named else work_in_hand(asked.agent, asked.request)


def _why(asked: Asked) -> Statement:
    believed = reasons_of_belief(asked.agent, asked.question)
    if believed:
        return believed
    return together(reasons_of(asked.agent, one) for one in asked.meant[: how_many(asked.question)])


def _nothing(asked: Asked) -> Statement:
    question = one_line(asked.question).rstrip(" ?")
    looked = "among my requests, goals, plans and decisions, and in the records of the business"
    return Statement(f"I looked {looked} for '{question}' and found nothing that answers it")


_ANSWERS: dict[Topic, Callable[[Asked], Statement]] = {"waiting": _waiting, "work": _work, "why": _why}
