"""Where a cycle goes after each phase; the company's round and the graph of one agent follow the same signs."""

from typing import Literal

from nodes.state import BdiState


def worth_doing(state: BdiState) -> Literal["plan", "learn"]:
    """Say where deliberation leads: to planning, or straight to learning where there is nothing to do."""
    return "plan" if state.get("next") == "plan" else "learn"


def ready_to_act(state: BdiState) -> Literal["act", "learn"]:
    """Say where planning leads: there may be no plan for a goal."""
    return "act" if state.get("next") == "act" else "learn"


def next_step(state: BdiState) -> Literal["act", "plan", "learn"]:
    """Say where a step leads: to the next one, to a new plan, or to what was learned."""
    where = state.get("next")
    if where == "act":
        return "act"
    return "plan" if where == "plan" else "learn"
