"""Figures in the texts of a step, read at execution so that no message has an outdated one."""

import re
from collections.abc import Mapping
from typing import Any

from mabos.mind.model import Plan, Step
from mabos.society.figure_words import amount, period, readable, without_repetition
from mabos.tools.requests.wording import day
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace

_LATE = re.compile(r"\{(now|trend):([^{}]+)\}")
UNMEASURED = "not measured yet"


def with_figures(agent: Agent, plan: Plan, step: Step) -> tuple[Plan, Step]:
    """Return a plan and its next step with the current figures in the texts of its arguments.

    Unmeasured figures are marked: a role's assumption is not a figure.
    """
    arguments = _fill_figures(agent, step.arguments)
    if arguments == step.arguments:
        return plan, step
    told = replace(step, arguments=arguments)
    return replace(plan, steps=tuple(told if one.id == step.id else one for one in plan.steps)), told


def _fill_figures(agent: Agent, value: Any) -> Any:
    if isinstance(value, str):
        if "{now:" not in value and "{trend:" not in value:
            return value
        said = {"now": _figure, "trend": _course}
        return without_repetition(_LATE.sub(lambda found: said[found[1]](agent, found[2]), value))
    if isinstance(value, Mapping):
        return {name: _fill_figures(agent, one) for name, one in value.items()}
    return [_fill_figures(agent, one) for one in value] if isinstance(value, list | tuple) else value


def _figure(agent: Agent, name: str) -> str:
    held = agent.mind.index.about(name)
    if held is None or held.source == "role":
        return UNMEASURED
    point = agent.business.metrics.latest(name) if agent.business_id else None
    if point is not None and point.id in held.evidence:
        return amount(point.value, point.unit)  # a belief holds it rounded
    return readable(held.value or held.statement, point.unit if point is not None else "")


def _course(agent: Agent, name: str) -> str:
    """Return the last value of a series with its day, and the one before it."""
    points = agent.business.metrics.series(name) if agent.business_id else ()
    if not points:
        return UNMEASURED
    last, before = points[-1], points[-2] if len(points) > 1 else None
    told = [f"{amount(one.value, one.unit)}{period(one.unit)} on {day(one.at)}" for one in points[-2:]]
    if before is None:
        return told[-1]
    return f"{told[-1]}, as on {day(before.at)}" if before.value == last.value else f"{told[-1]}, after {told[0]}"
