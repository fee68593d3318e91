"""A person edits the files while the agent works: the edit is never lost and never loses the agent's own."""

import re
import threading
import time
from pathlib import Path

import pytest

from mabos import open_workspace
from tests.acceptance.company import Company, ended, python

BELIEFS = "agents/cfo/Beliefs.md"
CYCLES = """
import sys
from mabos import open_workspace
with open_workspace(sys.argv[1]) as ws:
    cfo = ws.agent("cfo")
    print("open", flush=True)
    for n in range(int(sys.argv[2])):
        done = cfo.call("belief_update", belief_id=f"B-own-{n}", description=f"Own belief {n}", certainty=0.7,
                        source="self", subject=f"own_{n}")
        assert done.ok, done.message
        if n % 5 == 0:
            assert cfo.run().ok
"""


def by_hand(path: Path, change: "re.Pattern[str] | str", text: str) -> None:
    """Save a file as an editor does: read it, change it, put the new one in its place."""
    before = path.read_text("utf-8")
    after = f"{before.rstrip()}\n\n{text}\n" if change == "append" else re.sub(change, text, before, count=1)
    assert after != before
    draft = path.with_suffix(".draft")
    draft.write_text(after, "utf-8")
    draft.replace(path)


def statements(acme: Company) -> dict[str, float]:
    """Return what the CFO believes, with its certainty."""
    found = acme.done("belief_get", limit=1000)["beliefs"]
    return {one["statement"]: one["certainty"] for one in found}


def test_a_belief_written_by_hand_is_believed_and_stays_in_its_form(acme: Company) -> None:
    own = statements(acme)
    written = "## The landlord is friendly\n\ncertainty: 0.65\nsource: lunch"
    by_hand(acme.file(BELIEFS), "append", written)
    assert statements(acme) == {**own, "The landlord is friendly": 0.65}
    acme.run("cfo")
    assert written in acme.text(BELIEFS)


def test_a_belief_changed_by_hand_is_changed(acme: Company) -> None:
    by_hand(
        acme.file(BELIEFS), re.compile(r"(## Raising money takes about six months.*?)0\.75", re.DOTALL), r"\g<1>0.3"
    )
    assert statements(acme)["Raising money takes about six months from the first call to the transfer"] == 0.3


def test_a_belief_removed_by_hand_is_gone_and_stays_gone(acme: Company) -> None:
    acme.run("cfo")
    by_hand(
        acme.file(BELIEFS),
        re.compile(r"## Raising money takes about six months.*?(?=^## )", re.DOTALL | re.MULTILINE),
        "",
    )
    assert not any(one.startswith("Raising money takes") for one in statements(acme))
    acme.run("cfo")
    assert "## Raising money takes" not in acme.text(BELIEFS)


def test_prose_comments_and_unknown_fields_survive_cycles(acme: Company) -> None:
    fields = "- **Certainty:** 0.65\n- **Mood:** sunny"
    prose = f"## The landlord is friendly\n\n{fields}\n\nHe said so *twice*.\n\n<!-- ask again -->"
    by_hand(acme.file(BELIEFS), r"# Beliefs\n", f"# Beliefs\n\nWhat follows is mine and the agent's.\n\n{prose}\n")
    for _ in range(2):
        acme.run("cfo")
    text = acme.text(BELIEFS)
    assert text.startswith("# Beliefs\n\nWhat follows is mine and the agent's.\n")
    assert prose in text


@pytest.mark.parametrize(
    "name", ["Desires.md", "Goals.md", "Knowledge.md", "Playbooks.md", "Memory.md", "Learnings.md"]
)
def test_every_cognitive_file_takes_a_section_by_hand(acme: Company, name: str) -> None:
    by_hand(acme.file(f"agents/cfo/{name}"), "append", "## Written by hand\n\nA line of my own.")
    acme.run("cfo")
    text = acme.text(f"agents/cfo/{name}")
    assert "## Written by hand" in text
    assert "A line of my own." in text


