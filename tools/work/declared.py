"""Model tools outside the catalogue: a typed function gives name, description and schema."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from mabos.backends.chat import ToolSpec
from mabos.tools.catalogue.arguments import arguments_model, arguments_schema, field_name, validate_arguments
from mabos.tools.runtime.services import Agent
from mabos.tools.work.schemas import compact_schema

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class OfficeTool(Generic[Answer]):
    """A tool: its function takes the agent and keyword arguments; `needs` is an operation that must be permitted."""

    function: Callable[..., Answer]
    needs: str = ""

    @property
    def name(self) -> str:
        """Return the name by which a model calls it."""
        return self.function.__name__

    @cached_property
    def description(self) -> str:
        """Return its description, without arguments."""
        return " ".join((self.function.__doc__ or "").partition("Args:")[0].split())

    @cached_property
    def model(self) -> type[BaseModel]:
        """Return the pydantic model of its arguments."""
        return arguments_model(self.function)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its arguments."""
        return arguments_schema(self.model)

    @cached_property
    def spec(self) -> ToolSpec:
        """Return it in the form for a model."""
        return ToolSpec(self.name, self.description, compact_schema(self.schema))

    def __call__(self, agent: Agent, arguments: Mapping[str, Any]) -> Answer:
        """Call the function with checked arguments; raises `InvalidArgument` that names the error."""
        given = {name: value for name, value in arguments.items() if name != "agent_id"}
        values = validate_arguments(self.name, self.model, self.schema, given)
        names = list(inspect.signature(self.function).parameters)[1:]
        return self.function(agent, **{name: getattr(values, field_name(name)) for name in names})
