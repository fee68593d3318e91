"""The table of all views, in page order, and their preparation before the first request."""

import logging
from collections.abc import Callable

from mabos.interfaces.dashboard.chat import chat
from mabos.interfaces.dashboard.decisions import queue
from mabos.interfaces.dashboard.editing import edit
from mabos.interfaces.dashboard.figures import figures
from mabos.interfaces.dashboard.goals import goals
from mabos.interfaces.dashboard.ledger import ledger
from mabos.interfaces.dashboard.messages import messages
from mabos.interfaces.dashboard.minds import minds
from mabos.interfaces.dashboard.network import network
from mabos.interfaces.dashboard.overview import overview
from mabos.interfaces.dashboard.runs import runs
from mabos.interfaces.dashboard.view import PageRequest, PageView, template
from mabos.interfaces.dashboard.why import why
from mabos.interfaces.dashboard.workflows import workflows

VIEWS = (
    PageView("overview", "Overview", "o", overview),
    PageView("chat", "Chat", "c", chat),
    PageView("decisions", "Decisions", "d", queue),
    PageView("minds", "Minds", "m", minds),
    PageView("goals", "Goals", "g", goals),
    PageView("messages", "Messages", "s", messages),
    PageView("figures", "Figures", "f", figures),
    PageView("workflows", "Workflows", "w", workflows),
    PageView("network", "Knowledge", "k", network),
    PageView("runs", "Simulations", "r", runs),
    PageView("ledger", "Ledger", "l", ledger),
    PageView("why", "Why", "y", why),
)
EDIT = PageView("edit", "Edit a mind", "", edit)
"""The page behind a button on each mind; it stands in no list of views."""
_LOG = logging.getLogger(__name__)


def prepare(asks: Callable[[], PageRequest], stopped: Callable[[], bool]) -> None:
    """Build every view once, so that the first visitor does not wait for data; ends early when `stopped`."""
    for view in VIEWS:
        if stopped():
            return
        try:
            view.shown(asks())
            template(view.name)
        except Exception as wrong:  # noqa: BLE001 - whoever asks for the page is told
            _LOG.info("%s is not prepared: %s", view.title, wrong)
    if not stopped():
        asked = asks()
        with asked.reasons.records(asked.services):
            pass
