"""A single cycle of one agent: perceive, deliberate, plan, act, learn (S3 section 4.1).

    START -> perceive -> deliberate -> plan -> act -> learn -> END

If no goal is worth pursuing, deliberate goes to learn. Act does step after step; after a failed step the cycle returns
to plan. A finished plan, a question to a person, or an exhausted budget leads to learn. If a chat model works on a
message, work and act alternate: an answer of the model, then the calls that it requests.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph

from mabos.configs.errors import InvalidArgument
from mabos.nodes.act import act
from mabos.nodes.deliberate import deliberate
from mabos.nodes.learn import learn
from mabos.nodes.perceive import perceive
from mabos.nodes.phase import WAYS, leading, way
from mabos.nodes.plan import plan
from mabos.nodes.state import BdiInput, BdiOutput, BdiState, Context
from mabos.nodes.work import work

PHASES = {
    "perceive": (perceive, "Read inbox, dropped documents and metrics; revise beliefs."),
    "deliberate": (deliberate, "Score desires, resolve their conflicts, adopt goals, choose what to pursue."),
    "plan": (plan, "Take a plan from a case or the library, bind it, commit to it."),
    "act": (act, "Perform the steps of the plan, one by one, through the one call path."),
    "work": (work, "Let a chat model take the next step for a message; act performs what it asks for."),
    "learn": (learn, "Keep the case, beliefs, memories and lessons; acknowledge what was read."),
}


OwnNode = Callable[..., Any]
"""A node of somebody's own: takes the state, and if it likes `runtime`; returns an update of it, or None."""


def build(
    *, before: Mapping[str, OwnNode] | None = None, after: Mapping[str, OwnNode] | None = None
) -> StateGraph[BdiState, Context, BdiInput, BdiOutput]:
    """Return the machine, uncompiled, with custom nodes `before` and `after` phases, by phase.

    Their node names are `before_deliberate`, `after_act`. A node before a phase runs whenever the phase is entered.
    Raises `InvalidArgument` for an unknown phase.
    """
    before, after = before or {}, after or {}
    for name in {*before, *after} - PHASES.keys():
        raise InvalidArgument(
            f"no phase {name!r}; there are {', '.join(PHASES)}", argument="before" if name in before else "after"
        )
    machine = StateGraph(BdiState, context_schema=Context, input_schema=BdiInput, output_schema=BdiOutput)

    def door(name: str) -> str:
        return f"before_{name}" if name in before else name

    for name, (node, description) in PHASES.items():
        leaves_by = f"after_{name}" if name in after else ""
        ways = tuple(map(door, WAYS.get(name, ())))
        led = node if leaves_by else leading(name, node, door)
        machine.add_node(name, led, destinations=None if leaves_by else ways, metadata={"description": description})
        if name in before:
            machine.add_node(door(name), before[name])
            machine.add_edge(door(name), name)
        if leaves_by:
            machine.add_node(leaves_by, after[name])
            machine.add_edge(name, leaves_by)
            if ways:
                machine.add_conditional_edges(leaves_by, partial(_next_door, name, door), list(ways))
    machine.add_edge(START, door("perceive"))
    machine.add_edge("after_perceive" if "perceive" in after else "perceive", door("deliberate"))
    machine.add_edge("after_learn" if "learn" in after else "learn", END)
    return machine


def _next_door(phase: str, door: Callable[[str], str], state: BdiState) -> str:
    return door(way(phase, state))
