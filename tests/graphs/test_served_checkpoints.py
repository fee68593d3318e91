"""LangGraph's server and the command line keep one history of a thread, in the workspace's file."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs import bdi
from mabos.graphs.checkpoint_places import served
from mabos.graphs.checkpoints import thread_id
from tests.world import World


def test_a_server_goes_on_with_the_thread_that_the_command_line_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABOS_WORKSPACE", str(tmp_path / "workspace"))
    with World(tmp_path / "workspace") as world:
        world.cycle("cfo", "What is our runway?")
        config: Any = {"configurable": {"thread_id": thread_id(world.root, "agent", "cfo")}}

        async def serve() -> tuple[list[str], int]:
            async with served() as saver:
                graph = bdi.build().compile(checkpointer=saver, name="bdi")
                context: Any = {"workspace": str(world.root), "agent_id": "cfo"}
                values = await graph.ainvoke({"message": "What is our cash?"}, config, context=context)
                states = [one async for one in graph.aget_state_history(config)]
                return [one["type"] for one in values["messages"]], len(states)

        said, states = asyncio.run(serve())
        assert said == ["human", "ai", "human", "ai"]
        assert states > 1
        world.cycle("cfo", "Thanks!")
        assert len(world.agent("cfo").messages("stakeholder")) == 3
