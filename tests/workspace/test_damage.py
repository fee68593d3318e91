"""Files that nobody can have meant so: said with their line, left alone, and whole again when they are removed."""

from pathlib import Path

import pytest

from mabos.configs.errors import Damaged
from mabos.workspace.documents import json_document
from mabos.workspace.index_file import open_index
from mabos.workspace.markdown import MarkdownCodec
from mabos.workspace.operations import Put
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync

SECTION = "## Rent is due\n\n- **Id:** B-1\n"


def beliefs(folder: Path) -> Store:
    return Store(folder, MarkdownCodec(["Beliefs.md"]), journal="mind.journal.jsonl", sync=Sync("off"))


def written(folder: Path) -> Path:
    with beliefs(folder) as store:
        store.commit([Put("Beliefs.md", "B-1", SECTION)])
    return folder / "Beliefs.md"


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("", 1, "empty"),
        ("\n \n", 1, "empty"),
        (f"{SECTION}\n\0\0\0\0", 5, "zero bytes"),
        (SECTION.replace("\n", "\x0b", 1), 1, "the character 0x0b, which no text has"),
        (f"# B\n<<<<<<< HEAD\n{SECTION}=======\n>>>>>>> theirs\n", 2, "two versions, as git leaves them"),
    ],
)
def test_what_no_editor_writes_is_no_edit_and_is_left_alone(tmp_path: Path, content: str, line: int, said: str) -> None:
    path = written(tmp_path)
    path.write_text(content, "utf-8")
    store = beliefs(tmp_path)
    with pytest.raises(Damaged, match=rf"Beliefs.md:{line}: {said}"):
        store.read()
    with pytest.raises(Damaged):
        store.commit([Put("Beliefs.md", "B-2", "## More\n\n- **Id:** B-2\n")])
    assert path.read_text("utf-8") == content


def test_a_damaged_file_that_is_removed_comes_back_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_text("utf-8")
    path.write_text("\0", "utf-8")
    path.unlink()
    with beliefs(tmp_path) as store:
        assert list(store.read()["Beliefs.md"]) == ["B-1"]
    assert path.read_text("utf-8") == whole


def test_zeros_that_an_agent_itself_has_written_are_its_own(tmp_path: Path) -> None:
    with beliefs(tmp_path) as store:
        store.commit([Put("Beliefs.md", "B-1", f"{SECTION}- **Said:** a\0b\n")])
    path = tmp_path / "Beliefs.md"
    path.write_text(path.read_text("utf-8").replace("due", "paid"), "utf-8")
    assert "Rent is paid" in beliefs(tmp_path).read()["Beliefs.md"]["B-1"]


@pytest.mark.parametrize("content", [b"", b'{"crc":"0000'])
def test_a_journal_without_its_first_line_is_not_taken_for_none(tmp_path: Path, content: bytes) -> None:
    store = json_document(tmp_path / "facts.json", ["facts"], sync=Sync("off"))
    store.commit([Put("facts", "F-1", {"id": "F-1"})])
    journal = tmp_path / "facts.journal.jsonl"
    journal.write_bytes(content)
    again = json_document(tmp_path / "facts.json", ["facts"], sync=Sync("off"))
    with pytest.raises(Damaged, match=r"facts\.journal\.jsonl:1: it has no first line"):
        again.read()
    with pytest.raises(Damaged):
        again.commit([Put("facts", "F-2", {"id": "F-2"})])
    assert journal.read_bytes() == content


def test_where_a_derived_file_has_no_place_its_tables_are_in_memory(tmp_path: Path) -> None:
    place = tmp_path / "index.sqlite"
    place.mkdir()  # which SQLite cannot open, as on a disk without room
    connection = open_index(place)
    assert connection.execute("SELECT count(*) FROM rows").fetchone() == (0,)
    connection.close()


@pytest.mark.parametrize(("levels", "is_sound"), [(249, True), (250, False), (900, False)])
def test_json_too_deep_to_be_written_again_is_named_with_its_line(
    tmp_path: Path, levels: int, *, is_sound: bool
) -> None:
    path = tmp_path / "facts.json"
    path.write_text(
        '{"facts": [\n{"id": "F-1", "sign": "[{\\"["},\n{"id": "F-2", "in": ' + "[" * levels + "]" * levels + "}]}"
    )
    store = json_document(path, ["facts"], sync=Sync("off"))
    if is_sound:
        store.commit([Put("facts", "F-2", {**store.read()["facts"]["F-2"], "more": 1})])
        store.checkpoint()
        assert json_document(path, ["facts"], sync=Sync("off")).read()["facts"]["F-2"]["more"] == 1
        return
    before = path.read_bytes()
    with pytest.raises(Damaged, match=r"facts\.json:3: nested deeper than 252 levels"):
        store.read()
    assert path.read_bytes() == before
