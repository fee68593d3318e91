"""Every plan template can run: its tools exist and take these arguments, its conditions can be decided by its roles."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mabos.mind.conditions import ALWAYS, is_comparison, subjects
from mabos.mind.library import load_library
from mabos.mind.plans import END
from mabos.mind.templates import StepTemplate, Template
from mabos.society.roles import ROLES, load_roles, tools_of
from mabos.society.templates import template_named, templates

RUNNABLE = frozenset({
    "stripe_create_price", "ad_campaign_create", "ad_campaign_manage", "content_generate", "work_package_create",
    "decision_request", "agent_message", "fact_assert", "metrics_record", "goal_create", "belief_update",
    "stripe_create_product", "seo_audit", "report_generate",
})  # fmt: skip
TO_COME = frozenset({"email_send", "crm_tag_contacts", "workflow_create", "bpmn_add_node", "bpmn_connect"})
"""Tools of the catalogue for which a way may wait, where there is another that does without."""
PUBLISHED = frozenset({
    "saas_launch_product", "saas_reduce_churn", "saas_upsell_campaign", "cash_flow_analysis", "budget_revision",
    "fundraising_prep", "content_calendar_setup", "paid_acquisition_launch", "SEO_audit", "contractor_brief_post",
    "contractor_onboarding", "performance_review", "contract_review", "compliance_audit", "ip_registration",
})  # fmt: skip
STOCKS = ("product name", "answer")
"""What the books and the owner's answers say beside figures that a role watches by name."""
BUILT_IN = {"goal", "goal_id", "target", "deadline", "today"}
LIBRARY = load_library()


@pytest.fixture(params=LIBRARY.names)
def template(request: pytest.FixtureRequest) -> Template:
    return LIBRARY.template(request.param)


