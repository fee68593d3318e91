"""`mabos workflows`: what there is, how far it has come, what it waits for, and where its picture lies."""

from pathlib import Path

import pytest

from tests.acceptance.workflows import opened
from tests.interfaces.command_line import answer, mabos
from tests.world import write_company


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_company(tmp_path / "workspace")


def test_without_workflows_it_says_how_to_make_one(root: Path) -> None:
    assert "workflow_create" in mabos("workflows", workspace=root).stdout


def test_it_lists_workflows_and_tells_of_one_what_waits_with_its_values_and_its_picture(root: Path) -> None:
    with opened(root) as ceo:
        ceo.draw_task()
        ceo.do("workflow_create", name="Later", workflow_id="later")
        ceo.do("workflow_status", workflow_id="flow", status="running", variables={"seats": 5})
        ceo.run(2)
        (asked,) = [one.id for one in ceo.questions()]
    listed = mabos("workflows", workspace=root).stdout.splitlines()
    assert [line.split()[:3] for line in listed[1:]] == [["flow", "Flow", "running"], ["later", "Later", "draft"]]
    assert "t (ceo)" in listed[1]
    told = mabos("workflows", "flow", workspace=root).stdout
    for said in ("'Flow' is running", f"mabos decisions approve {asked}", "seats = 5", "mabos why WR-"):
        assert said in told
    (picture,) = [line.removeprefix("picture: ") for line in told.splitlines() if line.startswith("picture: ")]
    assert Path(picture).read_text().startswith("<svg")
    found = answer("workflows", "flow", workspace=root)["workflows"]
    assert [(one["workflow_id"], one["business_id"], one["status"]) for one in found] == [("flow", "acme", "running")]


def test_an_unknown_workflow_is_answered_with_the_nearest(root: Path) -> None:
    with opened(root) as ceo:
        ceo.draw_task()
    refused = mabos("workflows", "flwo", workspace=root, code=1)
    assert "did you mean 'flow'" in refused.stderr


def test_one_whose_copy_is_lost_is_told_and_the_others_are_listed(root: Path) -> None:
    with opened(root) as ceo:
        ceo.draw_task()
        ceo.do("workflow_status", workflow_id="flow", status="running")
        ceo.do("workflow_create", name="Later", workflow_id="later")
    for copy in (root / "businesses" / "acme" / "workflows" / "versions").iterdir():
        copy.unlink()
    listed = mabos("workflows", workspace=root).stdout
    assert ("damaged" in listed, "later" in listed) == (True, True)
    assert "restore it" in mabos("workflows", "flow", workspace=root).stdout
