"""Questions over two and three hops of a public set (PathQuestion): every answer is reached by traversal."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.backends.graph.search import traverse

DATA = Path(__file__).parents[4] / "shared" / "data" / "graph" / "pathquestion"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the public set is not in ../shared/data/graph")


def lines(name: str) -> Iterator[list[str]]:
    yield from map(orjson.loads, (DATA / name).read_bytes().splitlines())


def uid(name: str) -> str:
    """Return an id that orders like nothing in the set, so that no answer comes first by its name."""
    return f"thing:{name[::-1]}"


def relation(name: str) -> str:
    return "R_" + "".join(letter if letter.isalnum() else "_" for letter in name)


def known(path: Path, triples: list[list[str]]) -> EmbeddedGraph:
    graph = EmbeddedGraph(path)
    names = dict.fromkeys(name for start, _, end in triples for name in (start, end))
    nodes = [Node(uid(name), "thing", name) for name in names]
    edges = {
        f"{start}|{kind}|{end}": Edge(f"{start}|{kind}|{end}", relation(kind), uid(start), uid(end))
        for start, kind, end in triples
    }
    graph.replace("set", {"all": GraphPart(nodes, list(edges.values()))}, cursor="1", seen="")
    return graph


@pytest.mark.parametrize("hops", [2, 3])
def test_every_answer_is_reached_along_the_relations_of_its_question(tmp_path: Path, hops: int) -> None:
    graph = known(tmp_path / "graph.sqlite", list(lines(f"kb_{hops}hop.jsonl")))
    asked = reached = within = 0
    for _, _, gold in lines(f"questions_{hops}hop.jsonl"):
        way = gold.partition("#<end>")[0].split("#")
        head, relations, answer = way[0], [relation(one) for one in way[1::2]], uid(way[-1])
        at = [uid(head)]
        for kind in relations:
            at = sorted({edge.end for edge in traverse(graph, at, edge_types=[kind], depth=1).edges})
        found = traverse(graph, [uid(head)], edge_types=relations, depth=hops)
        asked += 1
        reached += answer in at
        within += answer in {uid(head), *(hit.node.uid for hit in found.hits)}
    assert asked == 400
    assert (reached, within) == (asked, asked)
