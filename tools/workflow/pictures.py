"""The picture of a workflow beside its file: what has been done of its latest run, and where its tokens are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mabos.configs.errors import MabosError
from mabos.society.bpmn.diagram.svg import picture
from mabos.society.bpmn.document import WorkflowDocument
from mabos.society.workflows import WorkflowRun
from mabos.workspace.atomic import write_atomic

if TYPE_CHECKING:
    from mabos.tools.runtime.company import Business


def drawn(document: WorkflowDocument, run: WorkflowRun | None) -> str:
    """Return a workflow as SVG, with the tokens of a run that is under way and the nodes it came to."""
    tokens: dict[str, int] = {}
    for token in run.state.get("tokens", ()) if run is not None and run.status == "running" else ():
        tokens[token["node"]] = tokens.get(token["node"], 0) + 1
    return picture(document, tokens=tokens, done=run.came_to if run is not None else ())


def put_beside(business: Business, run: WorkflowRun) -> str:
    """Draw a run beside the file of its workflow and return the picture's name; "" where its copy cannot be read."""
    path = business.workflows.path(run.workflow_id).with_suffix(".svg")
    try:
        write_atomic(path, drawn(business.workflows.copy_of(run), run), durable=False)
    except MabosError:
        return ""
    return path.name
