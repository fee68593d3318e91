"""What a live company tells while it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from mabos.nodes.report import CycleReport

Kind = Literal["started", "turn", "heartbeat", "moment", "clock", "failing", "mended", "budget", "stopping"]


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened: a turn with its report, or what `said` says; `at` is ISO 8601."""

    kind: Kind
    at: str
    agent_id: str = ""
    said: str = ""
    report: CycleReport | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as one JSON object; of a turn, what its report says is part of it."""
        told = {"event": self.kind, "at": self.at, "agent_id": self.agent_id, "said": self.said}
        report = self.report.as_json() if self.report else {}
        return {name: value for name, value in {**told, **report}.items() if value not in ("", None)}


Listener = Callable[[Happening], None]
