"""Templates turned into tasks: values from beliefs, and whether a template can start (S3 7.2).

    called = laid_out(template, mind.index, mind.index.names)  # a step for each segment whose campaign has ended
    tasks = tasks_of(called, values_for(called, goal, mind.index, now))

A step with an unknown name is left out as well: no step runs on an unknown value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import product
from types import MappingProxyType
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.values import number
from mabos.mind.conditions import Lookup, holds, parse, reckon_amount
from mabos.mind.model import Goal, Step
from mabos.mind.tasks import PlanTask, Way
from mabos.mind.templates import StepTemplate, Template, TemplateParameter
from mabos.workspace.clock import iso

BOOKED = ("work_", "ordered_", "delivered_", "unreviewed_work", "ads_", "published_", "drafts_", "contractors")
"""The prefix of names counted by the business's own books: a missing one counts as none."""
UNNAMED: Mapping[str, str] = MappingProxyType({})
_SUM = re.compile(r"\{=([^{}]+)\}")
_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_.]*)\}")


def applicable(template: Template, lookup: Lookup) -> bool:
    """Return whether `template` has every required value, and no precondition is known to fail."""
    return not missing(template, lookup) and not unmet(template, lookup)


def unmet(template: Template, lookup: Lookup, *, is_asked: bool = False) -> tuple[str, ...]:
    """Return the preconditions of `template`, with its values, that fail or depend on an unreported figure.

    A plan that a person requested proceeds without the figure.
    """
    return tuple(
        condition
        for condition in needs(template, lookup)
        if (truth := holds(condition, lookup)) is False
        or (truth is None and not is_asked and _rests_on_figure(condition))
    )


def _rests_on_figure(condition: str) -> bool:
    """Return whether a condition compares figures of the business with numbers; its own books are complete."""
    clauses = [clause for found in parse(condition) for clause in found]
    compared = [
        clause for clause in clauses if clause.op in ("<", "<=", ">", ">=") and number(clause.value) is not None
    ]
    return bool(compared) and not any(clause.subject.startswith(BOOKED) for clause in compared)


def needs(template: Template, lookup: Lookup) -> tuple[str, ...]:
    """Return the preconditions of `template` with its values filled in."""
    values = known_values(template, lookup)
    return tuple(str(fill_placeholders(condition, values)) for condition in template.preconditions)


def missing(template: Template, lookup: Lookup) -> tuple[str, ...]:
    """Return the unknown values that `template` needs: no step runs on an unknown value."""
    return tuple(
        parameter.value or parameter.subject
        for parameter in template.parameters.values()
        if parameter.default is None and _find_value(parameter, lookup) is None
    )


def values_for(template: Template, goal: Goal, lookup: Lookup, now: datetime) -> dict[str, Any]:
    """Return the value of every placeholder of `template` in a plan for `goal`.

    Raises `InvalidArgument` if a required value is unknown.
    """
    if lacking := missing(template, lookup):
        message = f"plan {template.name!r} needs a known {', '.join(lacking)}; learn it first"
        raise InvalidArgument(message, argument="goal_id")
    known = {"goal": goal.description, "goal_id": goal.id, "target": goal.target, "deadline": goal.deadline[:10]}
    return known | {"today": iso(now)[:10]} | known_values(template, lookup)


def known_values(template: Template, lookup: Lookup) -> dict[str, Any]:
    """Return the value of each parameter of `template`: from its belief if there is one, else its default."""
    return {name: _value(parameter, lookup) for name, parameter in template.parameters.items()}


def tasks_of(template: Template, values: Mapping[str, Any], path: str = "") -> tuple[PlanTask, ...]:
    """Return the tasks of `template` with `values` for its placeholders; `path` prefixes their ids."""
    late = mark_figures(template)
    return _tasks(late.steps, late, values, path)


def mark_figures(template: Template) -> Template:
    """Return `template` with figures in its texts as `{now:mrr}`, to be filled in when the text is sent."""
    late = {name: f"{{now:{one.subject}}}" for name, one in template.parameters.items() if one.is_figure}
    if not late:
        return template
    ways = {
        name: tuple(way.model_copy(update={"steps": _late(way.steps, late)}) for way in methods)
        for name, methods in template.tasks.items()
    }
    return template.model_copy(update={"steps": _late(template.steps, late), "tasks": ways})


def _tasks(
    steps: Sequence[StepTemplate], template: Template, values: Mapping[str, Any], path: str
) -> tuple[PlanTask, ...]:
    names = {step.id: path + step.id for step in steps}
    results = {f"{step.id}.result": f"{{{names[step.id]}.result}}" for step in steps}
    known = {**values, **results}
    return tuple(PlanTask(step_of(step, known, names), _ways(step, template, known, names[step.id])) for step in steps)


def _late(steps: Sequence[StepTemplate], late: Mapping[str, str]) -> tuple[StepTemplate, ...]:
    return tuple(one.model_copy(update={"arguments": _mark_value(one.arguments, late)}) for one in steps)


def _mark_value(value: Any, late: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _mark_value(one, late) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_mark_value(one, late) for one in value]
    if not isinstance(value, str) or _PLACEHOLDER.fullmatch(value) or any(sign in value for sign in "<>="):
        return value
    return _PLACEHOLDER.sub(lambda found: late.get(found[1], found[0]), value)


