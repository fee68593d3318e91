"""Where a cycle goes after each phase; the company's round and the graph of one agent follow the same signs."""

from collections.abc import Callable
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Command

from mabos.nodes.phase import Node
from mabos.nodes.state import BdiState, Context

WAYS = {"deliberate": ("plan", "learn"), "plan": ("act", "learn"), "act": ("plan", "learn")}
"""Where a phase may lead: to planning where something is worth doing, to acting where there is a plan, to a new plan
where a step failed; else to learning."""


def way(phase: str, state: BdiState) -> str:
    """Return what follows `phase`: what the state names, if the phase may lead there, else learning."""
    named = state.get("next", "")
    return named if named in WAYS[phase] else "learn"


def leading(phase: str, node: Node) -> Callable[..., Any]:
    """Return `node` for a graph: where there is a choice of ways it says which, as a route would, at half the cost."""
    if phase not in WAYS:
        return node

    def going(state: BdiState, runtime: Runtime[Context]) -> Command[Any]:
        update = node(state, runtime)
        after: BdiState = {**state, **update}  # type: ignore[typeddict-item]  # phases return parts of it
        return Command(update=update, goto=way(phase, after))

    going.__name__, going.__doc__ = phase, node.__doc__
    return going
