"""The time of the owner's last visit: the browser keeps it, so that the overview can show news since then."""

from datetime import datetime, timedelta

from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import iso, parse_time

PAUSE = timedelta(minutes=30)
"""The pause after which a new visit begins."""
_BETWEEN = "~"


def next_visit(cookie: str, now: datetime) -> tuple[str, str]:
    """Return when the previous visit ended, "" for the first, and the cookie that stores the current time.

    >>> from datetime import UTC
    >>> next_visit("~2026-02-24T09:00:00.000Z", datetime(2026, 2, 24, 12, tzinfo=UTC))
    ('2026-02-24T09:00:00.000Z', '2026-02-24T09:00:00.000Z~2026-02-24T12:00:00.000Z')
    """
    before, _, last = cookie.partition(_BETWEEN)
    try:
        is_over = now - parse_time(last) > PAUSE
        before = iso(parse_time(last)) if is_over else before and iso(parse_time(before))
    except InvalidArgument:  # none yet, or one that somebody made up
        before = ""
    return before, f"{before}{_BETWEEN}{iso(now)}"
