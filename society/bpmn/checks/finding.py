"""The finding of a check about an element: the error and its fix."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class WorkflowFinding:
    """An error in a workflow. `rule` is its name, `element` the id of its element, `mend` the fix."""

    rule: str
    element: str
    message: str
    mend: str
    severity: Severity = "error"
