from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from threading import Thread
from typing import Any

import pytest

from mabos.workspace.documents import json_document
from mabos.workspace.indexer import TextIndex, TextRow
from mabos.workspace.store import Drop, Put, Store
from mabos.workspace.sync import Sync

TEXTS = {
    "F-1": "The runway is nine months",
    "F-2": "Churn rose because of prices",
    "F-3": "Runway shrinks when churn rises",
}


def row(collection: str, key: str, record: Any) -> TextRow | None:
    if record.get("hidden"):
        return None
    return TextRow("fact", key, record.get("agent", "cfo"), record["text"], tuple(record.get("tags", ())))


def document(folder: Path, name: str = "facts.json") -> Store:
    return json_document(folder / name, ["facts"], sync=Sync("off"))


def fact(key: str, text: str, **more: Any) -> Put:
    return Put("facts", key, {"id": key, "text": text, **more})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = document(tmp_path)
    store.commit([fact(key, text) for key, text in TEXTS.items()])
    return store


@pytest.fixture
def index(tmp_path: Path, store: Store) -> Iterator[TextIndex]:
    index = TextIndex(tmp_path / ".mabos" / "index.sqlite")
    index.follow("facts:cfo", store, row)
    yield index
    index.close()


def ids(index: TextIndex, query: str, **options: Any) -> list[str]:
    return [hit.id for hit in index.search(query, **options)]


def test_any_word_finds_and_more_words_find_better(index: TextIndex) -> None:
    assert ids(index, "how does churn change the runway?") == ["F-3", "F-1", "F-2"]
    scores = [hit.score for hit in index.search("churn runway")]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1] > 0


def test_word_forms_and_case_do_not_matter(index: TextIndex) -> None:
    assert ids(index, "PRICING months") == ["F-1", "F-2"] or ids(index, "PRICING months") == ["F-2", "F-1"]


def test_nothing_is_found_for_nothing(index: TextIndex) -> None:
    assert index.search("") == []
    assert index.search("?!") == []
    assert index.search("zebra") == []
    assert index.search("runway", limit=0) == []


def test_an_answer_can_be_restricted(index: TextIndex, store: Store) -> None:
    store.commit([fact("F-4", "runway of another", agent="ceo")])
    assert ids(index, "runway", agent="ceo") == ["F-4"]
    assert ids(index, "runway", kinds=["goal"]) == []
    assert len(ids(index, "runway", kinds=["goal", "fact"])) == 3
    assert len(ids(index, "runway", limit=1)) == 1


def test_a_search_sees_every_commit_before_it(index: TextIndex, store: Store) -> None:
    index.update()
    store.commit([fact("F-2", "zebra crossing", tags=["stripes"]), Drop("facts", "F-1")])
    assert ids(index, "zebra") == ["F-2"]
    assert ids(index, "stripes") == ["F-2"]
    assert ids(index, "prices") == []
    assert ids(index, "months") == []
    assert index.count() == 2


def test_a_record_may_have_no_row(index: TextIndex, store: Store) -> None:
    store.commit([fact("F-1", "secret runway", hidden=True)])
    assert ids(index, "months") == []


def test_an_update_without_news_changes_nothing(index: TextIndex, store: Store) -> None:
    assert index.update() == 3
    store.checkpoint()
    assert index.update() == 0


def test_a_store_that_moved_on_while_nobody_followed_is_compared(
    tmp_path: Path, index: TextIndex, store: Store
) -> None:
    index.update()
    other = document(tmp_path)
    other.commit([fact("F-9", "zebra")])
    other.close()
    fresh = TextIndex(tmp_path / ".mabos" / "index.sqlite")
    fresh.follow("facts:cfo", document(tmp_path), row)
    assert fresh.update() == 1
    assert ids(fresh, "zebra") == ["F-9"]


def test_deleting_the_index_and_rebuilding_gives_the_same_answers(
    tmp_path: Path, index: TextIndex, store: Store
) -> None:
    store.commit([fact("F-2", "Churn and runway"), fact("F-5", "Runway")])
    store.commit([Drop("facts", "F-1"), fact("F-1", TEXTS["F-1"])])
    before = [index.search(query) for query in ("runway", "churn of months", "prices")]
    index.close()
    rmtree(tmp_path / ".mabos")
    again = TextIndex(tmp_path / ".mabos" / "index.sqlite")
    again.follow("facts:cfo", document(tmp_path), row)
    assert again.rebuild() == 4
    assert [again.search(query) for query in ("runway", "churn of months", "prices")] == before


def test_truth_is_never_written(tmp_path: Path, index: TextIndex, store: Store) -> None:
    store.close()
    before = {path: path.stat() for path in tmp_path.rglob("facts*")}
    index.rebuild()
    index.search("runway")
    assert {path: path.stat() for path in tmp_path.rglob("facts*")} == before


def test_a_damaged_index_is_made_anew(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(b"nonsense " * 1000)
    index = TextIndex(path)
    index.follow("facts:cfo", store, row)
    assert len(ids(index, "runway")) == 2


def test_two_indexes_of_one_file_do_not_repeat_work(tmp_path: Path, index: TextIndex, store: Store) -> None:
    second = TextIndex(tmp_path / ".mabos" / "index.sqlite")
    second.follow("facts:cfo", document(tmp_path), row)
    assert index.update() == 3
    assert second.update() == 0
    assert ids(second, "months") == ["F-1"]


def test_threads_may_write_and_search_together(index: TextIndex, store: Store) -> None:
    def write(writer: int) -> None:
        for number in range(20):
            store.commit([fact(f"F-{writer}-{number}", "zebra")])
            index.search("zebra")

    threads = [Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids(index, "zebra", limit=100)) == 80
