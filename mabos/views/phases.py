"""The phases of a cycle as they happen, one line each."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from mabos.views.words import count, said

if TYPE_CHECKING:
    from nodes.report import CycleReport

Event = Mapping[str, Any]
_FRAME = {"phase", "agent_id", "cycle", "status"}


def phase_printer(out: Console) -> Callable[[Event], None]:
    """Return a function that writes a line for each phase that is done."""

    def on_event(event: Event) -> None:
        if event.get("status") == "done":
            out.print(phase_line(event))

    return on_event


def phase_line(event: Event) -> str:
    """Return what a phase says it did: `perceive    3 messages · 2 beliefs`."""
    told = [_told(name, value) for name, value in event.items() if name not in _FRAME]
    words = " · ".join(escape(word) for word in told if word) or "[dim]nothing to do[/dim]"
    return f"[bold]{event.get('phase', ''):<11}[/bold] {words}"


def _told(name: str, value: Any) -> str:
    noun = name.replace("_", " ")
    if isinstance(value, list | tuple):
        return (
            count(len(value), noun.removesuffix("s")) if len(value) != 1 else f"{noun.removesuffix('s')} {said(value)}"
        )
    if value is True:
        return noun
    return f"{noun} {said(value)}" if value not in (None, "", False) else ""


def closing_line(report: "CycleReport") -> str:
    """Return the end of a cycle in one line."""
    outcome = escape("; ".join([report.outcome or "done", *report.failures]))
    waiting = f"; waits for {', '.join(report.decision_ids)} (see: mabos decisions)" if report.decision_ids else ""
    return f"{escape(report.agent_id)}: {outcome}{escape(waiting)}"
