"""`mabos memory`: what agents have experienced."""

from typing import TYPE_CHECKING, Any

import click

from mabos.cli.operation import performed
from mabos.cli.request import Request, command, group

if TYPE_CHECKING:
    from rich.console import Console

    from memory.model import Hit
    from tools.services import Services


@group("memory")
def memory() -> None:
    """Look into memories, search them, and tidy them up."""


_agent = click.option("--agent", help="One agent; without it, every agent.")
_one_agent = click.option("--agent", required=True, help="The agent.")


@command("status", parent=memory)
@_agent
def status(request: Request, agent: str | None) -> None:
    """Show how full each agent's three stores are."""
    with request.open() as services:
        found = {one: dict(services.agent(one).memory.status()) for one in chosen(services, agent)}
        request.answer({"agents": found}, lambda out: _show_status(out, found))


@command("recall", parent=memory)
@click.argument("query", required=False, default="")
@_one_agent
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="The most hits.")
@click.option(
    "--depth", type=click.IntRange(0, 3), default=0, show_default=True, help="Passes that follow what was found."
)
def recall(request: Request, query: str, agent: str, limit: int, depth: int) -> None:
    """Search what an agent remembers."""
    with request.open() as services:
        hits = services.agent(agent).memory.recall(query, limit=limit, recursive_depth=depth)
        request.answer({"hits": [_hit(hit) for hit in hits]}, lambda out: _show_hits(out, hits))


@command("consolidate", parent=memory)
@_agent
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
def consolidate(request: Request, agent: str | None, dry_run: bool) -> None:
    """Move what matters from short-term to long-term memory, related items merged."""
    with request.open() as services:
        done = {
            one: dict(performed(services, "memory_consolidate", one, dry_run=dry_run))
            for one in chosen(services, agent)
        }
        request.answer({"agents": done}, lambda out: _show_done(out, done))


@command("build-hierarchy", parent=memory)
@_agent
def build_hierarchy(request: Request, agent: str | None) -> None:
    """Build the summaries of weeks, months and quarters from the daily logs."""
    with request.open() as services:
        done = {one: dict(performed(services, "memory_build_hierarchy", one)) for one in chosen(services, agent)}
        request.answer({"agents": done}, lambda out: _show_done(out, done))


def chosen(services: "Services", agent: str | None) -> list[str]:
    """Return the agent that was named, else every agent."""
    return [agent] if agent else list(services.agents())


def _hit(hit: "Hit") -> dict[str, Any]:
    where = {"path": hit.path, "line": hit.line} if hit.item is None else {"id": hit.item.id, "store": hit.store}
    return {**where, "content": hit.content, "score": round(hit.score, 4), "depth": hit.depth}


def _show_status(out: "Console", found: dict[str, dict[str, Any]]) -> None:
    from mabos.views.words import said, table

    if not found:
        out.print("no agents yet; make a business with: mabos business create acme --name Acme --template saas")
        return
    columns = [name for name in next(iter(found.values())) if name != "agent_id"]
    headings = [f">{name.replace('_', ' ')}" for name in columns]
    rows = [[one, *(said(counts.get(name, "")) for name in columns)] for one, counts in found.items()]
    out.print(table("Agent", *headings, rows=rows))


def _show_hits(out: "Console", hits: list["Hit"]) -> None:
    from mabos.views.words import share, table

    if not hits:
        out.print("nothing is remembered about that")
        return
    rows = [[share(h.score), h.store or f"{h.path}:{h.line}", h.content.partition("\n")[0][:80]] for h in hits]
    out.print(table(">Score", "Where", "What", rows=rows))


def _show_done(out: "Console", done: dict[str, dict[str, Any]]) -> None:
    from mabos.views.words import said, table

    out.print(table("Agent", "", rows=[[one, said(what)] for one, what in done.items()]))
