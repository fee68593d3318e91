"""The latest results of the benchmarks, saved in build/bench, one file each."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.measured import Line

FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a benchmark: its start, its duration, the machine's load before, and the measurements."""

    name: str
    at: str
    seconds: float
    load: float
    lines: tuple[Line, ...]
    failure: str = ""

    @property
    def pace(self) -> float:
        """The slowness of the machine, as recorded in every line; 0 if unknown."""
        return self.lines[0].pace if self.lines else 0.0

    @property
    def missed(self) -> int:
        """The number of missed limits, unless known or due to the machine alone."""
        return sum(line.is_news for line in self.lines)

    def as_json(self) -> dict[str, Any]:
        """Return the run in its saved form."""
        return asdict(self)

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Run":
        """Return the saved run."""
        return cls(**{**told, "lines": tuple(Line.of(line) for line in told["lines"])})


def keep(run: Run, folder: Path = FOLDER) -> None:
    """Save a run in place of the previous one."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{run.name}.json").write_text(json.dumps(run.as_json(), indent=1), encoding="utf-8")


def kept(folder: Path = FOLDER) -> dict[str, Run]:
    """Return the saved runs, by name."""
    files = sorted(folder.glob("*.json"))
    return {path.stem: Run.of(json.loads(path.read_text(encoding="utf-8"))) for path in files}
