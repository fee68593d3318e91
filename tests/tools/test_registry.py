import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import MODULES, Registry, registry
from tests.tools.workspaces import Bench


def test_a_tool_is_found_by_name_and_by_alias() -> None:
    catalogue = Registry((), Bench().tools())
    assert catalogue.tool("note_read") is catalogue.tool("notes")
    with pytest.raises(UnknownId, match="did you mean 'note_read'"):
        catalogue.tool("note_raed")


AT_ONCE = """
from threading import Barrier, Thread
from mabos.tools.catalogue.registry import Registry

names = ["belief_get", "desire_create", "plan_generate", "fact_query", "rule_create", "crm_pipeline", "reason"]
registry, found, start = Registry(), [], Barrier(len(names))

def look(name):
    start.wait()
    found.append(registry.tool(name).name)

threads = [Thread(target=look, args=(name,)) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(found) == sorted(names))
"""


def test_several_threads_may_each_be_the_first_to_ask(root: Path) -> None:
    said = subprocess.run([sys.executable, "-c", AT_ONCE], cwd=root, capture_output=True, text=True, check=False)
    assert (said.stdout, said.stderr) == ("True\n", "")


def test_a_name_is_declared_once() -> None:
    with pytest.raises(InvalidArgument, match="two tools are called 'note_write'"):
        Registry((), [*Bench().tools(), *Bench().tools()]).all()


def test_tools_are_grouped_by_module_and_by_row_of_the_catalogue() -> None:
    catalogue = Registry((), Bench().tools())
    assert [tool.name for tool in catalogue.by("catalogue")["Email"]] == ["letter_post"]
    assert "Email" not in catalogue.by("module")
    assert {tool.name for tool in catalogue.by("module")["Marketing"]} == {"letter_post", "money_spend"}


@pytest.fixture(scope="module")
def tools() -> tuple[Tool, ...]:
    return registry().all()


def test_every_module_declares_its_tools(tools: tuple[Tool, ...]) -> None:
    assert len(tools) >= 3 * len(MODULES)


def test_every_tool_says_what_it_does_and_what_each_argument_means(tools: tuple[Tool, ...]) -> None:
    silent = [
        f"{tool.name}.{argument}"
        for tool in tools
        for argument, schema in tool.schema["properties"].items()
        if not schema.get("description")
    ]
    assert silent == []
    assert [tool.name for tool in tools if not tool.summary.endswith((".", "?"))] == []


def test_every_schema_is_plain_json_with_agent_id(tools: tuple[Tool, ...]) -> None:
    for tool in tools:
        schema: dict[str, Any] = json.loads(json.dumps(tool.schema))
        assert schema["type"] == "object"
        assert "agent_id" in schema["properties"]
        assert set(schema["required"]) <= set(schema["properties"])


def test_the_rows_are_what_scripts_rely_on(tools: tuple[Tool, ...]) -> None:
    rows = registry().rows()
    assert [row["name"] for row in rows] == [tool.name for tool in tools]
    assert all({"name", "module", "catalogue", "summary", "writes", "schema"} <= row.keys() for row in rows)


KINDS = {
    "business", "communication", "content", "contractor_invoices", "contractor_pool", "crm", "email", "goals",
    "finance", "governance", "handoff", "hiring", "knowledge", "marketing_spend", "memory", "metrics", "pricing",
    "product", "reading", "refunds", "reporting", "workflow",
}  # fmt: skip
"""The kinds of action that governance knows: what autonomy is given for and what the owner's profile approves."""


def test_governance_knows_every_tool_by_a_kind_of_action(tools: tuple[Tool, ...]) -> None:
    assert {tool.category for tool in tools} == KINDS
    assert [tool.name for tool in tools if (tool.category == "reading") == tool.writes] == []
    assert [tool.name for tool in tools if tool.asked_for and not tool.writes] == []


def test_a_row_says_what_governance_and_capabilities_ask_of_a_tool(tools: tuple[Tool, ...]) -> None:
    rows = {row["name"]: row for row in registry().rows()}
    campaign, price = rows["ad_campaign_create"], rows["stripe_create_price"]
    assert (campaign["category"], campaign["cost"]) == ("marketing_spend", "weekly_budget_usd x weeks")
    assert (campaign["asks_for"], campaign["skills"]) == (["cost", "external"], {"marketing": "competent"})
    assert (price["asks_for"], price["reversible"]) == (["strategic", "external"], True)
    assert rows["business_create"]["reversible"] is False
    assert rows["work_package_create"]["cost"] == "budget_usd"
    assert (rows["fact_query"]["category"], rows["fact_query"]["asks_for"]) == ("reading", [])
    assert rows["agent_message"]["acts_as"] == "from"
    assert all({"category", "asks_for", "cost", "reversible", "skills", "acts_as", "aliases"} <= rows[one.name].keys()
               for one in tools)  # fmt: skip


def test_what_stands_beside_the_catalogue_is_listed_apart() -> None:
    found = registry()
    beside = found.beside()
    assert set(beside) == {"Agent bus", "Knowledge memory", "Staff and finance"}
    assert {"model:llm", "model:embed", "mem:archive", "ldg:task:get"} <= {one.name for one in beside["Agent bus"]}
    for grouped in (found.by("catalogue"), found.by("module")):
        assert not set(beside) & set(grouped)


def test_what_costs_or_leaves_the_company_is_declared_a_write(tools: tuple[Tool, ...]) -> None:
    assert [tool.name for tool in tools if (tool.cost or tool.external or tool.strategic) and not tool.writes] == []


def test_a_tool_that_speaks_for_an_agent_has_the_argument_it_names(tools: tuple[Tool, ...]) -> None:
    assert [tool.name for tool in tools if tool.acts_as and tool.acts_as not in tool.schema["properties"]] == []
