"""A process that sends letters to customers until it is killed, and their recipients.

Its point of death is an argument: after sending a letter and before recording it, or before sending it.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import orjson

from mabos.backends.mail import Letter
from mabos.society.business import create_business
from mabos.tools.gate.call import Outcome, call
from mabos.tools.mail import sending
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import PERSON, Services
from mabos.workspace.clock import SteppedClock
from tests.world import NOON

READERS = 6
CAMPAIGN = {"name": "Spring", "list": "everybody", "subject": "Spring", "text": "It is here, {{ first_name }}."}


def opened(root: Path) -> Services:
    """Open the workspace."""
    return open_services(root, clock=SteppedClock(NOON))


def founded(root: Path, notify: dict[str, Any] | None = None) -> None:
    """Create a business with customers, whose letters are sent as settings define."""
    root.mkdir()
    if notify:
        (root / "mabos.yaml").write_bytes(orjson.dumps({"notify": {"timeout_s": 5, **notify}}))
    services = opened(root)
    create_business(
        services.layout, "acme", name="Acme", template="saas", governance=services.settings.governance,
        clock=services.clock, ids=services.ids, sync=services.sync,
    )  # fmt: skip
    for number in range(READERS):
        entered = {"email": f"reader{number}@company.com", "name": f"Reader{number}"}
        assert call(services, "crm_create_contact", entered, caller=PERSON).ok
    services.close()


def sends(services: Services) -> Outcome:
    """Send the campaign, or continue it."""
    return call(services, "email_campaign", CAMPAIGN, caller=PERSON, key="K-1")


def dies(when: str, after: int) -> None:
    """Make this process kill itself at the letter with that number."""
    sent = sending.Post._transmit_letter
    count = 0

    def deadly(self: sending.Post, letter: Letter) -> str:
        nonlocal count
        count += 1
        if count == after and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        place = sent(self, letter)
        if count == after:
            os.kill(os.getpid(), signal.SIGKILL)
        return place

    sending.Post._transmit_letter = deadly  # type: ignore[method-assign]  # the place to die


if __name__ == "__main__":
    dies(sys.argv[2], int(sys.argv[3]))
    sends(opened(Path(sys.argv[1])))
