"""Steps adapted on request: substituted, inserted, deleted, relaxed, tightened."""

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.mind.adaptation import START, adapt, differences_of
from mabos.mind.model import Step

STEPS = (
    Step(
        "a",
        "Open the Stripe account",
        "stripe_create_product",
        {"name": "Stripe plan", "budget_usd": 100},
        ("cash > 5",),
    ),
    Step("b", "Tell", "agent_message", {"content": "Stripe is live", "amount": 100}, branches=(("x", "c"),)),
    Step("c", "Review", "agent_message"),
)


def test_parameters_are_substituted_as_whole_words() -> None:
    done = adapt(STEPS, {"substitute": {"Stripe": "Paddle", "100": 250}})
    assert done.steps[0].description == "Open the Paddle account"
    assert done.steps[0].arguments == {"name": "Paddle plan", "budget_usd": 250}
    assert done.steps[0].tool == "stripe_create_product"
    assert done.changes == ("Paddle takes the place of Stripe", "250 takes the place of 100")


def test_steps_are_inserted_and_deleted_and_no_branch_leads_to_a_missing_one() -> None:
    done = adapt(STEPS, {"delete": ["c"]}, [("a", Step("new", "Ask legal"))])
    assert [step.id for step in done.steps] == ["a", "new", "b"]
    assert done.steps[2].branches == ()


def test_constraints_are_relaxed_and_tightened() -> None:
    assert adapt(STEPS, {"relax": {"budget_usd": 500}}).steps[0].arguments["budget_usd"] == 500
    assert adapt(STEPS, {"relax": ["cash > 5"]}).steps[0].preconditions == ()
    assert adapt(STEPS, {"tighten": "audited = yes"}).steps[0].preconditions == ("cash > 5", "audited = yes")


def test_a_sentence_may_say_what_is_different() -> None:
    assert differences_of("Paddle instead of Stripe, EUR instead of USD") == {
        "substitute": {"Stripe": "Paddle", "USD": "EUR"}
    }
    assert differences_of("nothing much") == {}


def test_an_adaptation_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="no adaptation 'shuffle'"):
        adapt(STEPS, {"shuffle": True})
    with pytest.raises(InvalidArgument, match="no step 'z'"):
        adapt(STEPS, {}, [("z", Step("new"))])


def test_a_bound_may_be_moved_where_it_stands() -> None:
    moved = adapt(STEPS, {"relax": {"cash > 5": "cash > 2"}})
    assert moved.steps[0].preconditions == ("cash > 2",)
    assert moved.changes == ("cash > 5 is relaxed to cash > 2",)


def test_a_step_may_come_before_all_others() -> None:
    assert [one.id for one in adapt(STEPS, {}, [(START, Step("new"))]).steps] == ["new", "a", "b", "c"]
