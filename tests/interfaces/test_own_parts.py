"""Perceptors, a checkpointer, a store and a role of a user's own, given to `open_workspace` and `create_agent`."""

import threading
from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.store.memory import InMemoryStore

from mabos import Percept, Perceptor, open_workspace, own_tool
from mabos.configs.errors import InvalidArgument
from mabos.graphs.live import LiveCompany
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
        with pytest.raises(InvalidArgument, match=r"roles/scout\.yaml is there and says something else"):
            workspace.create_agent("scout", role={"title": "Another"})
