"""What to do instead when a step failed: what is done stays, and as little as possible of the rest is planned anew.

The smallest task around the step is refined in another way, then what was still to come is done. Where that leads
nowhere the task around that one is refined in another way, and so on outwards. No method is tried again with the
binding under which it failed, nor the step itself as long as no other was done.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from mabos.configs.errors import unknown
from mabos.mind.htn.failures import Failure
from mabos.mind.htn.model import TRUE, Network, Part, Problem
from mabos.mind.htn.result import Node, Result, leaves, walk
from mabos.mind.htn.search import BUDGET, plan


@dataclass(frozen=True, slots=True)
class Replanned:
    """The steps that stay done, the plan for the rest, and the task that is done in another way."""

    done: tuple[Node, ...]
    rest: Result
    anew: Node | None = None

    def __bool__(self) -> bool:
        return bool(self.rest)


def replan(
    problem: Problem,
    earlier: Result,
    failed: str,
    *,
    budget: int = BUDGET,
    expired: Callable[[], bool] = lambda: False,
) -> Replanned:
    """Return how to go on after the step with the id `failed` of an earlier plan; the state is that of `problem`.

    Raises `UnknownId` where the plan has no such step.
    """
    steps = earlier.steps
    number = next((place for place, step in enumerate(steps) if step.id == failed), None)
    if number is None:
        raise unknown("step", failed, [step.id for step in steps], argument="failed")
    why = Failure(steps[number].task, "", "a task around it that can be done in another way", steps=number)
    rest, anew = Result("none", why=why), None
    refused = [(steps[number].task, "", frozenset[tuple[str, Any]]())]
    # A choice is a task of the network that it stands in; taken out of it, its options are methods like any other.
    choices = {node.name: node.methods for node in walk(earlier.root) if node.ordering == "choice"}
    domain = replace(problem.domain, methods=problem.domain.methods + tuple(chain.from_iterable(choices.values())))
    for anew in reversed(_path(earlier.root, steps[number])[1:-1]):
        refused.append((anew.task, anew.method, frozenset(anew.binding.items())))
        network = _left(earlier.root, anew, number) or Network()
        open_problem = replace(problem, domain=domain, network=network, variables=(), constraint=TRUE)
        rest = plan(open_problem, budget=budget, expired=expired, refused=refused)
        budget -= rest.expanded
        if rest.status != "none":
            break
    return Replanned(steps[:number], rest, anew)


def _path(root: Node, step: Node) -> list[Node]:
    """Return the nodes from the root down to a step."""
    path = [root]
    while path[-1].children:
        path.append(next(part for part in path[-1].children if any(leaf is step for leaf in leaves(part))))
    return path


def _left(node: Node, anew: Node, number: int) -> Part | None:
    """Return what is left of a task when the first `number` steps are done and `anew` is to be done again."""
    if node is anew:
        return node.task
    steps = list(leaves(node))
    if not any(leaf.at == number for leaf in steps):
        if all(leaf.at < number for leaf in steps) and (steps or node.at <= number):
            return None
        if all(leaf.at > number for leaf in steps):
            return node.task
    parts = [(place, _left(child, anew, number)) for place, child in enumerate(node.children)]
    places = {place: rank for rank, (place, part) in enumerate(one for one in parts if one[1] is not None)}
    before = tuple((places[a], places[b]) for a in places for b in places if node.waits[b] >> a & 1)
    return Network(tuple(part for _, part in parts if part is not None), before)
