"""Nodes of your own before and after the phases of an agent's cycle, in LangGraph's own terms.

python examples/own_nodes.py

One node runs before `deliberate`, another after `act`; both stream what they see.
"""

from tempfile import TemporaryDirectory
from typing import Any

from langgraph.runtime import Runtime

from mabos import open_workspace
from mabos.graphs.bdi import build
from mabos.nodes.state import BdiInput, BdiState, Context


def audit(state: BdiState, runtime: Runtime[Context]) -> None:
    """Stream which cycle is about to deliberate."""
    runtime.stream_writer({"audit": f"cycle {state['cycle']} of {state['agent_id']} deliberates"})


def report(state: BdiState, runtime: Runtime[Context]) -> None:
    """Stream where the cycle goes after act."""
    runtime.stream_writer({"audit": f"after act: {state.get('next') or 'learn'}"})


def main(workspace: str) -> list[Any]:
    """Run one cycle of a CFO on the machine with both nodes; return what the nodes streamed."""
    machine = build(before={"deliberate": audit}, after={"act": report}).compile()
    with open_workspace(workspace) as ws:
        ws.create_business("acme", name="Acme", template="saas")
        given = BdiInput(agent_id="cfo", message="Remind me on Friday of the audit")
        events = list(machine.stream(given, context=Context(workspace=workspace), stream_mode="custom"))
    return [event["audit"] for event in events if "audit" in event]


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        print(*main(folder), sep="\n")
