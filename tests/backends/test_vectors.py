"""Flat vectors on disk: what crashes, other processes and other hands leave behind."""

from pathlib import Path

import pytest

from mabos.backends.vectors import KEY_BYTES, FlatVectors, key_of
from mabos.configs.errors import Unavailable

pytest.importorskip("numpy", reason="vectors need the extra: pip install 'mabos[local]'")
EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
A, B, C = key_of("a"), key_of("b"), key_of("c")


def opened(folder: Path) -> FlatVectors:
    return FlatVectors(folder, "model-2", 2)


def test_two_openers_see_each_others_rows(tmp_path: Path) -> None:
    one, other = opened(tmp_path), opened(tmp_path)
    one.add({A: EAST})
    other.add({A: EAST, B: NORTH})
    one.add({C: NORTH})
    assert one.count() == other.count() == 3
    assert [near.key for near in one.nearest(NORTH, 2)] == [B, C]


@pytest.mark.parametrize("cut", [1, KEY_BYTES - 1])
def test_a_row_torn_by_a_crash_is_cut_off_and_can_be_added_again(tmp_path: Path, cut: int) -> None:
    opened(tmp_path).add({A: EAST, B: NORTH})
    keys = tmp_path / "model-2" / "keys.bin"
    keys.write_bytes(keys.read_bytes()[:-cut])
    again = opened(tmp_path)
    assert again.missing([A, B]) == [B]
    again.add({B: NORTH, C: EAST})
    assert opened(tmp_path).nearest(NORTH, 1)[0].key == B
    assert opened(tmp_path).count() == 3


def test_a_vector_torn_by_a_crash_has_no_key_that_counts(tmp_path: Path) -> None:
    opened(tmp_path).add({A: EAST, B: NORTH})
    rows = tmp_path / "model-2" / "vectors.f32"
    rows.write_bytes(rows.read_bytes()[:-3])
    assert opened(tmp_path).missing([A, B]) == [B]


def test_rows_without_a_stamp_are_not_trusted(tmp_path: Path) -> None:
    opened(tmp_path).add({A: EAST})
    (tmp_path / "model-2" / "stamp.json").write_text("{}")
    again = opened(tmp_path)
    assert again.count() == 0
    again.add({B: EAST})
    assert opened(tmp_path).missing([A, B]) == [A]


def test_a_folder_deleted_under_an_open_store_is_begun_anew(tmp_path: Path) -> None:
    vectors = opened(tmp_path)
    vectors.add({A: EAST})
    for file in (tmp_path / "model-2").iterdir():
        file.unlink()
    assert vectors.count() == 0
    vectors.add({B: EAST})
    assert [near.key for near in vectors.nearest(EAST, 5)] == [B]


def test_vectors_made_anew_by_another_process_are_read_anew(tmp_path: Path) -> None:
    ours, other = opened(tmp_path), opened(tmp_path)
    ours.add({A: EAST, B: NORTH})
    assert ours.nearest(EAST, 1)[0].key == A
    other.clear()
    other.add({C: EAST, A: NORTH, B: NORTH})
    assert ours.nearest(EAST, 1)[0].key == C
    assert ours.similarities(EAST, [A]) == {A: 0.0}


def test_damaged_numbers_are_given_up_and_not_searched(tmp_path: Path) -> None:
    opened(tmp_path).add({A: EAST, B: NORTH})
    rows = tmp_path / "model-2" / "vectors.f32"
    rows.write_bytes(b"\xff" * rows.stat().st_size)
    again = opened(tmp_path)
    assert again.missing([A, B]) == [A, B]
    again.add({A: EAST})
    assert opened(tmp_path).nearest(EAST, 1)[0].key == A


def test_clearing_takes_the_vectors_of_models_used_before(tmp_path: Path) -> None:
    FlatVectors(tmp_path, "older-model", 2).add({A: EAST})
    vectors = opened(tmp_path)
    vectors.add({A: EAST})
    vectors.clear()
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_refuses_is_said(tmp_path: Path) -> None:
    (tmp_path / "model-2").write_text("no folder")
    with pytest.raises(Unavailable, match="unreachable"):
        opened(tmp_path).add({A: EAST})
