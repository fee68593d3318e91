"""Edit a mind on a page: the text of each of its files, merged as an edit on disk is."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import Refused
from mabos.mind.forms import MIND_FILES
from mabos.workspace.markdown import split
from mabos.workspace.operations import Arrange
from mabos.workspace.regular import content

if TYPE_CHECKING:
    from mabos.interfaces.dashboard.view import PageRequest
    from mabos.interfaces.surfaces.door import Door
    from mabos.tools.runtime.services import Agent

ABOUT = {
    "Persona.md": "Who the agent is, how it writes, and how far it may act without asking.",
    "Capabilities.md": "The tools that it may call, and its skills.",
    "Beliefs.md": "What it takes to be true. One section a belief; Certainty is a number from 0 to 1.",
    "Desires.md": "What it wants in the long run, and what decides their order.",
    "Goals.md": "What it wants to reach now. A Target such as “cash >= 50000” lets figures decide.",
    "Intentions.md": "What it has committed to. Each names its goal and its plan.",
    "Plans.md": "The steps by which it works on its goals.",
    "Commitments.md": "What it owes to others, and until when.",
    "Playbooks.md": "Standing procedures: a Trigger, a Success, and numbered steps.",
    "Knowledge.md": "What it should know about the business, in plain text.",
    "Learnings.md": "What went well or badly, and what follows.",
    "Memory.md": "Notes about itself and its colleagues.",
}
"""One sentence for each file of a mind."""


@dataclass(frozen=True, slots=True)
class BeatenVersion:
    """An agent's version of a section that lost to a person's edit, and the one in the file."""

    title: str
    agents: str
    current: str


def edit(asked: "PageRequest") -> Mapping[str, Any]:
    """Return one file of a mind to edit, what is wrong in it, and the versions that lost to an edit."""
    services = asked.services
    agent = services.agent(asked.text("agent", (services.agents() or [""])[0]))
    file = asked.text("file", "Beliefs.md")
    now = agent.mind.file(file)
    left = _left(agent, file)
    return {
        "agents": services.agents(),
        "agent": agent.id,
        "title": agent.mind.persona.title or agent.id,
        "files": MIND_FILES,
        "file": file,
        "about": ABOUT[file],
        "base": _plain(asked.draft.get("base", now)),
        "text": _plain(asked.draft.get("text", now)),
        "problems": [one for one in agent.mind.problems if one.file == file],
        "beaten": _beaten(left, now),
        "left": left,
        "seen": _hash(left),
        "saved": asked.text("saved"),
    }


def save(door: "Door", agent: str, file: str, base: str, text: str) -> int:
    """Save an edit, and return how many sections it changed.

    Raises `MabosError` where the edit cannot be read; then nothing is written.
    """
    merged = door.services.agent(agent).mind.take_edit(file, _plain(base), _plain(text))
    door.publish()
    return sum(not isinstance(op, Arrange) for op in merged.ops)


def dismiss(door: "Door", agent: str, file: str, seen: str) -> None:
    """Remove the versions that lost to an edit; raises `Refused` where there are others than those `seen`."""
    found = door.services.agent(agent)
    if _hash(_left(found, file)) != seen:
        raise Refused("Another version was added meanwhile. Look at it first.")
    _conflict(found, file).unlink(missing_ok=True)


def _beaten(left: str, now: str) -> list[BeatenVersion]:
    current = {one.key: one.text for one in split(now)[1]}
    return [BeatenVersion(one.heading, one.text.strip(), current.get(one.key, "").strip()) for one in split(left)[1]]


def _left(agent: "Agent", file: str) -> str:
    try:
        return content(_conflict(agent, file)).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def _conflict(agent: "Agent", file: str) -> Path:
    agent.mind.file(file)  # a name that is none of the twelve never becomes a path
    return agent.services.layout.agent(agent.id) / f"{file}.conflict"


def _plain(text: str) -> str:
    """Return a text with the line ends that files have; browsers send others."""
    return text.replace("\r\n", "\n")


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
