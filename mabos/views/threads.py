"""A thread on a terminal: the drawing of its machine, the states it went through, and what waits."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from mabos.threads import Gate, Step, Thread, brief
from mabos.views.words import table


def view(found: Thread, says: str) -> RenderableType:
    """Return a thread as a person reads it; `says` is what its machine does."""
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
        yield Text(f"    {brief(past.values)}")
    yield Text("\nWaits for a person", style="bold")
    if not found.gates:
        yield Text("nothing")
    for gate in found.gates:
        yield from _gate(gate)


def _row(step: Step) -> tuple[str, str, str]:
    return step.name, f"{'one of ' if len(step.leads_to) > 1 else ''}{', '.join(step.leads_to)}", step.does


def _gate(gate: Gate) -> Iterator[Text]:
    question = gate.question
    yield Text(f"{gate.decision_id}  {question.get('from_agent', '')}: {question.get('subject', '')}")
    for option in question.get("options", ()):
        mark = "*" if option.get("id") == question.get("recommendation") else " "
        yield Text(f"  {mark} {option.get('id')}: {option.get('label')}. {option.get('impact')}")
    yield Text(f"    answer with: mabos decisions approve|reject|defer|modify {gate.decision_id}")
    for name, field in gate.form["properties"].items():
        yield Text(f"    {name}: {field.get('description', '')}", style="dim")
