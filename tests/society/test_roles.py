"""The nine roles as data: every field of S3 4.2 is filled, lines of command resolve, and no two are copies."""

from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path

import pytest

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.mind.conditions import direction, is_comparison, subjects
from mabos.mind.library import load_library
from mabos.mind.model import Capabilities
from mabos.mind.proficiency import lacking
from mabos.society.roles import ROLES, STAKEHOLDER, Role, load_roles, load_shared, read_role, role_named, tools_of
from mabos.society.templates import template_named, templates
from mabos.tools.catalogue.registry import registry

BESIDE = {
    tool.name for tool in registry().all() if tool.module in ("Knowledge memory", "Agent bus", "Staff and finance")
}
KNOWN = {tool.name: tool for tool in registry().all()}
CATALOGUE = frozenset((Path(__file__).parents[1] / "configs" / "catalogue.txt").read_text(encoding="utf-8").split())


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> Role:
    return role_named(request.param)


def test_there_are_nine_roles_in_seat_order() -> None:
    assert tuple(load_roles()) == ROLES
    assert len(ROLES) == 9


def test_every_field_that_a_cognitive_file_needs_is_filled(role: Role) -> None:
    empty = {"manages"}  # some manage nobody
    content = role.model_dump()
    assert [name for name, value in content.items() if not value and name not in empty] == []


def test_reporting_lines_agree_from_both_ends() -> None:
    roles = load_roles()
    for role in roles.values():
        for report in role.manages:
            assert roles[report].reports_to == role.id
        if role.reports_to != STAKEHOLDER:
            assert role.id in roles[role.reports_to].manages


def test_everyone_reports_to_the_stakeholder_in_the_end() -> None:
    roles = load_roles()
    for role in roles.values():
        chain = [role.id]
        while chain[-1] != STAKEHOLDER:
            above = roles[chain[-1]].reports_to
            assert above not in chain
            chain.append(above)


def test_each_of_the_nine_has_everything_that_a_role_may_have(role: Role) -> None:
    least = {"responsibilities": 3, "beliefs": 3, "desires": 3, "expertise": 2, "colleagues": 2}
    least |= dict.fromkeys(("watches", "reads", "commitments", "playbooks", "knowledge", "department", "style"), 1)
    assert [name for name, number in least.items() if len(getattr(role, name)) < number] == []
    assert (len(role.capabilities.tools) >= 1, len(role.capabilities.skills) >= 3) == (True, True)


def test_tools_are_those_of_the_catalogue(role: Role) -> None:
    assert set(tools_of(role)) <= CATALOGUE | BESIDE
    assert set(load_shared().everyone).isdisjoint(role.capabilities.tools)


def test_every_role_is_good_enough_for_the_tools_it_lists() -> None:
    short = [
        (template, role_id, name, missing)
        for template in templates()
        for role_id in ROLES
        for name in tools_of(template_named(template).role(role_id))
        if name in KNOWN and (missing := lacking(held(template_named(template).role(role_id)), KNOWN[name].skills))
    ]
    assert short == []
    assert sum(bool(tool.skills) for tool in KNOWN.values()) >= 6, "some tools ask for skill"


def held(role: Role) -> Capabilities:
    return Capabilities(skills=dict(role.capabilities.skills))


def test_no_role_may_answer_decisions_in_the_owners_place(role: Role) -> None:
    assert "decision_resolve" not in tools_of(role)


def test_every_tool_a_company_needs_day_to_day_is_somebodys() -> None:
    held = {tool for role in load_roles().values() for tool in tools_of(role)}
    assert CATALOGUE - held <= {
        "business_create", "onboard_business", "decision_resolve", "workflow_delete", "bpmn_remove_node",
    }  # fmt: skip


def test_autonomy_is_given_for_known_kinds_of_action(role: Role) -> None:
    assert set(role.autonomy_for) <= set(load_shared().action_kinds)


def test_every_desire_says_when_it_is_fulfilled(role: Role) -> None:
    """Or by how much each goal for it is to gain, where there is always more to be had."""
    for desire in role.desires:
        assert is_comparison(desire.target) or direction(desire.target), desire.name


