"""MABOS: agents with minds on disk, a five-phase cycle on LangGraph, and companies run by them.

    from mabos import open_workspace

    with open_workspace("workspace") as ws:
        ws.create_business("acme", name="Acme", template="saas")
        print(ws.agent("cfo").say("What is our runway?").text)

The sub-packages, from the top down: `interfaces`, `graphs`, `nodes`, `tools`, `society`, `mind`, `knowledge`, `memory`,
`backends`, `workspace`, `configs`. In the source tree each is a top-level folder of the repository, linked from here.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mabos.interfaces.chat.events import ApprovalEvent, ChatEvent, ChatReply, PhaseEvent, TextEvent, ToolEvent
    from mabos.interfaces.facade import AgentHandle, Workspace, open_workspace
    from mabos.nodes.state import CycleReport
    from mabos.society.perceptors import Percept, Perceptor
    from mabos.tools.catalogue.functions import own_tool

__all__ = [
    "AgentHandle",
    "ApprovalEvent",
    "ChatEvent",
    "ChatReply",
    "CycleReport",
    "Percept",
    "Perceptor",
    "PhaseEvent",
    "TextEvent",
    "ToolEvent",
    "Workspace",
    "open_workspace",
    "own_tool",
]


def __getattr__(name: str) -> Any:
    """Return a public name, imported when it is first used: `mabos --help` needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'mabos' has no attribute {name!r}")
    from mabos.interfaces import facade
    from mabos.interfaces.chat import events
    from mabos.society import perceptors
    from mabos.tools.catalogue import functions

    return next(getattr(home, name) for home in (facade, events, perceptors, functions) if hasattr(home, name))
