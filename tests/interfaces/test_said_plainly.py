"""What a person wrote or dropped so that it cannot be read is said plainly, once, with file and line."""

from pathlib import Path

import pytest

from tests.interfaces.command_line import answer, company, mabos


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    return company(tmp_path)


def perceived(workspace: Path) -> str:
    """Return what the first phase of a cycle of the CFO says."""
    lines = mabos("run", "cfo", workspace=workspace).stdout.splitlines()
    return next(line for line in lines if line.startswith("perceive"))


def drop(workspace: Path, name: str, text: str) -> None:
    (workspace / "businesses" / "acme" / "inbox" / name).write_text(text, "utf-8")


def test_a_value_that_cannot_be_read_is_told_by_run_and_by_mind(acme: Path) -> None:
    path = acme / "agents" / "cfo" / "Beliefs.md"
    line = path.read_text("utf-8").count("\n") + 4  # that of the field, not of the heading
    path.write_text(path.read_text("utf-8") + "\n## The bank is patient\n\nCertainty: eighty percent\n", "utf-8")
    assert f"could not read agents/cfo/Beliefs.md:{line}: " in perceived(acme)
    shown = mabos("mind", "cfo", workspace=acme).stdout
    assert f"could not read Beliefs.md:{line}: 'The bank is patient': Certainty is 'eighty percent'" in shown
    (problem,) = answer("mind", "cfo", workspace=acme)["problems"]
    assert (problem["file"], problem["line"]) == ("Beliefs.md", line)


def test_a_goal_above_the_first_heading_is_told(acme: Path) -> None:
    path = acme / "agents" / "cfo" / "Goals.md"
    path.write_text("# Goals\n\n- [ ] Reach $100K MRR\n", "utf-8")
    assert "could not read agents/cfo/Goals.md:3: '- [ ] Reach $100K MRR'" in perceived(acme)


def test_other_kinds_of_files_and_folders_in_the_inbox_are_told_once(acme: Path) -> None:
    drop(acme, "plan.odt", "x")
    (acme / "businesses" / "acme" / "inbox" / "2026").mkdir()
    said = perceived(acme)
    assert "could not read businesses/acme/inbox/2026: is a folder" in said
    assert "businesses/acme/inbox/plan.odt: this kind of file is not read; expected one of .csv" in said
    assert "plan.odt" not in perceived(acme)


def test_a_document_is_read_or_not_and_lines_left_out_of_one_that_is_are_told_as_such(acme: Path) -> None:
    drop(acme, "broken.csv", "a,b\n1,2\n")
    drop(acme, "metrics.csv", "month,cash,mood\n2026-01,310000,good\n")
    said = perceived(acme)
    assert "could not read businesses/acme/inbox/broken.csv:1" in said
    assert "read businesses/acme/inbox/metrics.csv" in said
    assert "left out businesses/acme/inbox/metrics.csv:2: mood" in said
    assert "read businesses/acme/inbox/broken.csv ·" not in said
    assert "could not read businesses/acme/inbox/metrics.csv" not in said
