"""Process signed reports from other services: Stripe, Slack and HubSpot.

Read in this order:

- `signatures.py`: checks that a report comes from its stated sender and is recent
- `events.py`: the events in a report, each with its id, kind and time
- `register.py`: the processed events, and the resulting subscriptions and payments (`webhooks.json`)
- `billing.py`, `customers.py`, `chat.py`: the meaning of Stripe, HubSpot and Slack events for a company

The tool `webhook_process` (`tools/business/webhooks.py`) writes their meaning to facts, metrics, contacts, deals and
inboxes.
"""

from mabos.society.webhooks.events import Source, WebhookEvent, events_in
from mabos.society.webhooks.meaning import EventMeaning
from mabos.society.webhooks.register import Register, open_register
from mabos.society.webhooks.signatures import SECRETS, Report, verify

__all__ = [
    "SECRETS", "EventMeaning", "Register", "Report", "Source", "WebhookEvent", "events_in", "open_register", "verify",
]  # fmt: skip
