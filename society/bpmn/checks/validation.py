"""All that is checked of a workflow, on three levels: structure, good modelling, and soundness (S3 14.3)."""

from society.bpmn.checks import drawn, lint
from society.bpmn.checks.finding import Finding
from society.bpmn.checks.soundness import soundness
from society.bpmn.checks.structure import structure
from society.bpmn.document import Document

RULES = {**lint.RULES, **drawn.RULES}
"""The rules of good modelling by the names that bpmnlint has for them."""

_ORDER = ("error", "warning", "info")


def validated(document: Document) -> list[Finding]:
    """Return everything that is wrong, errors first."""
    found = [*structure(document.model), *soundness(document.model)]
    found += [finding for rule in RULES.values() for finding in rule(document)]
    return sorted(found, key=lambda one: _ORDER.index(one.severity))
