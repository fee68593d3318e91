"""The table of all views, in the order in which they stand on the page."""

from mabos.dashboard.decisions import queue
from mabos.dashboard.figures import figures
from mabos.dashboard.goals import goals
from mabos.dashboard.ledger import ledger
from mabos.dashboard.messages import messages
from mabos.dashboard.minds import minds
from mabos.dashboard.network import network
from mabos.dashboard.runs import runs
from mabos.dashboard.view import View
from mabos.dashboard.why import why
from mabos.dashboard.workflows import workflows

VIEWS = (
    View("decisions", "Decisions", "d", queue),
    View("minds", "Minds", "m", minds),
    View("goals", "Goals", "g", goals),
    View("messages", "Messages", "s", messages),
    View("figures", "Figures", "f", figures),
    View("workflows", "Workflows", "w", workflows),
    View("network", "Knowledge", "k", network),
    View("runs", "Simulations", "r", runs),
    View("ledger", "Ledger", "l", ledger),
    View("why", "Why", "y", why),
)
