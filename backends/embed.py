"""An embedder behind one small protocol, and its absence."""

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """An interface that turns texts into vectors of one length."""

    @property
    def fingerprint(self) -> str:
        """Model, weights and length in one name: vectors of different fingerprints are never compared; "" is none."""

    @property
    def dimensions(self) -> int:
        """The length of each vector; 0 where there is no embedder."""

    def embed(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector of length 1 for each text, in their order, or None where there is no embedder.

        Raises `Unavailable` where the one that settings name cannot be had.
        """


class NoEmbedder:
    """No embedder: recall then ranks by words alone."""

    fingerprint = ""
    dimensions = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]] | None:  # noqa: ARG002 - the protocol's
        """Return None: there are no vectors to compare."""
        return None
