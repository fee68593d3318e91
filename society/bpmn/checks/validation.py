"""Run all checks of a workflow, on three levels: structure, good modelling, and soundness (S3 14.3)."""

from mabos.society.bpmn.checks.finding import WorkflowFinding
from mabos.society.bpmn.checks.lint import RULES
from mabos.society.bpmn.checks.soundness import soundness
from mabos.society.bpmn.checks.structure import endless_calls, structure
from mabos.society.bpmn.document import WorkflowDocument
from mabos.society.bpmn.model import LARGE

_ORDER = ("error", "warning", "info")


def validate_document(document: WorkflowDocument) -> list[WorkflowFinding]:
    """Return all findings, errors first; for a large file only those on its structure."""
    structural = [*structure(document.model), *endless_calls(document.model)]
    if document.model.is_large:
        message = f"only the structure of these {len(document.model.nodes):,} nodes was checked"
        mend = f"split it into workflows of at most {LARGE:,} nodes to have all of it checked"
        return [*structural, WorkflowFinding("too-large", "", message, mend, "info")]
    found = [*structural, *soundness(document.model)]
    found += [finding for rule in RULES.values() for finding in rule(document)]
    return sorted(found, key=lambda one: _ORDER.index(one.severity))
