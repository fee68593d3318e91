"""Items and passages of files in one form, for recall."""

from typing import NamedTuple

from mabos.memory.model import MemoryItem


class Findable(NamedTuple):
    """A text that recall can find; `at` and `source` are empty if unknown.

    It is a tuple because a recall makes hundreds of them.
    """

    id: str
    text: str
    tags: tuple[str, ...] = ()
    at: str = ""
    source: str = ""
    importance: float = 0.5
    is_passage: bool = False

    @property
    def day(self) -> str:
        """The day it was stored, as 2026-02-24, or ""."""
        return self.at[:10]

    @property
    def embedding_text(self) -> str:
        """The text to embed, including the author's name if it is a person."""
        return f"{self.source}: {self.text}" if self.source[:1].isupper() else self.text


def of_item(item: MemoryItem) -> Findable:
    """Return an item as a `Findable`."""
    return Findable(item.id, item.content, item.tags, item.created_at, item.source, item.importance)
