"""Many runs in one table, and a run played again."""

from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest

from bench.market import CLASSES
from mabos.backends.chat import ScriptedModel
from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.configs.models import ModelProfile, ModelSettings
from mabos.configs.settings import environment, load_settings
from mabos.graphs.batch import batch
from mabos.graphs.replay import replay
from mabos.graphs.simulate import RECORDING, simulate
from mabos.graphs.underway import Name, follow_runs
from mabos.society.simulation.baselines import SCRIPTS
from mabos.society.simulation.contender import AGENTS, Policy
from mabos.society.simulation.difference import difference, read_run
from mabos.tools.catalogue.registry import registry


def test_a_batch_comes_to_the_same_on_one_process_and_on_two(tmp_path: Path) -> None:
    terms = {"policies": ["rules", "bdi"], "seeds": ["1", "2"], "weeks": 1}
    one = batch(["saas"], out=tmp_path / "one", jobs=1, **terms)  # type: ignore[arg-type]  # terms of two kinds
    two = batch(["saas"], out=tmp_path / "two", jobs=2, **terms)  # type: ignore[arg-type]
    assert [(run.policy, run.seed) for run in one.results] == [
        ("rules", "1"), ("rules", "2"), ("bdi", "1"), ("bdi", "2"),
    ]  # fmt: skip
    assert one.table.read_bytes() == two.table.read_bytes()
    assert one.runs.read_bytes() == two.runs.read_bytes()
    journals = [path.relative_to(one.directory) for path in sorted(one.directory.rglob("journal.jsonl"))]
    assert len(journals) == 4
    assert all((two.directory / path).read_bytes() == (one.directory / path).read_bytes() for path in journals)


