"""The workflows of the businesses: how far each has come, what it waits for, and its picture with live tokens."""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from configs.errors import MabosError, UnknownId
from mabos.dashboard.view import Asked
from society.workflows import Workflow
from tools.company import Business
from tools.workflow_pictures import drawn
from tools.workflows import workflow_status


def workflows(asked: Asked) -> Mapping[str, Any]:
    """Return every workflow with how it stands, and of the one that is looked at its picture and values."""
    services = asked.services
    homes = [services.business(one) for one in services.businesses()]
    found = [(home, one) for home in homes for one in home.workflows.all()]
    wanted = asked.text("id")
    listed = [(_status(asked, home, one), home, one) for home, one in found]
    chosen = next((row for row in listed if not wanted or row[2].id == wanted), None)
    if wanted and chosen is None:
        raise UnknownId(f"there is no workflow {wanted!r}")
    return {
        "listed": [(stands, one) for stands, _, one in listed],
        "one": chosen[2] if chosen else None,
        "stands": chosen[0] if chosen else {},
        "picture": _picture(*chosen[1:]) if chosen else "",
    }


def _status(asked: Asked, home: Business, one: Workflow) -> Mapping[str, Any]:
    """Return how a workflow stands, or what is wrong with its files: the others are told all the same."""
    try:
        found = workflow_status(asked.services.seat(), workflow_id=one.id, business_id=home.id)
    except MabosError as wrong:
        found = {"status": "damaged", "text": wrong.message}
    return {"progress": 0.0, "run_id": "", "waits": [], "variables": {}, **found}


def _picture(home: Business, one: Workflow) -> Markup | str:
    """Return the picture of its run, else of its file; "" where neither can be read."""
    flows = home.workflows
    try:
        run = flows.runs.one(one.run_id) if one.run_id else None
        text = drawn(flows.copy_of(run) if run else flows.document(one.id), run)
    except MabosError:
        return ""
    return Markup(text)  # noqa: S704 - every label in it was escaped where it was drawn
