"""The plan library: found by words, bound to what is believed, decomposed and adapted."""

import re
from pathlib import Path

import pytest

from configs.errors import Damaged, InvalidArgument, UnknownId
from mind.adaptation import adapt, differences_of
from mind.htn import decompose, primitives, steps_of
from mind.library import Library, Parameter, Template, applicable, bind, choose, load_library, missing
from mind.model import Goal, Step
from mind.plans import next_step
from tests.mind.examples import NOW, known
from workspace.clock import SteppedClock
from workspace.ids import Ids

IDS = Ids(SteppedClock(NOW), "library")
GOAL = Goal("G-1", "Reduce churn below 3%", target="churn_rate < 3%")
SMALL = Template.model_validate(
    {
        "name": "reduce_churn",
        "category": "Test",
        "summary": "Find out why customers leave.",
        "roles": ["coo"],
        "goals": ["reduce churn"],
        "metrics": ["churn_rate"],
        "parameters": {
            "budget": {"default": 3000, "from": "belief:cash", "scale": 0.01, "min": 1500, "max": 4500},
            "churn": {"default": "too high", "from": "belief:churn_rate"},
            "boss": {"default": "ceo", "from": "belief:ceo.agent_id"},
        },
        "preconditions": ["cash > {budget}"],
        "steps": [
            {
                "id": "help",
                "description": "Book help for {goal}",
                "tool": "work_package_create",
                "arguments": {
                    "budget_usd": "{budget}",
                    "title": "Churn is {churn}",
                    "to": ["{boss}"],
                    "raw": "{other}",
                },
                "preconditions": ["cash > {budget}"],
                "effects": ["help status booked"],
                "cost": "{budget}",
            },
            {
                "id": "tell",
                "description": "Tell {boss}",
                "tool": "agent_message",
                "branches": [{"when": "x", "go": "end"}],
            },
        ],
        "risks": ["It costs {budget}"],
    }
)
OTHER = Template.model_validate(
    SMALL.model_dump(by_alias=True) | {"name": "churn_watch", "roles": ["ceo"], "goals": ["watch churn closely"]}
)
LIBRARY = Library([SMALL, OTHER])


def test_a_goal_finds_the_template_that_shares_its_words_and_the_role_counts() -> None:
    assert LIBRARY.search("Reduce churn", role="coo")[0].template.name == "reduce_churn"
    assert LIBRARY.search("Watching churn closely", role="ceo")[0].template.name == "churn_watch"
    mine, others = (LIBRARY.search("Reduce churn", role=role)[0].score for role in ("coo", "ceo"))
    assert mine > others
    assert LIBRARY.search("Paint the office", role="coo") == []


def test_equal_scores_are_ordered_by_name() -> None:
    twins = Library([SMALL.model_copy(update={"name": name}) for name in ("zebra", "apple")])
    assert [match.template.name for match in twins.search("reduce churn")] == ["apple", "zebra"]


def test_binding_fills_in_parameters_and_keeps_the_type_of_a_whole_placeholder() -> None:
    held = {"cash": "$200,000", "churn_rate": "3.2%"}
    plan = bind(SMALL, GOAL, held.get, ids=IDS, now=NOW)
    assert plan.steps[0].arguments == {"budget_usd": 2000, "title": "Churn is 3.2%", "to": ["ceo"], "raw": "{other}"}
    assert (plan.steps[0].cost, plan.steps[0].preconditions) == (2000.0, ("cash > 2000",))
    assert plan.steps[0].description == "Book help for Reduce churn below 3%"
    assert (plan.source, plan.template, plan.risks, plan.goal_id) == (
        "library",
        "reduce_churn",
        ("It costs 2000",),
        "G-1",
    )
    assert next_step(plan, held.get).readiness == "ready"


@pytest.mark.parametrize(("cash", "budget"), [("10000", 1500), ("9000000", 4500), ("unknown", 3000)])
def test_a_parameter_keeps_within_its_bounds_and_has_a_default(cash: str, budget: int) -> None:
    assert bind(SMALL, GOAL, known({"cash": cash}), ids=IDS, now=NOW).steps[0].arguments["budget_usd"] == budget


