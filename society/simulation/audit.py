"""What the record of a run says about its owner's rules and about deadlines, for its report."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunAudit:
    """Calls that nobody had allowed, in words; and how many notices came, were seen in time, settled and fined."""

    breaches: tuple[str, ...] = ()
    notices: int = 0
    seen: int = 0
    settled: int = 0
    fined: int = 0

    @property
    def told(self) -> str:
        """In a sentence about each."""
        kept = "Everything that needed a person's leave had it."
        broken = (
            f"{len(self.breaches)} times something was done that needed a person's leave: {'; '.join(self.breaches)}."
        )
        ends = f"{self.seen} seen in time, {self.settled} settled, {self.fined} fined"
        due = f" Notices with a deadline: {self.notices} came, {ends}." if self.notices else ""
        return (broken if self.breaches else kept) + due
