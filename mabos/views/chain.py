"""A chain of reasons as a tree: what it is above, what it rests on below."""

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.tree import Tree

if TYPE_CHECKING:
    from mabos.reasons.chain import Reason


def chain(reason: "Reason") -> Tree:
    """Return the chain as a tree to print, in which everything stands once."""
    tree = Tree(_line(reason), guide_style="dim")
    _grow(tree, reason)
    return tree


def _grow(tree: Tree, reason: "Reason") -> None:
    for link in reason.because:
        if not link.seen:
            _grow(tree.add(_line(link)), link)


def _line(reason: "Reason") -> str:
    first, _, rest = reason.words.strip().partition("\n")
    who = f" of {reason.agent_id}" if reason.agent_id else ""
    when = f", {reason.at[:16].replace('T', ' ')}" if reason.at else ""
    more = " …" if rest else ""
    return (
        f"[bold]{escape(reason.kind)}[/bold]{escape(who)} {escape(first)}{more} [dim]({escape(reason.id)}{when})[/dim]"
    )
