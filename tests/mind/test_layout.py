"""A template laid out over what is known: a step for each thing, and none that is not called for."""

from typing import Any

from mabos.mind.binding import laid_out
from mabos.mind.templates import Template


def template(**step: Any) -> Template:
    given = {"id": "a", "description": "For {segment}", "tool": "t", **step}
    parameters = {"weekly": {"default": 300.0, "value": "min(600, 0.01 * cash)"}}
    told = {"name": "x", "category": "c", "summary": "s", "goals": ["g"], "parameters": parameters, "steps": [given]}
    return Template.model_validate(told)


def steps(made: Template | None) -> dict[str, Any]:
    return {one.id: one.arguments for one in made.steps} if made else {}


BELIEVED = {"subscribers_smb": "340", "subscribers_ent": "9", "price_smb": "29", "price_ent": "700", "cash": "30000"}


def laid(made: Template, **more: str) -> dict[str, Any]:
    known = BELIEVED | more
    return steps(laid_out(made, known.get, known))


def test_a_step_is_there_once_for_each_thing_that_beliefs_name() -> None:
    found = laid(template(each={"segment": "subscribers_*"}, arguments={"to": "{segment}"}))
    assert found == {"a_ent": {"to": "ent"}, "a_smb": {"to": "smb"}}


def test_several_names_give_every_combination() -> None:
    found = laid(template(each={"segment": "subscribers_*", "channel": ["search", "social"]}))
    assert set(found) == {"a_ent_search", "a_ent_social", "a_smb_search", "a_smb_social"}


def test_a_step_that_is_not_called_for_is_left_out() -> None:
    made = template(each={"segment": "subscribers_*"}, when="ads_{segment} <= 0")
    assert set(laid(made, ads_smb="0", ads_ent="400")) == {"a_smb"}


def test_a_condition_may_be_reckoned() -> None:
    made = template(when="cash > {= 100 * price_smb}")
    assert set(laid(made)) == {"a"}
    assert not laid(made, cash="2000")


def test_amounts_in_arguments_are_reckoned_for_each_in_cents_and_keep_their_type() -> None:
    made = template(each={"segment": "subscribers_*"}, arguments={"usd": "{= 1.15 * price_{segment}}"})
    assert laid(made) == {"a_ent": {"usd": 805.0}, "a_smb": {"usd": 33.35}}


def test_an_amount_within_a_sentence_is_words() -> None:
    made = template(arguments={"said": "About {= cash / 1000} thousand"})
    assert laid(made) == {"a": {"said": "About 30 thousand"}}


def test_nothing_is_done_on_a_value_that_nobody_has() -> None:
    made = template(each={"segment": "subscribers_*"}, arguments={"usd": "{= 2 * day_rate_{segment}}"})
    assert not laid(made)
    assert set(laid(made, day_rate_ent="90")) == {"a_ent"}


def test_a_template_without_any_of_this_stays_as_it_is() -> None:
    made = template()
    assert laid_out(made, BELIEVED.get, BELIEVED) is made
