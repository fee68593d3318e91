"""One agent, one cycle: perceive, deliberate, plan, act, learn (S3 section 4.1).

    START -> perceive -> deliberate -> plan -> act -> learn -> END

Nothing worth doing goes from deliberate to learn. Act does step after step; a failed one goes back to plan; a plan that
is through, a question to a person, or an exhausted budget goes to learn. Where a chat model works on a message, work
and act take turns: an answer of the model, then the calls that it asks for.
"""

from langgraph.graph import END, START, StateGraph

from mabos.nodes.act import act
from mabos.nodes.deliberate import deliberate
from mabos.nodes.learn import learn
from mabos.nodes.perceive import perceive
from mabos.nodes.phase import WAYS, leading
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


def build() -> StateGraph[BdiState, Context, BdiInput, BdiOutput]:
    """Return the machine, not yet compiled."""
    machine = StateGraph(BdiState, context_schema=Context, input_schema=BdiInput, output_schema=BdiOutput)
    for name, (node, description) in PHASES.items():
        ways = WAYS.get(name)
        machine.add_node(name, leading(name, node), destinations=ways, metadata={"description": description})
    machine.add_edge(START, "perceive")
    machine.add_edge("perceive", "deliberate")
    machine.add_edge("learn", END)
    return machine
