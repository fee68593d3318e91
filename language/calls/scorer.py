"""The learned scorers as plain numbers: boosted trees evaluated with numpy.

`scripts/train_call_reader.py` fits them and writes `configs/requests/reader.npz`; nothing here learns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mabos.language.calls.vocabulary import FOLDER

MODEL = FOLDER / "reader.npz"
PARTS = ("slot", "relative", "choice", "boolean", "fit", "call")
"""A span as a value, the same among its rivals, a declared value, a switch, an operation, and a whole call."""


class Scorer(Protocol):
    """A model that gives each row of features a probability."""

    def __call__(self, rows: NDArray[np.float32], /) -> NDArray[np.float64]:
        """Return one probability for each row."""


@dataclass(frozen=True)
class Trees:
    """Boosted trees with all nodes in one table; a leaf is its own left child and tests feature 0."""

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float64]
    depth: int

    def __call__(self, rows: NDArray[np.float32], /) -> NDArray[np.float64]:
        """Return the probability of each row."""
        if not len(rows):
            return np.zeros(0)
        total = np.empty(len(rows))
        for start in range(0, len(rows), _BLOCK):
            total[start : start + _BLOCK] = self._sums(np.ascontiguousarray(rows[start : start + _BLOCK]))
        return 1 / (1 + np.exp(-total))

    def _sums(self, rows: NDArray[np.float32]) -> NDArray[Any]:
        width = rows.shape[1]
        flat = rows.ravel()
        offsets = (np.arange(len(rows), dtype=np.int32) * width)[:, None]
        node = np.repeat(self.roots[None, :], len(rows), axis=0)
        for _ in range(self.depth):
            goes_left = flat[offsets + self.feature[node]] <= self.threshold[node]
            node = np.where(goes_left, self.left[node], self.right[node])
        return np.asarray(self.value[node].sum(axis=1))


_BLOCK = 256


@cache
def load_scorers(path: Path = MODEL) -> Mapping[str, Scorer]:
    """Return the scorers from the file that ships with MABOS."""
    with np.load(path, allow_pickle=False) as data:
        return {part: trees(data, f"{part}_") for part in PARTS}


def trees(data: Mapping[str, Any], prefix: str = "") -> Trees:
    """Return the trees of a table of nodes, in the types that evaluate fastest."""
    return Trees(
        roots=data[f"{prefix}roots"].astype(np.int32),
        feature=data[f"{prefix}feature"].astype(np.int32),
        threshold=data[f"{prefix}threshold"].astype(np.float32),
        left=data[f"{prefix}left"].astype(np.int32),
        right=data[f"{prefix}right"].astype(np.int32),
        value=data[f"{prefix}value"].astype(np.float64),
        depth=int(data[f"{prefix}depth"]),
    )
