"""The memory hierarchy: summaries of weeks, months and quarters, and search in them (S0 sections 7 and 16)."""

from collections.abc import Iterable
from typing import Any

from mabos.memory import hierarchy
from mabos.memory.hierarchy import Level, Scope
from mabos.memory.narrative import of_period
from mabos.memory.trace import Hierarchy, PageLine
from mabos.tools.catalogue.declaration import Count, Text, Tool
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time


def memory_build_hierarchy(agent: Agent, *, scope: Scope = "all", since: str = "") -> dict[str, Any]:
    """Build the summaries of weeks, months and quarters from the daily logs; what has not changed is left alone.

    What a person has written into a summary is kept.

    Args:
        scope: Which summaries to build; those that they are made of are brought up to date too.
        since: Only those with a day on or after this ISO date.
    """
    start = parse_time(since, argument="since").date() if since else None
    directory = agent.memory.directory
    built = hierarchy.build(directory, scope, start, narrate=of_period(agent.services.model))
    files = [path.relative_to(directory).as_posix() for path in built.files]
    written = [path.relative_to(directory).as_posix() for path in built.written]
    return {
        "files": files,
        "written": written,
        "text": f"{len(files)} summaries; {len(written)} files were new or changed.",
    }


def memory_hierarchy_search(agent: Agent, *, query: Text, level: Level, limit: Count = 10) -> dict[str, Any]:
    """Search the daily logs or the summaries of one level; files that match the most words of the query come first.

    A line that is found comes with the lines below it that it was made of, and those above that were made of it.

    Args:
        query: Words to look for; a word is found inside a longer one too.
        level: Which files to search.
        limit: The most files.
    """
    directory = agent.memory.directory
    lineage = Hierarchy(directory)
    results = []
    for hit in hierarchy.search(directory, query, level, limit):
        path = hit.path.relative_to(directory).as_posix()
        spot = lineage.spot(f"{path}:{hit.line}")
        found = {"path": path, "line": hit.line, "excerpt": hit.text, "score": hit.score, "matched": list(hit.matched)}
        results.append(found | {"sources": _places(lineage.sources(spot)), "used_by": _places(lineage.uses(spot))})
    lines = [f"- {hit['path']}:{hit['line']} — {hit['excerpt']}" for hit in results]
    return {"results": results, "count": len(results), "text": "\n".join(lines) or f"Nothing at the {level} level."}


def _places(spots: Iterable[PageLine]) -> list[dict[str, Any]]:
    return [{"path": f"memory/{spot.path}", "line": spot.line, "text": spot.text} for spot in spots]


TOOLS = [
    Tool.of(memory_build_hierarchy, module="Memory hierarchy", writes=True),
    Tool.of(memory_hierarchy_search, module="Memory hierarchy", writes=False),
]
