"""`mabos tools`: what agents may do."""

from typing import TYPE_CHECKING, Literal

import click

from mabos.cli.request import Request, command

if TYPE_CHECKING:
    from rich.console import Console

    from tools.declaration import Tool


@command("tools")
@click.option("--by", type=click.Choice(["module", "catalogue"]), default="module", help="Group by module or by row.")
@click.argument("words", nargs=-1)
def tools(request: Request, by: Literal["module", "catalogue"], words: tuple[str, ...]) -> None:
    """List the operations agents and people may call; WORDS keep those whose name or summary has them all."""
    from tools.registry import registry

    catalogue = registry()
    groups = {name: [tool for tool in found if _has(tool, words)] for name, found in catalogue.by(by).items()}
    kept = {tool.name for found in groups.values() for tool in found}
    rows = [row for row in catalogue.rows() if row["name"] in kept] if request.json else []
    request.answer(rows, lambda out: _show(out, {name: found for name, found in groups.items() if found}))


def _has(tool: "Tool", words: tuple[str, ...]) -> bool:
    text = f"{tool.name} {tool.summary}".lower()
    return all(word.lower() in text for word in words)


def _show(out: "Console", groups: dict[str, list["Tool"]]) -> None:
    from mabos.views.words import count, table

    for name, members in groups.items():
        rows = [[f"  {tool.name}", "writes" if tool.writes else "", tool.summary] for tool in members]
        out.print(table(f"{name} ({len(members)})", "", "", rows=rows))
    number = sum(map(len, groups.values()))
    out.print(f"\n{count(number, 'operation')} in {count(len(groups), 'group')}")
