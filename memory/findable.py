"""Items and passages of files in one form, for recall."""

from typing import NamedTuple

from mabos.memory.model import MemoryItem


class Findable(NamedTuple):
    """A text that recall can find; `at` and `source` are empty if unknown.

    A tuple, because a recall makes some hundreds of them.
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
        """The day it was remembered, as 2026-02-24, or ""."""
        return self.at[:10]

    @property
    def embedding_text(self) -> str:
        """The text as it is embedded: with the name of who said it, where that is a person's."""
        return f"{self.source}: {self.text}" if self.source[:1].isupper() else self.text


def of_item(item: MemoryItem) -> Findable:
    """Return an item as something to find."""
    return Findable(item.id, item.content, item.tags, item.created_at, item.source, item.importance)
