"""The embedder protocol, and its null version."""

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """A protocol for turning texts into vectors of equal length."""

    @property
    def fingerprint(self) -> str:
        """Model, weights and length in one name, "" without an embedder; only equal ones have comparable vectors."""

    @property
    def dimensions(self) -> int:
        """The length of each vector; 0 without an embedder."""

    def embed(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector of length 1 for each text, in order, or None without an embedder.

        Raises `Unavailable` if the configured embedder cannot be reached.
        """


class NoEmbedder:
    """The absence of an embedder: recall then ranks by words alone."""

    fingerprint = ""
    dimensions = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]] | None:  # noqa: ARG002 - the protocol's
        """Return None, since there are no vectors."""
        return None
