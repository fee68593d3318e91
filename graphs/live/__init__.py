"""The live company: every agent runs when it has something to do, until somebody stops it.

    from mabos.graphs.live import LiveCompany

    with opened(Path("workspace")) as services:
        company = LiveCompany(services)
        company.run(seconds=600)             # or until company.stop() is called from another thread

In reading order: `actors` (who is at rest, who is next, and what others have written), `turns` (one cycle, and what
follows where it fails), `way` (how others step aside for what is urgent), `keeper` (what time alone brings), `company`
(the threads), `presence` (how other processes tell that somebody runs it, and ask for an end).
"""

from mabos.graphs.live.actors import Actor
from mabos.graphs.live.company import LiveCompany
from mabos.graphs.live.turns import Happening

__all__ = ["Actor", "Happening", "LiveCompany"]
