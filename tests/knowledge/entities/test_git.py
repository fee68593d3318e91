"""A memory under git, for real: branches merge, and whatever git does to the file is noticed."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.knowledge.entities.memories import Business


class Repository:
    """A workspace under git."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")
        (root / ".gitignore").write_text(".mabos/\n")
        self.commit("begin")

    def git(self, *command: str) -> str:
        """Run git and return what it prints."""
        who = {
            f"GIT_{role}_{what}": f"{role}@example.org"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        clean = {"PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_CONFIG_NOSYSTEM": "1", **who}
        done = subprocess.run(["git", *command], cwd=self.root, env=clean, check=True, capture_output=True, text=True)
        return done.stdout

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work")


def names(acme: Business) -> set[str]:
    """Return the names of all entities that hold."""
    return {entity.name for entity in acme.as_("cto").figures().entities}


def rebuilt(acme: Business, folder: Path) -> object:
    """Return the digest of an index made anew from the same truth."""
    copy = Business(folder, acme.clock)
    copy.path.parent.mkdir(parents=True)
    copy.path.write_bytes(acme.path.read_bytes())
    copy.store.update()
    return copy.graph.digest()


def test_two_branches_that_both_wrote_merge_without_conflict(repository: Repository, tmp_path: Path) -> None:
    acme = Business(repository.root)
    cto = acme.as_("cto")
    cto.create_entity("Concept", "shared")
    repository.commit("shared")
    repository.git("checkout", "--quiet", "-b", "experiment")
    acme.later(1)
    cto.create_entity("Insight", "tried", observations=["it works"], source_session="s1")
    cto.create_entity("Insight", "both", observations=["seen here"], source_session="s1")
    cto.create_relation("tried", "shared", "BUILDS_ON")
    repository.commit("experiment")
    repository.git("checkout", "--quiet", "main")
    assert names(acme) == {"shared"}
    cto.create_entity("Insight", "both", observations=["seen there"], source_session="s2")
    cto.add_observation("shared", "known on main")
    repository.commit("main goes on")
    repository.git("merge", "--quiet", "experiment", "-m", "merge")
    assert names(acme) == {"shared", "tried", "both"}
    both = cto.entity("both")
    assert {one.content for one in both.observations} == {"seen here", "seen there"}
    assert set(both.source_sessions) == {"s1", "s2"}
    assert both.entity.confidence == pytest.approx(0.65, abs=0.01)
    assert [hit.entity.name for hit in cto.traverse("tried").hits if hit.entity] == ["shared"]
    assert acme.store.problems == ()
    assert acme.graph.digest() == rebuilt(acme, tmp_path / "copy")


def test_a_branch_switch_a_revert_and_a_reset_are_noticed(repository: Repository, tmp_path: Path) -> None:
    acme = Business(repository.root)
    cto = acme.as_("cto")
    cto.create_entity("Concept", "one")
    repository.commit("one")
    cto.create_entity("Concept", "wrong", observations=["a bad idea"])
    repository.commit("wrong")
    repository.git("revert", "--no-edit", "HEAD")
    assert names(acme) == {"one"}
    assert cto.query_semantic("a bad idea").used == "graph"
    repository.git("checkout", "--quiet", "HEAD~1")
    assert names(acme) == {"one", "wrong"}
    assert cto.query_semantic("a bad idea").used == "words"
    repository.git("checkout", "--quiet", "main")
    repository.git("reset", "--quiet", "--hard", "HEAD~2")
    assert names(acme) == {"one"}
    cto.create_entity("Concept", "after")
    assert names(acme) == {"one", "after"}
    assert acme.graph.digest() == rebuilt(acme, tmp_path / "copy")


def test_what_one_older_commit_said_is_taken_out_by_applying_it_in_reverse(repository: Repository) -> None:
    """A plain revert of it does nothing: to git, what was appended later changed the same place (union keeps both)."""
    acme = Business(repository.root)
    cto = acme.as_("cto")
    for name in ("one", "wrong", "two"):
        cto.create_entity("Concept", name)
        repository.commit(name)
    patch = repository.git("diff", "-U0", "HEAD~2", "HEAD~1")
    (repository.root / ".mabos" / "patch").write_text(patch)
    repository.git("apply", "--reverse", "--unidiff-zero", ".mabos/patch")
    assert names(acme) == {"one", "two"}


def test_a_process_that_was_away_notices_too(repository: Repository) -> None:
    acme = Business(repository.root)
    acme.as_("cto").create_entity("Concept", "one")
    repository.commit("one")
    acme.as_("cto").create_entity("Concept", "two")
    repository.commit("two")
    acme.graph.close()
    repository.git("checkout", "--quiet", "HEAD~1")
    assert names(Business(repository.root)) == {"one"}


def test_what_one_branch_forgot_is_gone_after_the_merge(repository: Repository) -> None:
    acme = Business(repository.root)
    cto = acme.as_("cto")
    cto.create_entity("Concept", "doomed", observations=["first"])
    repository.commit("begin")
    repository.git("checkout", "--quiet", "-b", "other")
    cto.add_observation("doomed", "second")
    repository.commit("other")
    repository.git("checkout", "--quiet", "main")
    acme.later(1)
    cto.forget("doomed")
    repository.commit("forget")
    repository.git("merge", "--quiet", "other", "-m", "merge")
    stats = cto.stats()
    assert (stats.entity_counts["Concept"], stats.total_observations) == (0, 0)


def test_asking_leaves_nothing_to_commit(repository: Repository) -> None:
    acme = Business(repository.root)
    cto = acme.as_("cto")
    cto.create_entity("Concept", "one", observations=["something"])
    repository.commit("one")
    for _ in range(100):
        cto.query_semantic("something")
        cto.entity("one")
    acme.store.close()
    assert repository.git("status", "--porcelain") == ""
    again = Business(repository.root)
    assert again.as_("cto").query_semantic("something").results[0].profile.access_count == 200


def test_merging_by_union_is_written_beside_what_gitattributes_says(repository: Repository) -> None:
    acme = Business(repository.root)
    folder = acme.path.parent
    folder.mkdir(parents=True)
    (folder / ".gitattributes").write_text("*.png binary")
    acme.as_("cto").create_entity("Concept", "one")
    said = (folder / ".gitattributes").read_text().splitlines()
    assert said == ["*.png binary", "graph.jsonl merge=union", "graph-archive.jsonl merge=union"]
    assert "union" in repository.git("check-attr", "merge", "businesses/acme/graph.jsonl")
