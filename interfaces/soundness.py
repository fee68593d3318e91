"""Detection of damaged or missing files of truth, of every kind, with line and remedy.

    from mabos.interfaces.soundness import damaged_files

    for finding in damaged_files(services):
        print(finding)                     # agents/cfo/facts.json:3: not JSON (...); correct it by hand

Each file is read by its usual reader, from the folders on disk, so a damaged or missing manifest does not hide the
files it names.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from mabos.configs.errors import Damaged, MabosError
from mabos.workspace.branches import FOLDER as BRANCHES
from mabos.workspace.damage import readable
from mabos.workspace.records import Declaration, declarations, read_file
from mabos.workspace.regular import content
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

if TYPE_CHECKING:
    from mabos.mind.mind import Mind
    from mabos.tools.runtime.services import Services
    from mabos.workspace.store import Store

Reading = tuple[Path, Callable[[], Any]]
"""A file, and what reads it whole or raises."""

_PLACE = re.compile(r"(?P<file>[^\s:]+\.(?:jsonl?|md|yaml|rules|bpmn))(?::(?P<line>\d{1,9}))?:? ")
_LINE = re.compile(r"\bline (\d{1,9})")
_KEPT = re.compile(r"end|.*\.journal\.\d+\.jsonl")  # only a journal that was written has them
_STUMBLES = (TypeError, ValueError, LookupError, AttributeError, RecursionError, OSError)
"""Errors of a reader for unexpected content, after which a person must look at the file."""
_REMEMBERED = "".join(map(chr, (*range(1, 32), 127)))
"""What an agent may remember, as the output of a terminal, and so stands in its log; zero bytes are of a crash."""
RECORD_MODULES = (
    "mabos.knowledge.archive.model", "mabos.knowledge.case_records", "mabos.knowledge.model",
    "mabos.knowledge.ontology.proposals", "mabos.knowledge.reasoning.history", "mabos.memory.model",
    "mabos.society.business", "mabos.society.campaigns", "mabos.society.contacts", "mabos.society.content",
    "mabos.society.contract_net", "mabos.society.contractors", "mabos.society.deals", "mabos.society.decisions",
    "mabos.society.figures", "mabos.society.instructions", "mabos.society.mailbox", "mabos.society.mailings",
    "mabos.society.messages", "mabos.society.metrics", "mabos.society.outbox", "mabos.society.packages",
    "mabos.society.pages.keywords", "mabos.society.pricing", "mabos.society.staff", "mabos.society.webhooks.register",
    "mabos.society.workflows", "mabos.society.workforce", "mabos.tools.runtime.effects", "mabos.tools.work.proposals",
    "mabos.tools.work.session",
)  # fmt: skip
"""The modules that declare stored records."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault; `path` is within the workspace, `line` 0 if the whole file is at fault."""

    path: str
    line: int
    message: str

    @classmethod
    def of(cls, root: Path, path: Path, line: int, message: str) -> "Finding":
        """Return a finding in a file of the workspace at `root`."""
        return cls(str(path.relative_to(root)) if path.is_relative_to(root) else str(path), line, message)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}" if self.line else f"{self.path}: {self.message}"


def damaged_files(services: "Services") -> list[Finding]:
    """Return every unreadable or missing file of truth, and every manual edit waiting next to its file."""
    root = services.layout.root
    declared = dict(_check_declared(services))
    readings = [(path, read) for path, read in _readings(services) if not declared.get(path)]
    known = {*declared, *(path for path, _ in readings)}
    readings += [(path, partial(_check_json, path)) for path in _documents(root) if path not in known]
    readings += [(path, partial(_read_entries, path)) for path in _journals(root)]
    readings += [(path, partial(_legible, path)) for path in sorted(root.glob("agents/*/memory/[0-9]*.md"))]
    return sorted(
        {
            *chain.from_iterable(declared.values()),
            *chain.from_iterable(_faults(root, path, read) for path, read in readings),
            *_missing(services),
            *_unread_sections(services),
            *_waiting(services),
            *_links(services),
            *_entities(services),
        },
        key=lambda one: (one.path, one.line, one.message),
    )


