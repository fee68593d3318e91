"""What every keeper of a graph promises: the same answers, whoever keeps it."""

from collections.abc import Iterator

import pytest

from mabos.backends.graph.model import (
    Direction,
    Edge,
    EdgeGroup,
    Gone,
    GraphBatch,
    GraphView,
    Node,
    NodeCondition,
    Operator,
    Scalar,
)
from mabos.backends.graph.patterns import GraphPattern, Hop, PatternSpot, match
from mabos.backends.graph.search import shortest_path, traverse
from mabos.backends.graph.tier import GraphTier
from mabos.configs.errors import InvalidArgument
from tests.contracts.graph_tiers import TIERS

KIM, TEAM = frozenset({"user:kim"}), frozenset({"user:lee", "team:finance"})


@pytest.fixture(params=sorted(TIERS))
def tier(request: pytest.FixtureRequest) -> Iterator[GraphTier]:
    """An empty keeper of a graph."""
    opened = TIERS[request.param](request)
    yield opened
    opened.close()


def node(uid: str, type_: str = "Person", **fields: object) -> Node:
    return Node(uid, type_, **{"revision": 1, **fields})  # type: ignore[arg-type]  # fields of a node by name


def edge(uid: str, start: str, type_: str, end: str, **fields: object) -> Edge:
    return Edge(uid, type_, start, end, **{"revision": 1, **fields})  # type: ignore[arg-type]  # fields of an edge by name


def uids(nodes: list[Node]) -> list[str]:
    return [one.uid for one in nodes]


@pytest.fixture
def company(tier: GraphTier) -> GraphTier:
    """Three people, two companies, a secret and a plan that is no more."""
    tier.apply(
        GraphBatch(
            nodes=[
                node("ann", name="Ann Archer", text="leads the audit of Acme", properties={"age": 41, "city": "Bern"}),
                node("bob", name="Bob", text="sells", properties={"age": 7.5, "tags": ["new", "eu"], "lead": True}),
                node("cyd", name="Cyd", properties={"age": "41"}, audience=("user:kim", "team:finance")),
                node("acme", "Company", name="Acme", text="Zürich audit office", valid_from="2024"),
                node("zeta", "Company", name="Zeta", valid_to="2025"),
            ],
            edges=[
                edge("e1", "ann", "WORKS_AT", "acme", weight=0.5, properties={"role": "lead", "since": {"year": 2024}}),
                edge("e2", "bob", "WORKS_AT", "zeta", weight=1.5, valid_to="2024-06"),
                edge("e3", "ann", "KNOWS", "bob"),
                edge("e4", "bob", "KNOWS", "cyd"),
                edge("e5", "cyd", "OWNS", "acme"),
                edge("e6", "ann", "KNOWS", "ann"),
                edge("e7", "ann", "KNOWS", "nobody"),
            ],
        )
    )
    return tier


def test_an_empty_graph_answers_everything_with_nothing(tier: GraphTier) -> None:
    assert (tier.fetch(["a"]), tier.find(), tier.expand(["a"]), tier.search("a"), tier.aggregate()) == ([],) * 5
    assert (tier.digest().nodes, tier.digest().edges) == (0, 0)
    assert tier.status().is_available


def test_a_node_is_fetched_as_it_was_given(company: GraphTier) -> None:
    [ann, cyd] = company.fetch(["ann", "nobody", "cyd", "ann"])
    assert ann == node("ann", name="Ann Archer", text="leads the audit of Acme", properties={"age": 41, "city": "Bern"})
    assert cyd.audience == ("user:kim", "team:finance")


def test_an_edge_is_walked_as_it_was_given(company: GraphTier) -> None:
    [step] = company.expand(["ann"], "out", ["WORKS_AT"])
    assert step.edge == edge(
        "e1", "ann", "WORKS_AT", "acme", weight=0.5, properties={"role": "lead", "since": {"year": 2024}}
    )
    assert (step.origin, step.node.name, step.node.valid_from) == ("ann", "Acme", "2024")


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("out", ["ann e6 ann", "ann e3 bob", "ann e1 acme", "bob e4 cyd", "bob e2 zeta"]),
        ("in", ["ann e6 ann", "bob e3 ann"]),
        ("both", ["ann e6 ann", "ann e3 bob", "ann e1 acme", "bob e3 ann", "bob e4 cyd", "bob e2 zeta"]),
    ],
)
def test_edges_are_walked_either_way_in_one_order_and_never_to_what_is_not_there(
    company: GraphTier, direction: Direction, expected: list[str]
) -> None:
    steps = company.expand(["bob", "ann", "nobody", "bob"], direction)
    assert [f"{step.origin} {step.edge.uid} {step.node.uid}" for step in steps] == expected


