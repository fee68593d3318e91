"""What the benchmarks measured last, kept in build/bench: one file each."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.measured import Line

FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a benchmark: when it began, how long it took, how busy the machine was before, what it measured."""

    name: str
    at: str
    seconds: float
    load: float
    lines: tuple[Line, ...]
    failure: str = ""

    @property
    def pace(self) -> float:
        """How slow the machine was, as every line says of it; 0 where nobody knows."""
        return self.lines[0].pace if self.lines else 0.0

    @property
    def missed(self) -> int:
        """How many limits were missed, neither as known nor for the machine alone."""
        return sum(line.is_news for line in self.lines)

    def as_json(self) -> dict[str, Any]:
        """Return the run as it is kept."""
        return asdict(self)

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Run":
        """Return the run that was kept."""
        return cls(**{**told, "lines": tuple(Line.of(line) for line in told["lines"])})


def keep(run: Run, folder: Path = FOLDER) -> None:
    """Keep a run in place of the one before."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{run.name}.json").write_text(json.dumps(run.as_json(), indent=1), encoding="utf-8")


def kept(folder: Path = FOLDER) -> dict[str, Run]:
    """Return the runs that are kept, by name."""
    files = sorted(folder.glob("*.json"))
    return {path.stem: Run.of(json.loads(path.read_text(encoding="utf-8"))) for path in files}
