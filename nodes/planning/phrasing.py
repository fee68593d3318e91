"""Wording of a bound plan: numbers are rounded where the template addresses people, exact where it calculates."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mabos.mind.binding import mark_figures
from mabos.mind.conditions import Lookup, is_comparison
from mabos.mind.model import Step
from mabos.mind.templates import StepTemplate, Template, TemplateMethod, TemplateParameter
from mabos.society.figure_words import readable, without_repetition

_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")


def for_readers(template: Template, lookup: Lookup, unit_of: Callable[[str], str]) -> Template:
    """Return `template` with its text parameters filled in: readable in descriptions, exact elsewhere.

    A step's messages to others keep their placeholders, whose figures are read when it runs. `unit_of` returns the unit
    of a number by the name of its belief.
    """
    held = {
        name: value
        for name, one in _select_text_parameters(template).items()
        if (value := lookup(one.subject)) is not None
    }
    if not held:
        return template
    template = mark_figures(template)
    words = {name: readable(value, unit_of(template.parameters[name].subject)) for name, value in held.items()}
    exact = {name: TemplateParameter(default=_parse_number(value)) for name, value in held.items()}
    return template.model_copy(
        update={
            "parameters": {**template.parameters, **exact},
            "steps": tuple(_word_step(step, words) for step in template.steps),
            "tasks": {name: tuple(_way(way, words) for way in ways) for name, ways in template.tasks.items()},
            "risks": tuple(_fill_placeholders(risk, words) for risk in template.risks),
        }
    )


def drop_repeated_units(step: Step) -> Step:
    """Return a step whose texts contain each unit once."""
    return replace(step, arguments={name: _said_once(value) for name, value in step.arguments.items()})


def _said_once(value: Any) -> Any:
    return without_repetition(value) if isinstance(value, str) else value


def _select_text_parameters(template: Template) -> dict[str, TemplateParameter]:
    """Return the parameters that are texts taken from beliefs; the others are numbers to reckon with."""
    return {
        name: one
        for name, one in template.parameters.items()
        if one.source and one.scale is None and not isinstance(one.default, int | float)
    }


def _word_step(step: StepTemplate, words: Mapping[str, str]) -> StepTemplate:
    return step.model_copy(update={"description": _fill_placeholders(step.description, words)})


def _way(way: TemplateMethod, words: Mapping[str, str]) -> TemplateMethod:
    return way.model_copy(update={"steps": tuple(_word_step(step, words) for step in way.steps)})


def _fill_placeholders(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _fill_placeholders(one, words) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_fill_placeholders(one, words) for one in value]
    if not isinstance(value, str) or _PLACEHOLDER.fullmatch(value) or _is_condition(value):
        return value
    return _PLACEHOLDER.sub(lambda found: words.get(found[1], found[0]), value)


def _is_condition(text: str) -> bool:
    return any(sign in text for sign in "<>=") and is_comparison(text)


def _parse_number(held: str) -> str | int | float:
    if not _PLAIN_NUMBER.fullmatch(held):
        return held
    return float(held) if "." in held else int(held)
