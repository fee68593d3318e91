"""The deterministic graph for the graph benchmarks, with hubs and some more frequent relations."""

from dataclasses import dataclass
from random import Random
from typing import Any

NODE_TYPES = ("Concept", "Decision", "Person", "Project", "Tool")
EDGE_TYPES = (
    "RELATES_TO",
    "BUILDS_ON",
    "DEPENDS_ON",
    "USES",
    "KNOWS",
    "LEARNED_IN",
    "CONTRADICTS",
    "MERGED_INTO",
    "OWNS",
)
FREQUENCIES = (30, 20, 15, 12, 8, 6, 4, 3, 2)
WALKED, KEPT, HOPS = ("BUILDS_ON", "DEPENDS_ON", "USES"), ("Decision", "Person"), 3
WORDS = (
    "audit",
    "runway",
    "cash",
    "pricing",
    "churn",
    "hiring",
    "vendor",
    "contract",
    "margin",
    "launch",
    "budget",
    "risk",
)

Answer = Any


@dataclass(frozen=True, slots=True)
class Load:
    """A graph with hubs: types by uid, and edges as (start, type, end, weight)."""

    types: dict[str, str]
    edges: list[tuple[str, str, str, float]]

    def starts(self, count: int) -> list[str]:
        """Return some start nodes, deterministically."""
        return Random(7).sample(sorted(self.types), count)


def company(nodes: int, edges: int) -> Load:
    """Return a graph where one node in a hundred is a hub, and some relations are much more frequent."""
    random = Random(1)
    uids = [f"entity:{number:06}" for number in range(nodes)]
    types = {uid: random.choice(NODE_TYPES) for uid in uids}
    kinds = random.choices(EDGE_TYPES, FREQUENCIES, k=edges)
    made = []
    for kind in kinds:
        hub, other = uids[random.randrange(max(1, nodes // 100))], uids[int(random.random() ** 2 * nodes)]
        start = hub if random.random() < 0.1 else random.choice(uids)
        made.append((start, kind, other, round(random.random(), 3)))
    return Load(types, made)
