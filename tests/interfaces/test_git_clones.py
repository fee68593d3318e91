"""A workspace under git, for real: two clones, a day of work in each, and what git makes of it."""

import os
import subprocess
from pathlib import Path

import orjson
import pytest

from mabos.interfaces.places import make_repository, prepare
from mabos.workspace.ledger import MERGED
from tests.world import World, write_company


def git(folder: Path, *command: str, fails: bool = False) -> str:
    """Run git and return what it prints."""
    who = {f"GIT_{role}_{what}": "kim@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **who}
    done = subprocess.run(["git", *command], cwd=folder, env=clean, check=not fails, capture_output=True, text=True)
    return done.stdout


def work(root: Path, name: str) -> None:
    """Let the agents of one clone work for a day."""
    with World.small(root) as world:
        world.later(days=1)
        world.agent("cto").do("knowledge", action="create_entity", type="Concept", name=name)
        cfo = world.agent("cfo")
        cfo.do("memory_store_item", content=f"{name} pays late", type="observation", importance=0.7)
        talk = [
            {"role": "user", "content": f"How is {name} paid?"},
            {"role": "assistant", "content": "It is paid late."},
        ]
        task = {"systemPrompt": f"Analyse {name}", "completionStatus": "success", "messages": talk}
        cfo.do("mem:archive", taskId=cfo.do("ldg:task:save", task=task)["taskId"])
        for agent in ("ceo", "cfo", "cto"):
            world.agent(agent).cycle()


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path]:
    """Return two clones of a workspace in each of which a day passed."""
    one, other = tmp_path / "one", tmp_path / "other"
    write_company(one)
    prepare(one)
    assert make_repository(one)
    with World.small(one) as world:
        world.agent("cto").do("knowledge", action="create_entity", type="Concept", name="shared")
    git(one, "add", "--all")
    git(one, "commit", "--quiet", "-m", "begin")
    git(tmp_path, "clone", "--quiet", str(one), str(other))
    for clone in (one, other):
        work(clone, clone.name)
        git(clone, "add", "--all")
        git(clone, "commit", "--quiet", "-m", "a day")
    return one, other


def test_nothing_derived_is_kept_and_nothing_append_only_conflicts(clones: tuple[Path, Path]) -> None:
    _, other = clones
    assert not [path for path in git(other, "ls-files").split() if ".mabos" in path or "journal" in path]
    git(other, "pull", "--quiet", "--no-rebase", fails=True)
    conflicts = git(other, "diff", "--name-only", "--diff-filter=U").split()
    assert {Path(path).suffix for path in conflicts} <= {".json"}  # documents of which a person decides
    git(other, "checkout", "--quiet", "--ours", *conflicts)
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "-m", "merged")
    with World.small(other) as world:
        ledger = world.services.ledger
        assert ledger.verify() == []
        world.later(days=2)
        tasks = {one.id for one in world.services.ledger_index().tasks(agents=["cfo"])}
        assert len(tasks) == 2
        found = world.agent("cto").do("knowledge", action="stats")
        assert found["entity_counts"]["Concept"] == 3
        world.agent("cfo").do("memory_store_item", content="it goes on", type="observation", importance=0.7)
        joined = [entry for entry in ledger.entries("cfo") if entry.kind == MERGED]
        assert [len(entry.body["joins"]) for entry in joined] == [1]
        assert ledger.verify() == []


def test_a_line_taken_out_of_a_merged_chain_is_found(clones: tuple[Path, Path]) -> None:
    _, other = clones
    git(other, "pull", "--quiet", "--no-rebase", "--strategy-option=ours")
    path = other / "ledger" / "cfo.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    ids = [orjson.loads(line)["id"] for line in lines]
    assert len(set(ids)) < len(ids)
    with World.small(other) as world:
        assert world.services.ledger.verify() == []
        for at in range(len(lines) - 1):
            path.write_bytes(b"".join(lines[:at] + lines[at + 1 :]))
            is_end = not any(orjson.loads(lines[at])["hash"] == orjson.loads(line)["prev"] for line in lines)
            is_foreign_end = is_end and orjson.loads(lines[at])["hash"] not in (other / ".mabos/heads/cfo").read_text()
            assert bool(world.services.ledger.verify("cfo")) or is_foreign_end
        path.write_bytes(whole)
