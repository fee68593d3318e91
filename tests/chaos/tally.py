"""What a campaign comes to, as a line of the table in docs/faults.md."""

from collections.abc import Sequence
from dataclasses import dataclass

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
