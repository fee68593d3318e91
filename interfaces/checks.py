"""A health check: its state, and its remedy."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "absent", "degraded", "wrong"]


@dataclass(frozen=True, slots=True)
class Check:
    """A check of `mabos doctor`, and the one command or line that fixes it.

    `absent` is a missing optional part; `degraded` was requested but works only in part.
    """

    subject: str
    state: State
    says: str
    mend: str = ""