def test_a_batch_of_an_unknown_scenario_or_policy_runs_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnknownId, match="saas"):
        batch(["saas", "sass"], policies=["nothing"], seeds=["1"], out=tmp_path)
    with pytest.raises(InvalidArgument, match="rules"):
        batch(["saas"], policies=["nothing", "best"], seeds=["1"], out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_run_played_again_comes_to_the_same_and_under_another_owner_does_not(tmp_path: Path) -> None:
    first = tmp_path / "first"
    simulate("saas", out=first, weeks=3, seed=4, policy="bdi")
    replay(first, out=tmp_path / "again", changes={})
    assert difference(read_run(first), read_run(tmp_path / "again")).is_same
    for name in ("journal.jsonl", "kpis.csv", "manifest.json", "report.md"):
        assert (tmp_path / "again" / name).read_bytes() == (first / name).read_bytes()
    replay(first, out=tmp_path / "refused", changes={"decision_style": "hands-on", "policy": "reject-all"})
    found = difference(read_run(first), read_run(tmp_path / "refused"))
    assert found.otherwise, "the same was wanted, and met another owner"
    others = [other for _, other in found.otherwise]
    assert any(other.approval in ("rejected", "pending") for other in others)
    # Small campaigns are approved by their category once no refused order stands beside them on the same day.
    assert {other.approval for other in others if other.tool != "ad_campaign_create"} <= {"rejected", "pending"}


def test_what_cannot_be_played_again_says_why(tmp_path: Path) -> None:
    simulate("saas", out=tmp_path / "run", weeks=1, seed=4, policy="nothing")
    with pytest.raises(InvalidArgument, match="the run itself"):
        replay(tmp_path / "run", out=tmp_path / "run", changes={})
    with pytest.raises(InvalidArgument, match="an owner has no 'mood'; what can be changed: approval_threshold_usd"):
        replay(tmp_path / "run", out=tmp_path / "x", changes={"mood": "good"})
    with pytest.raises(InvalidArgument, match="decision_style"):
        replay(tmp_path / "run", out=tmp_path / "x", changes={"decision_style": "wild"})
    with pytest.raises(UnknownId, match="no finished run"):
        replay(tmp_path, out=tmp_path / "x", changes={})


def test_governance_in_memory_is_that_of_the_catalogue_and_policies_have_the_same_names_everywhere() -> None:
    for name, found in CLASSES.items():
        tool = registry().tool(name)
        assert (tool.category, tool.strategic, tool.external) == found
    assert set(get_args(Policy)) == {*AGENTS, *SCRIPTS}


def test_a_batch_that_was_cut_short_reads_the_runs_that_are_over_and_comes_to_the_same(tmp_path: Path) -> None:
    terms: dict[str, Any] = {"policies": ["rules", "bdi-without-learning"], "weeks": 1}
    batch(["saas"], seeds=["1"], out=tmp_path / "parts", **terms)
    over = tmp_path / "parts" / "saas" / "rules" / "1"
    (over / "workspace" / ".simulation" / "run.json").write_text("not to be read again", encoding="utf-8")
    batch(["saas"], seeds=["1", "2"], out=tmp_path / "parts", **terms)
    batch(["saas"], seeds=["1", "2"], out=tmp_path / "whole", **terms)
    for name in ("batch.csv", "batch.md"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    longer = batch(["saas"], policies=["nothing"], seeds=["1"], weeks=3, out=tmp_path / "parts")
    assert [one.weeks for one in longer.results] == [3], "a run of other terms is not taken for it"


def test_a_run_with_a_model_that_is_over_is_gone_on_with_only_by_the_same_answers(tmp_path: Path) -> None:
    terms: dict[str, Any] = {"weeks": 1, "seed": 5, "policy": "bdi-model", "model": ScriptedModel(lambda _: {})}
    simulate("saas", out=tmp_path / "first", **terms)
    first, second = tmp_path / "first" / "workspace" / RECORDING, tmp_path / "second.jsonl"
    second.write_bytes(first.read_bytes().removesuffix(b"\n").rpartition(b"\n")[0] + b"\n")
    again = tmp_path / "again"

    def played(models: ModelSettings) -> bytes:
        batch(["saas"], policies=["bdi-model"], seeds=["5"], weeks=1, models=models, out=again)
        return (again / "saas" / "bdi-model" / "5" / "journal.jsonl").read_bytes()

    plain = load_settings(tmp_path, environment()).models.model_copy(update={"active": "none"})
    by_first = plain.model_copy(update={"replay": str(first)})
    assert played(by_first) == played(by_first)
    with pytest.raises(
        InvalidArgument, match=r"answers from 'recording .*', not 'recording .*'; choose another folder"
    ):
        played(plain.model_copy(update={"replay": str(second)}))


def test_a_run_with_a_model_is_not_gone_on_with_at_another_endpoint(tmp_path: Path) -> None:
    here, there = (_asking(f"http://user:word@{host}/v1") for host in ("127.0.0.1:9", "127.0.0.2:9"))
    terms: dict[str, Any] = {"seed": 5, "policy": "bdi-model", "model": ScriptedModel(lambda _: {})}
    simulate("saas", out=tmp_path, weeks=1, models=here, **terms)
    simulate("saas", out=tmp_path, weeks=2, models=here, **terms)
    with pytest.raises(InvalidArgument) as refused:
        simulate("saas", out=tmp_path, weeks=2, models=there, **terms)
    assert "answers from 'http://127.0.0.1:9/v1', not 'http://127.0.0.2:9/v1'" in refused.value.message


def _asking(url: str) -> ModelSettings:
    profile = ModelProfile(base_url=url, model="some-model")
    models = load_settings(Path(), environment()).models
    return models.model_copy(update={"active": "mine", "profiles": {"mine": profile}})


def test_the_weeks_of_a_run_are_heard_of_while_it_is_played_and_none_of_one_that_was_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mabos.graphs.batch.follow_runs", partial(follow_runs, every=0.001))
    heard: list[tuple[Name, int, int]] = []
    terms: dict[str, Any] = {"policies": ["bdi"], "weeks": 4, "on_week": lambda *week: heard.append(week)}
    batch(["saas"], seeds=["1"], out=tmp_path, **terms)
    assert {(name, weeks) for name, _, weeks in heard} == {(("saas", "bdi", "1"), 4)}
    over = [week for _, week, _ in heard]
    assert over == sorted(set(over))
    assert set(over) <= {1, 2, 3}
    heard.clear()
    batch(["saas"], seeds=["1"], out=tmp_path, **terms)
    assert heard == []
