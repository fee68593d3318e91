"""A planner for hierarchies of tasks: compound tasks are refined by methods until every leaf is a step.

In reading order:

- `model`: conditions, effects, operators, methods, networks (`sequence`, `parallel`, `choice`), problems
- `truth`, `world`: the evaluation of conditions; a state that can undo its changes
- `matching`, `agenda`, `unrolled`, `compiled`: all of it made ready to run
- `search`, `result`, `failures`: `plan`, the tree it gives, or why there is none
- `verification`: whether a plan is valid

A text is a condition on beliefs, a tuple a fact or a task:

>>> book = Operator("book", (("?help", "object"),), "cash > 500", (("booked", "?help"), Increase("cash", -300)))
>>> tell = Operator("tell", effects=(Assign("team informed", "yes"),))
>>> agency = Method("agency", ("find help",), sequence(("book", "agency"), ("tell",)), "runway_months >= 6", fit=0.9)
>>> friends = Method("friends", ("find help",), sequence(("book", "?who"), ("tell",)), ("knows", "us", "?who"))
>>> held = {"cash": "900", "runway_months": "4"}
>>> state = State({("knows", "us", "Ann")}, lookup=held.get)
>>> found = plan(PlanningProblem(Domain((book, tell), (agency, friends)), state, ("find help",)))
>>> found.plan, found.tree[0].method
((('book', 'Ann'), ('tell',)), 'friends')
>>> plan(PlanningProblem(Domain((book, tell), (agency,)), state, ("find help",))).why.told()
"'find help', by 'agency', needs: runway_months >= 6 (runway_months is 4)"
"""

from mabos.mind.htn.failures import Failure
from mabos.mind.htn.model import (
    TRUE,
    And,
    Assign,
    Choice,
    Domain,
    Each,
    Exists,
    ForAll,
    Increase,
    Method,
    Network,
    Not,
    Operator,
    Or,
    PlanningProblem,
    Same,
    State,
    choice,
    parallel,
    sequence,
)
from mabos.mind.htn.result import Result, TaskNode, leaves, walk
from mabos.mind.htn.search import plan
from mabos.mind.htn.verification import Decomposition, PlanVerdict, Refinement, decomposition, verify

__all__ = [
    "TRUE", "And", "Assign", "Choice", "Decomposition", "Domain", "Each", "Exists", "Failure", "ForAll", "Increase",
    "Method", "Network", "Not", "Operator", "Or", "PlanVerdict", "PlanningProblem", "Refinement", "Result", "Same",
    "State", "TaskNode", "choice", "decomposition", "leaves", "parallel", "plan", "sequence", "verify", "walk",
]  # fmt: skip
