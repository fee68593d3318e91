"""Evaluation of conditions and effects in a world under variable bindings."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.values import number
from mabos.knowledge.wording import name_key
from mabos.mind.conditions import holds, subjects
from mabos.mind.htn import model
from mabos.mind.htn.world import World

_PLACEHOLDER = re.compile(r"\{([^{}\s]+)\}")


def is_variable(term: Any) -> bool:
    """Return whether a term is a variable."""
    return isinstance(term, str) and term.startswith("?")


def bind_fact(fact: model.Fact, binding: model.Binding) -> model.Fact:
    """Return a fact or task with its bound variables replaced."""
    return tuple(binding.get(term, term) if is_variable(term) else term for term in fact)


def fill_variables(text: str, binding: model.Binding) -> str:
    """Return a text with each `{name}` replaced by the value of `?name`.

    >>> fill_variables("cash > {cost}", {"?cost": 300})
    'cash > 300'
    """
    return _PLACEHOLDER.sub(lambda found: str(binding.get(f"?{found[1]}", found[0])), text)


def truth(condition: model.Condition, binding: model.Binding, world: World) -> bool | None:  # noqa: PLR0911 - one for each form
    """Return whether a condition holds, or None if it cannot be decided."""
    match condition:
        case tuple():
            return bind_fact(condition, binding) in world.facts
        case str():
            return holds(fill_variables(condition, binding), world.value)
        case model.Not(part):
            found = truth(part, binding, world)
            return None if found is None else not found
        case model.And(parts):
            return _all(truth(part, binding, world) for part in parts)
        case model.Or(parts):
            return _any(truth(part, binding, world) for part in parts)
        case model.Same(left, right):
            return bool(binding.get(left, left) == binding.get(right, right))
        case model.ForAll(variables, part):
            return _all(truth(part, one, world) for one in bindings(variables, binding, world))
        case model.Exists(variables, part):
            return _any(truth(part, one, world) for one in bindings(variables, binding, world))


def bindings(variables: Sequence[model.Variable], binding: model.Binding, world: World) -> Iterator[dict[str, Any]]:
    """Yield `binding` extended by each choice of objects for `variables`."""
    names = [name for name, _ in variables]
    for things in product(*(world.things(kind) for _, kind in variables)):
        yield {**binding, **dict(zip(names, things, strict=True))}


def variables_of(condition: model.Condition) -> dict[str, None]:
    """Return the free variables of a condition, in order."""
    match condition:
        case tuple():
            return dict.fromkeys(term for term in condition if is_variable(term))
        case str():
            return {f"?{found[1]}": None for found in _PLACEHOLDER.finditer(condition)}
        case model.Not(part):
            return variables_of(part)
        case model.And(parts) | model.Or(parts):
            return {name: None for part in parts for name in variables_of(part)}
        case model.Same(left, right):
            return {term: None for term in (left, right) if is_variable(term)}
        case model.ForAll(variables, part) | model.Exists(variables, part):
            inner = dict(variables)
            return {name: None for name in variables_of(part) if name not in inner}


def changed_variables(effect: model.Effect) -> dict[str, None]:
    """Return the free variables of an effect, in order."""
    match effect:
        case model.Assign(name, value) | model.Increase(name, value):
            return variables_of(f"{name} {value}")
        case model.Each(variables, condition, effects):
            inner = dict(variables)
            found = {**variables_of(condition), **{name: None for one in effects for name in changed_variables(one)}}
            return {name: None for name in found if name not in inner}
        case tuple() | model.Not():
            return variables_of(effect)


def conjuncts(condition: model.Condition) -> Iterator[model.Condition]:
    """Yield the conjuncts, nested ones too."""
    if isinstance(condition, model.And):
        for part in condition.parts:
            yield from conjuncts(part)
    else:
        yield condition


@dataclass(slots=True)
class StateChange:
    """The result of effects: facts added and removed, and new values of names."""

    added: list[model.Fact] = field(default_factory=list)
    removed: list[model.Fact] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)

    def happen(self, world: World) -> None:
        """Change `world`; a fact both removed and added holds afterwards."""
        world.change(self.removed, self.added)
        for name, value in self.values:
            world.assign(name_key(name), value)


def change(effects: Iterable[model.Effect], binding: model.Binding, world: World) -> StateChange:
    """Return the result of `effects`, with conditions and amounts evaluated in the current world."""
    found = StateChange()
    for effect in effects:
        _collect(effect, binding, world, found)
    return found


def _collect(effect: model.Effect, binding: model.Binding, world: World, found: StateChange) -> None:
    match effect:
        case tuple():
            found.added.append(bind_fact(effect, binding))
        case model.Not(tuple() as fact):
            found.removed.append(bind_fact(fact, binding))
        case model.Assign(name, value):
            found.values.append((fill_variables(name, binding), fill_variables(value, binding)))
        case model.Increase(name, amount):
            name = fill_variables(name, binding)
            held = number(world.value(name) or "")
            if held is not None:  # what nobody knows stays unknown
                found.values.append((name, _sum(held, amount, binding)))
        case model.Each(variables, condition, effects):
            for one in bindings(variables, binding, world):
                if truth(condition, one, world):
                    for inner in effects:
                        _collect(inner, one, world, found)
        case _:
            raise InvalidArgument(f"{effect!r} is not an effect; only a fact can be negated", argument="effects")


def _sum(held: float, amount: float | str, binding: model.Binding) -> str:
    text = fill_variables(amount, binding) if isinstance(amount, str) else str(amount)
    more = number(text)
    if more is None:
        raise InvalidArgument(f"cannot add {text!r}; an increase needs a number or an amount", argument="amount")
    return f"{held + more:.12g}"


def _all(truths: Iterable[bool | None]) -> bool | None:
    found: bool | None = True
    for one in truths:
        if one is False:
            return False
        found = None if one is None else found
    return found


def _any(truths: Iterable[bool | None]) -> bool | None:
    found: bool | None = False
    for one in truths:
        if one:
            return True
        found = None if one is None else found
    return found


def render_condition(condition: model.Condition | model.Effect, binding: model.Binding) -> str:  # noqa: PLR0911 - one for each form
    """Return a condition or effect formatted for people: `at truck ?place`, `cash > 300`, `not (free hand)`."""
    match condition:
        case tuple():
            return " ".join(map(str, bind_fact(condition, binding)))
        case str():
            return fill_variables(condition, binding)
        case model.Not(part):
            return f"not ({render_condition(part, binding)})"
        case model.And(parts):
            return " and ".join(f"({render_condition(part, binding)})" for part in parts) or "always"
        case model.Or(parts):
            return " or ".join(f"({render_condition(part, binding)})" for part in parts)
        case model.Same(left, right):
            return f"{binding.get(left, left)} = {binding.get(right, right)}"
        case model.ForAll(variables, part) | model.Exists(variables, part):
            word = "for all" if isinstance(condition, model.ForAll) else "for some"
            return f"{word} {' '.join(name for name, _ in variables)}: {render_condition(part, binding)}"
        case model.Assign(name, value):
            return fill_variables(f"{name} = {value}", binding)
        case model.Increase(name, amount):
            return fill_variables(f"{name} + {amount}", binding)
        case model.Each(variables, where, effects):
            told = ", ".join(render_condition(effect, binding) for effect in effects)
            return f"for all {' '.join(name for name, _ in variables)} where {render_condition(where, binding)}: {told}"


def consult_values(condition: model.Condition, binding: model.Binding, world: World) -> Mapping[str, str | None]:
    """Return the values of the names in a condition's texts, None if unknown."""
    match condition:
        case str():
            return {name: world.value(name) for name in subjects(fill_variables(condition, binding))}
        case model.Not(part) | model.ForAll(_, part) | model.Exists(_, part):
            return consult_values(part, binding, world)
        case model.And(parts) | model.Or(parts):
            return {name: value for part in parts for name, value in consult_values(part, binding, world).items()}
        case _:
            return {}
