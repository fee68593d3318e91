"""A process that creates a price at a server and may be killed there: `python -m chaos.stripe_kill ROOT ADDRESS`."""

import sys
from pathlib import Path

from mabos.tools.gate.call import Outcome
from tests.tools.offices import NOW
from tests.world import World

KEY = "P-1/1/S-1/1"


def opened(root: Path, address: str) -> World:
    """Return a company that creates its prices at an address."""
    variables = {"STRIPE_API_BASE": address, "STRIPE_API_KEY": "sk_test_1", "MABOS_FORBID_MODEL": "1"}
    return World(root, at=NOW, variables=variables, is_alone=True)


def priced(world: World) -> Outcome:
    """Create a price as a plan step does, under its effect key."""
    return world.agent("cfo").ask("stripe_create_price", effect=KEY, product="Team", amount_usd=29)


if __name__ == "__main__":
    priced(opened(Path(sys.argv[1]), sys.argv[2]))
