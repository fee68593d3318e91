"""The memories of a workspace as LangGraph's store."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import InvalidNamespaceError, PutOp

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.graphs.memory_store import MemoryStore, text_of
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    for agent in ("cfo", "cto"):
        (tmp_path / "agents" / agent).mkdir(parents=True)
        (tmp_path / "agents" / agent / "Persona.md").write_text("# Persona\n")
    opened = open_services(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def store(services: Services) -> Iterator[MemoryStore]:
    made = MemoryStore(services)
    yield made
    made.close()


def test_search_finds_entries_and_what_the_agent_remembers_anyway(store: MemoryStore, services: Services) -> None:
    store.put(("cfo", "preferences"), "reports", {"content": "Reports want a chart on one page"})
    own = services.agent("cfo").memory.store("The board liked the chart", type="outcome")
    services.agent("cto").memory.store("The chart service was slow")
    found = {(item.namespace, item.key) for item in store.search(("cfo",), query="chart")}
    assert found == {(("cfo", "preferences"), "reports"), (("cfo",), own.id)}
    assert [item.key for item in store.search(("cfo", "preferences"), query="chart")] == ["reports"]
    assert len(store.search((), query="chart")) == 3
    got = store.get(("cfo",), own.id)
    assert got is not None
    assert got.value["content"] == "The board liked the chart"


def test_an_entry_that_is_not_indexed_is_got_but_not_found(store: MemoryStore) -> None:
    store.put(("cfo", "raw"), "k", {"content": "zebra"}, index=False)
    assert store.get(("cfo", "raw"), "k") is not None
    assert store.search(("cfo",), query="zebra") == []


def test_any_namespace_will_do_and_nobody_recalls_what_is_deleted(store: MemoryStore, services: Services) -> None:
    store.put(("cfo", "prefs"), "salary", {"content": "Anna's salary is 90,000"})
    store.put(("filesystem",), "/notes.md", {"content": "Buy bread"})  # deepagents' default
    store.put(("memories", "ana"), "1", {"content": "Speaks German"})  # langmem's default
    created = store.search(("memories",))[0].created_at
    store.put(("memories", "ana"), "1", {"content": "Speaks French"})
    assert store.search(("memories",))[0].created_at == created
    store.delete(("cfo", "prefs"), "salary")
    assert [one.value["content"] for one in store.search(("memories",), query="speaks")] == ["Speaks French"]
    assert store.search(("cfo",), query="Anna salary") == []
    assert services.agent("cfo").memory.recall("Anna salary") == []
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("memories", ""), "k", {"content": "x"})])


def test_an_entry_is_found_among_many_in_sibling_namespaces(store: MemoryStore) -> None:
    for number in range(60):
        store.put(("cfo", f"user-{number}"), "p", {"content": f"Prefers tea {number}", "who": "other"})
    store.put(("cfo", "user-anna"), "p", {"content": "Prefers tea", "who": "anna"})
    assert [one.key for one in store.search(("cfo", "user-anna"), query="Prefers tea", limit=1)] == ["p"]
    (found,) = store.search(("cfo",), query="Prefers tea", filter={"who": "anna"}, limit=1)
    assert found.namespace == ("cfo", "user-anna")
    with pytest.raises(InvalidArgument, match=r"\$near"):
        store.search(("cfo",), filter={"who": {"$near": 1}})


def test_what_has_a_time_to_live_goes_and_reading_prolongs_it(tmp_path: Path) -> None:
    clock = SteppedClock(datetime(2026, 3, 2, tzinfo=UTC))
    services = open_services(tmp_path, clock=clock)
    store = MemoryStore(services, ttl={"default_ttl": 10, "refresh_on_read": True})
    store.put(("a",), "short", {"content": "x"})
    store.put(("a",), "kept", {"content": "x"}, ttl=None)
    clock.advance(timedelta(minutes=8))
    assert store.get(("a",), "short") is not None
    clock.advance(timedelta(minutes=8))
    assert len(store.search(("a",), refresh_ttl=False)) == 2
    clock.advance(timedelta(minutes=3))
    assert [one.key for one in store.search(("a",))] == ["kept"]
    assert store.sweep_ttl() == 1
    services.close()


def test_the_text_of_a_value_is_what_is_named_else_its_content_else_its_json() -> None:
    assert text_of({"a": {"b": "deep"}, "content": "top"}, ["a.b"]) == "deep"
    assert text_of({"content": "top"}) == "top"
    assert text_of({"n": 1}) == '{"n": 1}'


def test_who_changes_what_was_got_changes_nothing_here(store: MemoryStore) -> None:
    store.put(("cfo", "p"), "k", {"content": "The lease", "months": [6]})
    got, (found,) = store.get(("cfo", "p"), "k"), store.search(("cfo", "p"))
    assert got is not None
    got.value["months"].append(7)
    found.value["months"].append(8)
    assert [one.value["months"] for one in store.search(("cfo", "p"))] == [[6]]


@pytest.mark.parametrize("value", [{"content": "The lease", "at": {1}}, {"at": {1}}, {"content": "The \ud800 lease"}])
def test_a_value_that_no_file_could_hold_is_refused_before_it_is_remembered(
    store: MemoryStore, services: Services, value: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArgument, match="the value is not JSON"):
        store.put(("cfo", "p"), "k", value)
    assert services.agent("cfo").memory.recall("lease") == []


def test_a_value_without_text_may_hold_a_time(store: MemoryStore) -> None:
    store.put(("cfo", "p"), "k", {"lease": datetime(2026, 6, 30, tzinfo=UTC)})
    assert [one.key for one in store.search(("cfo", "p"), query="lease")] == ["k"]


ENTRY = {
    "id": '["cfo","p","k"]',
    "namespace": ["cfo", "p"],
    "key": "k",
    "value": {"content": "The lease"},
    "created_at": "2026-02-24",
    "updated_at": "2026-02-24",
}


@pytest.mark.parametrize(
    "wrong",
    [
        *({"namespace": None}, {"namespace": "cfo"}, {"namespace": [1]}, {"key": None}, {"value": 5}),
        *({"expires_at": [1]}, {"created_at": "yesterday"}, {"updated_at": None}),
    ],
)
def test_an_entry_that_a_person_mangled_is_named_and_stays(tmp_path: Path, wrong: dict[str, Any]) -> None:
    folder = tmp_path / "agents" / "cfo"
    folder.mkdir(parents=True)
    (folder / "Persona.md").write_text("# Persona\n")
    path = tmp_path / "store-entries.json"
    path.write_text(before := json.dumps({"entries": [{**ENTRY, **wrong}]}))
    services = open_services(tmp_path)
    store = MemoryStore(services)
    for use in (lambda: store.get(("cfo", "p"), "k"), lambda: store.search(("cfo",))):
        with pytest.raises(Damaged, match=r"store-entries\.json: entry"):
            use()
    services.close()
    assert path.read_text() == before


def test_an_entry_and_an_item_that_a_person_wrote_may_say_little(tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "cfo"
    folder.mkdir(parents=True)
    (folder / "Persona.md").write_text("# Persona\n")
    (tmp_path / "store-entries.json").write_text(json.dumps({"entries": [ENTRY]}))
    (folder / "memory-store.json").write_text(json.dumps({"long_term": [{"id": "M-1-hand", "content": "The rent"}]}))
    services = open_services(tmp_path)
    store = MemoryStore(services)
    assert [one.key for one in store.search(("cfo",), query="rent")] == ["M-1-hand"]
    item = store.get(("cfo",), "M-1-hand")
    assert item is not None
    assert item.created_at == datetime(1970, 1, 1, tzinfo=UTC)
    services.close()
