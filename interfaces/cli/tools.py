"""`mabos tools`: the tools of agents."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Literal

import click

from mabos.interfaces.cli.request import CommandRequest, command

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.tools.catalogue.declaration import Tool

    Groups = dict[str, tuple[Tool, ...]]


@command("tools")
@click.option("--by", type=click.Choice(["module", "catalogue"]), default="module", help="Group by module or by row.")
@click.argument("words", nargs=-1)
def tools(request: CommandRequest, by: Literal["module", "catalogue"], words: tuple[str, ...]) -> None:
    """List the operations for agents and people; WORDS filters by name and summary."""
    from mabos.interfaces.places import is_workspace
    from mabos.tools.catalogue.registry import registry

    # Only a workspace knows the tools that its owner brought.
    with request.open() if is_workspace(request.place) else nullcontext() as services:
        everything = services.tools if services else registry()
        groups, beside = _with(words, everything.by(by)), _with(words, everything.beside())
        kept = {tool.name for found in (*groups.values(), *beside.values()) for tool in found}
        rows = [row for row in everything.rows() if row["name"] in kept] if request.json else []
    request.answer(rows, lambda out: _show(out, by, groups, beside))


def _with(words: tuple[str, ...], groups: "Groups") -> "Groups":
    kept = {name: tuple(tool for tool in found if _has(tool, words)) for name, found in groups.items()}
    return {name: found for name, found in kept.items() if found}


def _has(tool: "Tool", words: tuple[str, ...]) -> bool:
    text = f"{tool.name} {tool.summary}".lower()
    return all(word.lower() in text for word in words)


def _show(out: "Console", by: str, groups: "Groups", beside: "Groups") -> None:
    from mabos.interfaces.views.words import count

    _tables(out, groups)
    kind = "module" if by == "module" else "row"
    out.print(f"\n{count(_number(groups), 'operation')} of the catalogue in {count(len(groups), kind)}")
    if beside:
        out.print()
        _tables(out, beside)
        out.print(f"\n{count(_number(beside), 'operation')} beside the catalogue")


def _tables(out: "Console", groups: "Groups") -> None:
    from mabos.interfaces.views.words import table

    for name, members in groups.items():
        rows = [[f"  {tool.name}", "writes" if tool.writes else "", tool.summary] for tool in members]
        out.print(table(f"{name} ({len(members)})", "", "", rows=rows))


def _number(groups: "Groups") -> int:
    return sum(map(len, groups.values()))
