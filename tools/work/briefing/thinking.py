"""The briefing of a model for deliberation, planning or reflection: the same parts as for a message, on one subject.

    made = thinking(agent, "plan", "Keep churn below 5%", (BriefingPart("The goal", lines),), budget_tokens=6000)
    made.system, made.question, made.evidence

The instructions and rarely changing parts are the system turn; all parts read anew are data in the question.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from mabos.configs.errors import UnknownId
from mabos.configs.prompts import prompt_text
from mabos.society.messages import Message
from mabos.tools.runtime.services import Agent
from mabos.tools.work.briefing.assembling import changing_parts, standing_parts
from mabos.tools.work.briefing.parts import BriefingPart, fit_parts
from mabos.tools.work.compact import tokens
from mabos.workspace.ids import without_ids

_HOW = "How you work"
"""The instructions for work on a message, which the prompt of a phase replaces."""
_OWN = ("Date", "Your own goals", "Remembered", "Lessons and earlier cases")
_AGE = re.compile(r", \d[^,;()\n]* old\b")
_TOKEN = re.compile(r"[^\s,;()\[\]{}'\"]+")


@dataclass(frozen=True, slots=True)
class ThoughtBriefing:
    """The prompt of a model in a phase: `system`, then `question`; `parts` are those of the question.

    `key` is the question without parts that change by the clock and by thinking; while it is unchanged, there is no
    news.
    """

    system: str
    question: str
    parts: tuple[BriefingPart, ...]

    @property
    def key(self) -> str:
        """The question without parts and ages that change only by the clock or by thinking."""
        return _AGE.sub("", "\n\n".join(one.text for one in self.parts if one.title not in _OWN))

    @property
    def evidence(self) -> tuple[str, ...]:
        """The records that may support the model's statements."""
        return tuple(one.text for one in self.parts if one.supports != "nothing" and one.lines)

    @property
    def ids(self) -> frozenset[str]:
        """All words of the question that may be ids."""
        return frozenset(found.rstrip(".:") for found in _TOKEN.findall(self.question))


def thinking(
    agent: Agent, prompt_name: str, about: str, own: Sequence[BriefingPart], *, budget_tokens: int
) -> ThoughtBriefing:
    """Return the briefing for a phase: `own` parts first, then records relevant to `about`.

    The budget drops the least relevant lines but never cuts one; own parts have their floors.
    """
    standing = [prompt_text(prompt_name), *(one.text for one in standing_parts(agent) if one.title != _HOW)]
    system = "\n\n".join(filter(None, standing))
    subject = Message("", agent.id, agent.id, "INFORM", without_ids(about), agent.now())
    changing = [*own, *changing_parts(agent, subject, ())] if agent.business_id else list(own)
    room = max(0, budget_tokens - tokens(system))
    parts = tuple(one for one in fit_parts(changing, room) if one.lines)
    return ThoughtBriefing(system, "\n\n".join(one.text for one in parts), parts)


def missing_evidence(agent: Agent, told: ThoughtBriefing, evidence: Sequence[str]) -> str:
    """Return why evidence is invalid: empty, or naming something that was not shown and is not a record.

    A figure is written `churn_rate`, or with the day of a point `churn_rate@2026-03-02`.
    """
    if not evidence:
        return "it names no evidence"
    shown = told.ids
    missing = [one for one in evidence if not is_measured(agent, one) and not (one in shown and is_record(agent, one))]
    return f"it rests on {', '.join(missing)}, which does not exist" if missing else ""


def is_record(agent: Agent, name: str) -> bool:
    """Return whether the agent or its business has a record with this id."""
    mind = agent.mind
    kept = (mind.beliefs, mind.desires, mind.goals, mind.intentions, mind.plans, mind.commitments, mind.learnings)
    if any(one.id == name for items in kept for one in items):
        return True
    if agent.inbox.find(name) is not None or agent.requests.find(name) is not None or name in agent.cases:
        return True
    if agent.business_id and any(one.id == name for one in agent.business.decisions.all()):
        return True
    with suppress(UnknownId):
        return bool(agent.memory.item(name))
    return False


def is_measured(agent: Agent, name: str) -> bool:
    """Return whether a name is that of a measured figure or one of its points."""
    _, _, day = name.partition("@")
    points = agent.business.metrics.series(figure_named(name)) if agent.business_id else ()
    return bool(points) and (not day or any(len(day) > 9 and one.at.startswith(day[:10]) for one in points))


def figure_named(text: str) -> str:
    """Return the name of the figure in a text, without the day of a point.

    >>> figure_named("no-show rate@2026-03-02")
    'no_show_rate'
    """
    return re.sub(r"[ -]", "_", text.partition("@")[0].strip().lower())