def test_an_edit_of_what_the_agent_changes_too_loses_neither(acme: Company) -> None:
    with open_workspace(acme.root) as ws:
        cfo = ws.agent("cfo")
        told = {"belief_id": "B-cfo-003", "source": "self", "subject": "fundraising", "predicate": "months_needed"}
        path = acme.file(BELIEFS)
        before = path.read_text("utf-8")
        cfo.call("belief_update", description="Raising money takes nine months", value="9", certainty=0.95, **told)
        path.write_text(
            before.replace("Raising money takes about six months", "Raising money takes eight months"), "utf-8"
        )
    everything = acme.text(BELIEFS) + "".join(
        found.read_text("utf-8") for found in acme.file("agents/cfo").glob("*.conflict")
    )
    assert "Raising money takes nine months" in everything
    assert "Raising money takes eight months" in everything


def test_a_broken_section_is_reported_with_file_and_line_and_left_alone(acme: Company) -> None:
    broken = "## The bank is fond of us\n\n- **Certainty:** very much"
    by_hand(acme.file(BELIEFS), "append", broken)
    line = acme.text(BELIEFS).splitlines().index("- **Certainty:** very much") + 1
    result = acme.command("verify", "files", code=1)
    assert re.search(rf"Beliefs\.md:({line}|{line - 2})\b", result.stdout)
    assert "B-cfo-001" in str(acme.done("belief_get", limit=100))
    acme.run("cfo", code=0)
    assert broken in acme.text(BELIEFS)


def test_edits_while_another_process_runs_cycles_lose_nothing_on_either_side(acme: Company) -> None:
    cycles, path = 20, acme.file(BELIEFS)
    running = python("-c", CYCLES, str(acme.root), str(cycles))
    assert running.stdout is not None
    assert running.stdout.readline().strip() == "open"
    edits: list[str] = []
    while running.poll() is None and len(edits) < 40:
        heading = f"Seen by hand {len(edits)}"
        by_hand(path, "append", f"## {heading}\n\ncertainty: 0.6")
        edits.append(heading)
        time.sleep(0.05)
    ended(running)
    believed = statements(acme)
    kept = acme.text(BELIEFS) + "".join(
        found.read_text("utf-8") for found in acme.file("agents/cfo").glob("*.conflict")
    )
    assert len(edits) >= 2
    assert [heading for heading in edits if heading not in kept] == []
    assert [n for n in range(cycles) if f"Own belief {n}" not in believed] == []


def test_edits_between_the_calls_of_one_process_are_seen_at_once(acme: Company) -> None:
    with open_workspace(acme.root) as ws:
        cfo = ws.agent("cfo")
        for n in range(5):
            by_hand(acme.file(BELIEFS), "append", f"## Seen by hand {n}\n\ncertainty: 0.6")
            found = cfo.call("belief_get", limit=1000).result["beliefs"]
            assert f"Seen by hand {n}" in {one["statement"] for one in found}
            assert cfo.call("belief_update", description=f"Own {n}", certainty=0.7, source="self").ok
    believed = statements(acme)
    assert all(f"Seen by hand {n}" in believed and f"Own {n}" in believed for n in range(5))


def test_an_edit_during_a_cycle_of_the_same_process_survives(acme: Company) -> None:
    with open_workspace(acme.root) as ws:
        cfo = ws.agent("cfo")
        cfo.run()
        done = threading.Event()
        edits: list[str] = []

        def edit() -> None:
            while not done.wait(0.002) and len(edits) < 40:
                heading = f"Seen by hand {len(edits)}"
                by_hand(acme.file(BELIEFS), "append", f"## {heading}\n\ncertainty: 0.6")
                edits.append(heading)

        editor = threading.Thread(target=edit)
        editor.start()
        try:
            reports = [cfo.run(message="Look at item 0")]
            while len(reports) < 3 or (len(edits) < 3 and len(reports) < 30):
                reports.append(cfo.run(message=f"Look at item {len(reports)}"))
        finally:
            done.set()
            editor.join()
        assert all(report.ok for report in reports)
    kept = acme.text(BELIEFS) + "".join(
        found.read_text("utf-8") for found in acme.file("agents/cfo").glob("*.conflict")
    )
    assert edits
    assert [heading for heading in edits if heading not in kept] == []
