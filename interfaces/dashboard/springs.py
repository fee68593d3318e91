"""Layout of a small graph by forces: edges pull, nodes push; the result is deterministic.

The forces are those of Fruchterman and Reingold, Graph drawing by force-directed placement, 1991.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

ROUNDS = 90
_GOLDEN = 2.399963


def laid_out(
    nodes: Sequence[str], edges: Sequence[tuple[str, str]], *, width: float, height: float
) -> Mapping[str, tuple[float, float]]:
    """Return the position of each node, using the full width and height."""
    if not nodes:
        return {}
    index = {name: number for number, name in enumerate(nodes)}
    ends = np.array([(index[a], index[b]) for a, b in edges if a != b and a in index and b in index], dtype=int)
    places = _relax_layout(_spiral(len(nodes)), ends.reshape(-1, 2))
    low, high = places.min(axis=0), places.max(axis=0)
    extent, room = high - low, np.array([width, height])
    shares = np.where(extent > 0, (places - low) / np.where(extent > 0, extent, 1), 0.5)
    spread = np.clip(shares, 0, 1) * room
    return {name: (float(spread[number][0]), float(spread[number][1])) for name, number in index.items()}


def _spiral(count: int) -> NDArray[np.float64]:
    """Return places to start from, none above another."""
    numbers = np.arange(count)
    radius = np.sqrt(numbers / count)
    return np.column_stack([radius * np.cos(numbers * _GOLDEN), radius * np.sin(numbers * _GOLDEN)])


def _relax_layout(places: NDArray[np.float64], ends: NDArray[np.int_]) -> NDArray[np.float64]:
    wanted = 1.6 / np.sqrt(len(places))
    for step in range(ROUNDS):
        apart = places[:, None, :] - places[None, :, :]
        far = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-3)
        forces = (apart * (wanted**2 / far**2)[..., None]).sum(axis=1)
        if len(ends):
            along = places[ends[:, 0]] - places[ends[:, 1]]
            pull = along * (np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-3) / wanted)[:, None]
            np.add.at(forces, ends[:, 0], -pull)
            np.add.at(forces, ends[:, 1], pull)
        size = np.maximum(np.hypot(forces[:, 0], forces[:, 1]), 1e-9)
        most = 0.12 * (1 - step / ROUNDS)
        places = places + forces * (np.minimum(size, most) / size)[:, None]
    return places