def texts(value: Any) -> Iterator[str]:
    """Yield every text within `value`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one)


def filled(condition: str) -> str:
    return re.sub(r"\{[a-z_]+\}", "1", re.sub(r"\{=[^{}]+(\{[a-z]+\})?[^{}]*\}", "1", condition))


def each(step: StepTemplate, text: str) -> str:
    """Return what a step says of one of the things that it is there for."""
    for name, one in step.each.items():
        text = text.replace(f"{{{name}}}", "any" if isinstance(one, str) else one[0])
    return text


def conditions(template: Template) -> list[str]:
    steps = [condition for step in template.every_step for condition in step.preconditions]
    steps += [each(step, step.when) for step in template.every_step if step.when]
    steps += [condition for ways in template.tasks.values() for way in ways for condition in way.preconditions]
    branches = [branch.when for step in template.every_step for branch in step.branches if branch.when not in ALWAYS]
    return [filled(condition) for condition in (*template.preconditions, *steps, *branches)]


def produced(steps: tuple[StepTemplate, ...]) -> set[str]:
    """Return what the steps make known: effects, and beliefs they write."""
    effects = {" ".join(effect.split()[:2]) for step in steps for effect in step.effects}
    beliefs = [step.arguments for step in steps if step.tool == "belief_update"]
    return effects | {f"{one.get('subject', '')} {one.get('predicate', '')}".strip() for one in beliefs}


@cache
def known_to(role_id: str) -> frozenset[str]:
    """Return every name about which an agent of the role may hold something, sooner or later."""
    role = load_roles()[role_id]
    held = {f"{belief.subject} {belief.predicate}".strip() for belief in role.beliefs}
    made = {name for each in LIBRARY.names for name in produced(LIBRARY.template(each).every_step)}
    in_some_business = {
        name for each in templates() if (own := template_named(each).roles.get(role_id)) for name in own.watches
    }
    others = (f"{other} agent_id" for other in ROLES)
    return frozenset({*role.watches, *in_some_business, *held, *made, *others, *STOCKS})


def is_known(name: str, known: Iterable[str]) -> bool:
    """Return whether a name is one that is known, or matches a pattern that is watched: `price_*`."""
    return any(fnmatchcase(name, one) for one in known)


def reckoned_with(template: Template) -> set[str]:
    """Return the names of beliefs in the sums of a template."""
    sums = [parameter.value for parameter in template.parameters.values() if parameter.value]
    for step in template.every_step:
        for text in (step.when, *texts(step.arguments)):
            sums += [each(step, found) for found in re.findall(r"\{=((?:[^{}]|\{[a-z]+\})+)\}", text)]
    return {name for one in sums for name in re.findall(r"[a-z_]+", one)} - {"min", "max"}


def test_the_templates_that_the_specification_names_are_there() -> None:
    assert set(LIBRARY.names) >= PUBLISHED


def test_the_file_has_the_name_of_its_template(template: Template) -> None:
    assert (Path(__file__).parents[2] / "configs" / "plans" / f"{template.name}.yaml").exists()


def test_only_tools_that_exist_are_used_and_its_roles_may_use_them(template: Template) -> None:
    used = {step.tool for step in template.every_step if step.tool}
    assert used <= RUNNABLE | TO_COME
    assert template.roles
    for role_id in template.roles:
        assert runnable(template, template.steps, frozenset(tools_of(load_roles()[role_id])))


def runnable(template: Template, steps: tuple[StepTemplate, ...], usable: frozenset[str]) -> bool:
    """Return whether every step is a call that can be made, or a task with a way of such steps."""
    return all(
        any(runnable(template, way.steps, usable) for way in template.tasks[step.task])
        if step.task
        else not step.tool or step.tool in usable & RUNNABLE
        for step in steps
    )


def test_a_task_has_ways_to_choose_from(template: Template) -> None:
    for ways in template.tasks.values():
        assert len({way.name for way in ways}) == len(ways)
    assert {step.task for step in template.every_step} - {""} == set(template.tasks)


def test_every_placeholder_is_a_parameter_and_every_parameter_is_used(template: Template) -> None:
    content = template.model_dump()
    written = " ".join(texts([content["preconditions"], content["steps"], content["tasks"], content["risks"]]))
    bound = {name for step in template.every_step for name in step.each}
    assert set(re.findall(r"\{([a-z_]+)\}", written)) - BUILT_IN - bound == set(template.parameters)


def test_a_result_that_is_used_is_that_of_an_earlier_step(template: Template) -> None:
    for steps in (template.steps, *(way.steps for ways in template.tasks.values() for way in ways)):
        before: set[str] = set()
        for step in steps:
            for name in re.findall(r"\{([a-z_]+)\.result\}", " ".join(texts(step.arguments))):
                assert name in before
            before.add(step.id)


def test_every_condition_can_be_decided_by_beliefs_that_its_roles_have(template: Template) -> None:
    asked = [condition for condition in conditions(template) if condition]
    assert all(is_comparison(condition) for condition in asked)
    wanted = {subject for condition in asked for subject in subjects(condition)}
    sources = [parameter.source.removeprefix("belief:") for parameter in template.parameters.values()]
    wanted |= {source.replace(".", " ") for source in sources if source} | reckoned_with(template)
    for role_id in template.roles:
        assert not {name for name in wanted if not is_known(name, known_to(role_id))}


def test_effects_are_triples(template: Template) -> None:
    assert all(len(effect.split()) >= 3 for step in template.every_step for effect in step.effects)


def test_branches_lead_forward(template: Template) -> None:
    order = [*(step.id for step in template.steps), END]
    for at, step in enumerate(template.steps):
        assert all(order.index(branch.go) > at for branch in step.branches)


def test_money_is_spent_only_where_the_template_looks_at_money_first(template: Template) -> None:
    spends = any(step.tool in ("ad_campaign_create", "work_package_create") for step in template.every_step)
    looks = {subject for condition in conditions(template) for subject in subjects(condition)}
    assert not spends or looks & {"cash", "runway_months"}


def test_a_template_says_what_could_go_wrong(template: Template) -> None:
    assert template.risks
    assert 0 < template.confidence < 1


def test_every_role_has_at_least_three_plans() -> None:
    plans = [LIBRARY.template(name) for name in LIBRARY.names]
    counted = {role: sum(role in plan.roles for plan in plans) for role in ROLES}
    assert min(counted.values()) >= 3, counted
