"""Editing of a mind on a page: the text of its Markdown, JSON and rule files, merged like an edit on disk."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import Damaged, Refused, unknown
from mabos.knowledge.case_records import Case
from mabos.knowledge.model import Fact, Rule
from mabos.knowledge.rule_files import FOLDER, read_rules
from mabos.memory.model import MemoryItem
from mabos.mind.forms import MIND_FILES
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso
from mabos.workspace.markdown import split
from mabos.workspace.merge import merge
from mabos.workspace.operations import Arrange, Collections, Op, Put, apply
from mabos.workspace.records import declaration
from mabos.workspace.regular import content
from mabos.workspace.snapshots import sha_of

if TYPE_CHECKING:
    from mabos.interfaces.dashboard.view import PageRequest
    from mabos.interfaces.surfaces.door import Door
    from mabos.tools.runtime.services import Agent
    from mabos.workspace.store import Store

JSON_FILES: Mapping[str, type[Any]] = {
    "facts.json": Fact,
    "rules.json": Rule,
    "cases.json": Case,
    "memory-store.json": MemoryItem,
}
RULES = ".rules"


@dataclass(frozen=True, slots=True)
class BeatenVersion:
    """An agent's version of a section that lost to a person's edit, and the current one."""

    title: str
    agents: str
    current: str


def edit(asked: "PageRequest") -> Mapping[str, Any]:
    """Return a file of a mind for editing, its faults, and the versions that lost to an edit."""
    services = asked.services
    agent = services.agent(asked.text("agent", (services.agents() or [""])[0]))
    file = asked.text("file", "Beliefs.md")
    now = _text(agent, file)
    left = _read_conflict(agent, file)
    return {
        "agents": services.agents(),
        "agent": agent.id,
        "title": agent.mind.persona.title or agent.id,
        "files": (*MIND_FILES, *JSON_FILES, *_rule_files(agent)),
        "file": file,
        "noun": "record" if file in JSON_FILES else "rule" if file.endswith(RULES) else "section",
        "base": _plain(asked.draft.get("base", now)),
        "text": _plain(asked.draft.get("text", now)),
        "problems": [one for one in agent.mind.problems if one.file == file],
        "beaten": _beaten(left, now),
        "left": left,
        "seen": sha_of(left),
        "saved": asked.text("saved"),
    }


def save(door: "Door", agent: str, file: str, base: str, text: str) -> int:
    """Save an edit, and return how many sections or records it changed.

    Raises `MabosError` if the edit is unreadable; then nothing is written.
    """
    found, base, text = door.services.agent(agent), _plain(base), _plain(text)
    if file in JSON_FILES:
        merged = _save_records(found, file, base, text)
    elif file.endswith(RULES):
        merged = _save_rules(found, file, base, text)
    else:
        merged = sum(not isinstance(op, Arrange) for op in found.mind.take_edit(file, base, text).ops)
    door.publish()
    return merged


def _text(agent: "Agent", file: str) -> str:
    """Return the present text of a file that is edited here; raises `UnknownId` for any other name."""
    if file in JSON_FILES:
        return _document(agent, file).text(file)
    if not file.endswith(RULES):
        return agent.mind.file(file)
    if file not in _rule_files(agent):
        raise unknown("file", file, _rule_files(agent), argument="file")
    path = agent.services.layout.agent(agent.id) / file
    return content(path).decode("utf-8", "replace") if path.exists() else ""


def _rule_files(agent: "Agent") -> list[str]:
    """Return the files of rules that people wrote, and one to begin with."""
    folder = agent.services.layout.agent(agent.id) / FOLDER
    return sorted({f"{FOLDER}/own{RULES}", *(f"{FOLDER}/{one.name}" for one in folder.glob(f"*{RULES}"))})


def _document(agent: "Agent", file: str) -> "Store":
    return declaration(JSON_FILES[file]).open(agent.services.layout.agent(agent.id), agent.services.sync)


def _save_records(agent: "Agent", file: str, base: str, text: str) -> int:
    """Merge an edit of a JSON file as one on disk; of a record that both sides changed, the agent's version stays."""
    if not text.strip():
        raise Damaged("The file would be empty. Remove single records instead.", argument="text")
    declared = declaration(JSON_FILES[file])

    def check(ops: Sequence[Op]) -> None:
        for op in ops:
            if isinstance(op, Put) and op.collection in declared.collections:
                problem = declared.problem(op.key, op.value, source=f"{file}:{_line(text, op.key)}")
                if problem is not None:
                    raise Damaged(str(problem), argument="text")

    note = {"by": "hand", "at": iso(agent.clock())}
    merged = _document(agent, file).take_edit(file, base, text, note=note, check=check)
    return sum(not isinstance(op, Arrange) for op in merged.ops)


