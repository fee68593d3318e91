"""One thing that was looked at: how it stands, and what mends it."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "absent", "degraded", "wrong"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing `mabos doctor` looked at, and the one command or line that mends it.

    `absent` is something MABOS does without; `degraded` was asked for and works in a reduced way.
    """

    subject: str
    state: State
    says: str
    mend: str = ""
