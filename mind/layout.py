"""A template laid out over what is known: once for each thing it is about, without what is not called for now.

    laid_out(template, mind.index, mind.index.names)      # a step for each segment whose campaign has ended

What no name in it is known of is left out too: nothing is done on a value that nobody has.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from mabos.mind.binding import filled, known_values
from mabos.mind.conditions import Lookup, holds, reckoned
from mabos.mind.templates import StepTemplate, Template

_SUM = re.compile(r"\{=([^{}]+)\}")


def laid_out(template: Template, lookup: Lookup, names: Iterable[str]) -> Template | None:
    """Return `template` with the steps that are called for now; None where that is none of them.

    `names` are the names of which something is believed.
    """
    if not any(step.each or step.when or _has_sum(step.arguments) for step in template.steps):
        return template
    values, known = known_values(template, lookup), sorted(names)
    steps = tuple(
        called for step in template.steps for one in _each(step, known) if (called := _called(one, values, lookup))
    )
    return template.model_copy(update={"steps": steps}) if steps else None


def _each(step: StepTemplate, names: Iterable[str]) -> Iterator[StepTemplate]:
    """Yield a step for every combination of what the names of its `each` stand for; itself where it has none."""
    if not step.each:
        yield step
        return
    ranges = [_matching(one, names) if isinstance(one, str) else one for one in step.each.values()]
    for combination in product(*ranges):
        bound = dict(zip(step.each, combination, strict=True))
        told = filled(step.model_dump(exclude={"each"}), bound)
        yield StepTemplate.model_validate({**told, "id": "_".join((step.id, *combination))})


def _matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return what stands for the `*` of a pattern in the names that match it."""
    before, _, after = pattern.partition("*")
    wanted = re.compile(f"{re.escape(before)}(.+){re.escape(after)}")
    return [found[1] for name in names if (found := wanted.fullmatch(name))]


def _called(step: StepTemplate, values: Mapping[str, Any], lookup: Lookup) -> StepTemplate | None:
    """Return a step with its sums reckoned, where it is called for now and all that it rests on is known."""
    try:
        when = _reckoned(filled(step.when, values), lookup)
        if when and holds(when, lookup) is not True:
            return None
        arguments = _reckoned(filled(step.arguments, values), lookup) if _has_sum(step.arguments) else step.arguments
    except LookupError:
        return None
    return step.model_copy(update={"arguments": arguments})


def _has_sum(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_sum, value.values()))
    return isinstance(value, str) and _SUM.search(value) is not None


def _reckoned(value: Any, lookup: Lookup) -> Any:
    """Return `value` with what its sums come to, in cents; raises `LookupError` where something is not known."""
    if isinstance(value, Mapping):
        return {name: _reckoned(one, lookup) for name, one in value.items()}
    if not isinstance(value, str):
        return value
    whole = _SUM.fullmatch(value)
    return _amount(whole[1], lookup) if whole else _SUM.sub(lambda found: f"{_amount(found[1], lookup):g}", value)


def _amount(expression: str, lookup: Lookup) -> float:
    found = reckoned(expression, lookup)
    if found is None:
        raise LookupError(expression)
    return round(found, 2)
