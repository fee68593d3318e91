"""A plain run with a model, had again without it: other ids, another moment, the same company."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel
from mabos.backends.tape import MissingRecord
from mabos.configs.settings import environment, load_settings
from mabos.graphs import wiring
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from tests import acme
from tests.backends.test_embed_endpoint import answered as vectors
from tests.backends.test_openai_compatible import server

AGENTS = ("cfo", "hr")
PASSING = re.compile(r"\d{13}-[0-9a-f]{4}|\d{4}-\d\d-\d\dT[\d:.]+Z|-[0-9a-f]{4}\.md|/[0-9a-f]{16}")


def advising(asked: ScriptedCall) -> Reply:
    """Propose one wish that rests on the message that is shown: its id is another one in every run."""
    shown = re.findall(r"\[(MSG-[^\]\s]+)\]", asked.messages[-1].content)
    if asked.tag != "deliberate" or not shown:
        return {"narrative": "It went on."} if asked.tag.startswith("memory") else {}
    sure = {"base": 0.9, "importance": 0.9, "urgency": 0.9, "alignment": 0.9}
    wish: dict[str, Any] = {"name": f"Understand {shown[0]}", "reason": "It has changed.", "evidence": [shown[0]]}
    return {"desires": [wish | sure], "options": []}


@pytest.fixture(scope="module")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return acme.founded(tmp_path_factory.mktemp("founded") / "workspace")


def opened(root: Path, models: dict[str, Any], **more: Any) -> Any:
    (root / "mabos.yaml").write_text(json.dumps({"models": models, "memory": more.pop("memory", {})}))  # JSON is YAML
    read = environment({})
    return wiring.hold_services(root, environment=read, settings=load_settings(root, read), **more)


def lived(services: Services) -> None:
    for agent in AGENTS:
        news = {"to": agent, "performative": "INFORM", "content": "Our runway is short."}
        assert call(services, "agent_message", news, agent_id="ceo").ok
        report = wiring.run_cycle(services, agent)
        assert report.outcome != "failed", report.failures
    for at in range(3):
        note = {"content": f"Rent note {at}: 4200 dollars", "store": "short_term", "tags": ["rent"], "importance": 0.9}
        assert call(services, "memory_store_item", {**note, "type": "observation"}, agent_id="hr").ok
    assert call(services, "memory_consolidate", {}, agent_id="hr").ok


def told(services: Services) -> list[str]:
    """Return what is on the ledgers, without the ids and moments that are another run's."""
    lines = [
        f"{one.agent} {one.kind} {json.dumps(one.body)}" for agent in AGENTS for one in services.ledger.entries(agent)
    ]
    return [PASSING.sub("#", line) for line in lines]


def run(founded: Path, root: Path, models: dict[str, Any], **more: Any) -> tuple[list[str], list[str]]:
    """Return what a run leaves on the ledgers, and why its agents wish what a model proposed."""
    shutil.copytree(founded, root)
    with opened(root, models, **more) as services:
        lived(services)
        wishes = [one.reason for agent in AGENTS for one in services.agent(agent).mind.desires]
        return told(services), [one for one in wishes if one.startswith("proposed by")]


def test_a_plain_run_is_had_again_from_its_recording_with_ids_and_moments_of_its_own(
    founded: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    calls = str(tmp_path / "calls.jsonl")
    first = run(founded, tmp_path / "with", {"record": calls}, model=ScriptedModel(advising))
    again = run(founded, tmp_path / "without", {"replay": calls})
    assert again[0] == first[0]
    assert len(first[1]) == 2, "the model moved both"
    assert again[1] != first[1], "what it said of ids is said of those of this run"
    assert "were not asked for" not in caplog.text


def test_vectors_of_an_endpoint_are_recorded_too_and_cost_the_same_when_they_are_had_again(
    founded: Path, tmp_path: Path
) -> None:
    calls, heard = str(tmp_path / "calls.jsonl"), []

    def remembering(root: Path, models: dict[str, Any], base_url: str) -> None:
        embedding = {"base_url": base_url, "model": "topics", "dimensions": 4, "input_usd": 1_000.0}
        shutil.copytree(founded, root)
        with opened(root, {**models, "embedding": embedding}, memory={"embeddings": "openai"}) as services:
            items = ({"content": text, "store": "long_term"} for text in ("the runway is short", "a puppy barks"))
            services.agent("cfo").memory.store_many(list(items))
            found = call(services, "memory_recall", {"query": "is there money"}, agent_id="cfo")
            assert found.ok, found.message
            heard.append(
                (PASSING.sub("#", found.result["text"]), told(services), services.allowances.run.spent.model_usd)
            )

    with server(vectors) as seen:
        remembering(tmp_path / "with", {"record": calls}, seen.base_url)
    remembering(tmp_path / "without", {"replay": calls}, seen.base_url)  # where nobody listens any more
    assert "runway is short" in heard[0][0]
    assert heard[0][2] > 0
    assert heard[1] == heard[0]


def test_a_replay_that_did_not_ask_for_all_it_had_says_so_once(
    founded: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    calls = str(tmp_path / "calls.jsonl")

    def asks(models: dict[str, Any], *questions: str, **more: Any) -> None:
        shutil.copytree(founded, tmp_path / "workspace", dirs_exist_ok=True)
        with opened(tmp_path / "workspace", models, **more) as services:
            for one in questions:
                assert call(services, "model:llm", {"messages": [{"role": "user", "content": one}]}, agent_id="cfo").ok

    asks({"record": calls}, "one", "two", "three", model=ScriptedModel(lambda _: "yes"))
    asks({"replay": calls})
    assert not caplog.records, "where nothing was asked the recording is not even read"
    asks({"replay": calls}, "two")
    assert [one.message for one in caplog.records] == [
        f"2 of the 3 answers in {calls} were not asked for: the recorded run did more"
    ]


def test_a_recording_that_is_not_there_is_told_where_a_model_is_needed_and_nowhere_else(
    founded: Path, tmp_path: Path
) -> None:
    shutil.copytree(founded, tmp_path / "without")
    with opened(tmp_path / "without", {"replay": "nowhere.jsonl"}) as services:
        assert call(services, "belief_get", {}, agent_id="cfo").ok
        with pytest.raises(MissingRecord, match=r"no recording at .*nowhere\.jsonl; record one with"):
            call(services, "model:llm", {"messages": [{"role": "user", "content": "Yes?"}]}, agent_id="cfo")
        report = wiring.run_cycle(services, "cfo", message="Please tell me our runway")
    assert report.outcome == "failed"
    assert "nowhere.jsonl" in report.failures[0]
