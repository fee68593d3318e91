"""A workspace under git, for real: two clones, a day of work in each, and what git makes of it."""

import os
import re
import subprocess
from pathlib import Path

import orjson
import pytest

from mabos.interfaces.facade import open_workspace
from mabos.interfaces.places import make_repository, prepare
from mabos.mind.goals import OPEN
from mabos.workspace.git_merge import merge_text
from mabos.workspace.ledger import MERGED
from tests.world import MONDAY, World

HOURS = {"one": 4, "other": 5}
CAMPAIGN = {"channel": "search", "segment": "smb", "weeks": 2, "weekly_budget_usd": 3000}


def git(folder: Path, *command: str, fails: bool = False) -> str:
    """Run git and return what it prints."""
    who = {f"GIT_{role}_{what}": "kim@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **who}
    done = subprocess.run(["git", *command], cwd=folder, env=clean, check=not fails, capture_output=True, text=True)
    return done.stdout


def commit(folder: Path) -> None:
    """Commit everything."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "work")


def conflicts(folder: Path) -> list[str]:
    """Pull, and return the files that a person has to decide on."""
    git(folder, "pull", "--quiet", "--no-rebase", fails=True)
    return git(folder, "diff", "--name-only", "--diff-filter=U").split()


def open_clone(clone: Path, *, days: int = 0) -> World:
    """Open a clone some hours after Monday morning, when people are at work in it."""
    world = World(clone, at=MONDAY)
    world.later(days=days, hours=HOURS[clone.name])
    return world


def work(clone: Path) -> None:
    """Let agents, their owner and an editor work in one clone for a day: messages, calls, approvals, a heartbeat."""
    name = clone.name
    with open_clone(clone) as world:
        figures = f"2026-02-2{HOURS[name]},churn,{4 + len(name) / 10},percent"
        world.write(f"businesses/acme/inbox/{name}.csv", f"date,metric,value,unit\n{figures}\n")
        for agent in ("ceo", "cfo"):
            world.cycle(agent)
        world.cycle("cfo", f"Remember that {name} pays late.")
        world.cycle("coo", f"Remind me on Friday to call {name}.")
        world.do("crm_create_contact", "cmo", name=f"Ann {name}", email=f"ann@{name}.example")
        cfo = world.agent("cfo")
        cfo.do("fact_assert", subject=name, predicate="pays", object="late", confidence=0.9, source="books")
        cfo.do("memory_store_item", content=f"{name} pays late", type="observation", importance=0.7)
        world.agent("cto").do("knowledge", action="create_entity", type="Concept", name=name)
        said = {"user": f"How is {name} paid?", "assistant": "It is paid late."}
        talk = [{"role": role, "content": text} for role, text in said.items()]
        task = {"systemPrompt": f"Analyse {name}", "completionStatus": "success", "messages": talk}
        world.do("mem:archive", "cfo", taskId=world.do("ldg:task:save", "cfo", task=task)["taskId"])
        world.answer("approve", question(world, name))
        world.maintain("cfo")
    mind = clone / "agents/cfo/Beliefs.md"
    mind.write_text(mind.read_text() + f"\n## {name} is a risk\n\n- **Certainty:** 0.6\n")


def question(world: World, name: str) -> str:
    """Return the open decision on a campaign."""
    return next(one.id for one in world.questions() if f"{name} campaign" in one.description)


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two clones of a workspace in each of which a day passed."""
    folder = tmp_path_factory.mktemp("clones")
    one, other = folder / "one", folder / "other"
    prepare(one)
    assert make_repository(one)
    with World(one) as world:
        for name in ("one", "other", "both"):
            world.agent("cmo").ask("ad_campaign_create", name=f"{name} campaign", **CAMPAIGN)
        world.agent("cto").do("knowledge", action="create_entity", type="Concept", name="shared")
    commit(one)
    git(folder, "clone", "--quiet", str(one), str(other))
    open_workspace(other).close()  # as any command in the clone does
    for clone in (one, other):
        work(clone)
        commit(clone)
    assert conflicts(other) == []
    git(other, "commit", "--quiet", "--message", "merged", fails=True)
    return one, other


def test_nothing_derived_is_kept(clones: tuple[Path, Path]) -> None:
    kept = git(clones[1], "ls-files").split()
    derived = (".mabos/", "journal", "MEMORY.md", "mabos-facts.md", "/weekly/", ".sqlite")
    assert not [path for path in kept if any(part in path for part in derived)]
    assert "agents/cfo/Memory.md" in kept


@pytest.mark.parametrize("name", ["one", "other"])
def test_what_either_clone_did_is_there_in_both(clones: tuple[Path, Path], name: str) -> None:
    git(clones[0], "pull", "--quiet", "--no-rebase", str(clones[1]))
    with open_clone(clones[name == "other"], days=1) as world:
        cfo = world.agent("cfo")
        for clone in ("one", "other"):
            (fact,) = cfo.do("fact_query", subject=clone)["facts"]
            assert fact["object"] == "late"
            assert f"{clone} is a risk" in {one.statement for one in cfo.mind.beliefs}
            assert any(f"{clone} pays late" in one["content"] for one in cfo.do("memory_recall", query=clone)["items"])
        answered = {one.description: one.status for one in world.services.decisions().all()}
        assert {status for text, status in answered.items() if "both campaign" not in text} == {"approved"}
        contacts = world.read("businesses/acme/crm/contacts.json")["contacts"]
        assert {one["name"] for one in contacts} == {"Ann one", "Ann other"}
        assert world.agent("cto").do("knowledge", action="stats")["entity_counts"]["Concept"] >= 3
        world.cycle("cfo")
        aims = [goal.description for goal in cfo.mind.goals if goal.desire_id and goal.status in OPEN]
        assert len(set(aims)) == len(aims) < len([goal for goal in cfo.mind.goals if goal.desire_id])
        cfo.do("memory_store_item", content="it goes on", type="observation", importance=0.7)
        assert [len(one.body["joins"]) for one in world.services.ledger.entries("cfo") if one.kind == MERGED] == [1]
        assert world.services.ledger.verify() == []


def test_a_line_taken_out_of_a_merged_chain_is_found(clones: tuple[Path, Path]) -> None:
    _, other = clones
    path = other / "ledger" / "cfo.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    with open_clone(other, days=1) as world:
        assert world.services.ledger.verify() == []
        for at in range(len(lines) - 1):
            path.write_bytes(b"".join(lines[:at] + lines[at + 1 :]))
            is_end = not any(orjson.loads(lines[at])["hash"] == orjson.loads(line)["prev"] for line in lines)
            is_foreign_end = is_end and orjson.loads(lines[at])["hash"] not in (other / ".mabos/heads/cfo").read_text()
            assert bool(world.services.ledger.verify("cfo")) or is_foreign_end
        path.write_bytes(whole)


def test_two_answers_to_one_decision_conflict_and_nothing_else_does(clones: tuple[Path, Path]) -> None:
    for clone, answer in zip(clones, ("approve", "reject"), strict=True):
        with open_clone(clone, days=2) as world:
            world.answer(answer, question(world, "both"))
            world.agent("cfo").do("memory_store_item", content=f"{answer}ed", type="observation", importance=0.7)
        commit(clone)
    found = conflicts(other := clones[1])
    assert found == ["businesses/acme/decision-queue.json", "decision-queue.json"]
    for path in found:
        both_sides = re.compile(r"<<<<<<< ours\n(.*?)=======\n(.*?)>>>>>>> theirs\n", flags=re.DOTALL)
        (other / path).write_text(both_sides.sub(r"\2", (other / path).read_text()))
    commit(other)
    with open_clone(other, days=3) as world:
        (both,) = (one for one in world.services.decisions().all() if "both campaign" in one.description)
        assert both.status == "approved"
        assert world.services.ledger.verify() == []


RECORD = '{"facts": [{"id": "F-1", "object": "%s", "confidence": %s, "updated_at": "2026-03-0%s"%s}]}'


@pytest.mark.parametrize(
    ("path", "base", "ours", "theirs", "merged"),
    [
        ("a.json", '[{"id": "1", "a": 1, "b": 1}]', '[{"id": "1", "a": 2, "b": 1}]', '[{"id": "1", "a": 1, "b": 2}]',
         [{"id": "1", "a": 2, "b": 2}]),
        ("a.json", '{"tags": ["a"]}', '{"tags": ["a", "b"]}', '{"tags": ["a", "c"]}', {"tags": ["a", "b", "c"]}),
        ("a.json", '{"tags": ["a"]}', '{"tags": ["b"]}', '{"tags": ["c"]}', None),
        ("a.json", '{"status": "open"}', '{"status": "approved"}', '{"status": "rejected"}', None),
        ("a.json", '{"read_at": "1", "version": 1}', '{"read_at": "3", "version": 2}', '{"read_at": "2", "version": 3}',
         {"read_at": "3", "version": 3}),
        ("a.json", '[{"id": "1", "a": 1, "access_count": 1}]', "[]", '[{"id": "1", "a": 1, "access_count": 2}]', []),
        ("a.json", '[{"id": "1", "a": 1}]', "[]", '[{"id": "1", "a": 2}]', None),
        ("a.json", RECORD % (4, 0.5, 1, ""), RECORD % (5, 0.5, 2, ""), RECORD % (6, 0.9, 3, ""),
         {"facts": [{"id": "F-1", "object": "6", "confidence": 0.9, "updated_at": "2026-03-03"}]}),
        ("a.json", RECORD % (4, 0.5, 1, ""), RECORD % (5, 0.5, 1, ""), RECORD % (6, 0.9, 3, ""), None),  # one by hand
        ("a.md", "", "# T\n\n## One\n\n- **Id:** 1\n", "# T\n\n## Two\n\n- **Id:** 2\n",
         "# T\n\n## One\n\n- **Id:** 1\n\n## Two\n\n- **Id:** 2\n"),
        ("a.md", "## One\n\n- **Status:** open\n- **Target:** 1\n", "## One\n\n- **Status:** done\n- **Target:** 1\n",
         "## One\n\n- **Status:** open\n- **Target:** 2\n", "## One\n\n- **Status:** done\n- **Target:** 2\n"),
        ("a.md", "## One\n\nA line.\n", "## One\n\nA word.\n", "## One\n\nA text.\n", None),
    ],
)  # fmt: skip
def test_a_record_is_merged_by_field_and_conflicts_where_both_changed_one(
    path: str, base: str, ours: str, theirs: str, merged: object
) -> None:
    found, turned = merge_text(path, base, ours, theirs), merge_text(path, base, theirs, ours)
    assert (found.ours == found.theirs) == (turned.ours == turned.theirs) == (merged is not None)
    if merged is not None:
        assert merged == (orjson.loads(found.ours) if path.endswith(".json") else found.ours)
