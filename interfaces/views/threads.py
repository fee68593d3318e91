"""A thread on a terminal: its machine's drawing, its past states, and open decisions."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from mabos.interfaces.threads import PendingDecision, Thread, ThreadStep
from mabos.interfaces.views.words import cut, table

_LONGEST = 60  # characters of a value that are shown of a state


def view(found: Thread, says: str) -> RenderableType:
    """Return a thread for a person; `says` is its machine's description."""
    return Group(*_parts(found, says))


def _parts(found: Thread, says: str) -> Iterator[RenderableType]:
    yield Text.assemble((found.machine, "bold"), f"  {says}")
    yield table("Step", "Leads to", "What it does", rows=map(_row, found.steps))
    yield Text("\nStates", style="bold")
    if not found.past:
        yield Text("none is kept: this thread has not run, or its checkpoints were deleted")
    for past in found.past:
        yield Text(
            f"{past.at[:19]}  {'next: ' + ', '.join(past.next) if past.next else 'at its end'}  {past.checkpoint}"
        )
        yield Text(f"    {_brief(past.values)}")
    yield Text("\nWaits for a person", style="bold")
    if not found.gates:
        yield Text("nothing")
    for gate in found.gates:
        yield from _gate(gate)


def _row(step: ThreadStep) -> tuple[str, str, str]:
    return step.name, f"{'one of ' if len(step.leads_to) > 1 else ''}{', '.join(step.leads_to)}", step.does


def _gate(gate: PendingDecision) -> Iterator[Text]:
    question = gate.question
    yield Text(f"{gate.decision_id}  {question.get('from_agent', '')}: {question.get('subject', '')}")
    for option in question.get("options", ()):
        mark = "*" if option.get("id") == question.get("recommendation") else " "
        yield Text(f"  {mark} {option.get('id')}: {option.get('label')}. {option.get('impact')}")
    yield Text(f"    answer with: mabos decisions approve|reject|defer|modify {gate.decision_id}")
    for name, field in gate.form["properties"].items():
        yield Text(f"    {name}: {field.get('description', '')}", style="dim")


def _brief(values: Mapping[str, Any]) -> str:
    """Return a state on one line: its set values, long texts cut, lists and maps by their length."""
    said = []
    for name, value in values.items():
        if isinstance(value, list | dict):
            said += [f"{name} ({len(value)})"] if value else []
        elif value not in ("", None, 0):
            said.append(f"{name} {cut(str(value), _LONGEST)}")
    return " · ".join(said)