def _ways(step: StepTemplate, template: Template, values: Mapping[str, Any], path: str) -> tuple[Way, ...]:
    return tuple(
        Way(
            way.name,
            _tasks(way.steps, template, values, f"{path}.{way.name}."),
            tuple(str(fill_placeholders(one, values)) for one in way.preconditions),
        )
        for way in (template.tasks[step.task] if step.task else ())
    )


def step_of(step: StepTemplate, values: Mapping[str, Any], names: Mapping[str, str] = UNNAMED) -> Step:
    """Return a step with `values` for its placeholders; `names` maps step ids to new ones."""
    return Step(
        id=names.get(step.id, step.id),
        description=str(fill_placeholders(step.description, values)),
        tool=step.tool,
        arguments=fill_placeholders(step.arguments, values),
        preconditions=tuple(str(fill_placeholders(one, values)) for one in step.preconditions),
        effects=tuple(str(fill_placeholders(one, values)) for one in step.effects),
        ordering=step.ordering,
        branches=tuple((str(fill_placeholders(one.when, values)), names.get(one.go, one.go)) for one in step.branches),
        cost=float(fill_placeholders(step.cost, values)),
    )


def _find_value(parameter: TemplateParameter, lookup: Lookup) -> str | float | None:
    """Return the known value of a parameter: the result of its sum, or the belief."""
    if parameter.value:
        return reckon_amount(parameter.value, lookup)
    return lookup(parameter.subject) if parameter.source else None


def _value(parameter: TemplateParameter, lookup: Lookup) -> Any:
    default = parameter.default
    held = _find_value(parameter, lookup)
    measured = isinstance(default, int | float) or parameter.scale is not None or isinstance(held, float)
    if held is None or not measured:
        return default if held is None else held
    amount = held if isinstance(held, float) else number(held)
    if amount is None:
        return default
    amount *= 1.0 if parameter.scale is None else parameter.scale
    amount = max(amount, parameter.min) if parameter.min is not None else amount
    amount = min(amount, parameter.max) if parameter.max is not None else amount
    # A template that speaks in whole dollars gets whole dollars.
    return round(amount) if isinstance(default, int) else round(amount, 4)


def fill_placeholders(value: Any, values: Mapping[str, Any]) -> Any:
    """Return `value` with every `{name}` in its texts replaced."""
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        if whole and whole[1] in values:
            return values[whole[1]]
        return _PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), value)
    if isinstance(value, Mapping):
        return {key: fill_placeholders(one, values) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [fill_placeholders(one, values) for one in value]
    return value


def laid_out(template: Template, lookup: Lookup, names: Iterable[str]) -> Template | None:
    """Return `template` with the steps needed now; None if there are none.

    `names` are the names with a belief.
    """
    if not any(step.each or step.when or _has_sum(step.arguments) for step in template.steps):
        return template
    values, known = known_values(template, lookup), sorted(names)
    steps = tuple(
        called
        for step in template.steps
        for one in _each(step, known)
        if (called := _resolve_step(one, values, lookup))
    )
    return template.model_copy(update={"steps": steps}) if steps else None


def _each(step: StepTemplate, names: Iterable[str]) -> Iterator[StepTemplate]:
    """Yield a step for every combination of the values of its `each`; the step itself if it has none."""
    if not step.each:
        yield step
        return
    ranges = [_matching(one, names) if isinstance(one, str) else one for one in step.each.values()]
    for combination in product(*ranges):
        bound = dict(zip(step.each, combination, strict=True))
        told = fill_placeholders(step.model_dump(exclude={"each"}), bound)
        yield StepTemplate.model_validate({**told, "id": "_".join((step.id, *combination))})


def _matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the parts that match the `*` of a pattern, among the names that match it."""
    before, _, after = pattern.partition("*")
    wanted = re.compile(f"{re.escape(before)}(.+){re.escape(after)}")
    return [found[1] for name in names if (found := wanted.fullmatch(name))]


def _resolve_step(step: StepTemplate, values: Mapping[str, Any], lookup: Lookup) -> StepTemplate | None:
    """Return a step with its sums reckoned, where it is called for now and all that it rests on is known."""
    try:
        when = _reckon_sums(fill_placeholders(step.when, values), lookup)
        if when and holds(when, lookup) is not True:
            return None
        arguments = (
            _reckon_sums(fill_placeholders(step.arguments, values), lookup)
            if _has_sum(step.arguments)
            else step.arguments
        )
    except LookupError:
        return None
    return step.model_copy(update={"arguments": arguments})


def _has_sum(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_sum, value.values()))
    return isinstance(value, str) and _SUM.search(value) is not None


def _reckon_sums(value: Any, lookup: Lookup) -> Any:
    """Return `value` with its sums computed, in cents; raises `LookupError` if a name is unknown."""
    if isinstance(value, Mapping):
        return {name: _reckon_sums(one, lookup) for name, one in value.items()}
    if not isinstance(value, str):
        return value
    whole = _SUM.fullmatch(value)
    return _amount(whole[1], lookup) if whole else _SUM.sub(lambda found: f"{_amount(found[1], lookup):g}", value)


def _amount(expression: str, lookup: Lookup) -> float:
    found = reckon_amount(expression, lookup)
    if found is None:
        raise LookupError(expression)
    return round(found, 2)
