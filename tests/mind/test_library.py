"""The plan library: found by words and by meaning, and bound to what is believed."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from mabos.configs.errors import Damaged, InvalidArgument, UnknownId
from mabos.configs.yaml_file import read_yaml
from mabos.mind.binding import applicable, missing, needs, tasks_of, unmet, values_for
from mabos.mind.conditions import Lookup
from mabos.mind.library import FIT, Library, load_library
from mabos.mind.model import Goal, Step
from mabos.mind.tasks import PlanTask, steps_of
from mabos.mind.templates import Template, TemplateParameter
from tests.mind.examples import NOW, known

CASES = read_yaml(Path(__file__).with_name("test_library_cases.yaml"))
GOAL = Goal("G-1", "Reduce churn below 3%", target="churn_rate < 3%")
SMALL = Template.model_validate(CASES["template"])
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


def bound(template: Template, lookup: Lookup) -> tuple[Step, ...]:
    return steps_of(tasks_of(template, values_for(template, GOAL, lookup, NOW)), {})


def test_binding_fills_in_parameters_and_keeps_the_type_of_a_whole_placeholder() -> None:
    steps = bound(SMALL, known({"cash": "$200,000", "churn_rate": "3.2%"}))
    assert steps[0].arguments == {
        "budget_usd": 2000,
        "title": "Churn is {now:churn_rate}",
        "to": ["ceo"],
        "raw": "{other}",
    }
    assert (steps[0].cost, steps[0].preconditions) == (2000.0, ("cash > 2000",))
    assert steps[0].description == "Book help for Reduce churn below 3%"


@pytest.mark.parametrize(("cash", "budget"), [("10000", 1500), ("9000000", 4500), ("unknown", 3000)])
def test_a_parameter_keeps_within_its_bounds_and_has_a_default(cash: str, budget: int) -> None:
    assert bound(SMALL, known({"cash": cash}))[0].arguments["budget_usd"] == budget


def test_a_template_whose_precondition_fails_says_which() -> None:
    poor = known({"cash": "100"})
    assert not applicable(SMALL, poor)
    assert unmet(SMALL, poor) == ("cash > 1500",)
    assert needs(SMALL, known({})) == ("cash > 3000",)
    assert unmet(SMALL, known({})) == ("cash > 3000",)  # nobody reported the figure
    assert unmet(SMALL, known({}), is_asked=True) == ()
    assert applicable(SMALL, known({"cash": "9000"}))


def test_a_template_does_not_start_on_a_value_that_nobody_knows() -> None:
    parameters = SMALL.parameters | {"churn": TemplateParameter.model_validate({"from": "belief:churn_rate"})}
    careful = SMALL.model_copy(update={"parameters": parameters})
    assert missing(careful, known({"cash": "90000"})) == ("churn_rate",)
    assert not applicable(careful, known({"cash": "90000"}))
    assert applicable(careful, known({"cash": "90000", "churn_rate": "4%"}))
    with pytest.raises(InvalidArgument, match="needs a known churn_rate"):
        values_for(careful, GOAL, known({}), NOW)


def test_no_shipped_template_says_unknown() -> None:
    for name in load_library().names:
        assert "unknown" not in str(load_library().template(name).parameters).casefold(), name


def test_what_means_the_same_is_found_without_a_common_word() -> None:
    assert LIBRARY.search("Stop subscribers cancelling", role="coo") == []
    alike = {"reduce_churn": 0.6, "churn_watch": 0.1}
    (match,) = LIBRARY.search("Stop subscribers cancelling", role="coo", alike=alike)
    assert match.template.name == "reduce_churn"
    assert match.score >= FIT


def test_a_likeness_that_is_too_small_for_a_plan_is_shown_and_not_taken() -> None:
    (match,) = LIBRARY.search("Paint the office", "coo", alike={"reduce_churn": 0.37, "churn_watch": 0.2})
    assert 0 < match.score < FIT


def test_a_template_of_another_kind_of_business_fits_half_as_well() -> None:
    ours = Library([SMALL.model_copy(update={"domains": ("saas",)})])
    scores = {domain: ours.search("reduce churn", "coo", domain=domain)[0].score for domain in ("saas", "retail", "")}
    assert scores["saas"] == scores[""] == 2 * scores["retail"]


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


def every(tasks: Sequence[PlanTask]) -> Iterator[Step]:
    for task in tasks:
        yield task.step
        for way in task.ways:
            yield from every(way.tasks)


def test_every_shipped_template_binds_without_leftovers_and_can_be_found_by_its_own_goals() -> None:
    library = load_library()
    assert len(library) >= 15
    for name in library.names:
        template = library.template(name)
        wanted = {one.subject: "7" for one in template.parameters.values() if one.default is None}
        later = {f"{{{one}}}" for step in template.every_step for one in step.each}  # bound as the template is laid out
        for step in every(tasks_of(template, values_for(template, GOAL, known(wanted), NOW))):
            said = f"{step.description} {step.arguments} {step.preconditions} {step.effects}"
            assert {*re.findall(r"\{(?![\w.]+\.result)[a-z_]+\}", said)} <= later, f"{name}.{step.id}: {said}"
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


def with_task(*ways: object, **more: object) -> dict[str, object]:
    step = {"id": "a", "description": "d", "task": "t", **more}
    return SMALL.model_dump(by_alias=True) | {"steps": [step], "tasks": {"t": list(ways)} if ways else {}}


def test_a_task_without_methods_or_within_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="has no methods here"):
        Template.model_validate(with_task())
    with pytest.raises(ValueError, match="is part of its own method"):
        Template.model_validate(with_task({"name": "w", "steps": [{"id": "b", "description": "d", "task": "t"}]}))
    with pytest.raises(ValueError, match="belong to its methods"):
        Template.model_validate(with_task({"name": "w", "steps": [{"id": "b", "description": "d"}]}, tool="x"))
    with pytest.raises(ValueError, match="two steps have the same id"):
        Template.model_validate(with_task({"name": "w", "steps": [{"id": "b", "description": "d"}] * 2}))
