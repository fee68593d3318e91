"""The form of `facts.json`: S0's facts and version, and a history once something has been given up."""

from mabos.knowledge.fact_index import HISTORY, SECTION
from mabos.workspace.documents import JsonCodec
from mabos.workspace.operations import Collections


class FactsCodec(JsonCodec):
    """A document of facts; the section `history` is written only when it holds something."""

    def __init__(self) -> None:
        super().__init__("facts.json", [SECTION, HISTORY])
        self._without_history = JsonCodec("facts.json", [SECTION])

    def encode(self, name: str, collections: Collections, version: int) -> str:
        """Return the indented text."""
        if collections.get(HISTORY):
            return super().encode(name, collections, version)
        return self._without_history.encode(name, collections, version)
