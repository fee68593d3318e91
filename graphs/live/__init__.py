"""The live company: every agent runs when it has something to do, until the company is stopped.

    from mabos.graphs.live import LiveCompany

    with opened(Path("workspace")) as services:
        company = LiveCompany(services)
        company.run(seconds=600)             # or until company.stop() is called from another thread

In reading order: `actors` (resting agents, the next agent, and external changes), `turns` (one cycle, and the handling
of a failure), `way` (yielding to urgent work), `keeper` (timed events), `company` (the threads), `presence` (detection
of the run by other processes, and requests to end it).
"""

from mabos.graphs.live.actors import Actor
from mabos.graphs.live.company import LiveCompany
from mabos.graphs.live.turns import Happening

__all__ = ["Actor", "Happening", "LiveCompany"]
