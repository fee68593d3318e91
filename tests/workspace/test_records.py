"""How a record is declared, read, written and viewed; what holds for every declared type is in `tests/contracts`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import pytest

from mabos.configs.errors import Damaged, InvalidArgument, UnknownId
from mabos.workspace.field_types import Share, Texts, Time, stored_as
from mabos.workspace.operations import Arrange, Drop, Put
from mabos.workspace.records import declaration, read_file, record
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View


@dataclass(frozen=True, slots=True)
class Side:
    name: str
    share: Share = 1.0


@record("notes.json", "notes", "old", noun="sticky note", optional=("tags", "sides"), tolerates=("text", "more"))
@dataclass(frozen=True, slots=True)
class Note:
    id: Annotated[str, stored_as("id", "note_id")]
    author: Annotated[str, stored_as("from", "author")]
    text: str = ""
    share: Share = 0.5
    due: Time = ""
    tags: Texts = ()
    sides: tuple[Side, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


def _in_order(card: "Card") -> None:
    if card.first > card.last:
        raise InvalidArgument("the first is after the last")


@record("cards/*.json", noun="card", check=_in_order)
@dataclass(frozen=True, slots=True)
class Card:
    id: str
    first: int
    last: int


NOTES = declaration(Note)
RECORD = {"id": "N-1", "from": "cfo", "text": "Call the bank", "share": 0.5, "due": "", "more": {}}


class Counting(View[Note]):
    """A view that keeps how many notes each author has, and notes each change."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, Note)
        self.changes: list[tuple[str, str, str]] = []

    def changed(self, collection: str, old: Note | None, new: Note | None) -> None:
        self.changes.append((collection, old.text if old else "", new.text if new else ""))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return NOTES.open(tmp_path, Sync("off"))


def test_a_record_is_read_by_its_names_in_the_document_and_written_under_the_first() -> None:
    note = NOTES.read("N-1", {"author": "cfo", "share": "0.25", "text": 7, "tags": "bank", "sides": [{"name": "a"}]})
    assert note == Note("N-1", "cfo", "7", 0.25, tags=("bank",), sides=(Side("a"),))
    written = {"id": "N-1", "from": "cfo", "text": "7", "share": 0.25, "due": "", "tags": ["bank"],
               "sides": [{"name": "a", "share": 1.0}], "more": {}}  # fmt: skip
    assert NOTES.write(note) == written


def test_what_is_empty_and_optional_is_left_out_and_what_a_person_added_stays() -> None:
    before = {**RECORD, "tags": ["x"], "mood": "good", "author": "old"}
    assert NOTES.write(NOTES.read("N-1", RECORD), before) == {**RECORD, "mood": "good"}


def test_a_second_record_with_the_same_id_is_no_other_record(tmp_path: Path, store: Store) -> None:
    (tmp_path / "notes.json").write_text(json.dumps({"notes": [RECORD, {**RECORD, "text": "later"}]}))
    view = View(store, Note)
    assert [one.id for one in view.all()] == ["N-1", "N-1"]
    assert view.one("N-1").text == RECORD["text"]


def test_an_id_under_another_name_is_not_the_key() -> None:
    assert NOTES.read("N-1@2026", {**RECORD, "id": "N-1@2026", "note_id": "N-1"}).id == "N-1"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"share": 90}, "share is 90 and should be less than or equal to 1"),
        ({"share": [1]}, r"share is \[1\] and should be a number"),
        ({"due": "soon"}, "due: 'soon' is not a time; expected ISO 8601"),
        ({"from": None}, "from is missing"),
        ({"tags": {"a": 1}}, "tags is {'a': 1} and should be a list"),
        ({"sides": [{}]}, "sides.0.name is missing"),
    ],
)
def test_damage_is_said_in_one_form(wrong: Mapping[str, Any], said: str) -> None:
    with pytest.raises(Damaged, match=rf"^notes\.json: sticky note 'N-1': {said}.*; correct it by hand$"):
        NOTES.read("N-1", {**RECORD, **wrong})


