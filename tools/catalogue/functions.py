"""A user's own functions as tools: any typed function or method becomes an operation behind the gate.

    def cancel_order(order_id: str, reason: Literal["mistake", "not needed"]) -> Order: ...

    tools = [own_tool(find_order, writes=False), own_tool(cancel_order, writes=True, reversible=False)]
    with open_workspace("workspace", tools=tools) as ws: ...

Name, summary, notes on arguments and JSON Schema come from the function, as for tools of MABOS. A `ValueError` from it
is a refusal whose message the caller reads.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Unpack, get_type_hints

from pydantic_core import to_jsonable_python

from mabos.configs.errors import InvalidArgument
from mabos.configs.extensions import extensions
from mabos.tools.catalogue.declaration import OWN, Tool, ToolOptions


def own_tool(function: Callable[..., Any], *, writes: bool, **options: Unpack[ToolOptions]) -> Tool:
    """Return a tool made from a function without an agent parameter; `options` are those of `Tool.of`.

    A call that changes something must not run twice, unless `idempotent=True`. Raises `InvalidArgument` for a function
    with unnamed arguments.
    """
    options.setdefault("idempotent", not writes)
    return Tool.of(_with_agent(function), module=OWN, writes=writes, **options)


def installed_tools(taken: Callable[[str], bool]) -> Iterator[Tool]:
    """Yield the tools of the entry points `mabos.tools`, each a tool or a list, except those named as in `taken`."""
    names = set[str]()
    for extension in extensions("mabos.tools"):
        given = extension.value
        for one in given if isinstance(given, Iterable) else [given]:
            if not isinstance(one, Tool):
                extension.left_out(f"{type(one).__name__} is not a tool; own_tool(function, writes=...) makes one")
            elif taken(one.name) or one.name in names:
                extension.left_out(f"there is a tool {one.name!r} already")
            else:
                names.add(one.name)
                yield one


def _with_agent(function: Callable[..., Any]) -> Callable[..., Mapping[str, Any]]:
    """Return a function that takes the agent first, and reads as the one that it calls."""
    parameters = list(inspect.signature(function).parameters.values())
    for one in parameters:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY) or one.name == "agent_id":
            message = f"{function.__name__}: a tool takes arguments by name, and none is called agent_id"
            raise InvalidArgument(message, argument=one.name)

    def operation(_agent: Any, **given: Any) -> Mapping[str, Any]:
        try:
            result = to_jsonable_python(function(**given))
        except ValueError as error:
            raise InvalidArgument(str(error)) from error
        return result if isinstance(result, dict) else {"result": result}

    hints = get_type_hints(function, include_extras=True)
    agent = inspect.Parameter("_agent", inspect.Parameter.POSITIONAL_ONLY)
    named = [one.replace(kind=one.KEYWORD_ONLY) for one in parameters]
    operation.__name__ = function.__name__
    operation.__doc__ = inspect.getdoc(function)
    operation.__annotations__ = {one.name: hints.get(one.name, Any) for one in parameters}
    operation.__signature__ = inspect.Signature([agent, *named])  # type: ignore[attr-defined]  # read by inspect
    return operation