def broken_ledgers(services: "Services") -> list[Finding]:
    """Return every entry that breaks its chain."""
    root = services.layout.root
    return [Finding.of(root, one.path, one.line, one.message) for one in services.ledger.verify(None)]


def faulty_ontologies(services: "Services") -> list[Finding]:
    """Return every defect of the workspace's ontologies; raises `Unavailable` if RDF cannot be read."""
    from mabos.knowledge.ontology.conformance import check_ontologies
    from mabos.knowledge.ontology.vocabulary import FOLDER

    root = services.layout.root
    return [Finding.of(root, one.path, one.line, one.message) for one in check_ontologies(root / FOLDER)]


def declared_stores(root: Path, sync: Sync) -> Iterator[tuple[Path, "Store"]]:
    """Yield each declared document of a workspace, with its store."""
    for folder, path, kinds in _declared_files(root):
        if (document := kinds[0].document) is not None:
            yield path, replace(document, file=str(path.relative_to(folder))).open(folder, sync)


def _check_declared(services: "Services") -> Iterator[tuple[Path, list[Finding]]]:
    """Yield each file of declared records with its faults."""
    root = services.layout.root
    for folder, path, kinds in _declared_files(root):
        yield path, _damages(root, folder, path, kinds, services.sync)


def _declared_files(root: Path) -> Iterator[tuple[Path, Path, list[Declaration[Any]]]]:
    """Yield each file of declared records with the folder it belongs to and its declarations."""
    for module in RECORD_MODULES:
        import_module(module)
    kinds = defaultdict[str, list[Declaration[Any]]](list)
    for one in declarations():
        kinds[one.file].append(one)
    for file, of_file in kinds.items():
        for folder in filter(Path.is_dir, (root, *root.glob("agents/*"), *root.glob("businesses/*"))):
            yield from ((folder, path, of_file) for path in _present(folder, file))


def _present(folder: Path, file: str) -> Iterator[Path]:
    """Yield the files of a declaration in a folder; one that only its journal holds so far counts too."""
    if "*" in file:
        yield from sorted(folder.glob(file))
    elif (folder / file).exists() or (folder / file).with_suffix(".journal.jsonl").exists():
        yield folder / file


def _damages(root: Path, folder: Path, path: Path, kinds: list[Declaration[Any]], sync: Sync) -> list[Finding]:
    try:
        document = kinds[0].document
        if document is None:
            read_file(path, kinds[0].kind)
            return []
        store = replace(document, file=str(path.relative_to(folder))).open(folder, sync)
        damages = [damage for one in kinds for damage in View(store, one.kind).problems()]
    except (MabosError, *_STUMBLES) as error:
        return [_locate_finding(root, path, _complaint(error))]
    return [Finding.of(root, path, _line_of(path, damage.key), str(damage).partition(": ")[2]) for damage in damages]


def _complaint(error: Exception) -> str:
    if isinstance(error, MabosError):
        return error.message
    return f"cannot be read ({type(error).__name__}: {error}); correct it by hand, or restore it from a backup"


def _readings(services: "Services") -> Iterator[Reading]:
    """Yield the readings of files beyond declared records: profiles, people, diagrams, text rules, minds."""
    from mabos.knowledge.entities.visibility import Directory
    from mabos.knowledge.rule_files import load_rule_files
    from mabos.society.business import MANIFEST_FILE
    from mabos.society.governance import PROFILE_FILE, first_profile, read_profile
    from mabos.society.workflows import open_workflows
    from mabos.tools.runtime.stores import is_agent
    from mabos.workspace.documents import json_document

    root, sync = services.layout.root, services.sync
    default = first_profile(services.settings.governance)
    for folder in (root, *_folders(services.layout.businesses)):
        yield folder / PROFILE_FILE, partial(read_profile, default, folder)
    for folder in _folders(services.layout.businesses):
        if (folder / MANIFEST_FILE).exists():
            yield folder / MANIFEST_FILE, partial(Directory.read, folder / MANIFEST_FILE)
        with suppress(MabosError):  # what cannot be read is found by its declaration
            workflows = open_workflows(folder, sync)
            yield from ((workflows.path(one.id), partial(workflows.document, one.id)) for one in workflows.all())
    for folder in filter(is_agent, _folders(services.layout.agents)):
        agent = services.agent(folder.name)
        yield folder / "rules", partial(load_rule_files, folder)
        yield folder / "mind.journal.jsonl", partial(_read_mind, agent.mind)
        yield from _history(folder, agent.mind)
        yield folder / "perceived.json", json_document(folder / "perceived.json", ["documents"], sync=sync).read


