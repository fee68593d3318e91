"""Laws of the store: whatever the order of commits, edits and crashes, nothing is lost and everyone agrees."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mabos.workspace import snapshots
from mabos.workspace.documents import json_document
from mabos.workspace.journal import Journal
from mabos.workspace.markdown import MarkdownCodec, MarkdownSection, join, split
from mabos.workspace.operations import Collections
from mabos.workspace.snapshots import Snapshots
from mabos.workspace.store import Arrange, Drop, Op, Put, Store
from mabos.workspace.sync import Sync

KEYS = ["a", "b", "c", "d"]
FILES = ["One.md", "Two.md"]
SLOW = settings(
    max_examples=int(os.environ.get("STORE_EXAMPLES", "25")), deadline=None, suppress_health_check=list(HealthCheck)
)


def section(key: str, text: str) -> str:
    return f"## {key.upper()}\n- **Id:** {key}\n\n{text}\n\n"


def mind(folder: Path) -> Store:
    return Store(folder, MarkdownCodec(FILES), journal="mind/journal.jsonl", sync=Sync("off"), keep_history=True)


def document(folder: Path) -> Store:
    return json_document(folder / "facts.json", FILES, sync=Sync("off"))


def value(kind: str, key: str, text: str) -> Any:
    return section(key, text) if kind == "mind" else {"id": key, "text": text}


OPENERS: dict[str, Callable[[Path], Store]] = {"mind": mind, "document": document}
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "drop"]), st.sampled_from(FILES), st.sampled_from(KEYS), st.integers(0, 99)
    ),
    min_size=1,
    max_size=4,
)
STEPS = st.lists(
    st.one_of(CHANGES, st.sampled_from(["checkpoint", "close", "reopen", "other", "crash"])), min_size=1, max_size=12
)


def ops(kind: str, changes: list[tuple[str, str, str, int]]) -> list[Op]:
    return [
        Put(file, key, value(kind, key, f"text {number}")) if action == "put" else Drop(file, key)
        for action, file, key, number in changes
    ]


def ordered(collections: Collections) -> dict[str, list[tuple[str, Any]]]:
    return {name: list(records.items()) for name, records in collections.items()}


def expected(model: dict[str, dict[str, Any]], changes: list[Op]) -> None:
    for op in changes:
        if isinstance(op, Put):
            model[op.collection][op.key] = op.value
        elif isinstance(op, Drop):
            model[op.collection].pop(op.key, None)


@pytest.fixture(autouse=True, scope="module")
def _editors_are_quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshots, "_QUIET", 0.0005)
        yield


class Crash(BaseException):
    """Stands for the end of the process."""


@contextmanager
def crashing_at(moment: int) -> Iterator[None]:
    """End the process just before the rename number `moment` from now: of a snapshot, or of the next journal."""
    left = [moment]

    def dying(real: Callable[..., Any]) -> Callable[..., Any]:
        def act(*args: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Crash
            return real(*args, **options)

        return act

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Snapshots, "replace", dying(Snapshots.replace))
        patch.setattr(Snapshots, "keep_base", dying(Snapshots.keep_base))
        patch.setattr(Journal, "start", dying(Journal.start))
        yield


@pytest.mark.parametrize("kind", ["mind", "document"])
@SLOW
@given(steps=STEPS, moment=st.integers(0, 5))
def test_every_store_agrees_with_a_plain_dictionary(kind: str, steps: list[Any], moment: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, other = OPENERS[kind](folder), OPENERS[kind](folder)
        model: dict[str, dict[str, Any]] = {file: {} for file in FILES}
        for step in steps:
            if step == "checkpoint":
                store.checkpoint()
            elif step == "close":
                store.close()
            elif step == "reopen":
                store = OPENERS[kind](folder)
            elif step == "other":
                store, other = other, store
            elif step == "crash":
                try:
                    with crashing_at(moment):
                        store.close()
                except Crash:
                    store = OPENERS[kind](folder)
            else:
                store.commit(ops(kind, step))
                expected(model, ops(kind, step))
        wanted = ordered(model)
        assert ordered(store.read()) == wanted
        assert ordered(other.read()) == wanted
        assert ordered(OPENERS[kind](folder).read()) == wanted
        store.close()
        assert ordered(other.read()) == wanted
        assert ordered(OPENERS[kind](folder).read()) == wanted
        assert store.conflicts() == ()


EDITS = st.lists(
    st.tuples(st.sampled_from(["set", "set", "remove"]), st.sampled_from(KEYS), st.integers(100, 199)), max_size=3
)
ROUNDS = st.lists(
    st.tuples(
        CHANGES,
        st.sampled_from(["nothing", "checkpoint"]),
        CHANGES,
        EDITS,
        st.sampled_from(["live", "reopen", "crash"]),
    ),
    min_size=1,
    max_size=4,
)


def edited_by_hand(path: Path, edits: list[tuple[str, str, int]], round_number: int) -> dict[str, str | None]:
    """Change the file as a person would; returns the sections that are different now.

    It is never left without any text: that is what a crash does, and taken for damage.
    """
    before = path.read_text("utf-8") if path.exists() else ""
    preamble, sections = split(before)
    texts = {each.key: each.text for each in sections}
    old = dict(texts)
    for action, key, number in edits:
        if action == "set":
            texts[key] = section(key, f"by hand {number} in round {round_number}")
        else:
            texts.pop(key, None)
    fixed = {key: text if text.endswith("\n\n") else text.rstrip("\n") + "\n\n" for key, text in texts.items()}
    after = join(preamble, [MarkdownSection(key, key, text) for key, text in fixed.items()])
    if not after.strip():
        return {}
    if after.rstrip("\n") != before.rstrip("\n"):
        path.write_text(after, "utf-8")
    return {key: texts.get(key) for key in {*old, *texts} if not same(old.get(key), texts.get(key))}


def same(one: str | None, other: str | None) -> bool:
    """Return whether two sections are, apart from blank lines at their ends."""
    return (one or "").strip() == (other or "").strip()


@SLOW
@given(rounds=ROUNDS, moment=st.integers(0, 5))
def test_no_hand_edit_and_nothing_of_the_agents_is_ever_lost(rounds: list[Any], moment: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, beside = folder / "One.md", folder / "One.md.conflict"
        store = mind(folder)
        for round_number, (before, checkpoint, pending, edits, end) in enumerate(rounds):
            store.commit(ops("mind", before))
            if checkpoint == "checkpoint":
                store.checkpoint()
            shown = MarkdownCodec(FILES).decode("One.md", path.read_text())["One.md"] if path.exists() else {}
            store.commit(ops("mind", pending))
            mine = dict(store.read()["One.md"].items())
            by_hand = edited_by_hand(path, edits, round_number)
            if end == "crash":
                try:
                    with crashing_at(moment):
                        store.close()
                except Crash:
                    pass
            if end != "live":
                store = mind(folder)
            result = store.read()["One.md"]
            losers = beside.read_text() if beside.exists() else ""
            for key, text in by_hand.items():
                is_kept = text is None and len(by_hand) > 1 and same(result.get(key), mine.get(key))
                assert same(result.get(key), text) or is_kept
                changed = key in mine and not same(mine[key], shown.get(key))
                assert not changed or is_kept or same(mine[key], text) or mine[key] in losers
            for key, text in mine.items():
                if key not in by_hand:
                    assert same(result[key], text)
            assert ordered(mind(folder).read()) == ordered(store.read())


@SLOW
@given(st.text(), st.lists(st.text(max_size=30), max_size=4))
def test_any_text_of_a_file_survives_being_a_store(first: str, texts: list[str]) -> None:
    codec = MarkdownCodec(["One.md"])
    for text in [first, *("## X\n" + each for each in texts), "".join("## X\n" + each for each in texts)]:
        decoded = codec.decode("One.md", text)
        again = codec.encode("One.md", decoded, 0)
        if "```" not in text and "~~~" not in text:
            assert again == text
        assert codec.decode("One.md", again) == decoded or "```" in text or "~~~" in text


HEADED = st.lists(
    st.tuples(st.sampled_from(["put", "put", "drop", "arrange", "checkpoint"]), st.integers(0, 4), st.integers(0, 99)),
    min_size=1,
    max_size=10,
)


@SLOW
@given(HEADED)
def test_sections_with_one_heading_have_the_same_keys_for_whoever_reads_them_anew(steps: list[Any]) -> None:
    keys = ["note", "note-2", "note-3", "note-4", "other"]
    with tempfile.TemporaryDirectory() as name:
        store = mind(Path(name))
        for action, number, text in steps:
            key = keys[number]
            if action == "checkpoint":
                store.checkpoint()
            elif action == "put":
                store.commit([Put("One.md", key, f"## {key.split('-')[0].title()}\n\ntext {text}\n\n")])
            elif action == "drop":
                store.commit([Drop("One.md", key)])
            else:
                store.commit([Arrange("One.md", (key,))])
        store.checkpoint()
        path = Path(name) / "One.md"
        read = MarkdownCodec(FILES).decode("One.md", path.read_text() if path.exists() else "")
        assert list(read["One.md"].items()) == list(store.read()["One.md"].items())
        assert ordered(mind(Path(name)).read()) == ordered(store.read())


@given(st.permutations(KEYS), st.lists(st.sampled_from(KEYS), unique=True))
def test_arranging_keeps_every_record(keys: list[str], first: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        store = document(Path(name))
        store.commit([Put("One.md", key, {}) for key in keys])
        store.commit([Arrange("One.md", tuple(first))])
        assert list(store.read()["One.md"]) == [*first, *(key for key in keys if key not in first)]
