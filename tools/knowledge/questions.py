"""Questions in words answered by a method of reasoning, over the figures, facts, beliefs and cases of an agent."""

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from mabos.knowledge.reasoning.questions.forms import HeldFact, HeldSeries, Holdings
from mabos.language.sentences import split
from mabos.tools.requests.answers.sources import Sources, sources_of
from mabos.tools.runtime.services import Agent

if TYPE_CHECKING:
    from mabos.knowledge.reasoning.questions.answers import QuestionReply

REASON = "reason"
"""The operation of a question that a method of reasoning is to answer."""
_FIGURES = re.compile(r"\d.*\d")
_REQUESTS = re.compile(  # a problem need not end in a question mark
    r"(?i)(?:^|[.;:]\s+)(?:what|which|how|who|probability|chance|likelihood|list|rank|compare|forecast|predict|total)\b|\?"
)
_DAYS = {"day": 1, "week": 7, "month": 30.4, "quarter": 91.3, "year": 365.2}
_REGULAR = 0.35
"""By how much of it the days between two values may differ from the rhythm of a figure."""


def reasoned_reply(agent: Agent, question: str, sources: Sources | None = None) -> "QuestionReply | None":
    """Return a reasoning method's reply to a question in words; None if its form is unknown.

    `sources` are those of the question, if already read.
    """
    from mabos.knowledge.reasoning.questions.answers import reply_to  # its readers are many, and most need none

    return reply_to(question, holdings_of(agent, sources or sources_of(agent)))


def is_problem(text: str) -> bool:
    """Return whether a text states a problem and asks for its solution, and a method can use all of its words."""
    if not _REQUESTS.search(text) or not (len(split(text)) > 1 or _FIGURES.search(text)):
        return False
    from mabos.knowledge.reasoning.questions.answers import reply_to

    reply = reply_to(text)
    return reply is not None and reply.result is not None


def holdings_of(agent: Agent, sources: Sources) -> Holdings:
    """Return an agent's figures, facts and beliefs that may fill a form, without disputed figures."""
    series = {}
    for name, one in sources.series.items():
        if one.points and not any(point.is_disputed for point in one.points):
            values = tuple(point.value for point in one.points)
            source = one.points[-1].values[0].source
            days = [point.day for point in one.points]
            series[name] = HeldSeries(name, values, f"{name.replace('_', ' ')} ({source})", rhythm(days), days[-1])
    facts = [
        HeldFact(one.id, one.subject, one.predicate, one.object, one.confidence)
        for one in agent.facts.query(valid_at=agent.clock(), min_confidence=0.5)
    ]
    beliefs = [
        HeldFact(one.id, one.subject, one.predicate, one.value, one.certainty)
        for one in agent.mind.beliefs
        if one.status == "held"
        and one.subject
        and one.predicate
        and one.value
        and one.source not in ("role", "template")
    ]
    return Holdings(series, (*facts, *beliefs), agent.clock().date())


def rhythm(days: Sequence[date]) -> str:
    """Return the frequency of values: day, week, month, quarter or year; empty if irregular."""
    gaps = [(b - a).days for a, b in pairwise(days)]
    if not gaps:
        return ""
    usual = median(gaps)
    step = min(_DAYS, key=lambda name: abs(_DAYS[name] - usual))
    length = _DAYS[step]
    return step if all(abs(one - length) <= max(1.0, _REGULAR * length) for one in gaps) else ""
