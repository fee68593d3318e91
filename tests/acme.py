"""The company that most tests stand on: `acme`, made of the template `saas`."""

from pathlib import Path

from mabos.graphs import wiring
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services


def found(services: Services) -> None:
    """Make the company in an open workspace."""
    made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
    assert made.ok, made.message


def founded(root: Path) -> Path:
    """Return the folder of a workspace that has the company."""
    with wiring.hold_services(root) as services:
        found(services)
    return root
