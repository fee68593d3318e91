"""Makes a price at a server and may be killed there: `python -m chaos.stripe_kill ROOT ADDRESS`."""

import sys
from pathlib import Path

from mabos.configs.settings import environment, load_settings
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import Outcome
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import frozen_clock
from tests.tools.offices import NOW, ask

KEY = "P-1/1/S-1/1"


def opened(root: Path, address: str) -> Services:
    """Return the services of a workspace whose prices are made at an address."""
    variables = environment({"STRIPE_API_BASE": address, "STRIPE_API_KEY": "sk_test_1", "MABOS_FORBID_MODEL": "1"})
    return open_services(
        root,
        settings=load_settings(root, variables),
        environment=variables,
        clock=frozen_clock(NOW),
        registry=Registry(("business.businesses", "business.integration")),
    )


def priced(services: Services) -> Outcome:
    """Make a price as a step of a plan does, under its effect key."""
    return ask(services, "cfo", "stripe_create_price", effect=KEY, product="Team", amount_usd=29)


if __name__ == "__main__":
    priced(opened(Path(sys.argv[1]), sys.argv[2]))
