"""What methods answered, and how they fared."""

from pathlib import Path

import pytest

from mabos.configs.errors import UnknownId
from mabos.knowledge.reasoning import history
from mabos.knowledge.reasoning.history import Episodes, open_episodes
from mabos.knowledge.reasoning.methods import method
from mabos.knowledge.reasoning.result import MethodResult
from mabos.workspace.clock import frozen_clock, parse_time
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync


def episodes(directory: Path) -> Episodes:
    clock = frozen_clock(parse_time("2026-03-02T09:00:00Z"))
    return Episodes(open_episodes(directory, sync=Sync("off")), clock, Ids(clock, "test"))


def answered(name: str = "bayesian", sure: float = 0.8) -> MethodResult[None]:
    return MethodResult("computed", None, "0.8", confidence=sure, evidence=("F-1", "B-2"), method=name, soundness=1)


def test_an_episode_survives_reopening_with_its_evidence(tmp_path: Path) -> None:
    kept = episodes(tmp_path).keep(answered(), kind="network", domain="empirical")
    assert episodes(tmp_path).find(kept.id) == kept
    assert kept.evidence == ("F-1", "B-2")


def test_nothing_is_said_of_a_method_with_few_outcomes(tmp_path: Path) -> None:
    log = episodes(tmp_path)
    for number in range(history.ENOUGH):
        assert log.reliability(method("bayesian")) is None
        log.settle(log.keep(answered(), kind="network", domain="empirical").id, right=number > 1)
    assert log.reliability(method("bayesian")) == pytest.approx((8 + 2) / (10 + 4))
    assert log.reliability(method("causal")) is None
    assert len(log.forecasts("bayesian")) == history.ENOUGH
    assert log.forecasts("causal") == ()


def test_an_unknown_episode_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownId, match="no episode of reasoning 'EP-1'"):
        episodes(tmp_path).settle("EP-1", right=True)


def test_the_oldest_settled_episode_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "LIMIT", 3)
    log = episodes(tmp_path)
    kept = [log.keep(answered(), kind="network", domain="empirical").id for _ in range(3)]
    log.settle(kept[1], right=True)
    newest = log.keep(answered(), kind="network", domain="empirical").id
    assert [one.id for one in log.all()] == [kept[0], kept[2], newest]