def test_a_desire_is_about_something_the_role_watches_or_believes(role: Role) -> None:
    held = {f"{belief.subject} {belief.predicate}".strip() for belief in role.beliefs}
    for desire in role.desires:
        more = direction(desire.target)
        for subject in (more[0],) if more else subjects(desire.target):
            assert subject in held or any(fnmatchcase(subject, one) for one in role.watches), desire.name


def test_every_desire_can_be_decided_and_no_plan_writes_what_it_wants_to_see(role: Role) -> None:
    library = load_library()
    steps = [step for name in library.names for step in library.template(name).every_step]
    written = [
        f"{one.get('subject', '')} {one.get('predicate', '')}".strip()
        for step in steps
        for one in (step.arguments, step.arguments.get("metadata", {}))
    ]
    for desire in role.desires:
        more = direction(desire.target)
        assert more or is_comparison(desire.target), desire.name
        assert not {more[0]} & {*written} if more else {*subjects(desire.target)}.isdisjoint(written), desire.name


def test_most_steps_of_the_library_do_something() -> None:
    library = load_library()
    steps = [step for name in library.names for step in library.template(name).every_step if step.tool]
    talk = [one for one in steps if one.tool in ("agent_message", "fact_assert", "belief_update")]
    assert len(talk) <= 0.4 * len(steps)


def test_the_agent_a_role_writes_about_is_a_colleague(role: Role) -> None:
    assert set(role.colleagues) <= set(ROLES) - {role.id}
    assert {role.reports_to, *role.manages} - {STAKEHOLDER} <= set(role.colleagues) | set(role.manages)


@pytest.mark.parametrize("template", templates())
def test_nobody_begins_with_a_figure_that_nobody_measured(template: str) -> None:
    """A belief about a watched figure, or without a predicate, is a value of the company."""
    for role_id in ROLES:
        role = template_named(template).role(role_id)
        for belief in role.beliefs:
            assert belief.predicate, belief.statement
            assert not any(fnmatchcase(belief.subject, one) for one in role.watches), belief.statement


def test_no_two_roles_share_a_sentence() -> None:
    def sentences(role: Role) -> set[str]:
        return {
            *(belief.statement for belief in role.beliefs),
            *(desire.name for desire in role.desires),
            *(desire.description for desire in role.desires),
            *(playbook.name for playbook in role.playbooks),
            *role.responsibilities,
            role.style,
        }

    for one, other in combinations(load_roles().values(), 2):
        assert sentences(one).isdisjoint(sentences(other))


@pytest.mark.parametrize("template_id", templates())
def test_every_desire_of_a_role_has_a_plan_in_the_library_for_a_software_company(template_id: str) -> None:
    """Elsewhere a desire of a trade of its own may still wait for its plan; it must at least be a desire."""
    library = load_library()
    template = template_named(template_id)
    for role_id in ROLES:
        for desire in template.role(role_id).desires:
            found = library.search(f"{desire.name} {desire.description}", role=role_id)
            if template_id == "saas":
                assert any(role_id in match.template.roles for match in found[:3]), desire.name
            assert is_comparison(desire.target) or direction(desire.target)


def write_role(folder: Path, text: str) -> Path:
    path = folder / "cfo.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def changed(old: str, new: str) -> str:
    text = (Path(__file__).parents[2] / "configs" / "roles" / "cfo.yaml").read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new, 1)


def test_an_unknown_key_in_a_role_file_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"departement is not a known key; did you mean 'department'"):
        read_role(write_role(tmp_path, changed("department:", "departement:")))


def test_a_certainty_beyond_one_names_the_belief(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"beliefs\.0\.certainty"):
        read_role(write_role(tmp_path, changed("certainty: 0.8", "certainty: 1.8")))


def test_a_desire_that_serves_nothing_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="which is not a desire here"):
        read_role(write_role(tmp_path, changed("serves: Keep six months of runway", "serves: Keep calm")))


def test_a_role_file_under_another_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="the name of the file"):
        read_role(write_role(tmp_path, changed("id: cfo", "id: cto")))


def test_an_unknown_role_names_the_nearest() -> None:
    with pytest.raises(UnknownId, match="did you mean 'strategy'"):
        role_named("strategist")
