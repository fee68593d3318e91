"""Laws of the dashboard's own pictures: nodes stay on the paper, the same is drawn the same, and text stays text."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from mabos.interfaces.dashboard.sequence import diagram
from mabos.interfaces.dashboard.springs import laid_out
from mabos.interfaces.dashboard.svg import mark
from mabos.society.messages import PERFORMATIVES, Message

WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)
NAMES = st.sampled_from(["ceo", "cfo", "coo", "market", "a<b>"])
NODES = st.integers(0, 12)


@given(st.integers(0, 12), st.lists(st.tuples(NODES, NODES), max_size=30))
def test_every_node_lies_on_the_paper_and_the_same_graph_lies_the_same(count: int, ties: list[tuple[int, int]]) -> None:
    nodes = [str(number) for number in range(count)]
    edges = [(str(a), str(b)) for a, b in ties]
    places = laid_out(nodes, edges, width=300, height=200)
    assert list(places) == nodes
    assert all(0 <= x <= 300 and 0 <= y <= 200 for x, y in places.values())
    assert laid_out(nodes, edges, width=300, height=200) == places


@given(WORDS, WORDS)
def test_what_is_put_into_a_mark_is_read_back_from_it(text: str, value: str) -> None:
    found = etree.fromstring(str(mark("text", text, aria_label=value or "none")))
    assert (found.text or "") == text
    assert found.get("aria-label") == (value or "none")
    assert len(found) == 0


@given(st.lists(st.tuples(NAMES, NAMES, st.sampled_from(PERFORMATIVES), WORDS), min_size=1, max_size=12))
def test_every_message_is_one_arrow_between_the_lines_of_its_two(said: list[tuple[str, str, str, str]]) -> None:
    messages = [
        Message(f"MSG-{number}", sender, to, act, words, f"2026-02-24T09:{number:02}:00.000Z")
        for number, (sender, to, act, words) in enumerate(said)
    ]
    picture = etree.fromstring(str(diagram(messages, order=["cfo", "ceo"])))
    assert [one.get("href") for one in picture.iter("a")] == [f"#{one.id}" for one in messages]
    names = [one.text for one in picture.iter("text") if one.get("class") == "name"]
    assert len(names) == len({name for one in messages for name in (one.sender, one.to)})
    assert {one.tag for one in picture.iter()} <= {"svg", "a", "g", "line", "rect", "path", "polygon", "text", "title"}
