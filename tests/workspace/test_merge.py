from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.workspace.merge import MergeConflict, merge
from mabos.workspace.operations import Collections, apply

RECORDS = st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["one", "two", 1, True]), max_size=4)


def merged(
    base: dict[str, Any] | None,
    disk: dict[str, Any],
    ours: dict[str, Any],
    *,
    touched: Mapping[str, set[str]] = MappingProxyType({}),
    hand_stands: bool = True,
) -> dict[str, Any]:
    known = None if base is None else {"c": base}
    result: Collections = {"c": dict(ours)}
    apply(result, merge(known, {"c": disk}, {"c": ours}, touched=touched, hand_stands=hand_stands).ops)
    return result["c"]


@given(RECORDS, RECORDS, st.booleans())
def test_what_one_side_left_alone_is_the_other_sides(base: dict[str, Any], other: dict[str, Any], stands: bool) -> None:
    assert list(merged(base, other, base, hand_stands=stands).items()) == list(other.items())
    assert merged(base, base, other, hand_stands=stands) == other


@given(RECORDS, RECORDS, RECORDS, st.booleans())
def test_every_version_is_in_the_result_or_a_conflict(
    base: dict[str, Any], disk: dict[str, Any], ours: dict[str, Any], stands: bool
) -> None:
    result = merge({"c": base}, {"c": disk}, {"c": ours}, touched={}, hand_stands=stands)
    after: Collections = {"c": dict(ours)}
    apply(after, result.ops)
    conflicts = {conflict.key: conflict.value for conflict in result.conflicts}
    for side, other in ((disk, ours), (ours, disk)):
        for key, value in side.items():
            is_old = key in base and repr(base[key]) == repr(value)
            kept = [after["c"].get(key), conflicts.get(key)]
            assert is_old or repr(value) in map(repr, kept) or repr(other.get(key)) == repr(value)


@pytest.mark.parametrize("stands", [True, False])
def test_who_stands_decides_only_what_stays(stands: bool) -> None:
    result = merge({"c": {"a": 1}}, {"c": {"a": 2}}, {"c": {"a": 3}}, touched={}, hand_stands=stands)
    assert result.conflicts == (MergeConflict("c", "a", 3 if stands else 2),)
    assert bool(result.ops) is stands


def test_a_blank_line_more_is_no_change_of_a_section() -> None:
    assert merged({"a": "x\n\n"}, {"a": "x\n\n\n", "b": "new"}, {"a": "ours\n\n"}) == {"a": "ours\n\n", "b": "new"}


def test_without_a_base_what_we_did_not_touch_is_theirs() -> None:
    assert merged(None, {"a": 1}, {"a": 2, "b": 3}, touched={"c": {"b"}}) == {"a": 1, "b": 3}


def test_the_order_of_the_file_is_kept() -> None:
    assert list(merged({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 2, "c": 3})) == ["b", "a", "c"]