def test_edges_of_some_types_are_walked(company: GraphTier) -> None:
    assert [step.edge.uid for step in company.expand(["cyd", "bob"], "both", ["OWNS", "WORKS_AT"])] == ["e2", "e5"]
    assert company.expand(["cyd"], "both", ["SELLS"]) == []
    assert company.expand([], "both") == []


def test_who_may_not_see_a_node_finds_it_nowhere_and_walks_neither_to_nor_from_it(company: GraphTier) -> None:
    for principals, is_seen in [(KIM, True), (TEAM, True), (frozenset({"user:eve"}), False), (frozenset[str](), False)]:
        view = GraphView(principals)
        assert bool(company.fetch(["cyd"], view)) == is_seen
        assert ("cyd" in uids(company.find(view=view))) == is_seen
        assert bool(company.search("cyd", view=view)) == is_seen
        assert bool(company.expand(["cyd"], "both", view=view)) == is_seen
        assert ("e4" in [step.edge.uid for step in company.expand(["bob"], "both", view=view)]) == is_seen


@pytest.mark.parametrize(
    ("at", "nodes", "edges"),
    [
        ("2023", ["zeta"], ["e3", "e4", "e2"]),
        ("2024", ["acme", "zeta"], ["e3", "e4", "e2"]),
        ("2024-06", ["acme", "zeta"], ["e3", "e4"]),
        ("2025", ["acme"], ["e3", "e4"]),
        ("", ["acme", "zeta"], ["e3", "e4", "e2"]),
    ],
)
def test_validity_includes_its_beginning_and_not_its_end(
    company: GraphTier, at: str, nodes: list[str], edges: list[str]
) -> None:
    view = GraphView(at=at)
    assert uids(company.find(["Company"], view=view)) == nodes
    assert uids(company.fetch(["acme", "zeta"], view)) == nodes
    assert [step.edge.uid for step in company.expand(["bob"], "both", view=view)] == edges


@pytest.mark.parametrize(
    ("name", "operator", "value", "expected"),
    [
        ("age", "=", 41, ["ann"]),
        ("age", "=", 41.0, ["ann"]),
        ("age", "=", "41", ["cyd"]),
        ("age", "!=", 41, ["bob", "cyd"]),
        ("age", "<", 41, ["bob"]),
        ("age", "<=", 41, ["ann", "bob"]),
        ("age", ">", 7, ["ann", "bob"]),
        ("age", ">=", "4", ["cyd"]),
        ("age", "in", (7.5, "41"), ["bob", "cyd"]),
        ("age", "in", (), []),
        ("city", "=", None, ["bob", "cyd"]),
        ("city", "!=", "Bern", ["bob", "cyd"]),
        ("city", "<", "C", ["ann"]),
        ("city", "contains", "er", ["ann"]),
        ("tags", "contains", "eu", ["bob"]),
        ("tags", "contains", "e", []),
        ("lead", "=", True, ["bob"]),
        ("lead", "=", 1, []),
        ("lead", ">=", 0, []),
        ("uid", "=", "bob", ["bob"]),
        ("name", "=", "Cyd", ["cyd"]),
        ("name", "in", ("Cyd", "Bob"), ["bob", "cyd"]),
        ("name", "contains", "Arch", ["ann"]),
        ("name", "=", 5, []),
        ("name", "=", None, []),
        ("name", "=", ("Cyd", "Bob"), []),
        ("type", "=", "Person", ["ann", "bob", "cyd"]),
        ('o"d.d key', "=", None, ["ann", "bob", "cyd"]),
    ],
)
def test_nodes_are_found_by_what_their_properties_are(
    company: GraphTier, name: str, operator: Operator, value: Scalar | tuple[Scalar, ...], expected: list[str]
) -> None:
    assert uids(company.find(["Person"], [NodeCondition(name, operator, value)])) == expected


def test_nodes_are_found_by_type_and_by_several_conditions_up_to_a_limit(company: GraphTier) -> None:
    assert uids(company.find()) == ["acme", "ann", "bob", "cyd", "zeta"]
    assert uids(company.find(["Company", "Goal"])) == ["acme", "zeta"]
    assert uids(company.find(limit=2)) == ["acme", "ann"]
    both = [NodeCondition("age", ">", 1), NodeCondition("name", "contains", "o")]
    assert uids(company.find(["Person"], both)) == ["bob"]


