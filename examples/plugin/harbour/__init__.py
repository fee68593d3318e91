"""A harbour's own tool, perceptor and model; its role, plan and template are the YAML files beside this one."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from mabos import Percept, own_tool

BERTHS = {"north": 2, "south": 0}


def free_berths(quay: str) -> dict[str, int]:
    """Get the number of free berths at a quay.

    Args:
        quay: The quay, north or south.
    """
    if quay not in BERTHS:
        raise ValueError(f"no quay {quay!r}; there are {', '.join(BERTHS)}")
    return {"free": BERTHS[quay]}


def tide(agent_id: str) -> list[Percept]:  # noqa: ARG001 - the same for every agent
    """Tell how high the water is: a figure of the business, and a statement."""
    return [Percept("water_level", 3.2, unit="m"), Percept("south quay", "closed", predicate="state")]


def stand_in(model: str, **options: Any) -> BaseChatModel:
    """Return the chat model of that name; a real one would call a server."""
    return FakeListChatModel(responses=[f"Aye, says {model}."], **options)


TOOLS = [own_tool(free_berths, writes=False)]
