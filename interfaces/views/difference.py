"""Two runs side by side, for a terminal."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape

from mabos.interfaces.views.words import table
from mabos.society.simulation.difference import RunDeed, RunDifference
from mabos.society.simulation.figures import figure

_SHOWN = 12
_HASH = 12  # characters that tell two scenarios apart


def difference_shown(found: RunDifference, ours: str, theirs: str) -> RenderableType:
    """Return how the run `ours` differs from `theirs`: terms, final figures, and actions of only one."""
    if found.is_same:
        return escape(f"{ours} and {theirs} are the same: every figure and every deed of every week")
    parts: list[RenderableType] = [f"The runs part in week {found.parted}."]
    if found.terms:
        parts.append(
            table(
                "Played with",
                "A",
                "B",
                rows=[[name, *(_short(name, term) for term in pair)] for name, pair in found.terms.items()],
            )
        )
    money = figure("cash")
    scores = [["Score", *(money.written(score) for score in found.scores), money.delta(*found.scores)]]
    rows = [*scores, *([one.label, one.ours, one.theirs, one.change] for one in found.lines)]
    parts.append(table("At the end", ">A", ">B", ">Change", rows=rows))
    if found.otherwise:
        parts.append(_otherwise(found.otherwise))
    for title, deeds in (("Only in A", found.only_ours), ("Only in B", found.only_theirs)):
        if deeds:
            parts.append(_deeds(title, deeds))
    return Group(*(part for one in parts for part in (one, "")))


def _short(name: str, term: Any) -> str:
    return str(term)[:_HASH] if name.endswith("_hash") else str(term)


def _otherwise(pairs: Sequence[tuple[RunDeed, RunDeed]]) -> RenderableType:
    rows = [
        [one.agent, one.subject, *(f"{deed.approval or 'not asked'} (week {deed.week})" for deed in (one, other))]
        for one, other in pairs[:_SHOWN]
    ]
    more = f", the first {_SHOWN} of {len(pairs)}" if len(pairs) > _SHOWN else ""
    return table("Agent", f"Answered otherwise{more}", "Owner of A", "Owner of B", rows=rows)


def _deeds(title: str, deeds: Sequence[RunDeed]) -> RenderableType:
    rows = [[one.week, one.agent, one.subject, one.approval] for one in deeds[:_SHOWN]]
    more = f", the first {_SHOWN} of {len(deeds)}" if len(deeds) > _SHOWN else ""
    return table(">Week", "Agent", f"{title}{more}", "Owner", rows=rows)
