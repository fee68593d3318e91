"""All tools there are, by name: modules are listed here and imported when the first tool is asked for."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from itertools import chain
from typing import Any, Literal

from mabos.configs.errors import unknown
from mabos.tools.catalogue.declaration import BESIDE, Tool

MODULES = (
    "mind.bdi",
    "mind.desires",
    "plans.planning",
    "mind.memory",
    "mind.hierarchy",
    "knowledge.facts",
    "knowledge.rules",
    "knowledge.inference",
    "knowledge.cases",
    "knowledge.inquiry",
    "knowledge.ontology",
    "knowledge.reasoning",
    "people.communication",
    "people.stakeholder",
    "people.workforce",
    "workflow.workflows",
    "workflow.bpmn",
    "graph.operations",
    "business.businesses",
    "business.marketing",
    "business.crm",
    "mail.email",
    "business.seo",
    "business.metrics",
    "business.integration",
    "history.ledger",
    "history.archive",
    "mind.models",
    "entities.operation",
)
"""The modules of `mabos.tools` that declare tools, in the order of the catalogue; each has an explicit `TOOLS`."""


class Registry:
    """The catalogue: finds a tool by name or alias, and lists them in catalogue order; `extra` are a user's own."""

    def __init__(self, modules: Sequence[str] = MODULES, extra: Iterable[Tool] = ()) -> None:
        self._modules = tuple(modules)
        self.extra = tuple(extra)
        self._found: dict[str, Tool] = {}

    def tool(self, name: str) -> Tool:
        """Return the tool with this name or alias; raises `UnknownId` that names the nearest."""
        if name not in self._found:
            self._found[name] = self._declared(name) or self._named(name)
        return self._found[name]

    def _declared(self, name: str) -> Tool | None:
        """Return the tool that a module declares under this name, importing as few as it takes: commands need one."""
        nearest_first = sorted(self._modules, key=lambda module: not any(map(name.startswith, module.split("."))))
        return next((tool for module in nearest_first for tool in _tools_of(module) if tool.name == name), None)

    def _named(self, name: str) -> Tool:
        found = self._by_name.get(name) or self._by_name.get(self._aliases.get(name, ""))
        if found is None:
            raise unknown("tool", name, self._by_name, argument="tool")
        return found

    def all(self) -> tuple[Tool, ...]:
        """Return every tool, in catalogue order."""
        return tuple(self._by_name.values())

    def rows(self) -> list[dict[str, Any]]:
        """Return what `mabos tools --json` prints: one row a tool."""
        return [
            {
                "name": tool.name,
                "module": tool.module,
                "catalogue": tool.catalogue,
                "summary": tool.summary,
                "writes": tool.writes,
                "category": tool.category,
                "asks_for": list(tool.asked_for),
                "cost": tool.costs,
                "reversible": tool.reversible,
                "skills": dict(tool.skills),
                "acts_as": tool.acts_as,
                "aliases": list(tool.aliases),
                "schema": tool.schema,
            }
            for tool in self.all()
        ]

    def by(self, what: Literal["module", "catalogue"]) -> dict[str, tuple[Tool, ...]]:
        """Return the catalogue grouped by module or by row, in its order; what stands beside it is not in it."""
        return self._grouped((tool for tool in self.all() if tool.catalogue not in BESIDE), what)

    def beside(self) -> dict[str, tuple[Tool, ...]]:
        """Return the families that stand beside the catalogue, by name."""
        return self._grouped((tool for tool in self.all() if tool.catalogue in BESIDE), "catalogue")

    @staticmethod
    def _grouped(tools: Iterable[Tool], what: Literal["module", "catalogue"]) -> dict[str, tuple[Tool, ...]]:
        groups: dict[str, list[Tool]] = {}
        for tool in tools:
            groups.setdefault(tool.module if what == "module" else tool.catalogue, []).append(tool)
        return {name: tuple(tools) for name, tools in groups.items()}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all tools, without aliases."""
        return frozenset(one.name for one in self.all())

    @cached_property
    def _by_name(self) -> Mapping[str, Tool]:
        found: dict[str, Tool] = {}
        for tool in (*chain.from_iterable(map(_tools_of, self._modules)), *self.extra):
            if tool.name in found:
                raise ValueError(f"two tools are called {tool.name!r}; a name is declared once")
            found[tool.name] = tool
        return found

    @cached_property
    def _aliases(self) -> Mapping[str, str]:
        return {alias: tool.name for tool in self.all() for alias in tool.aliases}


def _tools_of(module: str) -> Sequence[Tool]:
    # Never from sys.modules: another thread may be in the middle of importing it, which this waits for.
    tools: Sequence[Tool] = import_module(f"mabos.tools.{module}").TOOLS
    return tools


def registry() -> Registry:
    """Return the registry of every tool; nothing is imported before the first one is asked for."""
    return Registry()
