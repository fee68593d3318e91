"""Several companies live at a time, each in a workspace of its own."""

from pathlib import Path

import pytest

from mabos.graphs import wiring
from mabos.graphs.companies import live_companies
from mabos.interfaces.soundness import damaged_files
from mabos.tools.gate.call import call
from tests.interfaces.command_line import answer, mabos


def founded(root: Path, name: str) -> Path:
    """Return a workspace whose CFO has been asked something."""
    with wiring.hold_services(root) as services:
        made = call(services, "business_create", {"business_id": name, "name": name.title(), "template": "saas"})
        assert made.ok, made.message
        letter = {"to": "cfo", "performative": "REQUEST", "content": f"Review the runway of {name}"}
        assert call(services, "agent_message", letter, agent_id="ceo").ok
    return root


def unread(root: Path) -> list[str]:
    """Return the letters of a company that nobody has read, where all its files are sound."""
    with wiring.hold_services(root) as services:
        assert damaged_files(services) == []
        letters = [one for agent in services.agents() for one in services.inbox(agent).messages()]
        assert letters
        return [one.id for one in letters if not one.read]


@pytest.fixture
def roots(tmp_path: Path) -> list[Path]:
    return [founded(tmp_path / name, name) for name in ("acme", "bakery")]


def test_what_is_wrong_with_one_is_told_and_the_other_goes_on(roots: list[Path]) -> None:
    (roots[0] / "mabos.yaml").write_text("colour: blue\n", "utf-8")
    first, second = sorted(live_companies(roots, once=True, jobs=1), key=lambda one: one.workspace)
    assert "colour" in first.problem
    assert (second.problem, unread(roots[1])) == ("", [])


def test_each_company_works_in_its_own_workspace_and_the_command_fails_where_one_could_not_go_on(
    roots: list[Path],
) -> None:
    told = answer("live", *map(str, roots), "--once")["companies"]
    assert [one["workspace"] for one in told] == [str(root) for root in roots]
    assert all(one["agents"]["cfo"] and not one["problem"] for one in told)
    assert [unread(root) for root in roots] == [[], []]
    (roots[1] / "mabos.yaml").write_text("colour: blue\n", "utf-8")
    failed = mabos("live", *map(str, roots), "--once", code=1)
    assert "colour" in failed.stderr
    assert "failed" in failed.stdout
    assert "no workspace in" in mabos("live", str(roots[0] / "nowhere"), "--once", code=1).stderr
    assert "once" in mabos("live", str(roots[0]), str(roots[0]), "--once", code=1).stderr
