"""A company whose agents ask a model: what it answered is on record, counted, and replayed without it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel
from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.graphs import wiring
from mabos.graphs.replay import replay
from mabos.graphs.simulate import RECORDING, simulate

WEEKS = 3


def answered(call: ScriptedCall) -> Reply:
    """Propose one wish that rests on the first belief that is shown, and nothing where none is."""
    shown = re.findall(r"\[(B-[^\]\s]+)\]", call.messages[-1].content)
    if call.tag != "deliberate" or not shown:
        return {}
    wish: dict[str, Any] = {
        "name": f"Understand {shown[0]}", "base": 0.9, "importance": 0.9, "urgency": 0.9, "alignment": 0.9,
        "reason": "It has changed.", "evidence": [shown[0]],
    }  # fmt: skip
    return {"desires": [wish], "options": []}


def advised(out: Path, **terms: Any) -> ScriptedModel:
    """Play a company whose agents are advised, and return the model that advised them."""
    model = ScriptedModel(answered)
    simulate("saas", out=out, weeks=WEEKS, seed=5, policy="bdi-model", model=model, **terms)
    return model


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("model") / "run"
    advised(out)
    return out


def test_the_agents_ask_the_model_and_what_it_proposes_moves_them(run: Path) -> None:
    with wiring.hold_services(run / "workspace") as services:
        entries = [entry for agent in services.agents() for entry in services.ledger.entries(agent)]
        asked = [entry.body for entry in entries if entry.kind == "model"]
        proposed = [one for entry in entries for one in entry.body.get("proposed", [])]
        wishes = [one for agent in services.agents() for one in services.agent(agent).mind.desires]
    assert {body["model"] for body in asked} == {"scripted"}
    assert proposed
    assert [one for one in wishes if one.reason.startswith("proposed by scripted")]


def test_the_report_and_the_manifest_count_what_the_model_was_asked(run: Path) -> None:
    used = json.loads((run / "manifest.json").read_text(encoding="utf-8"))["model"]
    assert used["name"] == "scripted"
    assert used["calls"] > 0
    assert used["tokens"] > 0
    for name in ("report.md", "report.html"):
        assert f"The model scripted was asked {used['calls']:,} times" in (run / name).read_text(encoding="utf-8")


def test_a_run_with_a_model_is_replayed_without_one_to_the_same_bytes(run: Path, tmp_path: Path) -> None:
    assert (run / "workspace" / RECORDING).exists()
    replay(run, out=tmp_path / "again", changes={})
    for name in ("journal.jsonl", "kpis.csv", "manifest.json", "report.md", "report.html"):
        assert (tmp_path / "again" / name).read_bytes() == (run / name).read_bytes(), name


def test_the_answers_do_not_depend_on_how_many_agents_think_at_a_time(run: Path, tmp_path: Path) -> None:
    advised(tmp_path / "one", threads=1)
    assert (tmp_path / "one" / "journal.jsonl").read_bytes() == (run / "journal.jsonl").read_bytes()


def test_without_a_model_the_policy_says_what_is_missing_and_nothing_is_founded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Unavailable, match="bdi-model.*needs a chat model; set OPENAI_API_KEY"):  # noqa: RUF043
        simulate("saas", out=tmp_path / "run", weeks=1, policy="bdi-model")
    assert not (tmp_path / "run" / "manifest.json").exists()


def test_agents_without_a_model_ask_none_even_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MABOS_FORBID_MODEL", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    simulate("saas", out=tmp_path / "run", weeks=1, seed=5, policy="bdi")
    with wiring.hold_services(tmp_path / "run" / "workspace") as services:
        entries = [entry for agent in services.agents() for entry in services.ledger.entries(agent)]
    assert not [entry for entry in entries if entry.kind == "model"]
    assert not [entry for entry in entries if "counsel" in entry.body]


def test_a_run_with_one_model_is_not_gone_on_with_by_another(run: Path) -> None:
    with pytest.raises(InvalidArgument, match="model"):
        simulate(
            "saas", out=run, weeks=WEEKS, seed=5, policy="bdi-model", model=ScriptedModel(answered, name="another")
        )