def test_words_are_found_in_names_and_texts_whatever_their_form(company: GraphTier) -> None:
    assert {found.node.uid for found in company.search("audits")} == {"ann", "acme"}
    assert [found.node.uid for found in company.search("zurich OFFICE")] == ["acme"]
    assert [found.node.uid for found in company.search("audit", ["Person"])] == ["ann"]
    assert [found.node.uid for found in company.search("audit", view=GraphView(at="2023"))] == ["ann"]
    assert len(company.search("audit", limit=1)) == 1
    for text in ("", '"', "NEAR(", "audit*nothing-of-that)", "the"):
        company.search(text)


def test_edges_are_counted_by_kind_with_their_mean_weight(company: GraphTier) -> None:
    assert company.aggregate(["KNOWS"]) == [EdgeGroup("Person", "KNOWS", "Person", 3, 1.0)]
    company.apply(GraphBatch(edges=[edge("e8", "bob", "WORKS_AT", "acme", weight=4)]))
    [works] = company.aggregate(["WORKS_AT"])
    assert (works.start_type, works.end_type, works.count, works.mean_weight) == ("Person", "Company", 3, 2.0)
    assert sum(group.count for group in company.aggregate()) == 7


def test_a_batch_applied_twice_changes_nothing(company: GraphTier) -> None:
    before = company.digest()
    batch = GraphBatch(
        [node("ann", revision=2), node("dan", revision=2)], [edge("e9", "ann", "KNOWS", "dan", revision=2)]
    )
    assert company.apply(batch) == 3
    after = company.digest()
    assert company.apply(batch) == 0
    assert company.digest() == after != before


def test_what_is_older_than_what_is_there_is_left_out(tier: GraphTier) -> None:
    tier.apply(
        GraphBatch([node("ann", name="new", revision=5)], [edge("e", "ann", "KNOWS", "ann", weight=2, revision=5)])
    )
    old = GraphBatch([node("ann", name="old", revision=4)], [edge("e", "ann", "LIKES", "bob", revision=5)])
    assert tier.apply(old) == 0
    assert [one.name for one in tier.fetch(["ann"])] == ["new"]
    assert [step.edge.type for step in tier.expand(["ann"])] == ["KNOWS"]


def test_what_is_gone_stays_gone_when_an_older_version_comes_late(tier: GraphTier) -> None:
    early = GraphBatch([node("ann", revision=2)], [edge("e", "ann", "KNOWS", "ann", revision=2)])
    gone = GraphBatch(gone=[Gone("ann", "node", 3), Gone("e", "edge", 3)])
    tier.apply(gone)
    assert tier.apply(early) == 0
    assert (tier.fetch(["ann"]), tier.digest().nodes, tier.digest().edges) == ([], 0, 0)
    tier.apply(GraphBatch([node("ann", revision=4)]))
    assert uids(tier.fetch(["ann"])) == ["ann"]
    tier.apply(gone)
    assert uids(tier.fetch(["ann"])) == ["ann"]


def test_a_node_that_goes_takes_its_words_with_it_and_its_edges_wait_for_it(company: GraphTier) -> None:
    company.apply(GraphBatch(gone=[Gone("acme", "node", 2)]))
    assert (company.fetch(["acme"]), company.expand(["acme"])) == ([], [])
    assert [found.node.uid for found in company.search("audit")] == ["ann"]
    assert company.digest().edges == 4  # those with both ends
    again = [edge("e1", "ann", "WORKS_AT", "acme", weight=0.5), edge("e5", "cyd", "OWNS", "acme")]
    company.apply(GraphBatch([node("acme", "Firm", revision=3)], again))  # a sink is told of its edges again
    assert [step.node.type for step in company.expand(["cyd"], "out")] == ["Firm"]
    assert EdgeGroup("Person", "OWNS", "Firm", 1, 1.0) in company.aggregate()
    assert company.digest().edges == 6


def test_an_edge_may_come_before_its_ends_and_move_to_others(tier: GraphTier) -> None:
    tier.apply(GraphBatch(edges=[edge("e", "ann", "KNOWS", "bob")]))
    assert (tier.find(), tier.expand(["ann"]), tier.digest().nodes) == ([], [], 0)
    ends = [node("ann"), node("bob"), node("cyd")]
    tier.apply(GraphBatch(nodes=ends, edges=[edge("e", "ann", "KNOWS", "bob")]))  # a sink is told of it again
    assert [step.node.uid for step in tier.expand(["ann"])] == ["bob"]
    tier.apply(GraphBatch(edges=[edge("e", "cyd", "LIKES", "ann", revision=2)]))
    assert [(step.origin, step.edge.type) for step in tier.expand(["ann", "bob", "cyd"])] == [
        ("ann", "LIKES"),
        ("cyd", "LIKES"),
    ]


