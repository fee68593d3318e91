"""What other services report, each report signed: Stripe, Slack and HubSpot.

Read in this order:

- `signatures.py`: whether a report comes from whom it says, and is not an old one sent again
- `events.py`: the events in a report, each with its id, kind and time
- `register.py`: the events that were taken in, and what subscriptions and payments they add up to (`webhooks.json`)
- `billing.py`, `customers.py`, `chat.py`: what the events of Stripe, HubSpot and Slack mean for a company

The tool `webhook_process` (`tools/business/webhooks.py`) puts what they mean into facts, metrics, contacts, deals and
inboxes.
"""

from mabos.society.webhooks.events import Source, WebhookEvent, events_in
from mabos.society.webhooks.meaning import EventMeaning
from mabos.society.webhooks.register import Register, open_register
from mabos.society.webhooks.signatures import SECRETS, Report, verify

__all__ = [
    "SECRETS",
    "EventMeaning",
    "Register",
    "Report",
    "Source",
    "WebhookEvent",
    "events_in",
    "open_register",
    "verify",
]
