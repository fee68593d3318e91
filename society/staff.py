"""Employees beyond a company's first staff, and its loans: `staff.json` and `loans.json`."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mabos.society.packages import Area
from mabos.workspace.records import Document, declaration, record
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

PositionStatus = Literal["recorded", "employed", "on_notice", "left"]
LoanStatus = Literal["requested", "granted", "declined", "repaid"]


@record(Document("staff.json", ("positions",), root="array"), "positions", noun="position")
@dataclass(frozen=True, slots=True)
class Position:
    """An employee paid weekly until notice is given; `area` is what their work improves.

    A position is `recorded` until an outside party confirms that it is filled.
    """

    id: str
    title: str
    area: Area
    weekly_usd: float
    status: PositionStatus = "recorded"
    created_at: str = ""
    created_by: str = ""
    updated_at: str = ""

    @property
    def is_paid(self) -> bool:
        """Return whether the company pays for it, or intends to."""
        return self.status in ("recorded", "employed")


@record(Document("loans.json", ("loans",), root="array"), "loans", noun="loan")
@dataclass(frozen=True, slots=True)
class Loan:
    """A requested bank loan, to be repaid in equal weekly instalments; `left_usd` is the outstanding amount."""

    id: str
    amount_usd: float
    weeks: int
    status: LoanStatus = "requested"
    weekly_usd: float = 0.0
    left_usd: float = 0.0
    created_at: str = ""
    created_by: str = ""
    updated_at: str = ""


class Staff:
    """The positions and the loans of one business."""

    def __init__(self, positions: View[Position], loans: View[Loan]) -> None:
        self.positions = positions
        self.loans = loans

    def weekly_usd(self) -> float:
        """Return the recorded weekly cost of positions."""
        return sum(one.weekly_usd for one in paid_positions(self.positions.all()))


def paid_positions(positions: Iterable[Position]) -> list[Position]:
    """Return the positions that the company pays for."""
    return [one for one in positions if one.is_paid]


def open_staff(directory: Path, sync: Sync) -> Staff:
    """Return the positions and loans of the business in `directory`."""
    positions = View(declaration(Position).open(directory, sync), Position)
    return Staff(positions, View(declaration(Loan).open(directory, sync), Loan))