def test_a_template_whose_precondition_fails_is_not_chosen() -> None:
    poor = known({"cash": "100"})
    assert not applicable(SMALL, poor)
    assert choose(LIBRARY, GOAL, "coo", poor) is None
    found = choose(LIBRARY, GOAL, "coo", known({}))
    assert found is not None
    assert found.template is SMALL
    other = choose(LIBRARY, GOAL, "ceo", known({}), tried={"reduce_churn"})
    assert other is not None
    assert other.template is OTHER


def test_a_template_does_not_start_on_a_value_that_nobody_knows() -> None:
    parameters = SMALL.parameters | {"churn": Parameter.model_validate({"from": "belief:churn_rate"})}
    careful = SMALL.model_copy(update={"parameters": parameters})
    assert missing(careful, known({"cash": "90000"})) == ("churn_rate",)
    assert not applicable(careful, known({"cash": "90000"}))
    assert applicable(careful, known({"cash": "90000", "churn_rate": "4%"}))
    with pytest.raises(InvalidArgument, match="needs a known churn_rate"):
        bind(careful, GOAL, known({}), ids=IDS, now=NOW)


def test_no_shipped_template_says_unknown() -> None:
    for name in load_library().names:
        assert "unknown" not in str(load_library().template(name).parameters).casefold(), name


def test_a_template_that_branches_nowhere_or_has_an_unknown_key_is_refused(tmp_path: Path) -> None:
    steps = "steps:\n  - {id: a, description: d, branches: [{when: t, go: b}]}\n"
    (tmp_path / "x.yaml").write_text(f"name: x\ncategory: c\nsummary: s\ngoals: [g]\n{steps}")
    with pytest.raises(InvalidArgument, match="branches to 'b'"):
        load_library(tmp_path)
    (tmp_path / "x.yaml").write_text("name: [x\n")
    load_library.cache_clear()
    with pytest.raises(Damaged, match=r"x\.yaml"):
        load_library(tmp_path)
    load_library.cache_clear()
    with pytest.raises(UnknownId, match="did you mean 'reduce_churn'"):
        LIBRARY.template("reduce_chrun")


def test_every_shipped_template_binds_without_leftovers_and_can_be_found_by_its_own_goals() -> None:
    library = load_library()
    assert len(library) >= 15
    for name in library.names:
        template = library.template(name)
        wanted = {one.subject: "7" for one in template.parameters.values() if one.default is None}
        plan = bind(template, GOAL, known(wanted), ids=IDS, now=NOW)
        for step in plan.steps:
            said = f"{step.description} {step.arguments} {step.preconditions} {step.effects}"
            assert not re.findall(r"\{(?!\w+\.result)[a-z_]+\}", said), f"{name}.{step.id}: {said}"
        for phrase in template.goals:
            found = [match.template.name for match in library.search(phrase, role=(template.roles or ("",))[0])]
            assert name in found[:3], f"{phrase!r} finds {found}"


def test_the_built_in_templates_of_the_documents_are_there() -> None:
    names = set(load_library().names)
    assert {
        "saas_launch_product", "saas_reduce_churn", "saas_upsell_campaign", "cash_flow_analysis", "budget_revision",
        "fundraising_prep", "content_calendar_setup", "paid_acquisition_launch", "SEO_audit", "contractor_brief_post",
        "contractor_onboarding", "performance_review", "contract_review", "compliance_audit", "ip_registration",
    } <= names  # fmt: skip


def test_a_goal_is_decomposed_until_every_leaf_is_a_call() -> None:
    root = decompose("Reduce churn", LIBRARY, "coo", known({}))
    assert (root.type, root.method, root.alternatives) == ("compound", "reduce_churn", ("churn_watch",))
    assert [leaf.tool for leaf in primitives(root)] == ["work_package_create", "agent_message"]
    assert [step.id for step in steps_of(root)] == ["t-help", "t-tell"]
    assert steps_of(root)[1].branches == (("x", "end"),)


def test_a_goal_with_several_parts_has_a_task_for_each_and_what_nothing_fits_stays_open() -> None:
    root = decompose("Reduce churn and watch churn closely", LIBRARY, "coo", known({}))
    assert [task.method for task in root.subtasks] == ["reduce_churn", "churn_watch"]
    assert not root.open
    assert decompose("Paint the office", LIBRARY, "coo", known({})).open
    assert decompose("Paint the office", LIBRARY, "coo", known({})).as_json()["subtasks"] == []


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
