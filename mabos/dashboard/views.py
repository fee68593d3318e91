"""The table of all views, in the order in which they stand on the page."""

from mabos.dashboard import decisions
from mabos.dashboard.view import View

VIEWS = (View("decisions", "Decisions", "d", decisions.queue),)
