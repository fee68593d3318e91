"""Adaptation of a past plan to the present: steps substituted, added or left out, bounds moved (S3 7.3)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.mind.model import Step

START = "start"
"""The predecessor of a step inserted before all others."""
OPERATIONS = ("substitute", "insert", "delete", "relax", "tighten")
_INSTEAD = re.compile(r"[\"']?([\w .-]+?)[\"']?\s+instead of\s+[\"']?([\w .-]+?)[\"']?(?=[,;.]|$)", re.IGNORECASE)
_ARROW = re.compile(r"[\"']?([\w .-]+?)[\"']?\s*->\s*[\"']?([\w .-]+?)[\"']?(?=[,;.]|$)")


@dataclass(frozen=True, slots=True)
class Adaptation:
    """The adapted steps, and a sentence for every change."""

    steps: tuple[Step, ...]
    changes: tuple[str, ...]


def differences_of(said: str) -> dict[str, Any]:
    """Return the substitutions in a sentence like `Paddle instead of Stripe, EUR instead of USD`."""
    found = {old.strip(): new.strip() for new, old in _INSTEAD.findall(said)}
    found |= {old.strip(): new.strip() for old, new in _ARROW.findall(said)}
    return {"substitute": found} if found else {}


def adapt(
    steps: Sequence[Step], differences: Mapping[str, Any], inserted: Sequence[tuple[str, Step]] = ()
) -> Adaptation:
    """Return `steps` changed by `differences`; `inserted` are new steps with the id of the step each follows.

    `substitute` maps texts to texts, `delete` lists step ids or tools, `relax` and `tighten` map arguments and
    preconditions to their new bounds, or list preconditions to remove or add. A step that follows none is inserted at
    the end. Raises `InvalidArgument` for anything else.
    """
    for name in differences:
        if name not in OPERATIONS:
            known = ", ".join(OPERATIONS)
            raise InvalidArgument(f"no adaptation {name!r}; use {known}", argument="differences")
    made = list(steps)
    changes: list[str] = []
    made = _delete_steps(made, _normalize_list(differences.get("delete")), changes)
    made = _insert_steps(made, inserted, changes)
    for old, new in _check_mapping(differences.get("substitute"), "substitute").items():
        swapped = [_substitute_value(step, str(old), new) for step in made]
        changes += [f"{new} takes the place of {old}"] if swapped != made else []
        made = swapped
    for name in ("relax", "tighten"):
        made = _apply_bounds(made, name, differences.get(name), changes)
    return Adaptation(tuple(made), tuple(changes))


def _normalize_list(given: Any) -> list[str]:
    if given is None:
        return []
    return [given] if isinstance(given, str) else [str(one) for one in given]


def _check_mapping(given: Any, name: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidArgument(f"{name} is {given!r}; expected an object from old to new", argument="differences")
    return given


def _delete_steps(steps: list[Step], gone: Sequence[str], changes: list[str]) -> list[Step]:
    kept = [step for step in steps if step.id not in gone and step.tool not in gone]
    lost = {step.id for step in steps} - {step.id for step in kept}
    changes += [f"step {step.id} is left out" for step in steps if step.id in lost]
    # A branch must not lead to a step that is gone.
    return [
        replace(step, branches=tuple((when, go) for when, go in step.branches if go not in lost)) if lost else step
        for step in kept
    ]


def _insert_steps(steps: list[Step], inserted: Sequence[tuple[str, Step]], changes: list[str]) -> list[Step]:
    made = list(steps)
    for after, step in inserted:
        ids = [one.id for one in made]
        if step.id in ids:
            raise InvalidArgument(f"a step {step.id!r} already exists; choose another id", argument="differences")
        if after not in ("", START, *ids):
            raise InvalidArgument(
                f"no step {after!r} to insert after; there are {', '.join(ids)}", argument="differences"
            )
        place = {"": len(made), START: 0}
        made.insert(place[after] if after in place else ids.index(after) + 1, step)
        changes.append(f"step {step.id} is added" + (f" after {after}" if after else ""))
    return made


def _substitute_value(step: Step, old: str, new: Any) -> Step:
    return replace(
        step,
        description=str(_swap_value(step.description, old, new)),
        arguments={name: _swap_value(value, old, new) for name, value in step.arguments.items()},
        preconditions=tuple(str(_swap_value(one, old, new)) for one in step.preconditions),
        effects=tuple(str(_swap_value(one, old, new)) for one in step.effects),
    )


def _swap_value(value: Any, old: str, new: Any) -> Any:
    if isinstance(value, str):
        return new if value == old else re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: str(new), value)
    if isinstance(value, Mapping):
        return {name: _swap_value(one, old, new) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_swap_value(one, old, new) for one in value]
    return new if isinstance(value, int | float) and not isinstance(value, bool) and str(value) == old else value


def _apply_bounds(steps: list[Step], name: str, given: Any, changes: list[str]) -> list[Step]:
    if given is None:
        return steps
    if isinstance(given, Mapping):
        for bound, other in given.items():
            if any(bound in step.arguments or bound in step.preconditions for step in steps):
                changes.append(f"{bound} is {name}ed to {other}")
        return [
            replace(
                step,
                arguments={key: given.get(key, value) for key, value in step.arguments.items()},
                preconditions=tuple(str(given.get(one, one)) for one in step.preconditions),
            )
            for step in steps
        ]
    conditions = _normalize_list(given)
    changes += [f"{'without' if name == 'relax' else 'with'} the condition {one}" for one in conditions]
    if name == "relax":
        return [
            replace(step, preconditions=tuple(p for p in step.preconditions if p not in conditions)) for step in steps
        ]
    return [
        replace(step, preconditions=tuple(dict.fromkeys((*step.preconditions, *conditions)))) if step.tool else step
        for step in steps
    ]
