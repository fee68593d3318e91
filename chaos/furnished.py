"""A company with one of everything, and each writing call of the catalogue on a copy of it, with the resulting files.

company = furnished(folder)
place = company.copy(folder / "trial")
performed(place, company.case("fact_assert"))
assert state(place) == company.case("fact_assert").state
"""

import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from mabos.interfaces.soundness import damaged_files
from mabos.knowledge.entities.model import entity_id
from mabos.workspace.documents import EXTRA, JsonCodec
from mabos.workspace.journal import JournalChange, parse_entries
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.effects import EFFECTS, Effect
from tests.tools.catalogue.furnished import furnish
from tests.tools.catalogue.house import house
from tests.world import World

KEY = "chaos-1"
_TASK = {
    "task": {"id": "TASK-2", "systemPrompt": "Count", "messages": [{"role": "assistant", "content": "Rent is 9."}]}
}
BESIDE = (
    Effect("ldg:task:save", _TASK, ""),
    Effect("mem:archive", {"taskId": "TASK-2"}, "", first=(("cfo", "ldg:task:save", _TASK),)),
)
"""Writing operations that stand beside the catalogue."""

_KEEP, _WIN = "insight:keep-customers", "insight:win-customers"
_MERGE = {"action": "merge_entities", "entity": _KEEP, "duplicates": [_WIN]}
_ARCHIVE = {"action": "archive", "entity": _KEEP}
_SEEN = {"action": "add_observation", "entity": _KEEP, "content": "Two stayed after a call"}
KNOWLEDGE = (
    {"action": "create_entity", "type": "Insight", "name": "be-early", "observations": ["The first was kept", "Two"]},
    _SEEN,
    {"action": "create_relation", "from": _KEEP, "to": _WIN, "type": "BUILDS_ON", "properties": {"reason": "x"}},
    {"action": "invalidate_fact", "target": _KEEP, "superseded_by": _WIN, "reason": "It is dearer"},
    _MERGE,
    {"action": "undo_merge", "target": entity_id("acme", "Insight", "win-customers", ())},
    {"action": "set_visibility", "entity": _KEEP, "visibility": "agent-private"},
    {"action": "forget", "target": _KEEP},
    _ARCHIVE,
    {"action": "restore", "entity": _KEEP},
)
"""The calls that change the entity memory of a business."""
_BEFORE: Mapping[str, tuple[tuple[str, str, dict[str, Any]], ...]] = {
    "undo_merge": (("cfo", "knowledge", _MERGE),),
    "archive": (("cfo", "knowledge", _SEEN),),
    "restore": (("cfo", "knowledge", _SEEN), ("cfo", "knowledge", _ARCHIVE)),
}

CASES: Mapping[str, Effect] = {one.tool: one for one in (*EFFECTS, *BESIDE)} | {
    f"knowledge {one['action']}": Effect("knowledge", one, "", first=_BEFORE.get(str(one["action"]), ()))
    for one in KNOWLEDGE
}
"""Every writing call by its name."""


def furnished(folder: Path) -> Furnished:
    """Create a company with one of everything in `folder`."""
    root = folder / "template"
    with house(root) as home:
        ids = furnish(home)
    return Furnished(root, ids)


def prepared(company: Furnished, effect: Effect, place: Path) -> Path:
    """Return a copy of the company with all prerequisites of a call done."""
    root = company.copy(place)
    if effect.first:
        with house(root, found=False) as home:
            for agent, tool, arguments in effect.first:
                home.do(tool, agent or "", **company.filled(arguments))
    return root


def asked(home: World, company: Furnished, effect: Effect) -> dict[str, Any]:
    """Return the outcome of the call, always with the same key."""
    home.later(days=effect.days)
    outcome = home.call(effect.tool, company.filled(effect.arguments), effect.agent or "", key=KEY)
    return outcome.as_json() | {"repeated": outcome.repeated}


def unsound(root: Path) -> list[str]:
    """Return every damaged file and every break of the ledger, as in `mabos verify`."""
    logging.disable(logging.CRITICAL)
    try:
        with house(root, found=False) as home:
            told = [str(one) for one in damaged_files(home.services)]
            return told + [f"{one.path}:{one.line}: {one.message}" for one in home.services.ledger.verify()]
    finally:
        logging.disable(logging.NOTSET)


def state(root: Path) -> dict[str, str]:
    """Return the content of every file of truth except the ledger, for comparing two workspaces."""
    _settle(root)
    found = sorted(path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): _plain(path) for path in found if not _is_beside(path, root)}


def _is_beside(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts  # a `.tmp` is what a crash left of a file that was being replaced
    return parts[0] in (".mabos", "ledger") or ".journal." in path.name or path.suffix in (".lock", ".tmp")


def _plain(path: Path) -> str:
    raw = path.read_bytes()
    if path.suffix != ".json":
        return raw.decode("utf-8", "backslashreplace")
    content = orjson.loads(raw)
    if isinstance(content, dict):
        content.pop("version", None)  # counts the transactions, of which one that was cut short has more
        content = {name: part for name, part in content.items() if part != []}  # as good as not there
    if path.name == "effects.json":  # the second answer may say that what was asked for was there already
        content["effects"] = [{**one, "result": {}} for one in content["effects"]]
    if path.name == "outbox.json":  # a delivery that was cut short was tried twice
        content = [{**one, "attempts": 1} for one in content]
    return orjson.dumps(content, option=orjson.OPT_SORT_KEYS).decode()


def _settle(root: Path) -> None:
    """Bring every snapshot up to date with its journal."""
    with house(root, found=False) as home:
        for agent_id in home.services.agents():
            home.services.agent(agent_id).mind.store.checkpoint()
    for journal in sorted(root.rglob("*.journal.jsonl")):
        if journal.name != "mind.journal.jsonl" and ".mabos" not in journal.parts:
            _document(journal).close()


def _document(journal: Path) -> Store:
    """Return the JSON document of a journal, whoever keeps it."""
    path = journal.with_name(journal.name.replace(".journal.jsonl", ".json"))
    content = orjson.loads(path.read_bytes()) if path.exists() else {}
    named = _sections(journal)
    root = "array" if isinstance(content, list) or (not path.exists() and path.name == "inbox.json") else "object"
    if isinstance(content, dict):
        named += [name for name, value in content.items() if isinstance(value, list) and name not in named]
    codec = JsonCodec(path.name, named or ["records"], root=root)  # type: ignore[arg-type]
    return Store(path.parent, codec, journal=journal.name, sync=Sync("off"))


def _sections(journal: Path) -> list[str]:
    named: dict[str, None] = {}
    for entry, _ in parse_entries(journal, journal.read_bytes()):
        if isinstance(entry, JournalChange):
            named |= dict.fromkeys(op.collection for op in entry.ops if op.collection != EXTRA)
    return list(named)


def differences(found: Mapping[str, str], expected: Mapping[str, str]) -> Sequence[str]:
    """Return the files that differ from the expected state."""
    return sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))


def warmed(company: Furnished, place: Path) -> None:
    """Warm up this process on a copy, so that children need not repeat once-only work."""
    root = company.copy(fresh(place))
    unsound(root)
    state(root)
    fresh(place)


def fresh(place: Path) -> Path:
    """Return an unused path."""
    shutil.rmtree(place, ignore_errors=True)
    return place
