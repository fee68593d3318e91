"""The index of words beside a store: always as the store is, whatever becomes of its file."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.vectors import key_of
from mabos.memory.findable import Findable
from mabos.memory.words import Words
from tests.memory.factory import Remembering

OTHER = """
import sys
from pathlib import Path
from tests.memory.factory import Remembering

mind = Remembering(Path(sys.argv[1]))
mind.memory.store("The puma sleeps", store="long_term")
(mind.directory / "Learnings.md").write_text("Pumas dream")
assert len(mind.memory.recall("puma")) == 2
"""

IDS = "abcdefgh"
DAYS = ("", "no time at all", "2026-02-24T10:00:0{}.000Z", "2026-02-24T12:30:0{}.000Z", "2026-03-02T09:00:0{}.000Z")


@st.composite
def texts(draw: st.DrawFn) -> Findable:
    """A short text; no two have the same time, which would leave their order open."""
    number = draw(st.integers(0, len(IDS) - 1))
    return Findable(
        IDS[number],
        " ".join(draw(st.lists(st.sampled_from(["dog", "cats", "show", "Straße", "the"]), max_size=6))),
        tuple(draw(st.lists(st.sampled_from(["pet", "big dog", "é"]), max_size=2, unique=True))),
        draw(st.sampled_from(DAYS)).format(number),
        draw(st.sampled_from(["Ann", "Bob"])),
        draw(st.sampled_from([0.1, 0.9])),
        draw(st.booleans()),
    )


steps = st.lists(st.tuples(st.lists(texts(), max_size=4), st.lists(st.sampled_from(IDS), max_size=2)), max_size=8)


@pytest.fixture
def mind(tmp_path: Path) -> Remembering:
    return Remembering(tmp_path)


def file(mind: Remembering) -> Path:
    return mind.document.derived / "words.sqlite"


def said(mind: Remembering, query: str) -> set[str]:
    return {hit.content for hit in mind.memory.recall(query)}


def answers(words: Words) -> object:
    """Everything that a recall learns, without the order of what came at the same moment."""
    telling = words.telling(["dog", "cat", "show", "straße", "pet"])
    best = {entry.id for entry in words.best(telling, 9)}
    group = words.group(words.texts.named(sorted(words.texts)))
    scores = [*words.scores(telling, group), words.days(telling, group.numbers), words.lateness(group.numbers)]
    rounded = [[str(round(score, 9)) for score in given.tolist()] for given in scores]
    linked = {one: {other: round(share, 9) for other, share in words.linked(one, []).items()} for one in words.texts}
    return best, rounded, linked, [entry.id for entry in group.texts], sorted(words.sources)


@given(steps)
def test_however_texts_came_and_went_the_answers_are_those_of_the_texts_there_are(
    taken: list[tuple[list[Findable], list[str]]],
) -> None:
    words, there = Words(), dict[str, Findable]()
    for came, gone in taken:
        words.texts.take(came, gone)
        there = {key: one for key, one in there.items() if key not in gone} | {one.id: one for one in came}
    assert answers(words) == answers(Words(there.values()))


@given(steps)
def test_whoever_follows_changes_misses_none(taken: list[tuple[list[Findable], list[str]]]) -> None:
    words, known = Words(), dict[str, bytes]()
    for came, gone in taken:
        words.texts.take(came, gone)
        changed, keys = words.texts.news()
        words.texts.told()
        known = {one: key for one, key in known.items() if changed is not None and one not in changed} | keys
        assert known == {one: key_of(words.texts[one].embedding_text) for one in words.texts}


def test_a_memory_that_was_closed_is_recalled_from_its_file(mind: Remembering) -> None:
    mind.memory.store_many([{"content": f"The puma number {number}", "store": "long_term"} for number in range(9)])
    before = [hit.found.id for hit in mind.memory.recall("puma")]
    written = file(mind).stat().st_size
    again = mind.reopened()
    assert [hit.found.id for hit in again.memory.recall("puma")] == before
    assert file(again).stat().st_size == written


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "left"])
def test_a_file_that_is_behind_the_journal_catches_up_when_opened(mind: Remembering, is_closed: bool) -> None:
    mind.memory.store_many([{"content": "The puma hunts"}, {"content": "The lion hunts", "store": "long_term"}])
    assert said(mind, "hunts") == {"The puma hunts", "The lion hunts"}
    mind.document.close()
    kept = mind.directory / "kept"
    with sqlite3.connect(file(mind)) as connection:
        connection.execute("VACUUM INTO ?", (str(kept),))
    mind.wait(hours=5)
    mind.memory.store("The hyena hunts", store="long_term")
    assert said(mind, "hunts") == {"The lion hunts", "The hyena hunts"}
    if is_closed:
        mind.document.close()
    replace(mind, kept)
    assert said(Remembering(mind.directory, mind.clock), "hunts") == {"The lion hunts", "The hyena hunts"}


def test_a_file_that_is_ahead_of_a_journal_that_lost_its_end_follows_it_back(mind: Remembering) -> None:
    mind.memory.store("The puma hunts", store="long_term")
    journal = mind.directory / "memory-store.journal.jsonl"
    whole = journal.read_bytes()
    mind.memory.store("The lion hunts", store="long_term")
    assert said(mind, "hunts") == {"The puma hunts", "The lion hunts"}
    journal.write_bytes(whole)
    next(mind.directory.rglob("end")).unlink()  # as a person removes it who goes on without what was lost
    again = Remembering(mind.directory, mind.clock)
    assert said(again, "hunts") == {"The puma hunts"}
    again.memory.store("The hyena hunts", store="long_term")
    assert said(Remembering(mind.directory, mind.clock), "hunts") == {"The puma hunts", "The hyena hunts"}


@pytest.mark.parametrize("damage", ["deleted", "no database", "pages"])
def test_a_lost_or_damaged_file_costs_only_making_it_anew(mind: Remembering, damage: str) -> None:
    mind.memory.store_many([{"content": f"The puma number {number}", "store": "long_term"} for number in range(300)])
    assert len(mind.memory.recall("puma", limit=300)) == 300
    mind.document.close()
    path = file(mind)
    again = Remembering(mind.directory, mind.clock)
    if damage == "deleted":
        shutil.rmtree(path.parent)
    elif damage == "no database":
        replace(mind, None, b"this is no database" * 1000)
    else:
        content = path.read_bytes()
        replace(mind, None, content[:4096] + b"\xff" * (len(content) - 4096))
    assert len(again.memory.recall("puma", limit=300)) == 300
    recalled = again.memory.recall("puma number 7", limit=5)
    assert (recalled.mode, recalled[0].content) == ("text", "The puma number 7")


def test_while_another_process_holds_the_file_recall_looks_for_letters_and_says_so(mind: Remembering) -> None:
    mind.memory.store("The puma hunts")
    mind.memory.recall("puma")
    with held(file(mind)):
        mind.memory.store("The puma sleeps", importance=0.9)
        recalled = mind.memory.recall("the puma")
        assert [hit.content for hit in recalled] == ["The puma sleeps", "The puma hunts"]
        assert recalled.mode == "scan"
        assert "out of reach" in recalled.notice
        assert mind.memory.recall("puma", type="fact") == []
    assert mind.memory.recall("puma").mode == "text"


def test_what_another_process_stored_and_indexed_is_found(mind: Remembering, root: Path) -> None:
    mind.memory.store("The lion sleeps", store="long_term")
    assert said(mind, "puma lion") == {"The lion sleeps"}
    subprocess.run([sys.executable, "-c", OTHER, str(mind.directory)], cwd=root, check=True)
    assert said(mind, "puma lion") == {"The lion sleeps", "The puma sleeps", "Pumas dream"}


def test_a_word_that_every_text_holds_still_finds_the_best_and_the_latest() -> None:
    many = [
        Findable(f"{n}", "audit of books", at=f"2026-02-{1 + n // 400:02d}T10:00:00.{n % 400:03d}Z")
        for n in range(4000)
    ]
    words = Words([*many, Findable("x", "audit of books and zebras", at="2026-01-01T10:00:00.000Z")])
    assert [entry.one.id for entry in words.best(words.telling(["audit"]), 2)] == ["3999", "3998"]
    assert words.best(words.telling(["audit", "zebra"]), 2)[0].one.id == "x"


def replace(mind: Remembering, source: Path | None, content: bytes = b"") -> None:
    """Put another file in place of the index, as after a restore of a backup or a damage of the disk."""
    path = file(mind)
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(content if source is None else source.read_bytes())


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the file as a process does that is writing."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def test_of_a_reading_that_sqlite_ended_by_itself_the_error_is_told_and_not_its_end(tmp_path: Path) -> None:
    texts = Words([Findable("M-1", "The lease ends in June")], tmp_path / "words.sqlite").texts

    def fails() -> None:
        with texts.reading():
            texts.catalogue._connection.execute("ROLLBACK")  # as SQLite does where the disk fails
            raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        fails()
    with texts.reading():
        assert len(texts) == 1
