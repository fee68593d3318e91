"""The archive of S4: what tasks leave, each piece once, and what is found in it again."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.backends.chat import NoModel, ScriptedModel
from mabos.backends.embed import NoEmbedder
from mabos.knowledge.archive import by_model, by_rule
from mabos.knowledge.archive.model import EDGE_TYPES, NODE_TYPES, Bond, Extraction, Piece, TaskLine
from mabos.knowledge.archive.retrieval import by_words, nearness, rank_related_tasks, retrieve
from mabos.knowledge.archive.store import Archive, open_archive, part_of
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync

AT = "2026-02-24T14:30:00.000Z"
SALES = [
    TaskLine("user", "How do I calculate sales growth?"),
    TaskLine("assistant", "Calculate growth: (current - previous) / previous * 100. Q1 sales were $1.2M."),
]


def opened(root: Path) -> tuple[Archive, Store]:
    store = open_archive(root, sync=Sync("off"))
    return Archive(store), store


def sales() -> Extraction:
    return by_rule.extract_by_rule("Analyse sales growth", SALES)


def of_type(found: Extraction, kind: str) -> list[str]:
    return [one.content for one in found.pieces if one.type == kind]


def tied(found: Extraction, kind: str) -> list[tuple[str, str]]:
    contents = {one.id: one.content for one in found.pieces}
    return [(contents[one.start], contents[one.end]) for one in found.bonds if one.type == kind]


def test_a_conversation_gives_the_example_of_the_document() -> None:
    found = sales()
    assert of_type(found, "question") == ["How do I calculate sales growth?"]
    assert of_type(found, "procedure") == ["Calculate growth: (current - previous) / previous * 100"]
    assert of_type(found, "fact") == ["Q1 sales were $1.2M"]
    assert of_type(found, "concept") == ["sales growth"]
    ((question, answer),) = tied(found, "answered_by")
    assert question == "How do I calculate sales growth?"
    assert answer.startswith("Calculate growth")
    assert ("Q1 sales were $1.2M", "sales growth") in tied(found, "part_of")
    spoken = [TaskLine("user", "Acme Ltd is a customer of Globex Inc.")]
    assert tied(by_rule.extract_by_rule("Acme Ltd", spoken), "related_to")


def test_figures_of_a_tool_are_where_a_statement_comes_from_and_other_amounts_contradict() -> None:
    lines = [
        TaskLine("tool", "new: Q1 sales were $1.2M (certainty 0.9)"),
        TaskLine("assistant", "We sold for $1.2M in spring."),
    ]
    assert tied(by_rule.extract_by_rule("Report sales", lines), "derived_from") == [
        ("We sold for $1.2M in spring", "Q1 sales were $1.2M")
    ]
    lines = [TaskLine("assistant", "Churn is 3%.\nChurn is 5%."), TaskLine("user", "Demand is growing."), *SALES]
    lines.append(TaskLine("assistant", "Demand is declining."))
    assert tied(by_rule.extract_by_rule("Report", lines), "contradicts") == [
        ("Churn is 3%", "Churn is 5%"),
        ("Demand is growing", "Demand is declining"),
    ]


def test_a_reply_of_whoever_speaks_is_found_by_the_words_of_the_question_and_before_it(tmp_path: Path) -> None:
    said = (
        "Ann: Hey Bo, great to hear from you! The van is old.",
        "Bo: Who repairs it?",
        "Ann: Mr Gray does. He came.",
        "Bo: It needs oil.",
    )
    lines = [TaskLine(("user", "assistant")[at % 2], one) for at, one in enumerate(said)]
    found, (archive, _) = by_rule.extract_by_rule("Talk", lines), opened(tmp_path)
    assert tied(found, "answered_by") == [("Bo: Who repairs it?", "Ann: Mr Gray does. He came.")]
    assert of_type(found, "fact") == ["Ann: The van is old", "Ann: Mr Gray does", "Bo: It needs oil"]
    archive.take("I-1", found, at=AT)
    shown = retrieve("Who repairs it?", nodes := archive.nodes(), by_words(nodes), "words", limit=2, least=0.1).nodes
    assert [one.content for one, _ in shown] == ["Ann: Mr Gray does", "Bo: Who repairs it?"]


def test_the_steps_of_one_message_follow_each_other() -> None:
    lines = [TaskLine("assistant", "1. Export the invoices.\n2. Sort them by date.\n3. Sum the amounts of each month.")]
    assert tied(by_rule.extract_by_rule("Report revenue", lines), "followed_by") == [
        ("Export the invoices", "Sort them by date"),
        ("Sort them by date", "Sum the amounts of each month"),
    ]


@settings(max_examples=30, deadline=None)
@given(
    lines=st.lists(
        st.builds(TaskLine, st.sampled_from(["user", "assistant", "tool"]), st.text(max_size=200)), max_size=6
    )
)
def test_whatever_is_said_gives_known_types_and_edges_between_known_pieces(lines: list[TaskLine]) -> None:
    found = by_rule.extract_by_rule("Review\x00 our runway", lines)
    ids = {one.id for one in found.pieces}
    assert all(one.type in NODE_TYPES and one.content.strip() for one in found.pieces)
    assert all(one.type in EDGE_TYPES and {one.start, one.end} <= ids and 0 <= one.weight <= 1 for one in found.bonds)
    assert found == by_rule.extract_by_rule("Review\x00 our runway", lines)


def test_a_piece_that_two_tasks_taught_is_one_node_with_two_sources(tmp_path: Path) -> None:
    archive, _ = opened(tmp_path)
    archive.take("I-1", sales(), at=AT)
    twin = Extraction([Piece("fact", "q1  sales were $1.2M", 0.95)], [], "rule")
    assert archive.take("I-2", twin, at=AT).nodes == 0
    (node,) = [one for one in archive.nodes() if one.type == "fact"]
    assert [one.task for one in node.sources] == ["I-1", "I-2"]
    assert node.confidence == 0.95


def test_what_only_an_earlier_reading_of_a_task_had_found_is_let_go(tmp_path: Path) -> None:
    archive, _ = opened(tmp_path)
    kept = Piece("fact", "Churn is 3%")
    archive.take("I-1", sales(), at=AT)
    archive.take("I-2", Extraction([kept], [], "rule"), at=AT)
    archive.take("I-1", Extraction([kept], [], "llm"), at=AT)
    (node,) = archive.nodes()
    assert node.content == "Churn is 3%"
    assert {one.task for one in node.sources} == {"I-1", "I-2"}
    assert archive.edges() == ()


def test_edges_without_an_end_or_of_an_unknown_type_are_counted_as_dropped(tmp_path: Path) -> None:
    archive, _ = opened(tmp_path)
    fact, topic = Piece("fact", "Churn is 3%"), Piece("concept", "churn")
    bonds = [
        Bond("part_of", "Churn is 3%", "churn"),
        Bond("part_of", "Churn is 3%", "loyalty"),
        Bond("`]->() DELETE", "Churn is 3%", "churn"),
        Bond("part_of", "churn", "churn"),
    ]
    taken = archive.take("I-1", Extraction([fact, topic], bonds, "llm"), at=AT)
    assert (taken.nodes, taken.edges, taken.dropped) == (2, 1, 3)


def test_the_archive_is_read_again_from_its_file_and_a_damaged_record_hides_no_other(tmp_path: Path) -> None:
    archive, store = opened(tmp_path)
    archive.take("I-1", sales(), at=AT)
    store.close()
    assert Archive(open_archive(tmp_path, sync=Sync("off"))).nodes() == archive.nodes()
    file = tmp_path / "archive.json"
    file.write_text(file.read_text().replace('"concept"', '"nonsense"', 1))
    found = Archive(open_archive(tmp_path, sync=Sync("off"))).nodes()
    assert len(found) == len(sales().pieces) - 1


def test_the_graph_gets_a_node_for_every_piece_and_nothing_for_what_cannot_be_read(tmp_path: Path) -> None:
    archive, store = opened(tmp_path)
    archive.take("I-1", sales(), at=AT)
    parts = [part_of(place, key, record) for place, kept in store.read().items() for key, record in kept.items()]
    nodes = [node for part in parts if part for node in part.nodes]
    edges = [edge for part in parts if part for edge in part.edges]
    assert {one.uid for one in nodes} == {one.id for one in archive.nodes()}
    assert {(one.start, one.end) for one in edges} == {(one.start, one.end) for one in archive.edges()}
    assert part_of("nodes", "KN-1", {"id": "KN-1"}) is None


def test_the_nearest_comes_first_and_what_is_too_far_is_left_out_with_the_reason(tmp_path: Path) -> None:
    archive, _ = opened(tmp_path)
    archive.take("I-1", sales(), at=AT)
    nodes = archive.nodes()
    near, how = nearness(NoEmbedder(), None, nodes)
    found = retrieve("How is growth of sales calculated?", nodes, near, how, limit=5, least=0.5)
    assert found.nodes[0][0].content.startswith("Calculate growth: (current - previous)")
    assert found.nodes[0][1] > 0.7
    assert all(share >= 0.5 for _, share in found.nodes)
    dated = near("How is growth of sales calculated in October?", nodes)
    assert max(dated.values()) > 0.7 > max(near("How does Zelda calculate growth of sales?", nodes).values())
    none = retrieve("quantum chromodynamics", nodes, near, how, limit=5, least=0.7)
    assert none.nodes == ()
    assert all(one in none.why for one in ("0.7", "words"))
    assert "archived" in retrieve("sales", [], near, how, limit=5, least=0.7).why


def test_tasks_are_related_by_what_they_share_and_what_is_near(tmp_path: Path) -> None:
    archive, _ = opened(tmp_path)
    archive.take("I-1", sales(), at=AT)
    pieces = [Piece("fact", "Q1 sales were $1.2M"), Piece("fact", "Sales grow")]
    archive.take("I-2", Extraction(pieces, [], "rule"), at=AT)
    archive.take("I-3", Extraction([Piece("fact", "The office has a new door")], [], "rule"), at=AT)
    nodes = {one.id: one for one in archive.nodes()}
    tasks = {task: record["nodes"] for task, record in archive.tasks().items()}
    found = rank_related_tasks("I-1", tasks, nodes, by_words(list(nodes.values())), 5)
    assert [(one.task, one.shared) for one in found] == [("I-2", 1), ("I-3", 0)]
    assert found[0].similarity > found[1].similarity


def test_a_model_proposes_and_what_the_conversation_does_not_back_does_not_stand(tmp_path: Path) -> None:
    answer = {
        "nodes": [
            {"type": "concept", "content": "Sales growth analysis", "confidence": 0.9},
            {"type": "fact", "content": "Q1 sales were $1.2M", "confidence": 1.0},
            {"type": "fact", "content": "Q1 sales were $1.5M", "confidence": 1.0},
        ],
        "edges": [{"type": "part_of", "from": "Q1 sales were $1.2M", "to": "Sales growth analysis", "weight": 0.8}],
    }
    model = ScriptedModel([answer])
    found = by_model.extract_by_model(model, "Analyse sales", SALES)
    assert found is not None
    asked = model.calls[0].messages[0].content
    assert [one for one in (*NODE_TYPES, *EDGE_TYPES) if one not in asked] == []
    assert found.by == "llm"
    taken = opened(tmp_path)[0].take("I-1", found, at=AT)
    assert (taken.nodes, taken.edges, taken.dropped) == (2, 1, 0)
    nonsense = {"nodes": [{"type": "secret", "content": "Obey me"}]}
    assert by_model.extract_by_model(ScriptedModel([nonsense, nonsense]), "Analyse sales", SALES) is None
    assert by_model.extract_by_model(NoModel(), "Analyse sales", SALES) is None
