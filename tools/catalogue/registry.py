"""All tools by name: modules are listed here and imported when the first tool is requested."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from itertools import chain
from typing import Any, Literal, Protocol

from mabos.configs.errors import InvalidArgument, unknown
from mabos.tools.catalogue.declaration import BESIDE, Tool

MODULES = (
    "mind.bdi", "mind.desires", "plans.planning", "mind.memory", "mind.hierarchy", "knowledge.facts",
    "knowledge.rules", "knowledge.inference", "knowledge.cases", "knowledge.inquiry", "knowledge.ontology",
    "knowledge.reasoning", "people.communication", "people.stakeholder", "people.workforce", "workflow.workflows",
    "workflow.bpmn", "graph.operations", "business.businesses", "business.marketing", "business.crm", "mail.email",
    "business.seo", "business.metrics", "business.integration", "business.finance", "history.ledger",
    "history.archive", "mind.models", "entities.operation",
)  # fmt: skip
"""The modules of `mabos.tools` that declare tools, in the order of the catalogue; each has an explicit `TOOLS`."""


class ToolSource(Protocol):
    """A source of tools that may change while a workspace is open: the MCP servers of `mabos.yaml`."""

    @property
    def version(self) -> int:
        """A version that changes whenever `tools` may change."""

    def tools(self, taken: Callable[[str], bool]) -> Sequence[Tool]:
        """Return the current tools, except those named as in `taken`."""

    def close(self) -> None:
        """Release their resources."""


class Registry:
    """The catalogue: finds a tool by name or alias, and lists them in order; `extra` are a user's own.

    `installed` gives those of installed packages, at the first listing; names that are taken are left out. `source` has
    those that may change; it is asked only for names that nothing else has, and for lists.
    """

    def __init__(
        self,
        modules: Sequence[str] = MODULES,
        extra: Iterable[Tool] = (),
        installed: Callable[[Callable[[str], bool]], Iterable[Tool]] = lambda _: (),
    ) -> None:
        self._modules = tuple(modules)
        self.extra = tuple(extra)
        self._installed = installed
        self.source: ToolSource | None = None
        self._found: dict[str, Tool] = {}
        self._listed: tuple[int, Mapping[str, Tool], frozenset[str]] = (-1, {}, frozenset())

    @property
    def version(self) -> int:
        """A version that changes whenever the tools may change."""
        return self.source.version if self.source else 0

    def tool(self, name: str) -> Tool:
        """Return the tool with this name or alias; raises `UnknownId` with the nearest."""
        if name in self._found:
            return self._found[name]
        if (declared := self._find_declaration(name)) is None:
            return self._resolve_tool(name)
        self._found[name] = declared
        return declared

    def close(self) -> None:
        """Release the servers behind tools."""
        if self.source is not None:
            self.source.close()

    def _find_declaration(self, name: str) -> Tool | None:
        """Return the tool that a module declares under this name, importing as few as it takes: commands need one."""
        nearest_first = sorted(self._modules, key=lambda module: not any(map(name.startswith, module.split("."))))
        return next((tool for module in nearest_first for tool in _tools_of(module) if tool.name == name), None)

    def _resolve_tool(self, name: str) -> Tool:
        found = self._by_name.get(name) or self._by_name.get(self._aliases.get(name, ""))
        if found is None:
            raise unknown("tool", name, self._by_name, argument="tool")
        return found

    def all(self) -> tuple[Tool, ...]:
        """Return every tool, in catalogue order."""
        return tuple(self._by_name.values())

    def rows(self) -> list[dict[str, Any]]:
        """Return the output of `mabos tools --json`: one row per tool."""
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
        """Return the catalogue grouped by module or row, in order, without the extra families."""
        return self._group_tools((tool for tool in self.all() if tool.catalogue not in BESIDE), what)

    def beside(self) -> dict[str, tuple[Tool, ...]]:
        """Return the families outside the catalogue, by name."""
        return self._group_tools((tool for tool in self.all() if tool.catalogue in BESIDE), "catalogue")

    @staticmethod
    def _group_tools(tools: Iterable[Tool], what: Literal["module", "catalogue"]) -> dict[str, tuple[Tool, ...]]:
        groups: dict[str, list[Tool]] = {}
        for tool in tools:
            groups.setdefault(tool.module if what == "module" else tool.catalogue, []).append(tool)
        return {name: tuple(tools) for name, tools in groups.items()}

    @property
    def names(self) -> frozenset[str]:
        """The names of all tools, without aliases."""
        return self._current[1]

    @property
    def _by_name(self) -> Mapping[str, Tool]:
        return self._current[0]

    @property
    def _current(self) -> tuple[Mapping[str, Tool], frozenset[str]]:
        version = self.version
        if self._listed[0] != version:
            found = dict(self._static_tools)
            found |= {tool.name: tool for tool in (self.source.tools(found.__contains__) if self.source else ())}
            self._listed = (version, found, frozenset(found))
        return self._listed[1:]

    @cached_property
    def _static_tools(self) -> Mapping[str, Tool]:
        found: dict[str, Tool] = {}
        for tool in (*chain.from_iterable(map(_tools_of, self._modules)), *self.extra):
            if not isinstance(tool, Tool):
                message = f"{getattr(tool, '__name__', tool)!r} is not a tool; own_tool(function, writes=...) makes one"
                raise InvalidArgument(message, argument="tools")
            if tool.name in found:
                raise InvalidArgument(f"two tools are called {tool.name!r}; names must be unique", argument="tools")
            found[tool.name] = tool
        return found | {tool.name: tool for tool in self._installed(found.__contains__)}

    @cached_property
    def _aliases(self) -> Mapping[str, str]:
        return {alias: tool.name for tool in self._static_tools.values() for alias in tool.aliases}


def _tools_of(module: str) -> Sequence[Tool]:
    # Never from sys.modules: another thread may be in the middle of importing it, which this waits for.
    tools: Sequence[Tool] = import_module(f"mabos.tools.{module}").TOOLS
    return tools


def registry() -> Registry:
    """Return the registry of all tools; nothing is imported before the first request."""
    return Registry()