def _entities(services: "Services") -> Iterator[Finding]:
    """Yield the unreadable lines of entity memories; every other line counts all the same."""
    from mabos.knowledge.entities.log import Log

    root = services.layout.root
    for folder in (root, *_folders(services.layout.businesses)):
        for name in ("graph.jsonl", "graph-archive.jsonl"):
            log = Log(folder / name, services.sync)
            log.all_again()
            yield from (Finding.of(root, one.path, one.line, one.message) for one in log.problems)


def _folders(parent: Path) -> list[Path]:
    return sorted(path for path in parent.glob("*") if path.is_dir())


def _documents(root: Path) -> Iterator[Path]:
    """Yield the JSON files that any part of MABOS may keep for an agent, a business or the workspace."""
    for pattern in ("*.json", "agents/*/*.json", "businesses/*/*.json", "businesses/*/*/*.json", "ontologies/*/*.json"):
        yield from sorted(root.glob(pattern))


def _journals(root: Path) -> Iterator[Path]:
    """Yield the journals of those files, and those of minds."""
    for folder in ("", "agents/*/", "businesses/*/", "businesses/*/*/", "ontologies/*/"):
        yield from sorted(root.glob(f"{folder}*.journal.jsonl"))


def _check_json(path: Path) -> None:
    try:
        orjson.loads(content(path))
    except orjson.JSONDecodeError as error:
        raise Damaged(f"{path}:{error.lineno}: not JSON ({error.msg}); correct it by hand") from None


def _legible(path: Path) -> None:
    """Raise `Damaged` if a daily log contains signs of damage; its other readers skip these."""
    remedy = "take them out, or restore the file from a backup"
    text = readable(content(path), str(path), remedy=remedy, ours=_REMEMBERED)
    if not text.strip():
        raise Damaged(f"{path}:1: empty, as a crash leaves it; restore the file from a backup, or delete it")


def _read_mind(mind: "Mind") -> None:
    for kind in ("persona", "capabilities", "beliefs", "desires", "goals", "intentions", "plans", "commitments"):
        getattr(mind, kind)


def _history(folder: Path, mind: "Mind") -> Iterator[Reading]:
    """Yield the retired journals of a mind, of which none is ever thrown away."""
    try:
        generation = mind.store.generation
    except MabosError:  # which its reader finds
        generation = 0
    for number in range(1, generation):
        path = folder / f"mind.journal.{number:06d}.jsonl"
        yield path, partial(_read_journal, path)


def _read_entries(path: Path) -> None:
    from mabos.workspace.journal import Journal
    from mabos.workspace.sync import Sync

    Journal(path, Sync("off")).load()


def _read_journal(path: Path) -> None:
    from mabos.workspace.journal import parse_entries

    try:
        raw = content(path)
    except FileNotFoundError:
        raise Damaged("is missing; restore it from a backup, because it has the mind's history") from None
    if sum(1 for _ in parse_entries(path, raw)) != raw.count(b"\n"):
        raise Damaged("has a line that is not an entry; restore it from a backup")


def _faults(root: Path, path: Path, read: Callable[[], Any]) -> Iterator[Finding]:
    try:
        read()
    except (MabosError, *_STUMBLES) as error:
        yield _locate_finding(root, path, _complaint(error))


def _locate_finding(root: Path, path: Path, message: str) -> Finding:
    """Return a reader's complaint with the file and line it names, else those it must mean."""
    named = _PLACE.match(message)
    if named is not None:
        message = message[named.end() :]
        # Readers name a file as they know it: absolute, within the workspace, its business or its own folder.
        named_in = (folder / named["file"] for folder in (root, path.parent, path.parent.parent))
        path = next((one for one in named_in if one.exists()), path.parent / named["file"])
        if named["line"]:
            return Finding.of(root, path, int(named["line"]), message)
    return Finding.of(root, path, _line(path, message), message)


