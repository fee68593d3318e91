"""A chain of reasons as a tree: the record on top, its reasons below."""

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.tree import Tree

from mabos.interfaces.views.words import cut

if TYPE_CHECKING:
    from mabos.interfaces.reasons.chain import Reason

_LONGEST = 100
"""Characters on the screen of what a thing rests on; `--json` has all of them."""


def chain(reason: "Reason") -> Tree:
    """Return the chain as a printable tree, in which everything appears once."""
    tree = Tree(_line(reason, len(reason.words)), guide_style="dim")
    _grow(tree, reason)
    return tree


def _grow(tree: Tree, reason: "Reason") -> None:
    for link in reason.because:
        if not link.seen:
            _grow(tree.add(_line(link)), link)


def _line(reason: "Reason", longest: int = _LONGEST) -> str:
    first, _, rest = reason.words.strip().partition("\n")
    who = f" of {reason.agent_id}" if reason.agent_id else ""
    more = " …" if rest and len(first) <= longest else ""
    return f"[bold]{escape(reason.kind)}[/bold] {escape(reason.id)}{escape(who)}: {escape(cut(first, longest))}{more}"
