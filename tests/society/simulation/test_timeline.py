"""Who did what when, as one picture."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from mabos.society.simulation.timeline import KINDS, Dot, timeline

kinds = st.sampled_from(list(KINDS))
dots = st.builds(Dot, st.integers(1, 52), st.sampled_from(["ceo", "cmo"]), kinds, st.text(max_size=20))


def drawn(weeks: int, *found: Dot, events: tuple[tuple[int, str], ...] = ()) -> ET.Element:
    text = timeline(weeks, ["ceo", "cmo"], found, events).replace("\x00", "")
    return ET.fromstring(text)  # noqa: S314  # our own text


@given(st.lists(dots.filter(lambda one: one.text.isprintable()), max_size=60))
def test_every_deed_lies_within_the_picture_and_is_counted_once(found: list[Dot]) -> None:
    root = drawn(52, *found)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    circles = list(root.iter("circle"))
    assert all(0 <= float(one.attrib["cx"]) <= width and 0 <= float(one.attrib["cy"]) <= height for one in circles)
    assert len(circles) == len({(one.week, one.lane, one.kind) for one in found})


def test_a_dot_says_how_often_what_was_done_and_leads_to_the_first() -> None:
    root = drawn(4, Dot(2, "cmo", "campaign", "Search <now>", "#decision-1"), Dot(2, "cmo", "campaign", "Social", "#x"))
    (link,) = root.iter("a")
    assert link.attrib["href"] == "#decision-1"
    assert [one.text for one in link.iter("title")] == ["Search <now>; Social"]
    assert [(one.text or "").strip() for one in link.iter("text")] == ["2"]


def test_what_the_owner_refused_is_hollow_unless_the_same_was_done_too() -> None:
    refused = Dot(1, "ceo", "price", "Dearer", is_done=False)
    assert "hollow" in next(drawn(4, refused).iter("circle")).attrib["class"]
    assert "hollow" not in next(drawn(4, refused, Dot(1, "ceo", "price", "Cheaper")).iter("circle")).attrib["class"]


def test_what_came_from_outside_is_flagged_once_a_week() -> None:
    root = drawn(4, events=((3, "A rival & co"), (3, "An outage")))
    flags = [one for one in root.iter("g") if one.attrib.get("class") == "event"]
    assert [title.text for flag in flags for title in flag.iter("title")] == ["Week 3: A rival & co; An outage"]