def test_the_digest_is_of_the_content_whatever_the_order_and_the_revisions(company: GraphTier) -> None:
    before = company.digest()
    assert (before.nodes, before.edges) == (5, 6)  # of seven one has no end
    changed = node("bob", name="Bob", text="sells more", properties={"lead": True}, revision=7)
    same = node(
        "bob", name="Bob", text="sells", properties={"lead": True, "tags": ["new", "eu"], "age": 7.5}, revision=8
    )
    company.apply(GraphBatch(nodes=[changed]))
    assert company.digest() != before
    company.apply(GraphBatch(nodes=[same]))
    assert company.digest() == before
    company.apply(GraphBatch(gone=[Gone("e1", "edge", 9)]))
    assert company.digest() != before


def test_quotes_and_marks_of_a_query_language_are_only_text(tier: GraphTier) -> None:
    odd = "'; DROP TABLE nodes; MATCH (n) DETACH DELETE n //`\"\\"
    tier.apply(GraphBatch([node(odd, name=odd, text=odd, properties={odd: odd}, audience=(odd,)), node("b")]))
    tier.apply(GraphBatch(edges=[edge(odd, odd, "KNOWS", "b", properties={odd: [odd]})]))
    view = GraphView(frozenset({odd}))
    assert uids(tier.fetch([odd], view)) == [odd]
    assert uids(tier.find(where=[NodeCondition(odd, "=", odd), NodeCondition("name", "contains", odd)], view=view)) == [
        odd
    ]
    assert [step.edge.properties for step in tier.expand([odd], "out", view=view)] == [{odd: [odd]}]
    assert tier.find(["Person`) DETACH DELETE (n"]) == []


def test_a_traversal_explains_each_hit_by_its_path(company: GraphTier) -> None:
    found = traverse(company, ["ann"], depth=3)
    assert [(hit.node.uid, hit.depth, [one.uid for one in hit.path]) for hit in found.hits] == [
        ("acme", 1, ["e1"]),
        ("bob", 1, ["e3"]),
        ("cyd", 2, ["e3", "e4"]),
        ("zeta", 2, ["e3", "e2"]),
    ]
    assert [one.uid for one in found.edges] == ["e1", "e2", "e3", "e4", "e5", "e6"]
    deep = traverse(company, ["ann"], depth=3, strategy="dfs", node_types=["Company"], limit=1)
    assert ([hit.node.uid for hit in deep.hits], deep.is_cut) == (["acme"], True)


def test_a_path_is_found_either_way_and_as_someone(company: GraphTier) -> None:
    path = shortest_path(company, "ann", "cyd")
    assert path is not None
    assert (uids(list(path.nodes)), [one.uid for one in path.edges]) == (["ann", "bob", "cyd"], ["e3", "e4"])
    assert shortest_path(company, "cyd", "ann") is None
    assert shortest_path(company, "cyd", "ann", direction="in") is not None
    around = shortest_path(
        company, "ann", "cyd", direction="both", view=GraphView(KIM), edge_types=["WORKS_AT", "OWNS"]
    )
    assert around is not None
    assert [one.uid for one in around.edges] == ["e1", "e5"]
    assert shortest_path(company, "ann", "cyd", view=GraphView(frozenset())) is None


def test_a_pattern_is_told_as_rows(company: GraphTier) -> None:
    pattern = GraphPattern(
        (
            PatternSpot("one", ("Person",), (NodeCondition("age", ">", 1),)),
            PatternSpot("other", ("Person",)),
            PatternSpot("firm", ("Company",)),
        ),
        (Hop(("KNOWS",)), Hop(("WORKS_AT", "OWNS"))),
        ("one.name", "firm.name"),
        order=("-firm.name",),
    )
    assert match(company, pattern) == [
        {"one.name": "Ann Archer", "firm.name": "Zeta"},
        {"one.name": "Ann Archer", "firm.name": "Acme"},
        {"one.name": "Bob", "firm.name": "Acme"},
    ]


def test_more_hops_than_allowed_are_refused(tier: GraphTier) -> None:
    for depth in (0, 7):
        with pytest.raises(InvalidArgument, match="1 to 6"):
            traverse(tier, ["ann"], depth=depth)


def test_closing_twice_is_allowed(tier: GraphTier) -> None:
    tier.close()
    tier.close()
