"""What a bound plan says, and what it hands to a machine."""

from datetime import UTC, datetime
from typing import Any

import pytest

from mabos.mind.binding import tasks_of, values_for
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Goal
from mabos.mind.tasks import steps_of
from mabos.mind.templates import StepTemplate, Template, TemplateParameter
from mabos.nodes.planning.phrasing import for_readers

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def arguments(given: dict[str, Any], held: str, unit: str = "USD") -> dict[str, Any]:
    """Return the arguments of the one step of a plan whose parameter `cash` is believed to be `held`."""
    template = Template(
        name="t",
        category="c",
        summary="s",
        goals=("g",),
        parameters={"cash": TemplateParameter.model_validate({"default": "unknown", "from": "belief:cash"})},
        steps=(StepTemplate(id="a", description="Cash is {cash}", arguments=given, effects=("noted cash {cash}",)),),
    )
    index = BeliefIndex([Belief("B-1", f"cash is {held}", 0.9, subject="cash", value=held)])
    spoken = for_readers(template, index, lambda _: unit)
    (step,) = steps_of(tasks_of(spoken, values_for(spoken, Goal("G-1", "g"), index, NOW)), {})
    assert step.effects == (f"noted cash {held}",)
    return dict(step.arguments)


def test_prose_gets_its_number_when_it_is_said_and_a_value_alone_the_number_that_is_held() -> None:
    given = {
        "content": "Cash is {cash}.",
        "object": "{cash}",
        "metadata": {"cash": "{cash}"},
        "each": ["{cash}", "{cash}!"],
    }
    assert arguments(given, "48200.5") == {
        "content": "Cash is {now:cash}.",
        "object": 48200.5,
        "metadata": {"cash": 48200.5},
        "each": [48200.5, "{now:cash}!"],
    }


def test_a_condition_reckons_with_what_is_held() -> None:
    assert arguments({"target": "cash >= {cash}"}, "48200.5") == {"target": "cash >= 48200.5"}


@pytest.mark.parametrize("held", ["4.2%", "$1,200", "overdue", "2026-01-05", "007", "CMP-12"])
def test_what_is_no_plain_number_stays_the_text_it_is(held: str) -> None:
    assert arguments({"object": "{cash}"}, held, unit="") == {"object": held}


def test_what_nobody_knows_is_said_by_its_default() -> None:
    unknown = TemplateParameter.model_validate({"default": "unknown", "from": "belief:cash"})
    steps = (StepTemplate(id="a", description="{cash}"),)
    template = Template(name="t", category="c", summary="s", goals=("g",), steps=steps, parameters={"cash": unknown})
    assert for_readers(template, BeliefIndex([]), lambda _: "") == template
