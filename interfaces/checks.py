"""A health check: its state, and its remedy."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "absent", "degraded", "wrong"]


@dataclass(frozen=True, slots=True)
class Check:
    """A check of `mabos doctor`, and the one command or line that fixes it.

    `absent` is an optional part that is missing; `degraded` was requested and works in a reduced way.
    """

    subject: str
    state: State
    says: str
    mend: str = ""
