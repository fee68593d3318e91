"""Where a cycle goes after each phase; the company's round and the graph of one agent follow the same signs."""

from typing import Literal

from typing_extensions import TypedDict


class Sign(TypedDict, total=False):
    """What of the state says where to go; nothing else of it is read for that."""

    next: str


def worth_doing(state: Sign) -> Literal["plan", "learn"]:
    """Say where deliberation leads: to planning, or straight to learning where there is nothing to do."""
    return "plan" if state.get("next") == "plan" else "learn"


def ready_to_act(state: Sign) -> Literal["act", "learn"]:
    """Say where planning leads: there may be no plan for a goal."""
    return "act" if state.get("next") == "act" else "learn"


def done_acting(state: Sign) -> Literal["plan", "learn"]:
    """Say where acting leads: to a new plan where a step failed, or to what was learned."""
    return "plan" if state.get("next") == "plan" else "learn"
