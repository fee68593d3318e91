"""Bindings that make a pattern a task, and conditions hold: by trying, without what the planner makes ready."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mabos.mind.htn.model import ANY, Condition, Fact
from mabos.mind.htn.truth import bound, is_variable, truth, variables_of
from mabos.mind.htn.world import World


def unified(pattern: Fact, task: Fact, binding: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return `binding` with the variables of `pattern` that make it `task`, or None where nothing does."""
    if pattern[0] != task[0] or len(pattern) != len(task):
        return None
    found = dict(binding)
    for term, thing in zip(pattern[1:], task[1:], strict=True):
        if (found.setdefault(term, thing) if is_variable(term) else term) != thing:
            return None
    return found


def is_met(needs: Sequence[Condition], binding: Mapping[str, Any], kinds: Mapping[str, str], world: World) -> bool:
    """Return whether some choice of the variables that are still free makes every one of `needs` hold."""
    ready = [one for one in needs if all(name in binding for name in variables_of(one))]
    if any(truth(one, binding, world) is False for one in ready):
        return False
    rest = [one for one in needs if one not in ready]
    if not rest:
        return True
    facts = next((one for one in rest if isinstance(one, tuple)), None)
    if facts is not None:
        options: Iterable[dict[str, Any] | None] = (
            unified(bound(facts, binding), fact, binding) for fact in world.facts
        )
    else:
        name = next(name for name in variables_of(rest[0]) if name not in binding)
        options = ({**binding, name: thing} for thing in world.things(kinds.get(name, ANY)))
    return any(is_met(rest, one, kinds, world) for one in options if one is not None and fits(one, kinds, world))


def fits(binding: Mapping[str, Any], kinds: Mapping[str, str], world: World) -> bool:
    """Return whether every variable that is bound is of its type."""
    typed = ((binding[name], kind) for name, kind in kinds.items() if name in binding and kind != ANY)
    return all(thing in world.members.get(kind, ()) for thing, kind in typed)
