"""R3: session checkpoints record an agent's work before its context is cut (S0 section 8, S1 section 10)."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.workspace.atomic import write_atomic
from mabos.workspace.locks import file_lock
from mabos.workspace.regular import as_text

_TASK = "Current Task Context"
_LISTS = {
    "Active Decisions": "decisions",
    "Key Findings": "findings",
    "Next Steps": "next_steps",
    "Open Questions": "open_questions",
}
_HEADING = re.compile(r"##\s+(.+?)\s*#*")
_MARK = re.compile(r"\n> Conversation (\w+), part (\w+), up to message (\w+)\.\s*$")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An agent's current state: its task, decisions, findings, next steps and open questions."""

    context: str
    decisions: Sequence[str] = ()
    findings: Sequence[str] = ()
    next_steps: Sequence[str] = ()
    open_questions: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CheckpointMark:
    """The conversation of a checkpoint: its thread, the part of it, and the last message covered."""

    thread: str
    part: str
    message: str

    @classmethod
    def of(cls, thread: str, part: str, message: str) -> "CheckpointMark":
        """Return the mark of three texts; files contain a short hash of each."""
        return cls(digest(thread), digest(part), digest(message))


def digest(text: str) -> str:
    """Return the short hash of `text` used in marks."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def render(checkpoint: Checkpoint, at: datetime) -> str:
    """Return `checkpoint` in the format of S0 section 8."""
    parts = [f"# Session Checkpoint — {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC", f"## {_TASK}"]
    parts.append(checkpoint.context.strip())
    for heading, name in _LISTS.items():
        lines: Sequence[str] = getattr(checkpoint, name)
        bullets = "\n".join("- " + line.strip().replace("\n", "\n  ") for line in lines if line.strip())
        parts += [f"## {heading}", bullets or "- None"]
    return "\n\n".join(parts) + "\n"


def parse(text: str) -> Checkpoint | None:
    """Return the checkpoint in a Markdown text, written by `render`, a model or a person.

    None without a task context. Headings may come in any order; text under other headings is left out.
    """
    found = sections(body(text))
    context = found.get(_TASK.lower(), "").strip()
    if not context:
        return None
    return Checkpoint(context, **{name: bullets(found.get(heading.lower(), "")) for heading, name in _LISTS.items()})


def sections(text: str) -> dict[str, str]:
    """Return the text under each second-level heading, by the heading in lower case."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line.strip())
        if heading:
            lines = found.setdefault(heading[1].lower().rstrip(":"), [])
        else:
            lines.append(line)
    return {heading: "\n".join(under) for heading, under in found.items()}


def bullets(text: str) -> tuple[str, ...]:
    """Return the entries of a list, with their continuation lines; `None` is not an entry."""
    found: list[str] = []
    for line in text.splitlines():
        entry = re.fullmatch(r"(?:[-*•]|\d+[.)])\s+(.*\S)\s*", line)
        if entry:
            found.append(entry[1])
        elif line.strip() and found:
            found[-1] += "\n" + line.strip()
        elif line.strip():
            found.append(line.strip())
    return tuple(one for one in found if one.strip(" .").lower() != "none")


def write(directory: Path, checkpoint: Checkpoint, at: datetime, mark: CheckpointMark | None = None) -> Path:
    """Write a checkpoint under the agent's folder and return its file.

    Several in one minute are all kept and sort in order; an identical one, or one with the same `mark`, is not written
    again.
    """
    if not checkpoint.context.strip():
        message = "context is empty; say what the agent was working on"
        raise InvalidArgument(message, argument="context")
    folder = directory / "memory" / "checkpoints"
    text = render(checkpoint, at)
    if mark:
        text += f"\n> Conversation {mark.thread}, part {mark.part}, up to message {mark.message}.\n"
    stem = f"{at.astimezone(UTC):%Y-%m-%d-%H%M}"
    # Half a character, as a model's JSON may hold, is no text that a file could.
    text = text.encode("utf-8", "replace").decode("utf-8")
    with file_lock(folder / ".lock"):
        for path, known in find_checkpoints(directory, mark.thread) if mark else ():
            if known == mark:
                return path
        last = max((number for path in folder.glob(f"{stem}*.md") if (number := _number(path, stem))), default=0)
        if last and _holds(_checkpoint_path(folder, stem, last), text):
            return _checkpoint_path(folder, stem, last)
        path = _checkpoint_path(folder, stem, last + 1)
        write_atomic(path, text)
    return path


def _checkpoint_path(folder: Path, stem: str, number: int) -> Path:
    """Return the file of a checkpoint of one minute, the first being 1."""
    # "_" sorts behind ".", so that 1430_002.md follows 1430.md; "-2" would go before it.
    return folder / (f"{stem}_{number:03d}.md" if number > 1 else f"{stem}.md")


def _number(path: Path, stem: str) -> int:
    """Return which checkpoint of its minute a file is; 0 where a person named it."""
    found = re.fullmatch(r"(?:_(\d{3,9}))?\.md", path.name.removeprefix(stem))
    return 0 if found is None else int(found[1] or 1)


def _holds(path: Path, text: str) -> bool:
    try:
        return as_text(path) == text
    except (FileNotFoundError, Damaged):  # what a person did to another one keeps none from being written
        return False


def latest(directory: Path) -> Path | None:
    """Return the file of the latest checkpoint, or None if there is none."""
    return next(_newest_first(directory), None)


def find_checkpoints(directory: Path, thread: str) -> Iterator[tuple[Path, CheckpointMark]]:
    """Yield the checkpoints of one conversation, newest first; `thread` is that of their marks."""
    for path in _newest_first(directory):
        try:
            mark = mark_of(as_text(path))
        except FileNotFoundError:  # a person tidied up meanwhile
            continue
        if mark and mark.thread == thread:
            yield path, mark


def mark_of(text: str) -> CheckpointMark | None:
    """Return the mark in a checkpoint's text; None if it was written without one."""
    found = _MARK.search(text)
    return CheckpointMark(*found.groups()) if found else None


def body(text: str) -> str:
    """Return a checkpoint's text without its mark."""
    return _MARK.sub("", text)


def _newest_first(directory: Path) -> Iterator[Path]:
    return iter(sorted((directory / "memory" / "checkpoints").glob("[0-9]*.md"), reverse=True))
