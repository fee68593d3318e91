"""The result of a campaign as a line of the table in docs/faults.md."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

HEAD = "| What was broken | Times | Struck | Broken promises |\n| --- | ---: | ---: | ---: |"


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of fault: its trials, its hits, and every promise then broken."""

    what: str
    tried: int
    struck: int
    wrong: Sequence[str] = ()

    def __str__(self) -> str:
        return f"| {self.what} | {self.tried:,} | {self.struck:,} | {len(self.wrong):,} |"

    def told(self) -> int:
        """Print the line, preceded by the faults; return the exit code."""
        for one in self.wrong[:50]:
            print(f"wrong: {one}")
        print(self, flush=True)
        return 1 if self.wrong else 0


@dataclass(slots=True)
class Tally:
    """A running campaign: its trials so far, and their faults, printed at once if `say`."""

    say: bool = False
    tried: int = 0
    struck: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, what: str, struck: int, found: Iterable[str]) -> None:
        """Count one trial: its description, the number of hits, and the broken promises."""
        told = [f"{what}: {one}" for one in found]
        self.tried += 1
        self.struck += struck
        self.wrong += told
        if self.say and told:
            print("\n".join(told), flush=True)

    def row(self, what: str) -> Row:
        """Return the result."""
        return Row(what, self.tried, self.struck, self.wrong)
