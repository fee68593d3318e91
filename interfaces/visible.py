"""Untrusted text on a terminal: control and reordering characters are replaced by a visible sign.

A file, message or error may contain characters that clear the screen, rename the window, or hide or reverse letters. A
person who approves a payment must see the real text.
"""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mabos.backends.shown import UNSEEN

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_SIGN = "�"


def visible(text: str) -> str:
    """Return a text with a sign in place of every invisible character, like those that control terminals.

    >>> visible("paid\\x1b[8m not\\u202e")
    'paid�[8m not�'
    """
    return UNSEEN.sub(_SIGN, text)


def escape_unseen(text: str) -> str:
    """Return equivalent JSON with those characters escaped."""
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def guard_console(console: "Console") -> "Console":
    """Return a console that keeps its own colours and boxes but makes all content visible."""
    from rich.segment import Segment

    class Shown:
        def __init__(self, inside: Any) -> None:
            self._inside = inside

        def __rich_console__(self, to: "Console", options: "ConsoleOptions") -> "RenderResult":
            for one in to.render(self._inside, options):
                yield one if one.control else Segment(visible(one.text), one.style)

    class Hook:
        def process_renderables(self, renderables: Iterable[Any]) -> list[Any]:
            return [Shown(one) for one in renderables]

    console.push_render_hook(Hook())  # type: ignore[arg-type]  # of rich's own class only for its type
    return console
