"""How tables look where there is little room."""

import io

from rich.console import Console

from mabos.interfaces.views.words import table


def test_long_texts_are_cut_short_and_never_the_short_cells_beside_them() -> None:
    told = io.StringIO()
    rows = [["knowledge", "a long text " * 20, 0.5], ["cfo", "[b]short", 12]]
    Console(file=told, width=50).print(table("Agent", "Text", ">Score", rows=rows))
    heading, first, second = told.getvalue().splitlines()
    assert heading.split() == ["Agent", "Text", "Score"]
    assert first.startswith("knowledge  a long text a long")
    assert first.rstrip().endswith("…    0.5")
    assert second.split() == ["cfo", "[b]short", "12"]


def test_where_cells_find_no_room_beside_each_other_they_stand_below_each_other_with_their_names() -> None:
    told = io.StringIO()
    rows = [["knowledge", "Chief Knowledge Officer", 5, ""], ["cfo", "Chief Financial Officer", 4, "late"]]
    Console(file=told, width=30).print(table("Agent", "Title", ">Desires", "", rows=rows, title="Staff"))
    assert [line.rstrip() for line in told.getvalue().splitlines()] == [
        *("Staff", "Agent", "knowledge", "  Title: Chief Knowledge", "  Officer", "  Desires: 5"),
        *("cfo", "  Title: Chief Financial", "  Officer", "  Desires: 4", "  late"),
    ]
