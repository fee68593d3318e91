"""Every keeper of a graph that the contract suite knows, and how to get an empty one."""

from collections.abc import Callable
from pathlib import Path

from backends.graph.embedded import EmbeddedGraph
from backends.graph.tier import GraphTier

Factory = Callable[[Path], GraphTier]

TIERS: dict[str, Factory] = {"embedded": lambda folder: EmbeddedGraph(folder / "graph.sqlite")}
