"""The state of this machine and a workspace: working, degraded and broken parts, with remedies.

    from mabos.interfaces.health import health

    for check in health(Path("workspace")):
        print(check.subject, check.state, check.says, check.mend)

External services are checked in `reach.py`, all costs in `costs.py`.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from mabos.backends.one_address import public
from mabos.configs.errors import Damaged, MabosError, UnknownId
from mabos.configs.settings import Environment, Settings, environment, load_settings
from mabos.interfaces.checks import Check, State
from mabos.interfaces.costs import costs
from mabos.interfaces.places import SETTINGS, existing
from mabos.interfaces.reach import check_reach
from mabos.interfaces.soundness import Finding, broken_ledgers, damaged_files
from mabos.interfaces.views.words import count

if TYPE_CHECKING:
    from mabos.tools.runtime.services import Services

_LOCAL = "pip install 'mabos[local]'"


def health(place: Path) -> list[Check]:
    """Return the state of the features of this machine and of the workspace at `place`, and their cost."""
    known, surroundings = [_python(), _workspace(place)], environment()
    try:
        settings = load_settings(place if place.is_dir() else None, surroundings)
    except MabosError as error:
        mend = f"${{EDITOR:-vi}} {place / SETTINGS}"
        return [*known, Check("settings", "wrong", error.message, mend), *_disk(place), _studio()]
    known.append(Check("settings", "ok", f"durability {settings.durability}"))
    far = check_reach(settings, surroundings, place)
    # What is inside can only be looked at where a workspace can be opened.
    inside = _inside_of(place, far) if all(one.state == "ok" for one in known) else ()
    return [*known, *_disk(place), *far, *_recall(settings, surroundings), _studio(), *inside]


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    fits = sys.version_info >= (3, 11)
    says = version if fits else f"{version}; MABOS needs 3.11 or newer"
    return Check("python", "ok" if fits else "wrong", says, "" if fits else "make PYTHON=python3.12")


def _workspace(place: Path) -> Check:
    try:
        existing(place)
    except MabosError as error:
        elsewhere = place if isinstance(error, UnknownId) else "my-company"
        return Check("workspace", "wrong", error.message, f"mabos init {elsewhere}")
    agents = [path for path in (place / "agents").glob("*") if path.is_dir()]
    businesses = [path for path in (place / "businesses").glob("*") if path.is_dir()]
    says = f"{place}: {count(len(businesses), 'business')}, {count(len(agents), 'agent')}"
    return Check(
        "workspace", "ok", says, "" if businesses else "mabos business create acme --name Acme --template saas"
    )


def _disk(place: Path) -> Iterator[Check]:
    """Yield folders that are not writable, and the differences on a disk that ignores case.

    There `MEMORY.md` and `Memory.md` would be one file.
    """
    folders = (place, place / ".mabos", *place.glob("agents/*"), *place.glob("businesses/*"))
    if locked := next((one for one in folders if one.is_dir() and not os.access(one, os.W_OK)), None):
        says = f"{locked} may only be read: minds can be looked at, and no agent can run"
        yield Check("writing", "wrong", says, f"chmod -R u+w {place}")
    if (place / "agents").is_dir() and (place / "AGENTS").exists():
        says = "ignores case: long-term memory is in MEMORY-long-term.md, because MEMORY.md would be Memory.md"
        yield Check("disk", "ok", says)


def _inside_of(place: Path, far: Sequence[Check]) -> Iterator[Check]:
    from mabos.tools.runtime.opening import open_services

    try:
        services = open_services(place)
    except MabosError as error:
        yield Check("opening", "wrong", error.message)
        return
    looks: dict[str, Callable[[Services], list[Finding]]] = {"files": damaged_files, "ledger": broken_ledgers}
    for subject, look in looks.items():
        found = look(services)
        first = f"{count(len(found), 'finding')}, the first: " if len(found) > 1 else ""
        says = f"{first}{found[0]}" if found else "sound"
        yield Check(subject, "wrong" if found else "ok", says, f"mabos verify {subject}" if found else "")
    yield from _tool_servers(services)
    yield from _extensions(services)
    yield from _graph_copies(services, is_away=any(one.subject == "neo4j" and one.state != "ok" for one in far))
    yield from costs(services)
    with suppress(Damaged):  # what cannot be read cannot be closed either, and has been said
        services.close()


def _tool_servers(services: "Services") -> Iterator[Check]:
    """Yield the state of each MCP server of the settings."""
    from mabos.tools.runtime.tool_servers import ToolServers

    states: dict[str, State] = {"ready": "ok", "changed": "degraded", "misnamed": "wrong", "away": "wrong"}
    if isinstance(services.tools.source, ToolServers):
        for one in services.tools.source.reports():
            yield Check(
                f"MCP server {one.name}", states[one.stands], one.says, "" if one.stands == "ready" else "mabos servers"
            )


def _extensions(services: "Services") -> Iterator[Check]:
    """Yield parts of installed packages that are left out, and why."""
    from mabos.configs.extensions import PROBLEMS

    _ = services.tools.names, services.perceptors.all, services.library  # each loads what packages add to it
    for name, problem in PROBLEMS.items():
        yield Check(f"extension {name}", "degraded", problem, "correct or uninstall the package")


def _graph_copies(services: "Services", *, is_away: bool) -> Iterator[Check]:
    """Yield whether a server's copies match the graphs, if one is configured; an absent one is not waited for."""
    from mabos.tools.graph.standing import WITHOUT, describe_copy, standing

    if not services.copies_graphs:
        yield Check("graph copy", "absent", WITHOUT, "make neo4j")
        return
    if is_away:
        yield Check("graph copy", "degraded", "changes wait until Neo4j answers, and go there by themselves then")
        return
    for business_id in services.businesses():
        try:
            graph = services.graph(business_id)
            copy = standing(graph.fresh(), graph.copy)
        except MabosError as error:
            yield Check("graph copy", "wrong", f"{business_id}: {error.message}", "mabos rebuild")
            continue
        is_sound = copy["available"] and not copy["dead"]
        says = f"{business_id}: {describe_copy(copy)}"
        yield Check("graph copy", "ok" if is_sound else "wrong", says, "" if is_sound else "mabos graph sync")


