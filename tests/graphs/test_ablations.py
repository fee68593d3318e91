"""What is taken out of the agents of a run is gone, and nothing else is."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.graphs import wiring
from mabos.graphs.simulate import BUSINESS, simulate
from mabos.mind.expectations import PREDICATE
from mabos.mind.model import Step
from mabos.society.simulation.contender import PolicyVariant
from mabos.society.simulation.difference import read_run
from mabos.society.simulation.sensors import SOURCE
from mabos.tools.runtime.services import Services
from tests.graphs.test_audit import audit
from tests.graphs.test_reconsideration import NOTE, commit, reconsidered, told
from tests.world import World

WEEKS = 4
TAKEN_OUT = ("coordination", "learning", "governance")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same weeks with everything, and without each part."""
    root = tmp_path_factory.mktemp("ablations")
    for without in ((), *((part,) for part in TAKEN_OUT)):
        simulate("saas", out=root / ("-".join(without) or "all"), weeks=WEEKS, seed=1000, policy="bdi", without=without)
    return {part: root / part for part in ("all", *TAKEN_OUT)}


@contextmanager
def opened(run: Path) -> Iterator[Services]:
    with wiring.hold_services(run / "workspace") as services:
        yield services


def senders(services: Services) -> Counter[str]:
    """Who is heard: colleagues, the market, the owner."""
    found: Counter[str] = Counter()
    for agent_id in services.agents():
        for message in services.agent(agent_id).inbox.messages():
            is_news = message.sender == SOURCE
            found["market" if is_news else "colleague" if message.sender in services.agents() else "owner"] += 1
    return found


def learnt(services: Services) -> int:
    """How much the agents keep for the next time: cases, lessons, trust in their plans."""
    agents = [services.agent(agent_id) for agent_id in services.agents()]
    trusted = sum(one.predicate == PREDICATE for agent in agents for one in agent.mind.beliefs)
    return sum(len(agent.cases.all()) + len(agent.mind.learnings) for agent in agents) + trusted


def test_without_coordination_nobody_hears_a_colleague_and_everybody_the_market(played: dict[str, Path]) -> None:
    with opened(played["all"]) as services:
        assert senders(services)["colleague"] > 0
    with opened(played["coordination"]) as services:
        heard = senders(services)
        assert heard["market"] > 0
        assert heard["owner"] > 0, "the owner's answers still come"
        assert not heard["colleague"]
        assert learnt(services) > 0


def test_without_learning_no_case_lesson_or_experience_is_kept_but_memories_are(played: dict[str, Path]) -> None:
    with opened(played["all"]) as services:
        assert learnt(services) > 0
        assert services.graph(BUSINESS).entities().read().entities.values()
    with opened(played["learning"]) as services:
        assert learnt(services) == 0
        assert not services.graph(BUSINESS).entities().read().entities.values()
        assert senders(services)["colleague"] > 0
        assert any(services.agent(one).memory.recall("campaign", limit=1) for one in services.agents())
        over = [entry for entry in services.ledger.entries("cmo") if entry.body.get("ended")]
        assert over, "what is over is still put away"


def test_without_governance_nobody_asks_before_acting_and_the_deed_is_done_in_the_same_week(
    played: dict[str, Path],
) -> None:
    with opened(played["all"]) as services:
        assert any(one.action is not None for one in services.business(BUSINESS).decisions.all())
    assert audit(played["all"])["breaches"] == []
    assert "Everything that needed a person's leave had it." in (played["all"] / "report.md").read_text("utf-8")
    breaches = audit(played["governance"])["breaches"]
    assert breaches
    assert all("it was not permitted" in one for one in breaches)
    with opened(played["governance"]) as services:
        assert not [one for one in services.business(BUSINESS).decisions.all() if one.action is not None]
        entries = [entry for agent in services.ledger.agents() for entry in services.ledger.entries(agent)]
        assert not [entry for entry in entries if entry.kind == "awaiting"]
        assert "stripe_create_price" in {entry.body.get("tool") for entry in entries if entry.kind == "call"}


def test_without_reconsideration_an_agent_keeps_to_what_speaks_against_it(tmp_path: Path) -> None:
    thought = {}
    for without in ((), ("reconsideration",)):
        with World(tmp_path / ("-".join(without) or "all"), without=without) as world:
            hr = world.agent("hr")
            commit(hr, Step("paint", "Paint", "belief_update", NOTE, preconditions=("weather = dry",)))
            told(hr, "weather", "wet")
            thought[without] = reconsidered(hr)
            assert (hr.intention() is None) == (not without)
    assert [note["trigger"] for note in thought[()]] == ["belief_change"]
    assert not [note for note in thought["reconsideration",] if "trigger" in note]


@pytest.mark.parametrize("part", TAKEN_OUT)
def test_the_manifest_says_what_was_taken_out_and_another_run_is_not_taken_over(
    played: dict[str, Path], part: str
) -> None:
    assert read_run(played[part]).terms["without"] == [part]
    assert read_run(played["all"]).terms["without"] == []
    with pytest.raises(InvalidArgument, match="policy"):
        simulate("saas", out=played[part], weeks=WEEKS, seed=1000, policy="bdi")


def test_an_unknown_part_and_a_script_without_parts_are_refused_before_anything_runs(tmp_path: Path) -> None:
    terms: dict[str, Any] = {"out": tmp_path / "run", "weeks": 1}
    with pytest.raises(InvalidArgument, match="coordination, learning, reconsideration, governance"):
        simulate("saas", policy="bdi", without=["mood"], **terms)
    with pytest.raises(InvalidArgument, match="has no parts"):
        simulate("saas", policy="rules", without=["learning"], **terms)
    assert not (tmp_path / "run").exists()


def test_a_label_says_who_plays_without_what_and_is_read_back() -> None:
    contender = PolicyVariant.of("bdi", ["learning", "coordination", "learning"])
    assert contender.label == "bdi-without-coordination-learning"
    assert PolicyVariant.parsed(contender.label) == contender
    assert PolicyVariant.parsed("bdi-model") == PolicyVariant("bdi-model")
