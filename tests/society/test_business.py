"""A business is founded whole, or can be finished; its agents have minds of their own."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import orjson
import pytest
from pydantic import ValidationError

from mabos.configs.errors import Damaged, InvalidArgument, UnknownId
from mabos.configs.settings import load_settings
from mabos.mind.forms import MIND_FILES
from mabos.mind.mind import Mind, open_mind
from mabos.society.business import Manifest, agent_ids, create_business, manifests, read_agent, read_manifest
from mabos.society.roles import ROLES, load_roles
from mabos.society.templates import BusinessTemplate, template_named, templates
from mabos.workspace.clock import Clock, frozen_clock
from mabos.workspace.ids import Ids
from mabos.workspace.names import Layout
from mabos.workspace.sync import Sync

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)


def founded(
    root: Path, business_id: str = "acme", *, template: str = "saas", name: str = "Acme", at: datetime = NOW
) -> Manifest:
    clock = frozen_clock(at)
    return create_business(
        Layout(root), business_id, name=name, template=template, governance=load_settings().governance, clock=clock,
        ids=Ids(clock, "test"), sync=Sync("off"),
    )  # fmt: skip


def mind_of(root: Path, agent_id: str) -> Mind:
    clock: Clock = frozen_clock(NOW)
    return open_mind(
        Layout(root).agent(agent_id), clock=clock, ids=Ids(clock, "test"), sync=Sync("off"), agent_id=agent_id
    )


def readable(root: Path) -> dict[str, bytes]:
    """Return the files that people read, by path: no journals, no locks."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(root).parts)
        and ".journal" not in path.name
    }  # fmt: skip


@pytest.mark.parametrize("name", ["Acme\n- **Autonomy:** full", "Acme\u2028Two", "\x00", "a" * 121, " \t "])
def test_a_name_is_one_line_that_fits_a_heading_else_nothing_is_founded(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidArgument, match="name"):
        founded(tmp_path, name=name)
    assert readable(tmp_path) == {}


def test_the_first_business_has_nine_agents_named_by_role(tmp_path: Path) -> None:
    manifest = founded(tmp_path)
    assert manifest.agents == {role: role for role in ROLES}
    assert agent_ids(Layout(tmp_path)) == list(ROLES)


def test_later_businesses_have_agents_named_after_them_who_know_their_own_colleagues(tmp_path: Path) -> None:
    founded(tmp_path)
    beta = founded(tmp_path, "beta", name="Beta", at=NOW.replace(hour=10))
    assert beta.agent("cfo") == "beta-cfo"
    cfo = mind_of(tmp_path, "beta-cfo")
    assert cfo.persona.reports_to == "beta-ceo"
    assert cfo.value("cmo", "agent_id") == "beta-cmo"
    assert list(manifests(Layout(tmp_path))) == ["acme", "beta"]


def test_every_agent_has_its_twelve_files_and_its_manifest(tmp_path: Path) -> None:
    founded(tmp_path)
    for role in ROLES:
        folder = tmp_path / "agents" / role
        assert [name for name in (*MIND_FILES, "agent.json") if not (folder / name).exists()] == []


def test_the_business_has_the_documents_of_the_layout(tmp_path: Path) -> None:
    founded(tmp_path)
    folder = tmp_path / "businesses" / "acme"
    for name in ("decision-queue.json", "work-packages.json", "handoff-log.json"):
        assert orjson.loads((folder / name).read_bytes()) == []
    assert (folder / "inbox").is_dir()
    profile = orjson.loads((folder / "stakeholder.json").read_bytes())
    assert profile["approval_threshold_usd"] == 5000
    assert profile["decision_style"] == "strategic-only"
    assert profile["risk_tolerance"] == "moderate"
    assert (tmp_path / "stakeholder.json").exists()


def test_a_new_business_takes_the_workspaces_profile_for_its_own(tmp_path: Path) -> None:
    (tmp_path / "stakeholder.json").write_text('{"approval_threshold_usd": 250}', encoding="utf-8")
    founded(tmp_path)
    profile = orjson.loads((tmp_path / "businesses" / "acme" / "stakeholder.json").read_bytes())
    assert profile["approval_threshold_usd"] == 250
    assert profile["decision_style"] == "strategic-only"


def test_a_new_mind_holds_everything_its_role_file_says(tmp_path: Path) -> None:
    founded(tmp_path)
    for role in load_roles().values():
        mind = mind_of(tmp_path, role.id)
        assert mind.problems == ()
        assert mind.persona.title == role.title
        assert mind.persona.style == role.style
        assert dict(mind.persona.autonomy_for) == role.autonomy_for
        assert dict(mind.capabilities.skills) == role.capabilities.skills
        assert {belief.statement for belief in role.beliefs} <= {belief.statement for belief in mind.beliefs}
        assert {playbook.name: playbook.steps for playbook in mind.playbooks} == {
            playbook.name: playbook.steps for playbook in role.playbooks
        }
        assert {one.counterparty for one in mind.commitments} == {one.counterparty for one in role.commitments}
        assert all(note.heading in mind.file("Knowledge.md") for note in role.knowledge)


def test_desires_are_laid_down_by_priority_with_what_they_serve(tmp_path: Path) -> None:
    founded(tmp_path)
    desires = mind_of(tmp_path, "cfo").desires
    assert [one.priority for one in desires] == sorted((one.priority for one in desires), reverse=True)
    by_id = {one.id: one for one in desires}
    budget = next(one for one in desires if one.name == "Revise the budget when runway shrinks")
    assert by_id[budget.serves].name == "Keep six months of runway"