def _save_rules(agent: "Agent", file: str, base: str, text: str) -> int:
    """Write a file of rules, merged by rule if it changed meanwhile; return how many rules changed.

    Raises `Refused` where both sides changed one rule, and `Damaged` where the text cannot be read.
    """
    now = _plain(_text(agent, file))
    if now != base:
        known, mine, theirs = (_rule_blocks(one) for one in (base, text, now))
        merged = merge(known, mine, theirs, touched={}, hand_stands=True)
        if merged.conflicts:
            both = ", ".join(one.key or "the text before the first rule" for one in merged.conflicts)
            raise Refused(f"Somebody else changed this in the meantime: {both}. Reload the page, and change it there.")
        apply(theirs, merged.ops)
        base, text = now, "\n".join(f"{one.rstrip()}\n" for one in theirs[FOLDER].values() if one.strip())
    others = [one for one in _rule_files(agent) if one != file]
    taken = {rule.id: one for one in others for rule in read_rules(_text(agent, one), one)}
    rules = read_rules(text, file)
    for rule in rules:
        if rule.id in taken:
            raise Damaged(f"{file}: the id {rule.id!r} is that of a rule of {taken[rule.id]}; choose another")
    before = read_rules(base, file)
    path = agent.services.layout.agent(agent.id) / file
    path.parent.mkdir(exist_ok=True)
    write_atomic(path, text)
    return len([one for one in rules if one not in before]) + len([one for one in before if one not in rules])


def _rule_blocks(text: str) -> Collections:
    """Return the text of each rule by its first words, and the text before the first rule as ""."""
    parts = re.split(r"(?m)^(?=RULE\b)", text)
    return {FOLDER: {one.partition(":")[0] if one.startswith("RULE") else "": one for one in parts}}


def dismiss(door: "Door", agent: str, file: str, seen: str) -> None:
    """Remove the versions that lost to an edit; raises `Refused` if there are others than those `seen`."""
    found = door.services.agent(agent)
    if sha_of(_read_conflict(found, file)) != seen:
        raise Refused("Another version was added meanwhile. Look at it first.")
    _conflict(found, file).unlink(missing_ok=True)


def _beaten(left: str, now: str) -> list[BeatenVersion]:
    current = {one.key: one.text for one in split(now)[1]}
    return [BeatenVersion(one.heading, one.text.strip(), current.get(one.key, "").strip()) for one in split(left)[1]]


def _read_conflict(agent: "Agent", file: str) -> str:
    try:
        return content(_conflict(agent, file)).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def _conflict(agent: "Agent", file: str) -> Path:
    _text(agent, file)  # a name that is no file of a mind never becomes a path
    return agent.services.layout.agent(agent.id) / f"{file}.conflict"


def _line(text: str, key: str) -> int:
    """Return the line of a record's id in a JSON text."""
    return text.count("\n", 0, max(0, text.find(json.dumps(key)))) + 1


def _plain(text: str) -> str:
    """Return a text with the line ends that files have; browsers send others."""
    return text.replace("\r\n", "\n")
