"""What a check says of an element: what is wrong, and what to do."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class WorkflowFinding:
    """One thing that is wrong. `rule` is its name, `element` the id of what it is about, `mend` what to do."""

    rule: str
    element: str
    message: str
    mend: str
    severity: Severity = "error"
