"""Perceptors, a checkpointer, a store and a role of a user's own, given to `open_workspace` and `create_agent`."""

import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.store.memory import InMemoryStore

from mabos import Percept, Perceptor, Workspace, open_workspace, own_tool
from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.configs.yaml_file import read_yaml
from mabos.graphs.live import LiveCompany
from mabos.graphs.memory_store import MemoryStore
from mabos.interfaces.surfaces.langchain import langchain_tools
from tests.graphs.test_live import quiet, running, wait_for


def beliefs(agent: object, subject: str) -> list[tuple[str, str]]:
    mind = agent.mind  # type: ignore[attr-defined]  # an AgentHandle
    return [(one.value, one.source) for one in mind.beliefs if one.subject == subject and one.status == "held"]


def test_an_agent_believes_what_its_perceptors_tell_and_names_them_as_the_source(tmp_path: Path) -> None:
    rates, asked = {"eur_usd": 1.08}, list[str]()

    def market(agent_id: str) -> list[Percept]:
        asked.append(agent_id)
        return [Percept("Globex", "40 dollars", predicate="price"), Percept("cash", rates["eur_usd"], unit="USD")]

    with open_workspace(tmp_path, perceptors=[Perceptor(market, agents=["cfo"])]) as workspace:
        workspace.create_business("acme", name="Acme", template="saas")
        cfo, cmo = workspace.agent("cfo"), workspace.agent("cmo")
        cfo.run()
        cmo.run()
        assert asked == ["cfo"]
        assert beliefs(cfo, "Globex") == [("40 dollars", "perceptor:market")]
        assert beliefs(cmo, "Globex") == []
        assert cfo.facts.query("Globex")[0].source == "perceptor:market"
        cash = workspace.business().metrics.latest("cash")
        assert cash is not None
        assert (cash.value, cash.unit) == (1.08, "USD")
        rates["eur_usd"] = 1.1
        cfo.run()
        assert ("1.1", "perceptor:market") in beliefs(cfo, "cash")


def test_a_perceptor_that_fails_or_hangs_is_named_and_the_cycle_goes_on(tmp_path: Path) -> None:
    never = threading.Event()

    def broken(agent_id: str) -> list[Percept]:
        raise OSError(f"no line for {agent_id}")

    def hangs(_: str) -> list[Percept]:
        never.wait(60)
        return []

    def well(_: str) -> list[Percept]:
        return [Percept("weather", "rain", predicate="today")]

    perceptors = [Perceptor(broken), Perceptor(hangs, timeout_s=0.2), Perceptor(well)]
    with open_workspace(tmp_path, perceptors=perceptors) as workspace:
        scout = workspace.create_agent("scout", role={"title": "Scout", "autonomy": "full"})
        scout.run()
        never.set()
        assert beliefs(scout, "weather") == [("rain", "perceptor:well")]
        told = "".join(str(one.body) for one in workspace.services.ledger.entries("scout"))
        assert "perceptor:broken: OSError: no line for scout" in told
        assert "perceptor:hangs: no answer within 0.2 s" in told


def test_a_perceptor_is_asked_as_seldom_as_it_says(tmp_path: Path) -> None:
    asked = list[str]()

    def seldom(agent_id: str) -> list[Percept]:
        asked.append(agent_id)
        return []

    def often(_: str) -> list[Percept]:
        asked.append("often")
        return []

    with open_workspace(tmp_path, perceptors=[Perceptor(seldom, every_s=3600), Perceptor(often)]) as workspace:
        scout = workspace.create_agent("scout", role={"title": "Scout"})
        scout.run()
        scout.run()
    assert asked == ["scout", "often", "often"]


def test_a_perceptor_wakes_a_live_agent_when_it_tells_something_else(tmp_path: Path) -> None:
    price, asked = ["40 dollars"], list[str]()

    def market(agent_id: str) -> list[Percept]:
        asked.append(agent_id)
        return [Percept("Globex", price[0], predicate="price")]

    with open_workspace(tmp_path, perceptors=[Perceptor(market, agents=["scout"], every_s=0.2)]) as workspace:
        scout = workspace.create_agent("scout", role={"title": "Scout", "autonomy": "full"})
        workspace.create_agent("idler", role={"title": "Idler", "autonomy": "full"})
        company = LiveCompany(workspace.services, pace=0.05, heartbeat=365 * 86400.0)
        with running(company):
            wait_for(lambda: beliefs(scout, "Globex") and quiet(company))
            turns = {actor.agent_id: sum(actor.turns.values()) for actor in company.actors.values()}
            price[0] = "45 dollars"
            wait_for(lambda: ("45 dollars", "perceptor:market") in beliefs(scout, "Globex") and quiet(company))
            assert sum(company.actors["idler"].turns.values()) == turns["idler"]
            before, known = sum(company.actors["scout"].turns.values()), len(asked)
            wait_for(lambda: len(asked) >= known + 3)
            assert sum(company.actors["scout"].turns.values()) == before, "what is told again wakes nobody"


def test_a_checkpointer_and_a_store_of_ones_own_serve_cycles_and_own_tools(tmp_path: Path) -> None:
    saver, store = InMemorySaver(), InMemoryStore()
    store.put(("shelf",), "tea", {"units": 12})

    def units_on_shelf(article: str) -> dict[str, int]:
        """Get the number of units of an article on the shelf."""
        item = get_store().get(("shelf",), article)
        return {"units": item.value["units"] if item else 0}

    tools = [own_tool(units_on_shelf, writes=False)]
    with open_workspace(tmp_path, tools=tools, checkpointer=saver, store=store) as workspace:
        keeper = workspace.create_agent("keeper", role={"title": "Shelf keeper", "autonomy": "full"})
        assert "12" in keeper.say("How many units of the article tea are on the shelf?").text
        assert {one.config["configurable"]["thread_id"] for one in saver.list(None)}
        assert not (workspace.root / ".mabos" / "checkpoints.sqlite").exists()
        with open_workspace(tmp_path, checkpointer=saver) as again:
            assert again.services is workspace.services
        with pytest.raises(InvalidArgument, match="already open with another checkpointer"):
            open_workspace(tmp_path, checkpointer=InMemorySaver())
        with pytest.raises(InvalidArgument, match="already open with another store"):
            open_workspace(tmp_path, store=InMemoryStore())


