"""Errors with the caller's argument names, and validation of conditions."""

from collections.abc import Iterator
from contextlib import contextmanager

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.mind.conditions import fault


@contextmanager
def given_as(argument: str) -> Iterator[None]:
    """Report an unknown id inside as an error of `argument`.

    with given_as("parent_goal_id"):
        parent = agent.mind.goal(parent_goal_id)
    """
    try:
        yield
    except UnknownId as error:
        raise UnknownId(error.message, argument=argument) from None


def check_condition(condition: str, argument: str) -> None:
    """Raise `InvalidArgument` with the position for a condition that no belief can decide, as prose."""
    if wrong := fault(condition):
        message = f"{argument!r} at {wrong}; write it as in 'runway_months >= 6 and churn_rate < 3%'"
        raise InvalidArgument(message, argument=argument)
