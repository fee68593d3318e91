"""A draft of an order: its slots, its missing ones, and the words used so far."""

import re
from typing import Any

from mabos.language.interpreter import Context
from mabos.language.order_parts import OrderParts
from mabos.language.request import Meaning, Slot


class OrderDraft:
    """Collects the slots of one order; each slot marks the words that it comes from."""

    def __init__(self, parts: OrderParts, context: Context) -> None:
        self.parts, self.context = parts, context
        self.slots: list[Slot] = []
        self.missing: list[str] = []
        self._spans: list[tuple[int, int]] = []

    def put(self, name: str, value: Any, start: int, end: int, meaning: Meaning = "") -> None:
        """Add a slot with the words at `start` to `end`."""
        self.slots.append(Slot(name, value, self.parts.text[start:end].strip(), meaning))
        self.cover(start, end)

    def assume(self, name: str, value: Any) -> None:
        """Add an assumed slot; its words are empty."""
        self.slots.append(Slot(name, value))

    def lack(self, name: str) -> None:
        """Record that a required slot has no value."""
        self.missing.append(name)

    def cover(self, start: int, end: int) -> None:
        """Record that the words at `start` to `end` are understood."""
        self._spans.append((start, end))

    def has(self, name: str) -> bool:
        """Return whether a slot of this name exists."""
        return any(one.name == name for one in self.slots)

    def is_covered(self, start: int, end: int) -> bool:
        """Return whether some of these words are already used."""
        return any(start < last and first < end for first, last in self._spans)

    def uncovered(self) -> str:
        """Return the text with the understood words blanked."""
        text = self.parts.text
        for start, end in self._spans:
            text = text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]
        return text
