"""Results for a model: ids, names, amounts and dates stay, the rest is cut with a count."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mabos.tools.work.compact import compact, tokens
from tests.world import World

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=12), inner, max_size=6),
    max_leaves=60,
)


def test_ten_memories_are_well_below_four_kilobytes(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        agent = world.agent("ceo")
        for number in range(10):
            text = (
                f"Supplier {number} delivers on Tuesdays, asks for {number}00 dollars, and wants payment in ten days."
            )
            agent.do("memory_store_item", content=text, importance=0.7, tags=["supplier"])
        result = agent.do("memory_recall", query="supplier delivers", limit=10)
        said = compact(result, 1500)
        assert len(said) < 4000
        assert len(said) < len(json.dumps(result)) / 2
        assert all(f"Supplier {number} delivers" in said for number in range(10))
        assert all(one["id"] in said for one in result["items"])


def test_a_long_list_says_how_many_are_left() -> None:
    rows = [{"id": f"C-{number}", "name": f"Contact {number}", "amount_usd": 10.5} for number in range(200)]
    said = json.loads(compact({"contacts": rows, "count": 200}, 300))
    shown = said["contacts"][:-1]
    assert said["count"] == 200
    assert shown == rows[: len(shown)]
    assert said["contacts"][-1] == f"and {200 - len(shown)} more"


def test_ids_amounts_and_dates_are_never_changed() -> None:
    record = {"id": "CAMP-7", "name": "Spa", "weekly_budget_usd": 89.95, "at": "2026-03-02T09:00:00.000Z", "weeks": 3}
    assert json.loads(compact(record, 200)) == record


def test_a_long_text_is_cut_at_a_line_and_says_so() -> None:
    text = "\n".join(f"Line {number} of the lease." for number in range(500))
    said = compact(text, 200)
    assert len(said) <= 800
    assert said.splitlines()[-2] in text.splitlines()
    assert "characters more" in said


@given(VALUES, st.integers(50, 400))
def test_a_result_keeps_to_its_budget(value: Any, budget: int) -> None:
    assert tokens(compact({"result": value}, budget)) <= budget


def test_nothing_is_lost_where_there_is_room() -> None:
    value = {"id": "X", "rows": [{"a": 1, "b": "two"}, {"a": 3}], "empty": [], "none": None}
    assert json.loads(compact(value, 1000)) == {"id": "X", "rows": [{"a": 1, "b": "two"}, {"a": 3}]}
