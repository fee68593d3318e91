"""A graph and its copy lose nothing when writers are killed and connections die; graph_kill.py is the campaign."""

from pathlib import Path

import pytest

from chaos.graph_kill import Place, campaign, lost
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Gone, GraphBatch
from mabos.workspace.operations import Put
from tests.contracts.graph_tiers import served


def test_nothing_acknowledged_is_lost_and_the_copy_is_equal_in_the_end(request: pytest.FixtureRequest) -> None:
    result = campaign(served(request), 150, 3, seed=1)
    assert result.lost == []
    assert (result.kills, result.operations >= 150, sum(result.disturbances.values()) > 0) == (3, True, True)


def test_the_campaign_sees_what_is_lost(tmp_path: Path) -> None:
    place, copy = Place(tmp_path), EmbeddedGraph(tmp_path / "copy.sqlite")
    place.graph.sinks.add("copy")
    records = {key: {"number": 7, "is_gone": False, "type": "goal", "supports": "k001"} for key in ("k001", "k002")}
    place.store.commit([Put("records", key, record) for key, record in records.items()])
    place.feed.update()
    copy.apply(place.graph.sinks.lease("copy").batch)
    (tmp_path / "acknowledged").write_text("0000000007 k001\n0000000007 k002\n")
    assert list(lost(place, copy)) == []
    (tmp_path / "acknowledged").write_text("0000000008 k001\n")
    assert list(lost(place, copy)) == ["commit 8 of k001 is not in the store"]
    copy.apply(GraphBatch(gone=[Gone("k002", "node", 2**60)]))
    told = " ".join(lost(place, copy))
    assert "copy lacks ('k002'" in told
    assert "digests differ" in told