def _recall(settings: Settings, surroundings: Environment) -> Iterator[Check]:
    """Yield whether memory is searched by meaning, where its vectors are, and why."""
    from mabos.backends.minilm import missing, missing_of_chroma

    kind = settings.memory.embeddings
    state: State = "absent" if kind == "auto" else "wrong"
    if kind == "none":
        why = "MABOS_FORBID_MODEL is set" if surroundings.forbid_model else "memory.embeddings is none"
        yield Check("recall", "absent", f"by words alone: {why}")
    elif kind == "openai":
        yield Check("recall", "ok", f"by words and meaning: {settings.models.embedding.model}, at its endpoint")
    elif kind != "chroma" and not missing():
        yield Check("recall", "ok", "by words and meaning: all-MiniLM-L6-v2 on this machine")
    elif kind != "local" and not missing_of_chroma():
        yield Check("recall", "ok", "by words and meaning: the all-MiniLM-L6-v2 that Chroma has fetched")
    else:
        lacks = missing_of_chroma() if kind == "chroma" else f"no {', '.join(missing())}"
        yield Check("recall", state, f"by words alone: {lacks}", _LOCAL)
    if kind != "none":
        yield _vectors(settings.memory.vectors, surroundings.chroma_endpoint)


def _vectors(kind: str, endpoint: str) -> Check:
    if kind == "files" or (kind == "auto" and not endpoint):
        return Check("vectors", "ok", "in files under .mabos/vectors, searched exactly")
    if find_spec("chromadb") is None:
        says = "in files, searched exactly: Chroma is asked for and not installed"
        return Check("vectors", "wrong", says, "pip install 'mabos[chroma]'")
    return Check("vectors", "ok", f"in files, searched by Chroma {f'at {public(endpoint)}' if endpoint else 'here'}")


def _studio() -> Check:
    if find_spec("langgraph_api") is None:
        return Check("studio", "absent", "not installed", "pip install 'mabos[studio]'")
    return Check("studio", "ok", "installed; start it with: mabos studio")
