"""What an agent was doing when its context was last cut, as a belief about itself (S1 section 10, phase 4)."""

from mabos.memory.checkpoints import Checkpoint, parse
from mabos.mind.model import Belief
from mabos.nodes.cycle import Cycle
from mabos.workspace.regular import as_text

BELIEF_ID = "B-session-checkpoint"
_CERTAIN = 0.9
_CONTEXT, _ENTRY = 400, 160
_CONTEXT_LINE = 5
"""The line of a checkpoint at which its task context begins."""


def resumed(cycle: Cycle) -> tuple[Belief, ...]:
    """Return the belief that the latest session checkpoint gives rise to; none where it is held already."""
    path = cycle.agent.memory.latest_checkpoint()
    if path is None or not cycle.has_changed("session checkpoint", path.name):
        return ()
    source = f"{path.relative_to(cycle.services.layout.root).as_posix()}:{_CONTEXT_LINE}"
    if any(belief.id == BELIEF_ID and belief.source == source for belief in cycle.agent.mind.beliefs):
        return ()
    checkpoint = parse(as_text(path))
    if checkpoint is None:
        return ()
    return (
        Belief(
            id=BELIEF_ID,
            statement=told(checkpoint),
            certainty=_CERTAIN,
            category="self",
            source=source,
            subject="session_checkpoint",
            value=path.stem,
            updated=cycle.now(),
        ),
    )


def told(checkpoint: Checkpoint) -> str:
    """Return a checkpoint in a few sentences: what was being done, and the first of each of its lists."""
    lists = {
        "Decided": checkpoint.decisions,
        "Found": checkpoint.findings,
        "Open": checkpoint.open_questions,
        "Next": checkpoint.next_steps,
    }
    parts = [_line(checkpoint.context, _CONTEXT)]
    parts += [
        f"{name}: {'; '.join(_line(one, _ENTRY) for one in list(lines)[:2])}" for name, lines in lists.items() if lines
    ]
    return " | ".join(parts)


def _line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit].rsplit(" ", 1)[0] + " ..."
