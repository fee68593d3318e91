"""Branches of a workspace: whole copies that share nothing with the original and reach nobody outside."""

import threading
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.configs.settings import environment, load_settings
from mabos.interfaces.branching import compare, moment_of, take_back
from mabos.workspace.branches import branches, delete_branch, make_branch
from mabos.workspace.locks import file_lock
from tests.interfaces.command_line import answer, mabos
from tests.world import World

NOW = "2026-03-12T09:00:00Z"
LATER = datetime(2026, 3, 12, 9, tzinfo=UTC)
SPRING = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."
BIG = "Start a search campaign named 'Big' for everybody: 900 dollars a week for 8 weeks."


def _files(root: Path) -> dict[str, str]:
    """Return the digest of each file of truth."""
    return {
        str(path.relative_to(root)): sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file() and path.relative_to(root).parts[0] not in ("branches", ".mabos")
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "my-company"


def _weeks(root: Path) -> list[str]:
    """Found a company, let two weeks pass in it, and return the cycles: a small order, a large one, its approval."""
    with World(root) as world:
        cycles = [world.cycle("cmo", SPRING).cycle]
        world.later(days=7)
        cycles.append(world.cycle("cmo", BIG).cycle)
        (asked,) = [one for one in world.services.decisions("acme").all() if one.open]
        world.later(days=1)
        world.do("decision_resolve", decision_id=asked.id, version=asked.version, resolution="approve")
        cycles.append(world.cycle("cmo").cycle)
        return cycles


def _campaigns(root: Path) -> list[str]:
    with World(root) as world:
        return sorted(one.name for one in world.business.campaigns.all())


def test_a_branch_is_a_company_of_its_own_and_the_original_stays_as_it_is(root: Path) -> None:
    _weeks(root)
    before = _files(root)
    branch = make_branch(root, "cheaper", now=NOW)
    with World(branch.path, at=LATER) as world:
        assert world.cycle(
            "cmo", "Start a social campaign named 'Cheap' for everybody: 10 dollars a week for 1 week."
        ).ok
    assert _campaigns(branch.path) == ["Big", "Cheap", "Spring"]
    assert _files(root) == before
    originals = {path.stat().st_ino for path in root.rglob("*") if "branches" not in path.parts}
    assert not originals & {path.stat().st_ino for path in branch.path.rglob("*")}, "no file is shared"


def test_a_branch_at_a_cycle_is_as_the_company_was_then(root: Path) -> None:
    first, second, third = _weeks(root)
    with World(root) as world:
        goals = len(world.agent("cmo").mind.goals)
    after_first, _ = take_back(make_branch(root, "first", now=NOW), moment_of(root, first, before=False))
    after_second, _ = take_back(make_branch(root, "second", now=NOW), moment_of(root, second, before=False))
    untouched, taken = take_back(make_branch(root, "third", now=NOW), moment_of(root, third, before=False))
    assert (_campaigns(after_first.path), _campaigns(after_second.path)) == (["Spring"], ["Spring"])
    assert _campaigns(untouched.path) == ["Big", "Spring"]
    assert taken.reopened == 0
    with World(after_first.path) as world:
        assert not list(world.services.decisions("acme").all())
        assert len(world.agent("cmo").mind.goals) < goals
    with World(after_second.path, at=LATER) as world:
        (asked,) = world.services.decisions("acme").all()
        assert (asked.status, asked.resolved_at) == ("pending", "")
        world.do("decision_resolve", decision_id=asked.id, version=asked.version, resolution="reject")
        world.cycle("cmo")
    assert _campaigns(after_second.path) == ["Spring"], "the other answer has the other end"


def test_a_record_that_was_changed_since_is_as_it_was_or_the_command_names_it(root: Path) -> None:
    with World(root) as world:
        first = world.cycle("cmo", SPRING).cycle
        (spring,) = world.business.campaigns.all()
    for day in range(1, 8):
        with World(root) as world:
            world.later(days=day)
            world.do("ad_campaign_manage", campaign_id=spring.id, action="set_budget", weekly_budget_usd=80 + day)
        if day == 2:
            branch, taken = take_back(make_branch(root, "then", now=NOW), moment_of(root, first, before=False))
            assert (taken.restored, taken.kept) == (1, ())
            with World(branch.path) as world:
                assert world.business.campaigns.all() == (spring,)
    refused = mabos("branch", "late", "--at", first, workspace=root, code=1)
    assert all(one in refused.stderr for one in (f"campaigns.json {spring.id}", "--partly"))
    assert [one.name for one in branches(root)] == ["then"]
    made = answer("branch", "late", "--at", first, "--partly", workspace=root)
    assert spring.id in " ".join(made["notes"])


def test_a_branch_before_a_cycle_runs_it_another_way(root: Path) -> None:
    _, second, _ = _weeks(root)
    branch, _ = take_back(make_branch(root, "again", now=NOW), moment_of(root, second, before=True))
    with World(branch.path, at=LATER) as world:
        assert world.cycle("cmo", BIG.replace("900", "95")).outcome != "failed"
        assert [one.weekly_budget_usd for one in world.business.campaigns.all() if one.name == "Big"] == [95]
    assert {one.name: one.cycle for one in branches(root)} == {"again": second}


def test_a_comparison_tells_minds_figures_decisions_letters_and_records_apart(root: Path) -> None:
    _weeks(root)
    branch = make_branch(root, "cheaper", now=NOW)
    with World(root) as world, World(branch.path, at=LATER) as other:
        assert compare(world.services, other.services) == []
        other.do("metrics_record", name="mrr", value=12_000, at="2026-03-09")
        other.cycle("cmo", BIG.replace("Big", "Huge"))
        differences = compare(world.services, other.services)
        told = {one.kind for one in differences}
        assert {"mind", "figure", "decision", "letter"} <= told
        assert any("mrr" in one.text and "12,000" in one.text for one in differences)
        assert all(one.text for one in differences)


def test_nothing_leaves_a_branch_whatever_the_settings_say(root: Path, tmp_path: Path) -> None:
    with World(root) as world:
        world.do("stakeholder_profile", notification_channels=["email", "slack"])
    (root / "mabos.yaml").write_text(
        "notify: {smtp_host: mail.example}\ncheckpoints: {database: 'postgresql://db.example/mabos'}\n"
        "memory: {vectors: chroma}\nstripe: {api_base: 'https://api.stripe.com'}\n"
    )
    (root / "businesses" / "acme" / "outbox.json").write_text('{"outbox": [], "version": 1}')
    branch = make_branch(root, "quiet", now=NOW)
    surroundings = environment({"SLACK_WEBHOOK_URL": "https://hooks.example", "STRIPE_API_BASE": "https://x.example"})
    settings = load_settings(branch.path, surroundings)
    outside: list[Any] = [settings.notify.smtp_host, settings.notify.slack_webhook_env, settings.stripe.api_base]
    outside += [settings.checkpoints.database]
    assert (outside, settings.graph.neo4j, settings.memory.vectors) == ([""] * 4, "none", "files")
    assert load_settings(root, surroundings).notify.smtp_host == "mail.example"
    assert not (branch.path / "businesses" / "acme" / "outbox.json").exists()
    assert not (branch.path / ".mabos" / "locks").exists()
    assert not list(branch.path.rglob("checkpoints.sqlite"))


def test_a_link_is_not_followed_out_of_a_branch(root: Path, tmp_path: Path) -> None:
    with World(root):
        pass
    inbox = root / "businesses" / "acme" / "inbox"
    inbox.mkdir(exist_ok=True)
    (tmp_path / "shared.txt").write_text("shared")
    (inbox / "link.txt").symlink_to(tmp_path / "shared.txt")
    branch = make_branch(root, "linked", now=NOW)
    assert not (branch.path / "businesses" / "acme" / "inbox" / "link.txt").exists()


def test_a_branch_waits_for_the_cycle_that_runs(root: Path) -> None:
    with World(root):
        pass
    made = threading.Event()

    def branch() -> None:
        make_branch(root, "later", now=NOW)
        made.set()

    with file_lock(root / ".mabos" / "locks" / "cfo.lock"):
        thread = threading.Thread(target=branch)
        thread.start()
        assert not made.wait(0.3)
    thread.join(30)
    assert made.is_set()
    assert [one.name for one in branches(root)] == ["later"]


def test_names_that_are_taken_or_unknown_are_refused_and_a_deleted_branch_is_gone(root: Path) -> None:
    with World(root):
        pass
    make_branch(root, "one", now=NOW)
    for wrong in ("one", "../out", "Two Words"):
        with pytest.raises(InvalidArgument):
            make_branch(root, wrong, now=NOW)
    with pytest.raises(UnknownId, match="one"):
        delete_branch(root, "on")
    with pytest.raises(UnknownId):
        moment_of(root, "C-1", before=False)
    delete_branch(root, "one")
    assert branches(root) == []
    assert not (root / "branches" / "one").exists()


def test_the_command_makes_lists_compares_and_deletes_branches(root: Path) -> None:
    first, *_ = _weeks(root)
    made = answer("branch", "again", "--at", first, workspace=root)
    assert (made["name"], made["cycle"], Path(made["path"]).parent.parent) == ("again", first, root)
    assert [one["name"] for one in answer("branch", workspace=root)["branches"]] == ["again"]
    compared = answer("branch", "again", "--compare", workspace=root)["differences"]
    assert any("Big" in one["text"] for one in compared if one["kind"] == "record")
    assert answer("branch", "again", "--delete", workspace=root)["deleted"]["name"] == "again"
    assert answer("branch", workspace=root)["branches"] == []
    mabos("branch", "--compare", workspace=root, code=2)
    mabos("branch", "x", "--at", "C-0", workspace=root, code=1)
    assert branches(root) == []
