"""Equal content gives equal numbers, whatever the order and whatever the revision."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.graph.content import digest_of, fingerprint
from mabos.backends.graph.model import Edge, Node

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
PROPERTIES = st.dictionaries(st.text(max_size=4), JSON, max_size=4)


@given(PROPERTIES, st.integers(0, 2**60))
def test_neither_the_order_of_properties_nor_the_revision_counts(properties: dict[str, object], revision: int) -> None:
    turned = dict(reversed(properties.items()))
    one = Node(uid="a", type="goal", properties=properties)
    assert fingerprint(one) == fingerprint(replace(one, properties=turned, revision=revision))


def test_every_other_field_counts() -> None:
    node = Node(uid="a", type="goal")
    nodes = [
        node,
        replace(node, uid="b"),
        replace(node, type="task"),
        replace(node, name="x"),
        replace(node, text="x"),
        replace(node, properties={"x": 1}),
        replace(node, audience=("x",)),
        replace(node, valid_from="x"),
        replace(node, valid_to="x"),
    ]
    edge = Edge(uid="a", type="goal", start="", end="")
    edges = [
        edge,
        replace(edge, uid="b"),
        replace(edge, type="task"),
        replace(edge, start="x"),
        replace(edge, end="x"),
        replace(edge, properties={"x": 1}),
        replace(edge, weight=2.0),
        replace(edge, valid_from="x"),
        replace(edge, valid_to="x"),
    ]
    said = {*map(fingerprint, nodes), *map(fingerprint, edges)}
    assert len(said) == len(nodes) + len(edges)


def test_a_weight_is_a_number_whether_written_as_integer_or_not() -> None:
    edge = Edge(uid="a", type="supports", start="x", end="y", weight=1.0)
    assert fingerprint(edge) == fingerprint(replace(edge, weight=1))


def test_who_may_see_a_node_counts_and_not_in_which_order() -> None:
    node = Node(uid="a", type="goal", audience=("agent:cfo", "user:kim"))
    assert fingerprint(node) == fingerprint(replace(node, audience=("user:kim", "agent:cfo")))


def test_a_digest_has_the_same_form_however_large_the_sums() -> None:
    assert digest_of(0, 0, 0, 0).content == "0" * 32
    assert digest_of(1, 2, 2**32 + 5, 2**70 + 255).content == "0000000100000005" + "00000000000000ff"