def _line(path: Path, message: str) -> int:
    """Return the line of the first thing in the file that a message names; 0 where it names none."""
    if stated := _LINE.search(message):
        return int(stated[1])
    return _line_of(path, *(name.rpartition(".")[2] for name in re.findall(r"[\w@.-]+", message)))


def _line_of(path: Path, *names: str) -> int:
    """Return the line of the first of some texts found in the file; 0 if none is."""
    with suppress(OSError, UnicodeDecodeError, Damaged):
        text = content(path).decode()
        for name in names:
            at = text.find(orjson.dumps(name).decode())
            if at >= 0:
                return text.count("\n", 0, at) + 1
    return 0


def _missing(services: "Services") -> Iterator[Finding]:
    """Yield missing files that others need: manifests, agents in their seats, journals, pieces of content."""
    from mabos.society.business import AGENT_FILE, MANIFEST_FILE, read_agent, read_manifest
    from mabos.society.content import open_content

    layout = services.layout
    founded = "is missing; restore it from a backup, or create the business again under this id to finish it"
    for folder in _folders(layout.businesses):
        if not (folder / MANIFEST_FILE).exists():
            yield Finding.of(layout.root, folder / MANIFEST_FILE, 0, founded)
            continue
        with suppress(MabosError):
            for role, holder in read_manifest(layout, folder.name).agents.items():
                if not (layout.agent(holder) / AGENT_FILE).exists():
                    said = f"is missing; {holder!r} is the {role} of {folder.name!r}: restore its folder from a backup"
                    yield Finding(f"agents/{holder}/{AGENT_FILE}", 0, said)
        with suppress(MabosError):  # as above, what cannot be read is found by its reader
            for article in open_content(folder, services.sync).all():
                if article.status != "withdrawn" and not (folder / article.path).is_file():
                    was = "was published" if article.status == "published" else "is a draft"
                    said = f"is missing; {article.id} {was} there: restore it, or mark it as withdrawn"
                    yield Finding.of(layout.root, folder / article.path, 0, said)
    for folder in _folders(layout.agents):
        with suppress(MabosError):
            home = read_agent(layout, folder.name).business_id
            if home and not layout.business(home).is_dir():
                said = f"is missing; {folder.name!r} works there: restore the business from a backup"
                yield Finding(f"businesses/{home}", 0, said)
    yield from _lost_journals(layout.internal / "stores", layout.root)


def _lost_journals(copies: Path, root: Path) -> Iterator[Finding]:
    """Yield the journals of which only the internal copies are left, in folders that are still there."""
    for lock in sorted(copies.rglob("*.journal/lock")):
        journal = root / lock.parent.relative_to(copies).with_suffix(".journal.jsonl")
        written = any(_KEPT.fullmatch(copy.name) for copy in lock.parent.iterdir())
        if written and journal.parent.is_dir() and not journal.exists():
            said = (
                "is missing; restore it from a backup. Without one, what it held and no snapshot has is lost; "
                f"earlier texts lie in {lock.parent.relative_to(root)}"
            )
            yield Finding.of(root, journal, 0, said)


def _unread_sections(services: "Services") -> Iterator[Finding]:
    """Yield sections of cognitive files that a person wrote so that they cannot be read; they are left alone."""
    from mabos.tools.runtime.stores import is_agent

    for folder in filter(is_agent, _folders(services.layout.agents)):
        with suppress(MabosError):  # a mind that cannot be read at all is found by its reader
            for problem in services.agent(folder.name).mind.problems:
                yield Finding(f"agents/{folder.name}/{problem.file}", problem.line, problem.message)


def _waiting(services: "Services") -> Iterator[Finding]:
    root, internal = services.layout.root, services.layout.internal
    advice = "a hand edit that could not be merged; take over what should stay, then delete this file"
    for path in sorted(one for one in root.rglob("*.conflict") if one.relative_to(root).parts[0] != BRANCHES):
        if internal not in path.parents:
            yield Finding.of(root, path, 0, advice)


def _links(services: "Services") -> Iterator[Finding]:
    from mabos.society.business import INBOX_FOLDER

    root = services.layout.root
    for path in sorted(root.glob(f"businesses/*/{INBOX_FOLDER}/*")):
        if path.is_symlink():
            yield Finding.of(root, path, 0, "is a link; put a copy of the file there")
