"""A part of a briefing: a heading and lines, most relevant first; a budget drops lines from the end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from mabos.backends.shown import fence_text
from mabos.tools.work.compact import tokens

KEEP: Final = 10_000
"""A `floor` that no budget goes below."""


@dataclass(frozen=True, slots=True)
class BriefingPart:
    """A part of a briefing; a budget keeps at least `floor` lines while other parts can give more.

    Parts with a lower `worth` give their lines first. `supports` limits what a reply may take from it: from roles,
    rules and goals only "facts", not reports of actions. Outside text `is_data` and is marked as such. `left` is the
    number of dropped lines.
    """

    title: str
    lines: tuple[str, ...]
    worth: int = 5
    floor: int = 0
    supports: Literal["all", "facts", "nothing"] = "all"
    is_data: bool = False
    left: int = 0

    @property
    def text(self) -> str:
        """Return the part's text for a model, or an empty text without lines."""
        return self._text([fence_text("\n".join(self.lines))] if self.is_data else self.lines)

    @property
    def bare(self) -> str:
        """Return the part without its own data marks, for use inside a larger data block."""
        return self._text(self.lines)

    def _text(self, lines: Sequence[str]) -> str:
        if not self.lines:
            return ""
        more = [f"(and {self.left} more)"] if self.left else []
        return "\n".join([*([f"## {self.title}"] if self.title else []), *lines, *more])

    @property
    def size(self) -> int:
        """Return the approximate number of tokens."""
        return tokens(self.text) + 1 if self.lines else 0


def fit_parts(parts: Sequence[BriefingPart], budget: int) -> tuple[BriefingPart, ...]:
    """Return the parts within a token budget: the least relevant lines are dropped, part by part, down to the floors.

    If that is not enough, floors fall too, except `KEEP`.
    """
    kept = list(parts)
    over = sum(one.size for one in kept) - budget
    for lowest in (None, 0):
        for at in sorted(range(len(kept)), key=lambda number: kept[number].worth):
            part = kept[at]
            floor = part.floor if lowest is None or part.floor >= KEEP else lowest
            while over > 0 and len(part.lines) > floor:
                smaller = replace(part, lines=part.lines[:-1], left=part.left + 1)
                over -= part.size - smaller.size
                part = smaller
            kept[at] = part
    return tuple(kept)