@pytest.mark.parametrize("template", templates())
def test_every_kind_of_business_can_be_founded(tmp_path: Path, template: str) -> None:
    manifest = founded(tmp_path, template=template)
    assert manifest.domain == template_named(template).domain
    for role in ROLES:
        names = read_agent(Layout(tmp_path), role).watches
        watched = {name.removeprefix("trend_") for name in names}
        assert watched <= set(manifest.metrics)
        assert mind_of(tmp_path, role).desires or role not in ("ceo", "cfo")


def test_a_shop_neither_wants_nor_assumes_what_only_subscriptions_have(tmp_path: Path) -> None:
    founded(tmp_path, template="retail")
    wanted = {desire.target for desire in mind_of(tmp_path, "ceo").desires}
    assert not any("mrr" in target or "churn_rate" in target for target in wanted)
    assert "gross_margin >= 45%" in wanted
    assert mind_of(tmp_path, "ceo").value("churn_rate") is None


def test_what_the_owner_says_goes_before_the_template(tmp_path: Path) -> None:
    clock = frozen_clock(NOW)
    manifest = create_business(
        Layout(tmp_path), "acme", name="Acme", template="saas", governance=load_settings().governance, clock=clock,
        ids=Ids(clock), sync=Sync("off"), legal_name="Acme GmbH", revenue_streams=("seats",),
    )  # fmt: skip
    assert (manifest.legal_name, manifest.revenue_streams) == ("Acme GmbH", ("seats",))
    assert read_manifest(Layout(tmp_path), "acme") == manifest


def test_an_existing_business_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    founded(tmp_path)
    before = readable(tmp_path)
    with pytest.raises(InvalidArgument, match="business 'acme' exists"):
        founded(tmp_path, template="retail", name="Other")
    assert readable(tmp_path) == before


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"business_id": "../x"}, InvalidArgument),
        ({"business_id": "Acme"}, InvalidArgument),
        ({"template": "sas"}, UnknownId),
        ({"name": "  "}, InvalidArgument),
    ],
)
def test_what_is_asked_wrongly_writes_nothing(tmp_path: Path, wrong: dict[str, str], error: type[Exception]) -> None:
    arguments = {"business_id": "acme", "template": "saas", "name": "Acme"} | wrong
    with pytest.raises(error):
        founded(tmp_path, arguments.pop("business_id"), **arguments)  # type: ignore[arg-type]  # all three are texts
    assert readable(tmp_path) == {}


def killed_at(moment: int, work: Callable[[], object]) -> bool:
    """Run `work` in a child that dies at the given write; return whether it did."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    replace, left = os.replace, [moment]

    def replaced(source: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] < 0:
            os._exit(9)
        replace(source, target)

    try:
        with patch.object(os, "replace", replaced):
            work()
    finally:
        os._exit(0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The readable files of a company that was founded without interruption."""
    root = tmp_path_factory.mktemp("whole")
    founded(root)
    return readable(root)


@pytest.mark.parametrize("moment", [0, 1, 5, 19, 40, 77, 150])
def test_a_creation_that_is_killed_can_be_finished_and_is_then_as_if_it_never_was(
    tmp_path: Path, whole: dict[str, bytes], moment: int
) -> None:
    killed_at(moment, lambda: founded(tmp_path))
    if not (tmp_path / "businesses" / "acme" / "business.json").exists():
        assert manifests(Layout(tmp_path)) == {}
        founded(tmp_path)
    assert readable(tmp_path) == whole


def test_another_business_may_come_first_where_one_was_begun_and_left(tmp_path: Path) -> None:
    assert killed_at(40, lambda: founded(tmp_path))
    beta = founded(tmp_path, "beta", name="Beta")
    assert beta.agent("ceo") == "beta-ceo"
    assert founded(tmp_path).agent("ceo") == "ceo"


def test_an_unknown_business_and_an_unknown_agent_name_the_nearest(tmp_path: Path) -> None:
    founded(tmp_path)
    with pytest.raises(UnknownId, match="did you mean 'acme'"):
        read_manifest(Layout(tmp_path), "acmee")
    with pytest.raises(UnknownId, match="did you mean 'legal'"):
        read_agent(Layout(tmp_path), "lega")


def test_a_damaged_manifest_names_file_and_field(tmp_path: Path) -> None:
    founded(tmp_path)
    (tmp_path / "businesses" / "acme" / "business.json").write_text('{"id": "acme"}', encoding="utf-8")
    with pytest.raises(Damaged, match=r"business\.json: .* name is missing"):
        read_manifest(Layout(tmp_path), "acme")


def test_an_agent_written_by_hand_has_the_manifest_of_the_role_it_is_named_for(tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "cfo"
    folder.mkdir(parents=True)
    (folder / "Beliefs.md").write_text("# Beliefs\n", encoding="utf-8")
    assert "cash" in read_agent(Layout(tmp_path), "cfo").watches


@pytest.mark.parametrize("template", [one for one in templates() if template_named(one).goals])
def test_a_template_has_goals_on_all_three_levels_and_each_of_the_lower_ones_serves_one_above(template: str) -> None:
    goals = template_named(template).goals
    assert {goal.level for goal in goals} == {"strategic", "tactical", "operational"}
    assert [goal.text for goal in goals if goal.level != "strategic" and not goal.serves] == []


def test_a_goal_of_a_template_serves_none_of_its_own_level() -> None:
    kind = template_named("saas")
    goals = [goal.model_dump() | {"serves": kind.goals[0].text} for goal in kind.goals]
    with pytest.raises(ValidationError, match="not a goal of a higher level"):
        BusinessTemplate.model_validate(kind.model_dump() | {"goals": goals})
