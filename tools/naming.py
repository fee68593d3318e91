"""An error names the argument its caller wrote, whatever that is called further down."""

from collections.abc import Iterator
from contextlib import contextmanager

from configs.errors import UnknownId


@contextmanager
def given_as(argument: str) -> Iterator[None]:
    """Let what is unknown inside be an error of `argument`.

    with given_as("parent_goal_id"):
        parent = agent.mind.goal(parent_goal_id)
    """
    try:
        yield
    except UnknownId as error:
        raise UnknownId(error.message, argument=argument) from None
