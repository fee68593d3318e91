"""R3: session checkpoints, what an agent was doing, written before its context is cut (S0 section 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from configs.errors import InvalidArgument
from workspace.atomic import write_atomic
from workspace.locks import file_lock


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where an agent stands: its task, and what it decided, found, plans and wonders."""

    context: str
    decisions: Sequence[str] = ()
    findings: Sequence[str] = ()
    next_steps: Sequence[str] = ()
    open_questions: Sequence[str] = ()


def render(checkpoint: Checkpoint, at: datetime) -> str:
    """Return `checkpoint` in the format of S0 section 8."""
    lists = (
        ("Active Decisions", checkpoint.decisions),
        ("Key Findings", checkpoint.findings),
        ("Next Steps", checkpoint.next_steps),
        ("Open Questions", checkpoint.open_questions),
    )
    parts = [f"# Session Checkpoint — {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC", "## Current Task Context"]
    parts.append(checkpoint.context.strip())
    for heading, lines in lists:
        bullets = "\n".join("- " + line.strip().replace("\n", "\n  ") for line in lines if line.strip())
        parts += [f"## {heading}", bullets or "- None"]
    return "\n\n".join(parts) + "\n"


def write(directory: Path, checkpoint: Checkpoint, at: datetime) -> Path:
    """Write a checkpoint under the agent's folder and return its file.

    Several in one minute all survive, and the later sorts behind the earlier; the very same one is not written again.
    """
    if not checkpoint.context.strip():
        message = "context is empty; say what the agent was working on"
        raise InvalidArgument(message, argument="context")
    folder = directory / "memory" / "checkpoints"
    text = render(checkpoint, at)
    stem = f"{at.astimezone(UTC):%Y-%m-%d-%H%M}"
    with file_lock(folder / ".lock"):
        # "_" sorts behind ".", so that 1430_002.md follows 1430.md; "-2" would go before it.
        taken = sorted(path for path in folder.glob(f"{stem}*.md"))
        if taken and taken[-1].read_text(encoding="utf-8") == text:
            return taken[-1]
        path = folder / (f"{stem}_{len(taken) + 1:03d}.md" if taken else f"{stem}.md")
        write_atomic(path, text)
    return path


def latest(directory: Path) -> Path | None:
    """Return the file of the latest checkpoint, or None where there is none."""
    found = sorted((directory / "memory" / "checkpoints").glob("[0-9]*.md"))
    return found[-1] if found else None
