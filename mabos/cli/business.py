"""`mabos business`: make companies, list them, and see how one stands."""

from typing import TYPE_CHECKING, Any

import click

from mabos.cli.operation import performed
from mabos.cli.request import Request, command, group

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
def create(request: Request, business_id: str, name: str, template: str, legal_name: str | None) -> None:
    """Make a business and staff it with nine agents."""
    with request.open(create=True) as services:
        made = performed(
            services, "business_create", business_id=business_id, name=name, template=template, legal_name=legal_name
        )
        request.answer(dict(made), lambda out: _show_made(out, made, business_id))


@command("list", parent=business)
def list_(request: Request) -> None:
    """List the businesses of the workspace."""
    with request.open() as services:
        found = performed(services, "business_list")
        request.answer(dict(found), lambda out: _show_list(out, found["businesses"]))


@command("status", parent=business)
@click.argument("business_id", metavar="ID")
def status(request: Request, business_id: str) -> None:
    """Show how a business stands: figures, agents, what waits for a person."""
    with request.open() as services:
        found = performed(services, "business_status", business_id=business_id)
        request.answer(dict(found), lambda out: _show_fields(out, found))


def _show_made(out: "Console", made: Any, business_id: str) -> None:
    from mabos.views.words import said

    out.print(f"made {business_id} with the agents {said(list(made['agents'])) if len(made['agents']) < 5 else ''}")
    out.print(", ".join(made["agents"]))
    out.print(f"next: mabos run {made['agents'][0]}")


def _show_list(out: "Console", found: list[dict[str, Any]]) -> None:
    from mabos.views.words import table

    if not found:
        out.print("no business yet; make one with: mabos business create acme --name Acme --template saas")
        return
    rows = [[one["id"], one.get("name", ""), one.get("template", ""), len(one.get("agents", ()))] for one in found]
    out.print(table("Business", "Name", "Template", ">Agents", rows=rows))


def _show_fields(out: "Console", found: Any) -> None:
    from mabos.views.words import said, table

    out.print(table("", "", rows=[[name.replace("_", " "), said(value)] for name, value in found.items()]))
