"""A CEO who makes workflows by tools, runs them, and carries out plans that start them.

with opened(root) as ceo:
    ceo.draw({"s": START, "ask": USER, "e": END}, "s>ask", "ask>e")
    ceo.begin()
    ceo.run()
    ceo.answer("approve")
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mabos.mind.model import Plan, Step
from mabos.society.decisions import Decision
from tests.world import Member, World

Node = tuple[str, dict[str, Any]]
START: Node = ("startEvent", {})
USER: Node = ("userTask", {})
END: Node = ("endEvent", {})
START_FLOW = Step("start", "Run it", "workflow_status", {"workflow_id": "flow", "status": "running"})
AFTER = Step("after", "Note it", "memory_store_item", {"content": "noted after {start.result}", "importance": 0.9})
BESIDE = Step("beside", "Note it meanwhile", "memory_store_item", {"content": "noted meanwhile", "importance": 0.9})


def stored(what: str) -> Node:
    """Return a task that stores something in the memory of whoever does it."""
    return "serviceTask", {"tool": "memory_store_item", "arguments": {"content": what, "importance": 0.9}}


class Ceo(Member):
    """The CEO of a small company, with one workflow, `flow`, and one plan, P-1."""

    def draw(self, nodes: dict[str, Node], *flows: str) -> None:
        """Make the workflow: nodes by id with type and settings, flows as `a>b`, or `a>b [condition]`."""
        self.do("workflow_create", name="Flow", workflow_id="flow")
        for node_id, (kind, given) in nodes.items():
            self.do("bpmn_add_node", workflow_id="flow", node_id=node_id, type=kind, name=node_id, **given)
        for flow in flows:
            path, _, condition = flow.partition(" [")
            source, target = path.split(">")
            said: dict[str, Any] = {"condition": condition.rstrip("]")} if condition else {}
            if condition == "else]":
                said = {"default": True}
            self.do("bpmn_connect", workflow_id="flow", from_=source, to=target, **said)

    def draw_task(self, kind: str = "userTask", **given: Any) -> None:
        """Make the workflow of a start, one task and an end."""
        self.draw({"s": START, "t": (kind, given), "e": END}, "s>t", "t>e")

    def begin(self, **variables: Any) -> None:
        """Start the workflow."""
        self.do("workflow_status", workflow_id="flow", status="running", variables=variables)

    def plan_for_flow(self, *steps: Step, tried: tuple[str, ...] = ()) -> None:
        """Commit to a plan of these steps; `tried` are the rungs of the ladder that were climbed for it already."""
        goal = {"description": "Carry the flow through"}
        changes = tuple(f"{one}: in vain" for one in tried)
        self.commit(*steps, goal=goal, plan={"changes": changes, "confidence": 0.5}, description="by hand")

    def run(self, times: int = 1) -> None:
        """Run so many cycles."""
        for _ in range(times):
            self.cycle()

    @property
    def plan(self) -> Plan:
        """The plan, as it is now."""
        return self.mind.plan("P-1")

    def steps(self) -> dict[str, str]:
        """Return how each step of the plan is."""
        return {one.id: one.status for one in self.plan.steps}

    def questions(self) -> list[Decision]:
        """Return what waits for the owner."""
        return self.world.questions()

    def answer(self, resolution: str, **more: Any) -> None:
        """Answer the one question that the workflow asks."""
        (asked,) = [one.id for one in self.questions() if one.id.startswith("DEC-WR-")]
        self.world.answer(resolution, asked, **more)

    def runs(self) -> list[str]:
        """Return how each run of a workflow is."""
        return [one.status for one in self.world.business.workflows.runs.all()]

    def stored(self) -> list[str]:
        """Return what tasks and steps have noted."""
        return sorted(one.content for one in self.handle.memory.recent(100) if one.content.startswith("noted"))


@contextmanager
def opened(root: Path) -> Iterator[Ceo]:
    """Open a small company, made where there is none."""
    with World.small(root) as world:
        yield Ceo(world, "ceo")
