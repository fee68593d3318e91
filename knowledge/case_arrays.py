"""The same counting over numpy arrays: worth its import where there are very many cases."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray


class Counted:
    """One side of many cases as arrays; each is made when it is first asked for and forgotten when it changes."""

    def __init__(self) -> None:
        self._holders: dict[str, NDArray[np.intp]] = {}
        self._shares: NDArray[np.float64] | None = None

    def forget(self, names: Iterable[str]) -> None:
        """Take note that other cases have these names now."""
        self._shares = None
        for name in names:
            self._holders.pop(name, None)

    def alike(
        self, present: Iterable[str], plain: Mapping[str, Mapping[int, None]], shares: Mapping[int, float], size: int
    ) -> NDArray[np.float64]:
        """Return how alike each of `size` numbers is to `present`; 0 for what shares nothing, or is not there."""
        if self._shares is None:
            self._shares = np.zeros(size)
            self._shares[np.fromiter(shares, np.intp, len(shares))] = np.fromiter(shares.values(), float, len(shares))
        found = [self._array(name, plain[name]) for name in present if name in plain]
        if not found:
            return np.zeros(size)
        return np.bincount(np.concatenate(found), minlength=size) * self._shares

    def _array(self, name: str, numbers: Mapping[int, None]) -> NDArray[np.intp]:
        array = self._holders.get(name)
        if array is None:
            array = self._holders[name] = np.fromiter(numbers, np.intp, len(numbers))
        return array


def best_numbers(scores: NDArray[np.float64], limit: int, slack: float) -> list[int]:
    """Return the numbers with the best `limit` scores above 0, and all that are as good as the last."""
    # Half of the best leaves few to sort; where it leaves too few, all are.
    promising = np.flatnonzero(scores >= scores.max(initial=0.0) / 2)
    if len(promising) < limit:
        promising = np.flatnonzero(scores)
    if len(promising) > limit:
        alone = scores[promising]
        promising = promising[alone >= np.partition(alone, len(alone) - limit)[len(alone) - limit] - slack]
    return [number for number in promising.tolist() if scores[number] > 0]
