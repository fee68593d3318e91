"""Rebuild of all data derived from source files: the index, every agent's words and vectors, and the graphs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from shutil import rmtree

from mabos.configs.errors import MabosError, file_refused
from mabos.tools.runtime.services import Services


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The result of a rebuild: rows of the text index, texts embedded for each agent, and the failures.

    `graphs` counts the nodes of each business's graph.
    """

    rows: int
    embedded: Mapping[str, int]
    graphs: Mapping[str, int]
    refused: Mapping[str, str]


def rebuild(services: Services, tell: Callable[[str], None]) -> Rebuilt:
    """Rebuild derived data and return the result; `tell` is called with each next agent, since embedding is slow.

    A locked or damaged agent does not stop the others. Without an embedder, vectors are left alone.
    """
    embedded: dict[str, int] = {}
    refused: dict[str, str] = {}
    for agent_id in services.agents():
        try:
            memory = services.agent(agent_id).memory  # also has it followed by the index
            tell(f"reading what {agent_id} remembers")
            embedded[agent_id] = memory.rebuild()
        except (MabosError, OSError) as error:
            refused[agent_id] = _why(error)
    if services.embedder.fingerprint:
        _forget_strangers(services)
    rows = services.index.rebuild()
    graphs: dict[str, int] = {}
    for business_id in services.businesses():
        try:
            tell(f"reading what the graph of {business_id} is made of")
            graphs[business_id], _ = services.graph(business_id).rebuild()
        except (MabosError, OSError) as error:
            refused[business_id] = _why(error)
    return Rebuilt(rows, embedded, graphs, refused)


def _why(error: MabosError | OSError) -> str:
    return error.message if isinstance(error, MabosError) else file_refused(error).message


def _forget_strangers(services: Services) -> None:
    """Delete the vectors of agents that are no more."""
    folder, known = services.layout.internal / "vectors", services.agents()
    for found in folder.iterdir() if folder.is_dir() else ():
        if found.name not in known:
            rmtree(found, ignore_errors=True)
