"""The reactive core of an agent: procedures that an event starts, `trigger : context <- body` (S3 4; AgentSpeak(L)).

A procedure is tried when its event happens: a belief is added or removed (`+cash(X)`, `-cash(X)`), a goal is adopted or
has failed (`+!close`, `-!close`), something is asked (`+?cash(X)`). The first one whose head and context fit is begun;
where it fails the next one is, then the one for the failure. In reading order:

- `terms`, `syntax`, `reader`: what procedures speak in, and how they are written
- `beliefs`, `expressions`, `queries`: what is believed, and what a context asks of it
- `program`: procedures compiled, once for all agents that follow them
- `intention`, `agent`, `actions`: what one agent is busy with, and what it can do
- `scheduler`: turns for many agents (`mind.turns` says whose it is among one agent's intentions)
- `held`, `playbooks`, `unfolding`: what a mind believes as terms, the playbooks of Playbooks.md, and their plans

    world = Scheduler(told=print)
    world.add("ann", program('price(3). !buy. +!buy : price(P) & P < 5 <- .print("for", P).'))
    world.run()
"""

from mabos.mind.procedures.actions import ACTIONS
from mabos.mind.procedures.program import Action, Program, compiled
from mabos.mind.procedures.reader import read
from mabos.mind.procedures.scheduler import Scheduler


def program(text: str, actions: dict[str, Action] | None = None) -> Program:
    """Return the program that a text says; `actions` are what its agents can do beside what all can."""
    return compiled(read(text), ACTIONS | (actions or {}))


__all__ = ["ACTIONS", "Action", "Program", "Scheduler", "program"]
