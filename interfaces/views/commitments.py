"""An agent's commitments: each intention with its clock, and its plan as a tree of tasks and steps."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text
from rich.tree import Tree

from mabos.interfaces.views.words import span

if TYPE_CHECKING:
    from mabos.interfaces.standing import Committed, PlanBranch
    from mabos.mind.model import Plan, Step

_MARKS = {"done": "✓", "begun": "▸", "waiting": "…", "failed": "✗", "skipped": "-", "pending": "·"}
_COLOURS = {"done": "green", "failed": "red", "waiting": "yellow", "skipped": "dim", "pending": "", "begun": "cyan"}


def intentions(committed: Sequence["Committed"]) -> Iterator[RenderableType]:
    """Yield each intention with its plan below it."""
    if not committed:
        yield Text("the agent has committed to nothing at present", style="dim")
    for one in committed:
        tree = Tree(_intention(one), guide_style="dim")
        if one.plan is not None:
            _grow(tree, one.plan)
        yield tree


def _intention(one: "Committed") -> Text:
    intention, plan = one.intention, one.plan
    words = Text(plan.name if plan else intention.description or intention.id, style="bold", overflow="fold")
    words.append(f"  {intention.strategy}, ", style="not bold dim")
    words.append(intention.status, style="not bold green" if intention.status == "active" else "not bold yellow")
    words.append(f", {intention.progress:.0%}", style="not bold dim")
    words.append(f"\n{' · '.join((_clock(one), *_facts(one)))}", style="not bold dim")
    if intention.reason and intention.status != "awaiting_approval":
        words.append(f"\n{intention.reason}", style="not bold italic dim")
    return words


def _clock(one: "Committed") -> str:
    """Return in words how long it has until it counts as stalled."""
    clock, intention = one.clock, one.intention
    if intention.status == "awaiting_approval":
        return f"waits for {intention.decision_id or 'a person'}, and does not stall"
    if clock.window is None or clock.left is None:
        return "never stalls" if intention.strategy == "single-minded" else "no stall clock: it says no dates"
    last = f"no change for {span(clock.window - clock.left)} of {clock.window:g} d"
    return f"stalls in {span(clock.left)} ({last})" if clock.left >= 0 else f"stalled ({last})"


def _facts(one: "Committed") -> Iterator[str]:
    intention = one.intention
    if one.due is not None:
        yield f"due in {span(one.due)}" if one.due >= 0 else f"overdue by {span(-one.due)}"
    if intention.turns:
        yield f"{intention.turns} turns beside others"
    yield f"{intention.id} for {intention.goal_id}"


def _grow(tree: Tree, plan: "Plan") -> None:
    from mabos.interfaces.standing import tree as parts_of
    from mabos.mind.plans import current_step

    current = current_step(plan)
    here = current.id if current is not None and plan.status in ("draft", "active") else ""

    def grow(above: Tree, parts: "Sequence[PlanBranch]") -> None:
        for part in parts:
            if part.step is not None:
                above.add(_step(part.step, is_next=part.step.id == here))
            else:
                grow(above.add(_task(part)), part.parts)

    grow(tree, parts_of(plan))


def _task(part: "PlanBranch") -> Text:
    words = Text(f"{_MARKS[part.status]} {part.name.replace('_', ' ')}", style=_COLOURS[part.status])
    words.append(f"  by {part.way.replace('_', ' ')}", style="dim")
    return words


def _step(step: "Step", *, is_next: bool) -> Text:
    words = Text(f"{_MARKS[step.status]} {step.description or step.tool or step.id}", style=_COLOURS[step.status])
    if step.tool and step.description:
        words.append(f"  {step.tool}", style="dim")
    if step.result:
        words.append(f"  {step.result[:60]}", style="dim")
    if is_next:
        words.append("  ← next", style="bold cyan")
    return words
