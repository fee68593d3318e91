"""When an agent reads an order back before it acts: an uncertain reading has no effect before it was confirmed."""

from mabos.language.request import Request
from mabos.tools.requests.response import Ask
from mabos.tools.runtime.services import Services

ACT = 0.5
"""The probability of a right reading from which an order with effects is carried out without asking."""


def confirmation(services: Services, request: Request) -> Ask | None:
    """Return the question that shows how an order was understood, or None where it need not be asked."""
    if request.act != "order" or request.confidence >= ACT or request.operation in ("", "task") or request.missing:
        return None
    name = request.operation
    if name in services.tools.names and not services.tools.tool(name).writes:
        return None
    what = services.tools.tool(name).summary.rstrip(".") if name in services.tools.names else name.replace("_", " ")
    slots = "; ".join(f"{one.name.replace('_', ' ')}: {one.value}" for one in request.slots)
    return Ask(f"I understand: {what}{f' ({slots})' if slots else ''}. Shall I?", ("confirm",))
