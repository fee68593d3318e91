"""`mabos memory`: the experience of agents."""

from typing import TYPE_CHECKING, Any

import click

from mabos.interfaces.cli.operation import perform_operation
from mabos.interfaces.cli.request import NAMED, CommandRequest, command, group

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from mabos.memory.model import MemoryHit, Recollection
    from mabos.memory.trace import HierarchyStep, PageLine
    from mabos.tools.runtime.services import Services


@group("memory")
def memory() -> None:
    """Inspect, search and maintain memories."""


_agent = click.option("--agent", type=NAMED, help="One agent; default: all.")
_one_agent = click.option("--agent", type=NAMED, required=True, help="The agent.")


@command("status", parent=memory)
@_agent
def status(request: CommandRequest, agent: str | None) -> None:
    """Show the fill level of each agent's three stores."""
    with request.open() as services:
        found = {one: dict(services.agent(one).memory.status()) for one in _select_agents(services, agent)}
        request.answer({"agents": found}, lambda out: _show_status(out, found))


@command("recall", parent=memory)
@click.argument("query", required=False, default="")
@_one_agent
@click.option("--limit", type=click.IntRange(1), help="Maximum number of hits; default: `memory.recall_limit`.")
@click.option(
    "--depth", type=click.IntRange(0, 3), default=0, show_default=True, help="Passes that follow links from the hits."
)
def recall(request: CommandRequest, query: str, agent: str, limit: int | None, depth: int) -> None:
    """Search an agent's memory; shows the search method and the parts of each score."""
    with request.open() as services:
        hits = services.agent(agent).memory.recall(query, limit=limit, recursive_depth=depth)
        data = {"hits": [_hit(hit) for hit in hits], "mode": hits.mode, "notice": hits.notice}
        wanted = services.settings.memory.embeddings == "auto" and not services.embedder.fingerprint
        hint = "; pip install 'mabos[local]' to search by meaning too" if wanted else ""
        request.answer(data, lambda out: _show_hits(out, hits, hint))


@command("consolidate", parent=memory)
@_agent
@click.option("--dry-run", is_flag=True, help="Report the changes without making them.")
def consolidate(request: CommandRequest, agent: str | None, dry_run: bool) -> None:
    """Move important items from short-term to long-term memory, and merge related ones."""
    with request.open() as services:
        done = {
            one: dict(perform_operation(services, "memory_consolidate", one, dry_run=dry_run))
            for one in _select_agents(services, agent)
        }
        request.answer({"agents": done}, lambda out: _show_done(out, done))


@command("build-hierarchy", parent=memory)
@_agent
def build_hierarchy(request: CommandRequest, agent: str | None) -> None:
    """Build the summaries of weeks, months and quarters from the daily logs."""
    with request.open() as services:
        done = {
            one: dict(perform_operation(services, "memory_build_hierarchy", one))
            for one in _select_agents(services, agent)
        }
        request.answer({"agents": done}, lambda out: _show_done(out, done))


@command("trace", parent=memory)
@click.argument("place", metavar="PATH:LINE")
@_one_agent
def trace(request: CommandRequest, place: str, agent: str) -> None:
    """Follow a line of a summary or a daily log down to the days and up to the quarters."""
    from mabos.memory.trace import Hierarchy

    with request.open() as services:
        lines = Hierarchy(services.agent(agent).memory.directory)
        spot = lines.spot(place)
        below, above = lines.below(spot), lines.above(spot)
        told = {**_spot(spot), "below": _steps(below), "above": _steps(above)}
        request.answer(told, lambda out: _show_trace(out, spot, below, above))


def _spot(spot: "PageLine") -> dict[str, Any]:
    return {"path": f"memory/{spot.path}", "line": spot.line, "text": spot.text}


def _steps(steps: "Iterable[HierarchyStep]") -> list[dict[str, Any]]:
    return [{**_spot(step.spot), "steps": _steps(step.steps)} for step in steps]


def _show_trace(
    out: "Console", spot: "PageLine", below: "Iterable[HierarchyStep]", above: "Iterable[HierarchyStep]"
) -> None:
    def show(steps: "Iterable[HierarchyStep]", depth: int) -> None:
        for step in steps:
            where = f"{step.spot.path}:{step.spot.line}" if step.spot.line else step.spot.path
            out.print(f"{'  ' * depth}{where}  {step.spot.text.removeprefix('- ')}", markup=False, soft_wrap=True)
            show(step.steps, depth + 1)

    out.print(f"{spot.path}:{spot.line}  {spot.text.removeprefix('- ')}", markup=False, soft_wrap=True)
    for heading, steps in (("made of", below), ("told in", above)):
        if steps:
            out.print(f"{heading}:")
            show(steps, 1)


def _select_agents(services: "Services", agent: str | None) -> list[str]:
    """Return the agent that was named, else every agent."""
    return [agent] if agent else list(services.agents())


def _hit(hit: "MemoryHit") -> dict[str, Any]:
    where = {"path": hit.path, "line": hit.line} if hit.item is None else {"id": hit.item.id, "store": hit.store}
    why = {signal: round(part, 4) for signal, part in hit.why.items()}
    relevance = None if hit.relevance is None else round(hit.relevance, 2)
    told = {"content": hit.content, "score": round(hit.score, 4), "relevance": relevance, "depth": hit.depth}
    return {**where, **told, "why": why}


def _show_status(out: "Console", found: dict[str, dict[str, Any]]) -> None:
    from mabos.interfaces.views.words import format_value, table

    if not found:
        out.print("no agents yet; make a business with: mabos business create acme --name Acme --template saas")
        return
    columns = [name for name in next(iter(found.values())) if name != "agent_id"]
    headings = [f">{name.replace('_', ' ')}" for name in columns]
    rows = [[one, *(format_value(counts.get(name, "")) for name in columns)] for one, counts in found.items()]
    out.print(table("Agent", *headings, rows=rows))


def _show_hits(out: "Console", hits: "Recollection", hint: str) -> None:
    from mabos.interfaces.views.words import share, table

    if not hits:
        out.print(f"nothing is remembered about that; searched {hits.how}{hint}", markup=False)
        return
    rows = [[share(hit.score), hit.store or f"{hit.path}:{hit.line}", _gist(hit), _why(hit)] for hit in hits]
    out.print(table(">Score", "Where", "What", "Why", rows=rows))
    out.print(f"found {hits.how}{hint}", markup=False)


def _gist(hit: "MemoryHit") -> str:
    """Return the beginning of a hit's text, past the headings of a file."""
    lines = [line for line in hit.content.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith(("#", ">"))), lines[0])[:80]


def _why(hit: "MemoryHit") -> str:
    """Return the signals that count most in a score."""
    from mabos.interfaces.views.words import share

    most = sorted(hit.why.items(), key=lambda one: -one[1])[:3]
    return ", ".join(f"{signal} {share(part)}" for signal, part in most if part >= 0.005)


def _show_done(out: "Console", done: dict[str, dict[str, Any]]) -> None:
    from mabos.interfaces.views.words import table

    out.print(table("Agent", "Result", rows=[[one, what["text"]] for one, what in done.items()]))
