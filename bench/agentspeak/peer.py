"""A runner of programs on python-agentspeak, in its own environment, for comparison; it uses nothing of MABOS.

Started by another program with that environment's Python: one request as JSON on standard input, one answer on
standard output. `{"programs": {name: [[agent, text], ...]}}` gives the trace of each program; `{"timed": {...}}` the
seconds of the processor that each takes, from the first turn to the last.
"""

import io
import json
import logging
import sys
import time
from importlib import import_module
from typing import Any

FAILED = ["*", "failed"]


def world_of(agents: list[list[str]], trace: list[list[str]]) -> Any:
    """Return an environment with the agents, whose output is traced."""
    peer, runtime = import_module("agentspeak"), import_module("agentspeak.runtime")
    actions = peer.Actions(import_module("agentspeak.stdlib").actions)

    @actions.add(".print")  # type: ignore[untyped-decorator]  # the peer has no types
    def said(agent: Any, term: Any, intention: Any) -> Any:
        memo: dict[Any, Any] = {}
        trace.append([agent.name, " ".join(peer.asl_str(peer.freeze(one, intention.scope, memo)) for one in term.args)])
        yield

    world = runtime.Environment()
    for name, text in agents:
        source = io.StringIO(text)
        source.name = name  # the peer names an agent by its file
        world.build_agent(source, actions)
    return world


def traced(agents: list[list[str]]) -> list[list[str]]:
    """Return the agents' output, in order; an error ends the run."""
    trace: list[list[str]] = []
    try:
        world_of(agents, trace).run()
    except Exception:  # noqa: BLE001  # whatever the peer raises, the program has failed there
        trace.append(FAILED)
    return trace


def timed(agents: list[list[str]], copies: int) -> float:
    """Return the seconds of a run with `copies` of each agent."""
    many = [[f"{name}{at}" if copies > 1 else name, text] for name, text in agents for at in range(copies)]
    world = world_of(many, [])
    begun = time.process_time()
    world.run()
    return time.process_time() - begun


def main() -> None:
    """Answer one request."""
    logging.disable(logging.CRITICAL)
    asked = json.load(sys.stdin)
    sys.setrecursionlimit(10_000)
    told = {
        "programs": {name: traced(agents) for name, agents in asked.get("programs", {}).items()},
        "timed": {name: timed(one["agents"], one["copies"]) for name, one in asked.get("timed", {}).items()},
    }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
