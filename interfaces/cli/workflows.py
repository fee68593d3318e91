"""`mabos workflows`: the workflows of the businesses, their progress, and open questions."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mabos.configs.errors import MabosError
from mabos.interfaces.cli.operation import perform_operation
from mabos.interfaces.cli.request import NAMED, CommandRequest, command

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.society.workflows import Workflow
    from mabos.tools.runtime.services import Services


@command("workflows")
@click.argument("workflow_id", metavar="[ID]", default="")
@click.option("--business", type=NAMED, help="The business; default: all.")
def workflows(request: CommandRequest, workflow_id: str, business: str | None) -> None:
    """List workflows and their progress; with ID, show what it waits for, its values and its diagram."""
    with request.open() as services:
        found = [
            _standing(services, home, one)
            for home in ([business] if business else services.businesses())
            for one in services.business(home).workflows.all()
            if workflow_id in ("", one.id)
        ]
        if workflow_id and not found:
            # Its refusal says what is there.
            perform_operation(services, "workflow_status", workflow_id=workflow_id, business_id=business or "")
        request.answer({"workflows": found}, partial(_show, found, whole=bool(workflow_id)))


def _standing(services: "Services", home: str, workflow: "Workflow") -> dict[str, Any]:
    """Return the status of one workflow, or the fault in its files: the others are still listed."""
    named = {"business_id": home, "folder": str(services.business(home).workflows.directory)}
    try:
        return dict(perform_operation(services, "workflow_status", workflow_id=workflow.id, business_id=home)) | named
    except MabosError as wrong:
        told = {"workflow_id": workflow.id, "name": workflow.name, "status": "damaged", "text": wrong.message}
        return told | {"progress": 0.0, "waits": []} | named


def _show(found: list[dict[str, Any]], out: "Console", *, whole: bool) -> None:
    from mabos.interfaces.views.words import table

    if not found:
        out.print(
            "there is no workflow yet; make one with: mabos call workflow_create (docs/workflows.md)", markup=False
        )
        return
    if whole:
        for one in found:
            _one(out, one)
        return
    rows = [[one["workflow_id"], one["name"], one["status"], f"{one['progress']:.0%}", _waits(one)] for one in found]
    out.print(table("Workflow", "Name", "Status", ">Done", "Waits for", rows=rows))


def _waits(found: Mapping[str, Any]) -> str:
    return ", ".join(f"{one['label']} ({one['who']})" for one in found["waits"])


def _one(out: "Console", found: Mapping[str, Any]) -> None:
    """Print one workflow: its text, its open questions, its values, and the path of its picture."""
    out.print(found["text"], markup=False)
    for one in found["waits"]:
        if one["asked"]:
            out.print(
                f"  answer {one['label']!r}: mabos decisions approve {one['asked']}", markup=False, soft_wrap=True
            )
    plain = {name: value for name, value in found.get("variables", {}).items() if not isinstance(value, dict | list)}
    if plain:
        out.print(f"values: {', '.join(f'{name} = {value}' for name, value in plain.items())}", markup=False)
    if found.get("run_id"):
        out.print(f"picture: {found['folder']}/{found['picture']}", markup=False, soft_wrap=True)
        out.print(f"the reasons: mabos why {found['run_id']}", markup=False)
