"""The tools of memory and knowledge as a person calls them for the CFO."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mabos.backends.chat import ChatModel
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock
from tests.tools.workspaces import NOON, laid_out, opened

MODULES = (
    "mind.memory",
    "mind.hierarchy",
    "knowledge.facts",
    "knowledge.rules",
    "knowledge.cases",
    "knowledge.reasoning",
    "history.ledger",
    "history.archive",
    "entities.operation",
)


class Desk:
    """Calls tools for one agent; `clock` can be moved."""

    def __init__(self, services: Services, clock: SteppedClock) -> None:
        self.services = services
        self.clock = clock

    def do(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the result of a call that must succeed."""
        answer = call(self.services, tool, arguments, agent_id="cfo").as_json()
        assert answer["ok"], answer
        result: dict[str, Any] = answer["result"]
        return result

    def refused(self, tool: str, /, **arguments: Any) -> tuple[str, str | None]:
        """Return the code and the argument that a call is refused with."""
        answer = call(self.services, tool, arguments, agent_id="cfo").as_json()
        assert not answer["ok"], answer
        return answer["error"]["code"], answer["error"]["argument"]


@contextmanager
def desk(root: Path, model: ChatModel | None = None) -> Iterator[Desk]:
    """Open a workspace with these tools, and close it."""
    clock = SteppedClock(NOON)
    services = opened(laid_out(root), clock=clock, modules=MODULES, model=model)
    try:
        yield Desk(services, clock)
    finally:
        services.close()
