"""A mind on one screen: the agent's identity, its desires, its actions, and its beliefs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from mabos.interfaces.views.commitments import intentions
from mabos.interfaces.views.words import count, cut, share, span, table
from mabos.mind.desires import WEIGHTS

if TYPE_CHECKING:
    from mabos.interfaces.standing import Aim, BeliefState, MindOverview, RankedDesire
    from mabos.mind.model import Persona

SHOWN = 12
"""Rows of one kind on the screen; the files, `--all` and `--json` have all of them."""
_BAR = 10
_OVER = ("achieved", "abandoned", "fulfilled", "dropped")
_COLOUR = {"blocked": "yellow", "suspended": "yellow", "abandoned": "dim", "dropped": "dim", "achieved": "green"}


def view(found: "MindOverview", *, most: int | None = SHOWN) -> RenderableType:
    """Return the mind for a person, from reasons to actions; at most this many rows of each kind, None for all."""
    return Group(*_parts(found, most))


def _parts(found: "MindOverview", most: int | None) -> Iterator[RenderableType]:
    mind = found.mind
    yield _persona(mind.persona)
    for wrong in mind.problems:
        yield Text(f"could not read {wrong.file}:{wrong.line}: {wrong.message}", style="bold red")
    yield _heading("Desires", len(found.desires), most)
    yield _desires(found.desires[:most])
    yield _heading("Goals", len(found.goals), None)
    yield from _goals(found.goals)
    yield _heading("Intentions", len(found.intentions), most)
    yield from intentions(found.intentions[:most])
    yield _heading("Beliefs", len(found.beliefs), most, _standings(found.beliefs))
    yield _beliefs(found.beliefs[:most])
    if mind.learnings:
        yield _heading("Learnings", len(mind.learnings), None)
        yield from (Text(f"· {item.insight}", overflow="ellipsis", no_wrap=True) for item in mind.learnings[-3:])


def _heading(kind: str, number: int, most: int | None, more: str = "") -> Text:
    words = Text(f"\n{kind} ({number})", style="bold")
    if more:
        words.append(f"  {more}", style="not bold dim")
    if most is not None and number > most:
        words.append(f"  the first {most}; {number - most} more with --all", style="not bold dim")
    return words


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


def _desires(desires: Sequence["RankedDesire"]) -> RenderableType:
    """Return the desires with each term's share of the priority, and why one waits or is over."""
    if not desires:
        return Text("none", style="dim")
    terms = ("base", "impt", "urgy", "fit", "deps")
    rows = []
    for one in desires:
        adds = [share(added) for _, added in one.terms.values()] or ["as", "it", "was", "stated", ""]
        rows.append([share(one.priority), *adds, _desire(one)])
    made = table(">Priority", *(f">{term}" for term in terms), "Desire", rows=rows)
    weights = " + ".join(f"{weight:g} {name}" for name, weight in WEIGHTS.items())
    return Group(made, Text(f"A column is what its term adds: {weights}", style="dim"))


def _desire(one: "RankedDesire") -> Text:
    desire = one.desire
    words = Text(desire.name, style="dim" if desire.status in _OVER else "")
    if desire.status != "active":
        words.append(f"  {desire.status}", style=_COLOUR.get(desire.status, "dim"))
    serves = f"serves {desire.serves}" if desire.serves else ""
    facts = " · ".join(filter(None, (desire.id, f"{desire.type}, {desire.category}", desire.target, serves)))
    words.append(f"\n{facts}", style="dim")
    if desire.reason:
        words.append(f"\n{desire.reason}", style="italic dim")
    return words


def _goals(goals: Sequence["Aim"]) -> Iterator[RenderableType]:
    """Yield the goals as trees, tactical under strategic, operational under tactical."""
    if not goals:
        yield Text("none", style="dim")
    known = {one.goal.id for one in goals}
    roots: list[Tree] = []
    branches: dict[str, Tree] = {}
    waiting = sorted(goals, key=lambda one: (one.goal.status in _OVER, -one.goal.priority))
    while waiting:
        ready = [one for one in waiting if one.goal.parent_goal_id not in known or one.goal.parent_goal_id in branches]
        for one in ready or waiting[:1]:  # goals that name each other as parents hang from the root
            above = branches.get(one.goal.parent_goal_id)
            branch = Tree(_goal(one), guide_style="dim")
            branches[one.goal.id] = branch
            above.children.append(branch) if above else roots.append(branch)
            waiting.remove(one)
    yield from roots


def _goal(one: "Aim") -> Text:
    goal = one.goal
    words = Text(overflow="fold")
    words.append(bar(goal.progress / 100), style="green" if goal.status == "achieved" else "cyan")
    words.append(f" {goal.progress:3.0f} %  ")
    words.append(goal.description, style="dim" if goal.status in _OVER else "bold")
    words.append(f"  {goal.level}, ", style="dim")
    words.append(goal.status, style=_COLOUR.get(goal.status, "dim"))
    due = f"due {goal.deadline[:10]}" if goal.deadline else ""
    most = ", ".join(f"{amount:,.10g} {name}" for name, amount in goal.budget.items())
    serving = [f"for {goal.desire_id}" if goal.desire_id else "", ", ".join(one.intentions), most and f"budget {most}"]
    words.append("\n" + " · ".join(filter(None, (goal.id, goal.target, due, *serving))), style="dim")
    for blocker in one.blockers:
        words.append(f"\n✗ {blocker}", style="yellow")
    if goal.status == "blocked":
        words.append(f"  see: mabos why {goal.id}", style="dim")
    return words


def bar(part: float, width: int = _BAR) -> str:
    """Return a share in [0, 1] as a bar with a given number of characters."""
    full = round(part * width)
    return "█" * full + "░" * (width - full)


def _standings(beliefs: Sequence["BeliefState"]) -> str:
    """Return how many beliefs are held no longer, or to be reviewed."""
    counted = {status: sum(one.belief.status == status for one in beliefs) for status in ("flagged", "superseded")}
    told = [
        f"{number} {'flagged for review' if status == 'flagged' else status}"
        for status, number in counted.items()
        if number
    ]
    return ", ".join(["most relevant first", *told])


def _beliefs(beliefs: Sequence["BeliefState"]) -> RenderableType:
    if not beliefs:
        return Text("none", style="dim")
    return table(
        *(">Sure", ">Age", "Belief", "Source", "Asked for by"),
        rows=[
            [share(one.belief.certainty), span(one.age), _statement(one), cut(one.belief.source, 24), _asking(one)]
            for one in beliefs
        ],
    )


def _statement(one: "BeliefState") -> str:
    belief = one.belief
    text = belief.statement or " ".join(filter(None, (belief.subject, belief.predicate, belief.value)))
    mark = "" if belief.status == "held" else f"[{belief.status}] "
    return mark + text.strip().partition("\n")[0]


def _asking(one: "BeliefState") -> str:
    """Return how many plans, goals and desires ask for a belief."""
    kinds = {"P": "plan", "G": "goal", "D": "desire"}
    counted = {noun: sum(owner.startswith(f"{letter}-") for owner in one.asked_by) for letter, noun in kinds.items()}
    return ", ".join(count(number, noun) for noun, number in counted.items() if number)
