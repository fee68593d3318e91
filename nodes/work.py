"""Work: a chat model takes the next step on a message; act performs its calls (see `tools/work`)."""

from mabos.nodes.action.work import take_step
from mabos.nodes.cycle import Cycle
from mabos.nodes.phase import phase
from mabos.nodes.state import BdiState, Update


@phase("work")
def work(cycle: Cycle, state: BdiState) -> Update:
    """Return to act after one answer of the model, which is recorded before it has any effect."""
    if cycle.work:
        take_step(cycle)
    is_over = not cycle.work and not state["intention_id"]
    return {"outcome": "acted", "next": "learn" if is_over else "act"}
