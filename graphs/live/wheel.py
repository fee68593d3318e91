"""The timer wheel of a live company: each moment that is named comes once, when the injected clock has passed it."""

from collections.abc import Iterable
from datetime import datetime

from mabos.nodes.maintenance.moments import Moment


class Wheel:
    """The moments to come, by who names them; what lay between `since` and the first look has been missed, and comes.

    Nothing is kept of it: whoever names moments does so from files. What is named late, since its time passed while it
    was being written down, comes at the next look. A clock that is set back has what lies ahead again come again.
    """

    def __init__(self, since: datetime) -> None:
        self._since = since
        self._named_at: dict[str, datetime] = {}
        self._ahead: dict[str, set[Moment]] = {}
        self._come: dict[str, set[Moment]] = {}

    def name(self, who: str, found: Iterable[Moment], now: datetime) -> None:
        """Have `who` name all its moments anew, as they are `now`; those before its last naming are over."""
        since = self._named_at.get(who, self._since)
        come = self._come.pop(who, set())
        self._ahead[who] = {one for one in found if one.at > since and one not in come}
        self._named_at[who] = now

    def due(self, now: datetime) -> list[Moment]:
        """Return the moments that have come, in their order, and let go of them; several of one kind are one."""
        come: dict[tuple[str, bool], Moment] = {}
        for who, ahead in self._ahead.items():
            passed = {one for one in ahead if one.at <= now}
            ahead.difference_update(passed)
            self._come.setdefault(who, set()).update(passed)
            for one in sorted(passed):
                come.setdefault((one.agent_id, one.tends), one)
        return sorted(come.values())

    def next(self) -> datetime | None:
        """Return when the next moment comes."""
        return min((one.at for ahead in self._ahead.values() for one in ahead), default=None)

    def set_back(self, now: datetime) -> None:
        """Take it that the clock shows an earlier time than before: all is named anew from there."""
        self._since = min(self._since, now)
        self._named_at = {who: min(at, now) for who, at in self._named_at.items()}
        self._come.clear()
