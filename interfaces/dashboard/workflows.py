"""The workflows of the businesses: their progress, open waits, and pictures with live tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from mabos.configs.errors import MabosError, UnknownId
from mabos.interfaces.dashboard import svg
from mabos.interfaces.dashboard.view import PageRequest
from mabos.society.workflows import Workflow, WorkflowRun
from mabos.tools.runtime.company import Business
from mabos.tools.workflow.running import draw_workflow
from mabos.tools.workflow.workflows import run_of, stands


@dataclass(frozen=True, slots=True)
class WorkflowRow:
    """A workflow with its latest run and its status."""

    home: Business
    workflow: Workflow
    run: WorkflowRun | None
    stands: Mapping[str, Any]


def workflows(asked: PageRequest) -> Mapping[str, Any]:
    """Return every workflow with its status, and for the selected one its picture and values."""
    services = asked.services
    homes = [services.business(one) for one in services.businesses()]
    found = [(home, one) for home in homes for one in home.workflows.all()]
    wanted = asked.text("id")
    listed = [_stands(asked, home, one) for home, one in found]
    chosen = next((row for row in listed if not wanted or row.workflow.id == wanted), None)
    if wanted and chosen is None:
        raise UnknownId(f"there is no workflow {wanted!r}")
    return {"listed": listed, "one": chosen, "picture": _picture(chosen) if chosen else ""}


def _stands(asked: PageRequest, home: Business, one: Workflow) -> WorkflowRow:
    """Return the status of a workflow, or the fault in its files: the others are still listed."""
    run: WorkflowRun | None = None
    try:
        run = run_of(home, one)
        found = stands(asked.services.seat(), home, one, run)
    except MabosError as wrong:
        found = {"status": "damaged", "progress": 0.0, "waits": [], "text": wrong.message}
    return WorkflowRow(home, one, run, found)


def _picture(row: WorkflowRow) -> Markup | str:
    """Return the picture of its run, else of its file; "" where neither can be read."""
    flows = row.home.workflows
    try:
        document = flows.copy_of(row.run) if row.run else flows.document(row.workflow.id)
        return svg.wrap_markup(draw_workflow(document, row.run))
    except MabosError:
        return ""
