"""Figures to improve: an order becomes a wish with a target, judged by sensing, not by the end of a plan."""

from mabos.language.request import Claim, Request
from mabos.society.business import read_agent
from mabos.tools.requests.duties import figure, format_value
from mabos.tools.requests.outcome import day
from mabos.tools.requests.response import Ask, Response, Say
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import terms


def improve(agent: Agent, request: Request) -> Response:
    """Return a figure taken up as a goal, with target and current value; ask if it is unknown."""
    name = metric_of(agent, request)
    if not name:
        known = ", ".join(_list_figures(agent)[:8]) or "none"
        return Ask(f"Which figure do you mean? I know these: {known}.", ("metric",))
    point = figure(agent, name)
    now = (
        f" It is {format_value(point)} now ({day(point.at)})."
        if point is not None
        else " It was never recorded so far."
    )
    claims = (Claim(f"metrics/{name}", "value", point.value, point.at),) if point is not None else ()
    return Say(
        f"I take this up as a goal: {target_of(agent, request)}.{now} I report when the figure shows it.", claims
    )


def target_of(agent: Agent, request: Request) -> str:
    """Return the target as a condition on the figure, or "" if no figure is meant."""
    name = metric_of(agent, request)
    if not name:
        return ""
    is_down, target = request.slot("direction") == "down", request.slot("target")
    if isinstance(target, int | float):
        return f"{name} {'<=' if is_down else '>='} {target:g}"
    return f"{name} {'lower' if is_down else 'higher'}"


def metric_of(agent: Agent, request: Request) -> str:
    """Return the figure that an order names, by all words of its name or of the order's, or ""."""
    wanted = set(terms(str(request.slot("metric", "")).replace("_", " ")))
    if not wanted:
        return ""
    named = {name: set(terms(name.replace("_", " "))) for name in _list_figures(agent)}
    close = [name for name, words in named.items() if words == wanted] or [
        name for name, words in named.items() if words <= wanted or wanted <= words
    ]
    return close[0] if close else ""


def _list_figures(agent: Agent) -> list[str]:
    """Return the figures of the business and those that the agent watches."""
    names = agent.business.metrics.names() if agent.business_id else ()
    return list(dict.fromkeys((*names, *read_agent(agent.services.layout, agent.id).watches)))
