"""What a campaign comes to, as a line of the table in docs/faults.md."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

HEAD = "| What was broken | Times | Struck | Broken promises |\n| --- | ---: | ---: | ---: |"


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of fault: how often it was tried, how often it struck, and every promise that did not hold then."""

    what: str
    tried: int
    struck: int
    wrong: Sequence[str] = ()

    def __str__(self) -> str:
        return f"| {self.what} | {self.tried:,} | {self.struck:,} | {len(self.wrong):,} |"

    def told(self) -> int:
        """Print the line, and before it what is wrong; return the exit code."""
        for one in self.wrong[:50]:
            print(f"wrong: {one}")
        print(self, flush=True)
        return 1 if self.wrong else 0


@dataclass(slots=True)
class Tally:
    """A campaign as it goes on: its trials so far, and what was wrong in them, printed at once where `say`."""

    say: bool = False
    tried: int = 0
    struck: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, what: str, struck: int, found: Iterable[str]) -> None:
        """Count one trial: what it was, how often the fault struck in it, and which promises did not hold."""
        told = [f"{what}: {one}" for one in found]
        self.tried += 1
        self.struck += struck
        self.wrong += told
        if self.say and told:
            print("\n".join(told), flush=True)

    def row(self, what: str) -> Row:
        """Return what it came to."""
        return Row(what, self.tried, self.struck, self.wrong)
