"""Which handler takes which request: by the operation that it names, else by what kind of sentence it is."""

from collections.abc import Mapping

from mabos.language.request import Request
from mabos.tools.requests.response import Handler

BY_OPERATION: Mapping[str, Handler] = {}
"""Handlers of operations that are more than one call of a tool: `remind`, `report_regularly`, `project`, ..."""

BY_ACT: Mapping[str, Handler] = {}
"""Handlers of sentences that name no operation: questions, small talk, rules, corrections."""


def handler_of(request: Request) -> Handler | None:
    """Return the handler of a request, or None where there is none."""
    return BY_OPERATION.get(request.operation) or BY_ACT.get(request.act)
