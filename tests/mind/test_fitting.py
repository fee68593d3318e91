"""The steps of a past case made to fit the present: the five operations, each with its reason."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.fitting import PastSituation, Situation, fit_steps
from mabos.mind.model import Goal, Step
from tests.mind.examples import NOW, known

GOAL = Goal("G-1", "Bill by Paddle", deadline="2026-06-30T00:00:00Z")
STEPS = (
    Step("open", "Open the Stripe account", "stripe_create_product", {"name": "Stripe plan"}, ("cash > 5000",),
         cost=900),
    Step("tell", "Tell sales", "agent_message", {"content": "Stripe is live", "deadline": "2025-03-01"},
         effects=("billing status told",)),
    Step("check", "Check the books", "fact_query", preconditions=("audit status = done",)),
)  # fmt: skip
PAST = PastSituation("CASE-1", {"provider": "Stripe", "cash": "90000"}, "Bill by card")


def fit(
    held: Mapping[str, str],
    *,
    past: PastSituation = PAST,
    rules: tuple[tuple[str, str], ...] = (),
    offered: Step | None = None,
) -> tuple[tuple[Step, ...], dict[str, str]]:
    """Return the fitted steps, and the sentence of each operation by its name."""
    present = Situation(GOAL, known(held), NOW, rules, lambda condition: offered if "audit" in condition else None)
    steps, changes = fit_steps(STEPS, past, present)
    return steps, {change.split(":")[0]: change for change in changes}


def test_what_is_called_otherwise_now_is_substituted() -> None:
    steps, told = fit({"provider": "Paddle"})
    assert (steps[0].description, steps[0].arguments["name"]) == ("Open the Paddle account", "Paddle plan")
    assert steps[0].tool == "stripe_create_product"
    assert told["substitute"] == (
        "substitute: Paddle takes the place of Stripe, because provider is Paddle now and was Stripe in CASE-1"
    )


def test_numbers_and_unchanged_names_are_not_swapped() -> None:
    assert "substitute" not in fit({"provider": "Stripe", "cash": "70000"})[1]


def test_a_step_that_was_skipped_or_whose_effect_is_there_is_left_out() -> None:
    steps, told = fit({"billing status": "told"})
    assert [step.id for step in steps] == ["open", "check"]
    assert told["delete"] == "delete: step tell is left out, because it is so already: billing status told"
    skipped = PastSituation("CASE-1", skipped=frozenset({"check"}))
    assert [step.id for step in fit({}, past=skipped)[0]] == ["open", "tell"]


def test_something_is_always_left_of_a_case() -> None:
    every = PastSituation("CASE-1", skipped=frozenset(step.id for step in STEPS))
    assert len(fit({}, past=every)[0]) == 1


def test_what_a_step_needs_and_lacks_is_brought_about_before_it() -> None:
    audit = Step("audit", "Audit", "fact_assert", effects=("audit status done",))
    steps, told = fit({"audit status": "due"}, offered=audit)
    assert [step.id for step in steps] == ["open", "tell", "audit", "check"]
    assert told["insert"].endswith("because check needs audit status = done, which does not hold")
    assert "insert" not in fit({"audit status": "done"}, offered=audit)[1]
    assert "insert" not in fit({}, offered=audit)[1]


def test_a_date_gone_by_and_a_bound_on_money_that_is_out_of_reach_are_relaxed() -> None:
    steps, told = fit({"cash": "3000"})
    assert steps[0].preconditions == ("cash > 900",)
    assert steps[1].arguments["deadline"] == "2026-06-30"
    assert (
        told["relax"]
        == "relax: cash > 5000 is relaxed to cash > 900, because cash > 5000 does not hold, and open takes 900"
    )


def test_a_bound_is_not_relaxed_below_what_a_step_costs() -> None:
    assert fit({"cash": "800"})[0][0].preconditions == ("cash > 5000",)


def test_what_rules_ask_for_now_is_a_condition_of_every_call() -> None:
    steps, told = fit({}, rules=(("R-7", "contractor_spend <= 3000"),))
    assert all("contractor_spend <= 3000" in step.preconditions for step in steps)
    assert told["tighten"].endswith("because R-7 asks for it since CASE-1")


@given(st.dictionaries(st.sampled_from(["provider", "cash", "billing status", "audit status"]), st.sampled_from(
    ["Stripe", "Paddle", "100", "90000", "told", "done"])))  # fmt: skip
def test_fitting_twice_changes_nothing_more(held: dict[str, str]) -> None:
    present = Situation(GOAL, known(held), NOW)
    once, _ = fit_steps(STEPS, PAST, present)
    again, told = fit_steps(once, PAST, present)
    assert (again, told) == (once, ())
