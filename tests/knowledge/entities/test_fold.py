"""What the lines of a memory amount to: order, repetition and damage do not matter."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.knowledge.entities.fold import MemoryState
from mabos.knowledge.entities.lines import Line, decode_line, encode_line, following
from mabos.knowledge.entities.parts import part
from tests.knowledge.entities.memories import Business

S2_LINES = """\
{"type":"entity","id":"abc-123","name":"orchestrator-worker-pattern","entityType":"Pattern","label":"Orchestrator-Worker Pattern","properties":{"situation":"Multi-agent coordination","actions":["Main agent decomposes task","Sub-agents execute in parallel","Main agent synthesizes results"],"outcome":"success","success_rate":0.95},"created_at":"2026-01-21T12:00:00Z","visibility":"public"}
{"type":"entity","id":"xyz-789","name":"collaboration","entityType":"Concept","label":"Collaboration","created_at":"2026-01-21T12:00:00Z"}
{"type":"relation","id":"def-456","from_id":"abc-123","to_id":"xyz-789","relationType":"EXTRACTED_FROM","created_at":"2026-01-21T12:01:00Z"}
"""  # noqa: E501  # as S2 prints them


def told(root: Path) -> list[bytes]:
    """Return the lines of a memory in which everything that can happen happened."""
    acme = Business(root)
    cfo = acme.as_("cfo")
    cfo.create_entity("Insight", "a", observations=["one", "two"], source_session="s1", properties={"confidence": 0.6})
    cfo.create_entity("Insight", "b", observations=["three"], source_session="s2")
    cfo.create_entity("Concept", "c")
    cfo.create_entity("Concept", "d", visibility="team-private")
    cfo.create_relation("a", "c", "RELATES_TO")
    cfo.create_relation("b", "c", "DEPENDS_ON")
    cfo.create_relation("a", "b", "CONTRADICTS")
    acme.later(1)
    merged = cfo.merge_entities("a", ["b"])
    acme.later(1)
    cfo.undo_merge(merged.merge_id)
    cfo.create_entity("Insight", "a", source_session="s3", properties={"validated_by": ["ceo"]})
    cfo.merge_entities("b", ["a"])
    cfo.set_visibility("d", "public")
    cfo.invalidate_fact(cfo.entity("c").entity.id, superseded_by="concept:d")
    cfo.create_entity("Concept", "e", observations=["gone"])
    cfo.forget("e")
    acme.later(1)
    cfo.create_entity("Concept", "e", "is back")
    return [line.encode() for line in acme.lines()]


def shown(lines: list[Line]) -> dict[str, object]:
    """Return all that a memory of these lines gives to the graph."""
    state = MemoryState.of(lines)
    return {place: part(state, place) for place in state.places()}


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    return told(tmp_path_factory.mktemp("told"))


@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_neither_the_order_of_lines_nor_repetition_matters(lines: list[bytes], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(lines)) + data.draw(st.lists(st.sampled_from(lines), max_size=5))
    assert shown([decode_line(line) for line in shuffled]) == shown([decode_line(line) for line in lines])


def test_a_line_is_read_as_it_was_written(lines: list[bytes]) -> None:
    for line in lines:
        assert encode_line(decode_line(line)) == line + b"\n"


def test_a_merge_that_is_taken_back_leaves_everything_as_it_was(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    cfo = acme.as_("cfo")
    cfo.create_entity("Insight", "a", observations=["one"], source_session="s1")
    cfo.create_entity("Insight", "b", observations=["two"], source_session="s2", properties={"key_learning": "more"})
    cfo.create_entity("Concept", "c")
    cfo.create_relation("b", "c", "RELATES_TO")
    before = acme.graph.digest()
    merged = cfo.merge_entities("a", ["b"])
    assert acme.graph.digest() != before
    cfo.undo_merge(merged.merge_id)
    assert acme.graph.digest() == before


def test_an_operation_comes_after_what_it_answers_to_whatever_the_clock_says() -> None:
    first = following("", 1000)
    assert following(first, 900) > first
    assert following(following(first, 1000), 1000) > following(first, 1000)
    full = f"{1000:012x}-ffff"
    assert following(full, 1000) > full


def test_the_lines_that_s2_prints_are_read(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    acme.path.parent.mkdir(parents=True)
    acme.path.write_text(S2_LINES)
    acme.later(1)
    walk = acme.as_("cto").query_graph("orchestrator-worker-pattern", relation_types=["EXTRACTED_FROM"])
    assert walk.start.properties["success_rate"] == 0.95
    assert [hit.id for hit in walk.hits] == ["xyz-789"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("<<<<<<< HEAD", "Invalid JSON"),
        ('{"type":"entity","id":"x"}', "name: Field required"),
        ('{"type":"entity","id":"x","name":"x","entityType":"Thing"}', "Input should be 'Insight'"),
        ('{"type":"observation","id":"x","entity_id":"y","content":"z","added_at":"yesterday"}', "not a time"),
        ("[1, 2]", "should be an object"),
        (
            '{"type":"entity","id":"x","name":"x","entityType":"Insight","properties":{"evidence_sessions":5}}',
            "property 'evidence_sessions' of Insight",
        ),
    ],
)
def test_a_bad_line_is_reported_with_its_place_and_harms_no_other(tmp_path: Path, bad: str, said: str) -> None:
    acme = Business(tmp_path)
    cto = acme.as_("cto")
    cto.create_entity("Concept", "before")
    with acme.path.open("a") as file:
        file.write(bad + "\n")
    cto.create_entity("Concept", "after")
    assert cto.stats().entity_counts["Concept"] == 2
    (problem,) = acme.store.problems
    assert (problem.path, problem.line) == (acme.path, 2)
    assert said in problem.message
    assert Business(tmp_path).as_("cto").stats().entity_counts["Concept"] == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5) | st.sampled_from(["session:s1", "2026"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_whatever_hands_make_of_the_lines_is_reported_or_read(lines: list[bytes], data: st.DataObject) -> None:
    changed = []
    for line in lines:
        content = json.loads(line)
        if data.draw(st.booleans()):
            content[data.draw(st.sampled_from(sorted(content)))] = data.draw(JSON)
        changed.append(json.dumps(content).encode())
    kept = []
    for line in data.draw(st.permutations(changed)):
        with suppress(ValueError):
            kept.append(decode_line(line))
    assert shown(kept) == shown(kept[::-1])


def test_a_torn_end_is_cut_by_the_next_write_and_a_whole_one_without_line_end_is_kept(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    cto = acme.as_("cto")
    cto.create_entity("Concept", "one")
    whole = acme.path.read_bytes()
    acme.path.write_bytes(whole + whole[:40])
    assert [problem.line for problem in acme.store.problems] == [2]
    cto.create_entity("Concept", "two")
    assert [json.loads(line)["name"] for line in acme.lines()] == ["one", "two"]
    assert acme.store.problems == ()
    acme.path.write_bytes(acme.path.read_bytes().rstrip(b"\n"))
    assert cto.stats().entity_counts["Concept"] == 2
    cto.create_entity("Concept", "three")
    assert [json.loads(line)["name"] for line in acme.lines()] == ["one", "two", "three"]
    assert Business(tmp_path).as_("cto").stats().entity_counts["Concept"] == 3


def test_a_hand_edit_is_noticed(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    cto = acme.as_("cto")
    cto.create_entity("Concept", "one", "Frst")
    cto.create_entity("Concept", "two")
    acme.path.write_text(acme.path.read_text().replace("Frst", "First"))
    assert cto.entity("one").entity.label == "First"
    assert cto.query_semantic("first").results[0].profile.entity.name == "one"


def test_what_was_forgotten_stays_so_when_the_index_is_made_anew(tmp_path: Path) -> None:
    acme = Business(tmp_path)
    cto = acme.as_("cto")
    cto.create_entity("Concept", "kept")
    cto.create_entity("Concept", "gone", observations=["a secret remark"])
    cto.create_relation("kept", "gone", "RELATES_TO")
    cto.forget("gone")
    digest = acme.graph.digest()
    acme.graph.close()
    for file in (tmp_path / ".mabos" / "graph").glob("acme.sqlite*"):
        file.unlink()
    again = Business(tmp_path)
    stats = again.as_("cto").stats()
    assert (stats.entity_counts["Concept"], stats.total_observations, sum(stats.relation_counts.values())) == (1, 0, 0)
    assert again.graph.digest() == digest


def test_every_way_to_the_present_gives_one_graph(lines: list[bytes], tmp_path: Path) -> None:
    """An index that followed every write, one made at once, and one made of reversed lines are equal."""
    digests = set()
    for number, written in enumerate([lines, lines[::-1]]):
        acme = Business(tmp_path / str(number))
        acme.path.parent.mkdir(parents=True)
        acme.path.write_bytes(b"\n".join(written) + b"\n")
        acme.store.update()
        digests.add(acme.graph.digest())
    followed = Business(tmp_path / "followed")
    for line in told(tmp_path / "followed"):
        assert line
    followed.store.update()
    digests.add(followed.graph.digest())
    assert len(digests) == 1
