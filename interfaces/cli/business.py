"""`mabos business`: make companies, list them, and see how one stands."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from mabos.interfaces.cli.operation import performed
from mabos.interfaces.cli.request import CommandRequest, command, group

if TYPE_CHECKING:
    from rich.console import Console

TEMPLATES = ("saas", "ecommerce", "consulting", "marketplace", "retail", "agency")


@group("business")
def business() -> None:
    """Make, list and look at businesses."""


@command("create", parent=business)
@click.argument("business_id", metavar="ID")
@click.option("--name", required=True, help="What people call it.")
@click.option("--template", required=True, type=click.Choice(TEMPLATES), help="The kind of business.")
@click.option("--legal-name", help="Its registered name.")
def create(request: CommandRequest, business_id: str, name: str, template: str, legal_name: str | None) -> None:
    """Make a business and staff it with nine agents."""
    with request.open(create=True) as services:
        made = performed(
            services, "business_create", business_id=business_id, name=name, template=template, legal_name=legal_name
        )
        request.answer(dict(made), lambda out: _show_made(out, made))


@command("list", parent=business)
def list_(request: CommandRequest) -> None:
    """List the businesses of the workspace."""
    with request.open() as services:
        found = performed(services, "business_list")
        request.answer(dict(found), lambda out: _show_list(out, found["businesses"]))


@command("status", parent=business)
@click.argument("business_id", metavar="ID")
def status(request: CommandRequest, business_id: str) -> None:
    """Show how a business stands: figures, agents, what waits for a person."""
    with request.open() as services:
        found = performed(services, "business_status", business_id=business_id)
        request.answer(dict(found), lambda out: _show_status(out, found))


def _show_made(out: "Console", made: Mapping[str, Any]) -> None:
    agents = list(made["agents"].values())
    out.print(f"made {made['business_id']}, run by {', '.join(agents)}")
    out.print("next: mabos chat")


def _show_list(out: "Console", found: list[Mapping[str, Any]]) -> None:
    from mabos.interfaces.views.words import table

    if not found:
        out.print("no business yet; make one with: mabos business create acme --name Acme --template saas")
        return
    rows = [[one["business_id"], one["name"], one["template"], len(one["agents"])] for one in found]
    out.print(table("Business", "Name", "Template", ">Agents", rows=rows))


def _show_status(out: "Console", found: Mapping[str, Any]) -> None:
    from mabos.interfaces.views.words import said, table

    out.print(f"{found['name']} ({found['business_id']}, {found['template']})", style="bold", markup=False)
    figures = [
        [name, said(point["value"]), point["unit"], point["at"][:10]] for name, point in found["metrics"].items()
    ]
    if figures:
        out.print(table("Figure", ">Value", "", "At", rows=figures, title="\nFigures"))
    for kind in ("pending_decisions", "open_work_packages", "running_campaigns"):
        if found[kind]:
            rows = [list(one.values()) for one in found[kind]]
            out.print(table(*[""] * len(rows[0]), rows=rows, title=f"\n{kind.replace('_', ' ').capitalize()}"))
    first: Mapping[str, Any] = next(iter(found["agents"]), {})
    columns = [name for name, value in first.items() if not isinstance(value, dict | list)]
    headings = [name.replace("_", " ").capitalize() for name in columns]
    out.print(table(*headings, rows=[[one[name] for name in columns] for one in found["agents"]], title="\nAgents"))
