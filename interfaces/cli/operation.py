"""Operations of the catalogue, called by a command as a person through the one call path."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mabos.tools.runtime.services import Services


def perform_operation(
    services: "Services", tool: str, agent_id: str | None = None, **arguments: Any
) -> Mapping[str, Any]:
    """Return the result of an operation; raises `MabosError` with the code and argument of a refusal.

    Arguments that are None are left out, so that a missing option keeps the operation's default.
    """
    from mabos.tools.gate.call import call
    from mabos.tools.runtime.services import PERSON

    given = {name: value for name, value in arguments.items() if value is not None}
    return call(services, tool, given, caller=PERSON, agent_id=agent_id).required()
