"""An interpreter of AgentSpeak(L) on the product's triggers and contexts, for comparison with python-agentspeak.

It runs whole programs for many agents in one process, in memory, without files. In reading order:

- `syntax`, `reader`: programs as they are written
- `program`, `compiler`: procedures compiled, once for all agents that follow them, and what an agent is busy with
- `agent`, `actions`: what happens to one agent, and what it can do
- `scheduler`: turns for many agents
- `compared`, `peer`: the programs in `programs`, and the traces that python-agentspeak gives of them

    world = Scheduler(told=print)
    world.add("ann", program('price(3). !buy. +!buy : price(P) & P < 5 <- .print("for", P).'))
    world.run()

Each of the 26 programs gives the trace that python-agentspeak 0.2.2 gives, and so do 600 made at random
(`python -m bench.procedures --invented 200 7`, and with seeds 8 and 9). Where that one stops with an error (a procedure
fails, or none applies) this one takes the next procedure that applies, then one for the failure (`-!goal`); `askOne`
and `askAll` are answered. `if`, `while` and `for` are left out.
"""

from bench.agentspeak.actions import ACTIONS
from bench.agentspeak.compiler import compiled
from bench.agentspeak.program import Action, Program
from bench.agentspeak.reader import read
from bench.agentspeak.scheduler import Scheduler


def program(text: str, actions: dict[str, Action] | None = None) -> Program:
    """Return the program of a text; `actions` are its agents' own, beside the common ones."""
    return compiled(read(text), ACTIONS | (actions or {}))


__all__ = ["ACTIONS", "Action", "Program", "Scheduler", "program"]
