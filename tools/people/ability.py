"""An agent's ability for a task in words: by an operation it may use, a plan that fits, or a listed skill.

Contract net bids use this: a task without an operation, plan or skill for it is declined with the reason.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from mabos.configs.errors import MabosError, Refused
from mabos.language.interpreter import Context
from mabos.language.orders import order
from mabos.language.request import Reading, Request
from mabos.mind.model import Goal, Plan, PlanSource
from mabos.mind.proficiency import COMPETENT, LEVELS, proficiency
from mabos.tools.gate.identity import check_capability
from mabos.tools.plans.sources import drafts_for, role_of
from mabos.tools.requests.calls import call_tool
from mabos.tools.requests.catalogue import operations
from mabos.tools.requests.duties import figure
from mabos.tools.requests.improving import metric_of, target_of
from mabos.tools.requests.mailing import write_letter
from mabos.tools.requests.readback import ACT
from mabos.tools.requests.response import Ask, Decline
from mabos.tools.runtime.services import Agent, Caller
from mabos.workspace.copies import replace

CLOSE = 0.65
"""The least fit of a plan of one's own role to the words of a task to bid with it."""
Means = Literal["operation", "plan", "skill", ""]
_LETTERS = ("email_send", "email_campaign")


@dataclass(frozen=True, slots=True)
class Ability:
    """The agent's ability for a task, 0 to 0.9, the means for it, and the reason if there are none.

    `reading` is the order that an operation carries out, and `plan` the plan that the agent could start now. `cost` is
    the cost of either in dollars, `target` the figure that the task should change, as a condition.
    """

    level: float
    means: Means = ""
    reading: Reading | None = None
    plan: Plan | None = None
    cost: float = 0.0
    why_not: str = ""
    target: str = ""


def ability(agent: Agent, task: str, constraints: Iterable[str] = (), *, without: Collection[str] = ()) -> Ability:
    """Return an agent's ability for a task: the best of an operation, a plan of its role, and its skills.

    Plans of the templates in `without` are skipped, since they are in progress for another purpose.
    """
    capabilities = agent.mind.capabilities
    skill = proficiency(capabilities, (task, *constraints)) if capabilities.skills else 0.0
    reading = order(task, Context(now=agent.clock(), operations=operations(agent.services)))
    by_operation = _by_operation(agent, task, reading)
    found = by_operation if by_operation.means else _by_plan(agent, task, reading, without)
    level = min(LEVELS["expert"], max(found.level, skill))
    if found.means:
        return replace(found, level=level)
    if level >= COMPETENT or not capabilities.skills:
        return Ability(level or COMPETENT, "skill")
    reasons = (by_operation.why_not, found.why_not)
    return Ability(level, why_not=next(filter(None, reasons), "none of my operations, plans or skills is for it"))


def _by_operation(agent: Agent, task: str, reading: Reading) -> Ability:
    """Return the operation that the words of a task ask for, where the agent may use it and nothing is missing."""
    if reading.operation not in agent.services.tools.names or reading.confidence < ACT:
        return Ability(0.0)
    tool = agent.services.tools.tool(reading.operation)
    acting = agent if agent.caller.kind == "agent" else replace(agent, caller=Caller("agent", agent.id))
    try:
        check_capability(acting, tool)
    except Refused as refused:
        return Ability(0.0, why_not=refused.message)
    if why_not := _hindrance(acting, task, reading):
        return Ability(0.0, why_not=why_not)
    cost = tool.amount({one.name: one.value for one in reading.slots})
    return Ability(max(COMPETENT, reading.confidence), "operation", reading=reading, cost=cost)


def _hindrance(agent: Agent, task: str, reading: Reading) -> str:
    """Return the missing arguments of an operation, or why its call would be refused; empty if it can be made."""
    tried = _draft_request(agent, task, reading)
    if not agent.services.tools.tool(reading.operation).writes and not reading.missing:
        return ""  # a look is taken when the task is won
    try:
        response = (write_letter if reading.operation in _LETTERS else call_tool)(agent, tried)
    except MabosError as error:
        return error.message
    if isinstance(response, Ask):
        return f"the task does not say enough: {response.question}"
    return response.reason if isinstance(response, Decline) else ""


def _draft_request(agent: Agent, task: str, reading: Reading) -> Request:
    """Return a task as the order that it would be; it is not kept."""
    said = (task, reading.operation, reading.slots, reading.missing)
    return Request("REQ-0", "", "", "order", *said, created_at=agent.now())


def _by_plan(agent: Agent, task: str, reading: Reading, without: Collection[str]) -> Ability:
    """Return the plan of the agent's role that fits a task, where each of its steps could be done now.

    Where the task names a figure that should move, only a plan that promises it does.
    """
    is_figure, wanted = reading.operation == "improve", _draft_request(agent, task, reading)
    target = target_of(agent, wanted) if is_figure else ""
    if is_figure and not target:
        return Ability(0.0, why_not=f"I know no figure called {_slot(reading, 'metric')}")
    if is_figure and figure(agent, name := metric_of(agent, wanted)) is None:
        return Ability(0.0, why_not=f"nobody has reported {name} yet, so I could not tell whether it moves")
    own, library = role_of(agent), agent.services.library
    sources: tuple[PlanSource, ...] = ("library", "case")
    for source in sources:
        drafts = drafts_for(agent, Goal("G-0", task, target=target), source=source, without=without)
        for draft in drafts.found:
            template = library.template(draft.plan.template) if draft.plan.template in library.names else None
            if draft.fit >= CLOSE and (template is None or own in template.roles):
                level = max(COMPETENT, min(draft.fit, draft.plan.confidence))
                cost = sum(step.cost for step in draft.plan.steps)
                return Ability(level, "plan", plan=draft.plan, cost=cost, target=target)
    return Ability(0.0)


def _slot(reading: Reading, name: str) -> str:
    return str(next((one.value for one in reading.slots if one.name == name), ""))
