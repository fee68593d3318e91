"""A day, a duration or a rhythm in a person's words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class SpokenTime:
    """A day, a duration or a rhythm, with its words at `start` to `end` of the text.

    `kind` is "day", "duration" or "rhythm". `role` is by, from, in, on or "" as the word before it says. A duration has
    `count` and `unit`; a rhythm has `every`; `clock` is a time of day (HH:MM), `about` marks a vague one.
    """

    kind: str
    start: int
    end: int
    words: str
    role: str = ""
    day: date | None = None
    clock: str = ""
    count: float = 0.0
    unit: str = ""
    every: Mapping[str, Any] = field(default_factory=dict)
    about: bool = False

    @property
    def iso(self) -> str:
        """The day, with the time of day if given (ISO 8601), or ""."""
        if self.day is None:
            return ""
        return f"{self.day.isoformat()}T{self.clock}:00" if self.clock else self.day.isoformat()
