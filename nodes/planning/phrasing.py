"""What a bound plan says to people: numbers rounded for readers, where the template speaks of them in a sentence."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mind.conditions import Lookup
from mind.library import Parameter, Template
from mind.model import Step
from nodes.perception.amounts import readable, without_repetition

_BELIEF = "belief:"


def for_readers(template: Template, lookup: Lookup, unit_of: Callable[[str], str]) -> Template:
    """Return `template` with its parameters of text bound to readable values; what is reckoned with stays exact.

    `unit_of` answers the unit of a number by the name it is believed under.
    """
    spoken = {name: one for name, one in template.parameters.items() if _is_spoken(one)}
    written = {
        name: Parameter(default=readable(held, unit_of(one.source.removeprefix(_BELIEF))))
        for name, one in spoken.items()
        if (held := lookup(one.source.removeprefix(_BELIEF))) is not None
    }
    if not written:
        return template
    return template.model_copy(update={"parameters": {**template.parameters, **written}})


def smoothed(step: Step) -> Step:
    """Return a step whose texts say each unit once."""
    return replace(step, arguments={name: _said_once(value) for name, value in step.arguments.items()})


def _said_once(value: Any) -> Any:
    return without_repetition(value) if isinstance(value, str) else value


def _is_spoken(parameter: Parameter) -> bool:
    is_number = isinstance(parameter.default, int | float) or parameter.scale is not None
    return parameter.source.startswith(_BELIEF) and not is_number
