"""A daily budget in a file that processes share; a killed process returns nothing that it had reserved."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import orjson

from mabos.backends.metering import NOTHING, BudgetExhausted, ModelBudget, Settle, Spent
from mabos.configs.errors import Damaged
from mabos.workspace.atomic import write_atomic
from mabos.workspace.locks import file_lock


@dataclass(frozen=True, slots=True)
class DailyMeter:
    """An allowance that restarts with every new `today()`; without a limit no file is created.

    `granted` returns how many extra budgets were allowed for today.
    """

    path: Path
    budget: ModelBudget
    today: Callable[[], str] = field(compare=False)
    granted: Callable[[], int] = field(default=lambda: 0, compare=False)

    def reserve(self, most: Spent) -> Settle:
        """Reserve `most` before it is used; raises `BudgetExhausted`, and then reserves nothing."""
        if self.budget.is_unlimited:
            return lambda _: None
        with self._lock_file():
            day = self.today()
            spent = self._of(day)
            try:
                now = self.budget.admit(spent, most)
            except BudgetExhausted:  # only then is it asked what the owner has granted besides
                now = self.budget.times(1 + self.granted()).admit(spent, most)
            self._write(day, now)
        return partial(self._settle, day, most)

    def spent(self) -> Spent:
        """Return today's use; raises `Damaged` for an unreadable file, which allows nothing."""
        return self._of(self.today())

    def _of(self, day: str) -> Spent:
        try:
            kept = orjson.loads(self.path.read_bytes())
            spent = Spent(**kept["spent"])
            return spent + NOTHING if kept["day"] == day else NOTHING  # a sum of what is no number fails here
        except FileNotFoundError:
            return NOTHING
        except (ValueError, TypeError, KeyError) as error:
            message = f"{self.path} has no readable use of today ({error}); delete it to reset the day"
            raise Damaged(message) from None

    def _settle(self, day: str, most: Spent, used: Spent) -> None:
        with self._lock_file():
            if day == self.today():  # what was reserved yesterday is forgotten with the day
                self._write(day, self._of(day) - most + used)

    def _lock_file(self) -> AbstractContextManager[None]:
        return file_lock(self.path.with_suffix(".lock"))

    def _write(self, day: str, spent: Spent) -> None:
        write_atomic(self.path, orjson.dumps({"day": day, "spent": asdict(spent)}))
