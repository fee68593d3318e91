"""What has been opened so far of a workspace, and how all of it is closed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING

from mabos.backends.choice import unasked
from mabos.configs.errors import Unavailable, file_refused
from mabos.society.contractors import Contractor
from mabos.society.inbox import Inbox
from mabos.society.records import Records
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.effects import Effects
from mabos.tools.runtime.opening import AgentStores
from mabos.workspace.ledger_index import LedgerIndex
from mabos.workspace.store import Store

if TYPE_CHECKING:
    from mabos.tools.runtime.graphs import BusinessGraph
    from mabos.tools.runtime.services import Services

LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class Opened:
    """The stores that are open, each made once under `lock`."""

    lock: RLock = field(default_factory=RLock)
    agents: dict[str, AgentStores] = field(default_factory=dict)
    businesses: dict[str, Business] = field(default_factory=dict)
    inboxes: dict[str, Inbox] = field(default_factory=dict)
    queue: Store | None = None
    contractors: Records[Contractor] | None = None
    effects: Effects | None = None
    ledger_index: LedgerIndex | None = None
    graphs: dict[str, BusinessGraph] = field(default_factory=dict)
    wakes: list[Callable[[str, bool], None]] = field(default_factory=list)
    is_closed: bool = False

    def stores(self) -> list[Store]:
        """Return every store that is open."""
        with self.lock:
            found = [store for one in self.agents.values() for store in one.stores()]
            found += [store for one in self.businesses.values() for store in one.stores()]
            found += [inbox.store for inbox in self.inboxes.values()]
            if self.queue is not None:
                found.append(self.queue)
            found += [records.store for records in (self.contractors, self.effects) if records is not None]
            return found

    def close(self, services: Services) -> None:
        """Bring every file up to date and let go of it, once; what was damaged is raised when all else is closed.

        Where the disk takes nothing, what the files lack stands in their journals, and that is said.
        """
        with self.lock:
            if self.is_closed:
                return
            self.is_closed = True
        ended = [partial(agent.publish, services) for agent in list(self.agents.values())]
        damage = [*_all(ended), *_all(graph.close for graph in list(self.graphs.values()))]
        damage += _all(store.close for store in self.stores())  # a copy of a graph may have opened more of them
        if held := unasked(services.model):
            LOG.warning(held)
        damage += _all([services.index.close, *([self.ledger_index.close] if self.ledger_index is not None else [])])
        if damage:
            raise damage[0]


def _all(closings: Iterable[Callable[[], None]]) -> list[Exception]:
    """Return what went wrong where each is closed, whatever befalls another; what the disk refused is only logged."""
    damage: list[Exception] = []
    for close in closings:
        try:
            close()
        except (OSError, Unavailable) as error:
            said = error if isinstance(error, Unavailable) else file_refused(error)
            LOG.warning("a file is not up to date, its journal is: %s", said.message)
        except Exception as error:  # noqa: BLE001  # a defect in one must not keep the others from being let go
            damage.append(error)
    return damage
