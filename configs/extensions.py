"""Load the entry points of installed packages: tools, roles, plans, templates, scenarios, models, perceptors.

    [project.entry-points."mabos.tools"]
    weather = "acme_weather:TOOLS"

A group is read at first use. An entry point that fails to load is logged, reported by `mabos doctor`, and skipped.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, TypeVar

LOG = logging.getLogger(__name__)
FileGroup = Literal["mabos.roles", "mabos.plans", "mabos.templates", "mabos.scenarios"]
Group = FileGroup | Literal["mabos.tools", "mabos.models", "mabos.perceptors"]
_Made = TypeVar("_Made")

PROBLEMS: Final[dict[str, str]] = {}
"""The faults of extensions that were left out, by group and name."""


@dataclass(frozen=True, slots=True)
class Extension:
    """A loaded entry point."""

    group: Group
    name: str
    value: Any

    def left_out(self, problem: str) -> None:
        """Log why this extension, or a part of it, is not used."""
        leave_out(self.group, self.name, problem)


@cache
def extensions(group: Group) -> tuple[Extension, ...]:
    """Return the entry points of a group, by name."""
    found = sorted(entry_points(group=group), key=lambda one: one.name)
    loaded = ((one.name, _try_load(group, one.name, one.load)) for one in found)
    return tuple(Extension(group, name, value) for name, value in loaded if value is not None)


@cache
def extension_files(group: FileGroup) -> tuple[Path, ...]:
    """Return the YAML files of the packages that a group names, as data; none of their code is run."""
    files: list[Path] = []
    for one in extensions(group):
        folders = list(one.value.__path__) if isinstance(one.value, ModuleType) else []
        found = [path for folder in folders for path in sorted(Path(folder).glob("*.yaml"))]
        if not found:
            one.left_out("it names no package with YAML files in it")
        files += found
    return tuple(files)


def extension_file(group: FileGroup, name: str) -> Path | None:
    """Return the YAML file of that name from the first package that has one."""
    return next((path for path in extension_files(group) if path.stem == name), None)


def _try_load(group: str, name: str, load: Callable[[], _Made]) -> _Made | None:
    try:
        return load()
    except Exception as error:  # noqa: BLE001 - a package of somebody else must not stop ours
        leave_out(group, name, f"{type(error).__name__}: {error}")
        return None


def leave_out(group: str, name: str, problem: str) -> None:
    """Log why part of a package is not used, and keep the reason for `mabos doctor`."""
    PROBLEMS[f"{group} {name}"] = problem
    LOG.warning("the extension %s of %s is left out: %s", name, group, problem)
