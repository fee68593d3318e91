"""A mind on one screen: who the agent is, what it wants, what it is doing about it, and what it holds true."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.text import Text
from rich.tree import Tree

from mabos.views.words import share, table

if TYPE_CHECKING:
    from mind.mind import Mind
    from mind.model import Belief, Goal, Intention, Persona, Plan

_SHOWN = 12
"""Rows of one kind on the screen; the files and `--json` have all of them."""

_MARKS = {"done": "✓", "begun": "▸", "waiting": "…", "failed": "✗", "skipped": "-", "pending": "·"}


def as_json(mind: "Mind") -> dict[str, Any]:
    """Return the whole mind as JSON, under the names of its files."""
    return {
        "persona": _plain(asdict(mind.persona)),
        "beliefs": [asdict(item) for item in mind.beliefs],
        "desires": [asdict(item) for item in mind.desires],
        "goals": [asdict(item) for item in mind.goals],
        "intentions": [asdict(item) for item in mind.intentions],
        "plans": [_plain(asdict(item)) for item in mind.plans],
        "commitments": [asdict(item) for item in mind.commitments],
        "learnings": [asdict(item) for item in mind.learnings],
        "problems": [asdict(item) for item in mind.problems],
    }


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in record.items()}


def view(mind: "Mind") -> RenderableType:
    """Return the mind as a person reads it, from why to what."""
    return Group(*_parts(mind))


def _parts(mind: "Mind") -> Iterator[RenderableType]:
    yield _persona(mind.persona)
    for wrong in mind.problems:
        yield Text(f"could not read {wrong.file}:{wrong.line}: {wrong.message}", style="bold red")
    desires = sorted(mind.desires, key=lambda desire: -desire.priority)
    yield table(
        *("Desire", "Type", ">Priority", "Status", "Target"),
        rows=[[d.name, d.type, share(d.priority), d.status, d.target] for d in desires[:_SHOWN]],
        title=_heading("Desires", len(desires)),
    )
    yield _goals(mind.goals)
    yield from _intentions(mind.intentions, {plan.id: plan for plan in mind.plans})
    yield _beliefs(mind.beliefs)
    if mind.learnings:
        lessons = [[item.insight] for item in mind.learnings[-3:]]
        yield table("Lesson", rows=lessons, title=_heading("Learnings", len(mind.learnings)))


def _heading(kind: str, number: int) -> str:
    more = f", the first {_SHOWN}" if number > _SHOWN else ""
    return f"\n{kind} ({number}{more})"


def _persona(persona: "Persona") -> Text:
    words = Text(f"{persona.title or persona.agent_id}", style="bold")
    facts = [
        persona.agent_id,
        persona.department,
        f"reports to {persona.reports_to}" if persona.reports_to else "",
        f"manages {', '.join(persona.manages)}" if persona.manages else "",
        f"autonomy {persona.autonomy}",
    ]
    words.append("  " + " · ".join(fact for fact in facts if fact), style="not bold")
    if persona.style:
        words.append(f"\n{persona.style}", style="not bold italic")
    return words


def _goals(goals: Sequence["Goal"]) -> RenderableType:
    """Return the goals as a tree, tactical under strategic, operational under tactical."""
    if not goals:
        return Text("\nGoals (0)")
    tree = Tree(_heading("Goals", len(goals)).strip(), guide_style="dim")
    known = {goal.id for goal in goals}
    branches: dict[str, Tree] = {}
    waiting = list(goals)
    while waiting:
        ready = [g for g in waiting if g.parent_goal_id not in known or g.parent_goal_id in branches]
        for goal in ready or waiting[:1]:  # goals that name each other as parents hang from the root
            above = branches.get(goal.parent_goal_id, tree)
            branches[goal.id] = above.add(_goal(goal))
            waiting.remove(goal)
    return Group(Text(""), tree)


def _goal(goal: "Goal") -> str:
    due = f", due {goal.deadline[:10]}" if goal.deadline else ""
    target = f" [dim]{escape(goal.target)}[/dim]" if goal.target else ""
    return f"{escape(goal.description)}{target} ({goal.level}, {goal.status}, {goal.progress:.0f} %{due})"


def _intentions(intentions: Sequence["Intention"], plans: Mapping[str, "Plan"]) -> Iterator[RenderableType]:
    if not intentions:
        yield Text("\nIntentions (0): the agent has committed to nothing at present")
        return
    yield Text(_heading("Intentions", len(intentions)))
    for intention in intentions[:_SHOWN]:
        plan = plans.get(intention.plan_id)
        name = plan.name if plan else intention.description or intention.id
        waits = f", waits for {intention.decision_id}" if intention.status == "awaiting_approval" else ""
        status = f"{intention.strategy}, {intention.status}, {intention.progress:.0%}{waits}"
        tree = Tree(f"{escape(name)} ({status})", guide_style="dim")
        for step in plan.steps if plan else ():
            result = f" [dim]{escape(step.result[:60])}[/dim]" if step.result else ""
            tree.add(f"{_MARKS.get(step.status, '·')} {escape(step.description or step.tool)}{result}")
        yield tree


def _beliefs(beliefs: Sequence["Belief"]) -> RenderableType:
    held = sorted(beliefs, key=lambda belief: (belief.status != "held", -belief.certainty))
    return table(
        *("Belief", ">Certainty", "Status", "Source"),
        rows=[[_statement(b), share(b.certainty), b.status, b.source] for b in held[:_SHOWN]],
        title=_heading("Beliefs", len(held)),
    )


def _statement(belief: "Belief") -> str:
    text = belief.statement or " ".join(filter(None, (belief.subject, belief.predicate, belief.value)))
    first = text.strip().partition("\n")[0]
    return first if len(first) <= 56 else first[:55] + "…"
