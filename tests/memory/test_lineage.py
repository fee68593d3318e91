"""A summary's line names its sources in a link that people can follow, and is read back as it was written."""

from hypothesis import given
from hypothesis import strategies as st

from mabos.memory.lineage import LineSource, SummaryLine, locate, mark, plain, read, readable

DAY = LineSource("2026-02-24.md", 3, mark("- Hold the price"))
LINE = SummaryLine("- Hold the price", (DAY,), 0.8, "M-1771943400000-a3f2")


def test_a_line_links_to_the_lines_below_it_and_carries_their_marks() -> None:
    own = mark("- Hold the price")
    assert LINE.render() == (f'- Hold the price ([Tue](../2026-02-24.md#L3 "3:{own} 0.8 M-1771943400000-a3f2 ={own}"))')


def test_several_files_are_several_links_named_by_their_period() -> None:
    paths = ("2026-02-24.md", "weekly/2026-W09.md", "monthly/2026-02.md", "quarterly/2025-Q4.md")
    line = SummaryLine("- churn", tuple(LineSource(path, 7, "aaaaaa", 9) for path in paths))
    told = line.render()
    for name, path in zip(("Tue", "W09", "February", "2025-Q4"), paths, strict=True):
        assert f'[{name}](../{path}#L7 "7-9:aaaaaa' in told
    assert read(told) == line


SOURCES = st.lists(
    st.builds(
        LineSource,
        st.sampled_from(["2026-02-24.md", "weekly/2026-W09.md"]),
        st.integers(1, 299).map(lambda half: 2 * half),  # neighbours are written as one
        st.text("0123456789abcdef", min_size=6, max_size=6),
        st.sampled_from([0, 600]),
    ),
    min_size=1,
    max_size=5,
).map(lambda sources: tuple(sorted(sources, key=lambda source: source.path)))
LINKED = '- x ([Tue](../2026-02-24.md#L3 "3:aaaaaa =bbbbbb"))'
TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"))).map(lambda text: f"- {text}"),
    st.sampled_from([LINKED, '- ("))', "- [a](b)", '- y ([a](b "c"))']),
)


@given(text=TEXTS, sources=SOURCES, weight=st.sampled_from([0.0, 0.8, 1.0]))
def test_any_line_is_read_back_as_it_was(text: str, sources: tuple[LineSource, ...], weight: float) -> None:
    line = SummaryLine(text, sources, weight, "M-1771943400000-a3f2")
    assert read(line.render()) == line
    assert plain(line.render()) == text
    assert mark(line.render()) == read(line.render()).render().rpartition("=")[2][:6]


def test_a_line_that_a_person_wrote_or_rewrote_is_not_ours() -> None:
    assert not read("- Hold the price").is_ours
    edited = read(LINE.render().replace("Hold", "Raise"))
    assert (edited.text, edited.sources, edited.is_ours) == ("- Raise the price", (DAY,), False)


def test_a_line_that_moved_is_found_by_what_it_says() -> None:
    assert locate(DAY, ["", "", "- Hold the price"]) == 3
    assert locate(DAY, ["- Hold the price", "", "", "", "  - Hold the price "]) in (1, 5)
    assert locate(DAY, ["- Hold the price", *[""] * 7]) == 1
    assert locate(DAY, ["", "", "- Hold the prices"]) == 0


def test_what_people_and_recall_read_keeps_the_id_and_the_number_of_lines() -> None:
    told = f"# Week\n\n{LINE.render()}\n{SummaryLine('- churn (2 entries)', (DAY,)).render()}\nBy hand (see [x](y))\n"
    assert readable(told) == (
        "# Week\n\n- Hold the price (M-1771943400000-a3f2)\n- churn (2 entries)\nBy hand (see [x](y))\n"
    )
