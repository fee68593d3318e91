"""The whole catalogue, called by somebody who means no good: nothing breaks, and nothing is written anywhere else."""

from pathlib import Path
from typing import Any

import pytest

from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import registry
from mabos.tools.gate.call import call
from tests.tools.offices import office

NASTY: tuple[Any, ...] = (
    "../../../outside", "/etc/passwd\x00", "\n## Heading\n- **Id:** X", "\ud800", float("nan"), [{}], ["../x"],
)  # fmt: skip
SAMPLE = {"string": "x", "number": 0.5, "integer": 1, "boolean": True, "array": ["x"], "object": {}}
OWN_IDS = (
    ("belief_update", "belief_id"), ("goal_create", "goal_id"), ("intention_commit", "intention_id"),
    ("desire_create", "desire_id"), ("plan_generate", "plan_id"), ("plan_adapt", "plan_id"),
    ("decision_request", "decision_id"), ("contractor_add", "contractor_id"), ("work_package_create", "package_id"),
    ("contract_net_initiate", "task_id"),
)  # fmt: skip


def plausible(tool: Tool) -> dict[str, Any]:
    """Return the required arguments with values of the right kind."""
    found = {}
    for name in tool.schema["required"]:
        schema = tool.schema["properties"][name]
        schema = schema.get("anyOf", [schema])[0]
        found[name] = schema["enum"][0] if "enum" in schema else SAMPLE[schema["type"]]
    return found


def test_no_argument_of_any_operation_breaks_it_or_leads_out_of_the_workspace(tmp_path: Path) -> None:
    world = office(tmp_path / "some" / "where" / "company")
    broken = [
        f"{tool.name}.{name} with {value!r:.40}: {outcome.message}"
        for tool in registry().all()
        for name in tool.schema["properties"]
        for value in NASTY
        for outcome in [call(world.services, tool.name, {"agent_id": "cfo", **plausible(tool), name: value})]
        if outcome.code in ("internal", "error")
    ]
    assert broken == []
    world.close()
    outside = [path for path in tmp_path.rglob("*") if "company" not in path.parts]
    assert sorted(path.name for path in outside) == ["some", "where"]
    assert world.services.ledger.verify() == []


@pytest.mark.parametrize("own", ["../x", "a b", "\n## Heading", "x" * 121, "a\x00b", "\\\\server"])
def test_an_id_of_ones_own_is_short_and_has_neither_spaces_nor_slashes(tmp_path: Path, own: str) -> None:
    world = office(tmp_path)
    for tool, argument in OWN_IDS:
        given = {**plausible(world.services.tools.tool(tool)), argument: own}
        outcome = world.owner("cfo").call(tool, given)
        assert (outcome.code, outcome.argument) == ("invalid_argument", argument), (tool, outcome)
    said = world.owner("cfo").call("goal_create", {"level": "tactical", "description": "x", "goal_id": own})
    assert "an id without spaces and slashes, of at most 120 characters" in said.message
    assert world.agent("cfo").ask("goal_create", level="tactical", description="x", goal_id="G-ünï_1.2").ok
