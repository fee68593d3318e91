"""Questions over two and three hops of a public set (PathQuestion), of facts that were asserted one by one."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from mabos.backends.graph.search import traverse
from mabos.knowledge.model import thing_uid
from tests.world import World

DATA = Path(__file__).parents[3] / "shared" / "data" / "graph" / "pathquestion"
QUESTIONS = 100
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the public set is not in ../shared/data/graph")


def lines(name: str) -> Iterator[list[str]]:
    yield from map(orjson.loads, (DATA / name).read_bytes().splitlines())


@pytest.mark.parametrize("hops", [2, 3])
def test_every_answer_is_reached_along_the_relations_of_its_question(tmp_path: Path, hops: int) -> None:
    with World.small(tmp_path) as world:
        cfo = world.agent("cfo")
        ways = [gold.partition("#<end>")[0].split("#") for *_, gold in lines(f"questions_{hops}hop.jsonl")][:QUESTIONS]
        known = {(way[at], way[at + 1], way[at + 2]) for way in ways for at in range(0, len(way) - 2, 2)}
        for subject, predicate, thing in sorted(known):
            cfo.do("fact_assert", subject=subject, predicate=predicate, object=thing, confidence=0.9, source="set")
        graph = world.services.graph().fresh()
        reached = within = 0
        for way in ways:
            head, relations, answer = thing_uid(way[0]), way[1::2], thing_uid(way[-1])
            at = [head]
            for kind in relations:
                at = sorted({edge.end for edge in traverse(graph, at, edge_types=[kind], depth=1).edges})
            found = traverse(graph, [head], edge_types=relations, depth=hops, limit=10_000)
            reached += answer in at
            within += answer in {head, *(hit.node.uid for hit in found.hits)}
        assert reached == within == len(ways) == QUESTIONS