def test_a_role_that_code_gives_is_kept_as_a_file_of_the_workspace(tmp_path: Path) -> None:
    with open_workspace(tmp_path) as workspace:
        scout = workspace.create_agent("scout", role={"title": "Market scout", "responsibilities": ("Watch rivals",)})
        assert scout.mind.persona.responsibilities == ("Watch rivals",)
        assert "title: Market scout" in (tmp_path / "roles" / "scout.yaml").read_text("utf-8")
        with pytest.raises(InvalidArgument, match="titel"):
            workspace.create_agent("other", role={"titel": "Odd"})
        assert not (tmp_path / "roles" / "other.yaml").exists()
        (tmp_path / "roles" / "third.yaml").write_text("title: Third\n", "utf-8")
        with pytest.raises(InvalidArgument, match=r"roles/third\.yaml is there and says something else"):
            workspace.create_agent("third", role={"title": "Another"})


SWEEP: dict[str, Any] = {"name": "sweep_quay", "category": "Port", "goals": ["sweep the quay"]}
SWEEP |= {"summary": "Sweep the quay.", "steps": [{"id": "sweep", "description": "Sweep the quay from end to end"}]}


def test_plans_that_code_gives_are_found_and_come_before_a_file_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "sweep_quay.yaml").write_text(yaml.safe_dump(SWEEP | {"summary": "Of the file."}), "utf-8")

    def summary(workspace: Workspace) -> str:
        found = workspace.agent("keeper").call("plan_library_search", goal_pattern="sweep the quay").required()
        return str(found["templates"][0]["summary"])

    with open_workspace(tmp_path, plans=[SWEEP]) as workspace:
        workspace.create_agent("keeper", role={"title": "Keeper"})
        assert summary(workspace) == SWEEP["summary"]
        with pytest.raises(InvalidArgument, match="already open with other plans"):
            open_workspace(tmp_path, plans=[SWEEP])
    with open_workspace(tmp_path) as workspace:
        assert summary(workspace) == "Of the file."


def test_a_template_that_code_gives_founds_a_business_and_is_kept_as_a_file(tmp_path: Path) -> None:
    stall = {"title": "Market stall", "description": "A stall that sells tea.", "domain": "cross-domain"}
    with open_workspace(tmp_path) as workspace:
        business = workspace.create_business("stall", name="Tea", template={**stall, "products": ["tea"]})
        assert business.manifest.products == ("tea",)
        assert read_yaml(tmp_path / "templates" / "stall.yaml")["products"] == ["tea"]
        with pytest.raises(InvalidArgument, match=r"templates/stall\.yaml is there and says something else"):
            workspace.create_business("other", name="Other", template={**stall, "id": "stall"})
        assert workspace.agents() == list(business.manifest.agents.values())


def test_own_tools_have_a_store_in_the_workspaces_files_where_code_gives_none(tmp_path: Path) -> None:
    def count_articles(article: str) -> dict[str, int]:
        """Count the pieces of an article on the shelf."""
        get_store().put(("shelf",), article, {"pieces": 12})
        return {"pieces": 12}

    with open_workspace(tmp_path, tools=[own_tool(count_articles, writes=True)]) as workspace:
        keeper = workspace.create_agent("keeper", role={"title": "Shelf keeper", "autonomy": "full"})
        assert keeper.say("Count the pieces of the article 'tea'.").did[-1].status == "done"
    with open_workspace(tmp_path) as workspace:
        item = MemoryStore(workspace.services).get(("shelf",), "tea")
        assert item is not None
        assert item.value == {"pieces": 12}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tools": [len]}, r"'len' is not a tool; own_tool\(function, writes=...\) makes one"),
        ({"plans": [SWEEP | {"stepps": []}]}, r"plans\[0\]: stepps is not a known key; did you mean 'steps'"),
        ({"perceptors": ["market"]}, "str is neither a function nor a Perceptor"),
        ({"checkpointer": "memory"}, "the checkpointer is str, which is not a LangGraph checkpointer"),
        ({"store": {}}, "the store is dict, which is not a LangGraph store"),
        ({"model": "nonesuch:large"}, "Supported model providers are: anthropic"),
    ],
)
def test_an_argument_that_cannot_be_used_is_refused_at_once(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        open_workspace(tmp_path, **given)


def test_a_name_that_does_not_exist_is_named_with_what_there_is(tmp_path: Path) -> None:
    with open_workspace(tmp_path, perceptors=[Perceptor(lambda _: [], name="tide", agents=["skout"])]) as workspace:
        with pytest.raises(UnknownId, match="no tool 'memmory_recall'; did you mean 'memory_recall'"):
            workspace.create_agent("scout", role={"title": "Scout", "capabilities": {"tools": ["memmory_recall"]}})
        scout = workspace.create_agent("scout", role={"title": "Scout"})
        scout.run()
        told = "".join(str(one.body) for one in workspace.services.ledger.entries("scout"))
        assert "perceptor:tide: there is no agent 'skout'; did you mean 'scout'?" in told
        with pytest.raises(InvalidArgument, match="ask_agent is a tool of MCP"):
            langchain_tools(workspace, ["ask_agent", "memory"])
