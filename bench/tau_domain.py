"""tau2-bench in a folder: its domains, their tools as a user's own, and its own evaluation.

    domains = Domains(Path("tau2-bench"), site=Path("packages"))
    domain = domains.domain("retail")
    played = domain.play()                       # a fresh database, with tools that record calls
    played.tools, domain.policy, domain.tasks
    domain.verdict(task, played, said)

Nothing of the benchmark is kept here: its code and data are read at run time (github.com/sierra-research/tau2-bench,
MIT). Parts that its environment does not need, like the language-model client, are not imported.
"""

import os
import sys
from collections.abc import Callable, MutableSequence
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic_core import to_jsonable_python

from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.functions import own_tool

DOMAINS = ("retail", "airline")
_LEFT_OUT = ("litellm", "litellm.caching", "litellm.caching.caching", "litellm.main", "pandas")
"""Modules that the benchmark imports and its environments and evaluation never use."""


class _LeftOut(ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: MutableSequence[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Any


@dataclass
class Played:
    """An environment with its own database; `calls` are the tool calls and results in the benchmark's form."""

    environment: Any
    messages: ModuleType
    calls: list[Any] = field(default_factory=list)

    @property
    def tools(self) -> list[Tool]:
        """Return its tools as a user's own; those that change the database are final, so that the gate checks them."""
        kit = self.environment.tools
        return [
            own_tool(self._recorded(function), writes=bool(kit.tool_mutates_state(name)), reversible=False)
            if kit.tool_mutates_state(name)
            else own_tool(self._recorded(function), writes=False)
            for name, function in kit.tools.items()
        ]

    def said(self, text: str) -> None:
        """Record the agent's statement to the customer."""
        self.calls.append(self.messages.AssistantMessage(role="assistant", content=text))

    def _recorded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that keeps each call with its result, in the benchmark's own form."""

        @wraps(function)
        def run(**given: Any) -> Any:
            one, number = self.messages, f"call-{len(self.calls) + 1}"
            arguments = to_jsonable_python(given)
            use = one.ToolCall(id=number, name=function.__name__, arguments=arguments, requestor="assistant")
            self.calls.append(one.AssistantMessage(role="assistant", content=None, tool_calls=[use]))
            try:
                result = function(**given)
            except Exception as error:  # a tool of the benchmark refuses by raising anything
                self._returned(number, f"Error: {error}", is_error=True)
                raise ValueError(str(error)) from error
            self._returned(number, self.environment.to_json_str(result))
            return result

        return run

    def _returned(self, number: str, content: str, *, is_error: bool = False) -> None:
        turn = self.messages.ToolMessage(id=number, role="tool", content=content, requestor="assistant", error=is_error)
        self.calls.append(turn)


@dataclass(frozen=True)
class Verdict:
    """The benchmark's verdict on a task: the database, the required statements, and the parts only a judge can read."""

    has_database: bool
    has_told: bool
    is_live_equal: bool
    missing: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    counts_telling: bool = False

    @property
    def passed(self) -> bool:
        """Whether it passed by all computable criteria."""
        return self.has_database and self.is_live_equal and (self.has_told or not self.counts_telling)


@dataclass(frozen=True)
class Domain:
    """One domain: its tasks, its policy, and its evaluation."""

    name: str
    environment: ModuleType
    messages: ModuleType
    evaluators: tuple[Any, Any]
    tasks: tuple[Any, ...]
    policy: str

    def play(self) -> Played:
        """Return a fresh environment."""
        return Played(self.environment.get_environment(), self.messages)

    def verdict(self, task: Any, played: Played) -> Verdict:
        """Return the benchmark's evaluation of the calls and statements."""
        by_database, by_telling = self.evaluators
        database = by_database.calculate_reward(self.environment.get_environment, task, played.calls)
        telling = by_telling.calculate_reward(task, played.calls)
        missing = tuple(one.info for one in telling.communicate_checks or () if not one.met)
        basis = {str(one.value) for one in task.evaluation_criteria.reward_basis}
        unjudged = task.evaluation_criteria.nl_assertions if "NL_ASSERTION" in basis else ()
        replayed = self.environment.get_environment()
        replayed.set_state(None, None, list(played.calls))
        return Verdict(
            has_database=bool(database.db_check.db_match),
            has_told=not missing,
            is_live_equal=replayed.get_db_hash() == played.environment.get_db_hash(),
            missing=missing,
            unjudged=tuple(unjudged or ()),
            counts_telling="COMMUNICATE" in basis,
        )


@dataclass(frozen=True)
class Domains:
    """The benchmark in a folder; `site` has packages that it needs and this program lacks."""

    source: Path
    site: Path | None = None

    def __post_init__(self) -> None:
        """Make its code importable, without the parts that ask language models."""
        os.environ["TAU2_DATA_DIR"] = str(self.source / "data")
        sys.path[:0] = [str(self.source / "src"), *([str(self.site)] if self.site else [])]
        sys.modules.update({name: _LeftOut(name) for name in _LEFT_OUT if name not in sys.modules})
        package = ModuleType("tau2")  # its own __init__ imports servers and models
        package.__path__ = [str(self.source / "src" / "tau2")]
        sys.modules["tau2"] = package
        import_module("loguru").logger.remove()

    def domain(self, name: str) -> Domain:
        """Return a domain by name."""
        environment = import_module(f"tau2.domains.{name}.environment")
        evaluators = (
            import_module("tau2.evaluator.evaluator_env").EnvironmentEvaluator,
            import_module("tau2.evaluator.evaluator_communicate").CommunicateEvaluator,
        )
        tasks = tuple(environment.get_tasks())
        policy = str(environment.get_environment().get_policy())
        return Domain(name, environment, import_module("tau2.data_model.message"), evaluators, tasks, policy)