def test_damage_that_is_tolerated_is_only_a_problem() -> None:
    wrong = {**RECORD, "text": [1], "more": 5}
    assert NOTES.read("N-1", wrong) == Note("N-1", "cfo", "[1]")
    assert str(NOTES.problem("N-1", wrong)) == (
        "notes.json: sticky note 'N-1': text is [1] and should be a text; correct it by hand"
    )
    assert NOTES.problem("N-1", {**RECORD, "share": "", "tags": None}) is None


def test_a_file_of_one_record_is_named_where_it_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "C-1.json"
    path.write_text('{"first": 1, "last": 2}')
    assert read_file(path, Card) == Card("C-1", 1, 2)
    path.write_text('{"first": 3, "last": 2}')
    with pytest.raises(Damaged, match=r"C-1\.json: card 'C-1': the first is after the last; correct it by hand"):
        read_file(path, Card)
    path.write_text('{"id": "C-2", "first": 1, "last": 2}')
    with pytest.raises(Damaged, match="id is 'C-2' and should be 'C-1', as the file is called"):
        read_file(path, Card)
    path.write_text('{"first":\n')
    with pytest.raises(Damaged, match=r"C-1.json:\d+: not JSON"):
        read_file(path, Card)


def test_a_view_converts_only_what_changed_and_tells_who_follows(store: Store, tmp_path: Path) -> None:
    notes, other = store.companion(Counting), View(NOTES.open(tmp_path, Sync("off")), Note)
    assert store.companion(Counting) is notes
    other.save(Note("N-1", "cfo", "first"), Note("N-2", "cto", "second"))
    first, second = notes.all()
    other.change("N-2", lambda one: replace(one, text="third"))
    assert notes.all()[0] is first
    assert (second.text, notes.one("N-2").text) == ("second", "third")
    other.store.commit([Put("old", "N-2", {**RECORD, "id": "N-2"}), Drop("notes", "N-2")])
    assert notes.all() == (first,)
    assert notes.changes == [
        ("notes", "", "first"), ("notes", "", "second"), ("notes", "second", "third"),
        ("old", "", "Call the bank"), ("notes", "third", ""),
    ]  # fmt: skip
    assert notes.records["old"]["N-2"].text == "Call the bank"


def test_a_view_keeps_the_order_of_the_file(store: Store) -> None:
    notes = View(store, Note)
    notes.save(Note("N-1", "cfo"), Note("N-2", "cfo"), Note("N-3", "cfo"))
    assert [one.id for one in notes.all()] == ["N-1", "N-2", "N-3"]
    store.commit([Arrange("notes", ("N-3", "N-1"))])
    assert [one.id for one in notes.all()] == ["N-3", "N-1", "N-2"]


def test_what_is_written_already_costs_nothing_and_an_unknown_id_names_the_nearest(store: Store) -> None:
    notes = View(store, Note)
    notes.save(Note("N-1", "cfo"))
    before = store.seq
    notes.save(Note("N-1", "cfo"))
    assert store.seq == before
    with pytest.raises(UnknownId, match="no sticky note 'N-2'; did you mean 'N-1'") as unknown:
        notes.one("N-2")
    assert unknown.value.argument == "note_id"
    with pytest.raises(UnknownId, match="no sticky note 'N-2'"):
        notes.change("N-2", lambda one: replace(one, text="new"))


def test_only_what_matches_is_converted_inside_a_transaction(store: Store) -> None:
    store.commit([Put("notes", "N-1", RECORD), Put("notes", "N-2", {"id": "N-2", "text": "no author"})])
    notes, found = View(store, Note), list[str]()

    def decide(now: Any) -> list[Put]:
        found.extend(notes.matching(now, "from", " CFO".strip()))
        return []

    store.commit(decide)
    assert found == ["N-1"]
    assert notes.find("N-1") is not None
    with pytest.raises(Damaged, match="N-2"):
        notes.find("N-2")
