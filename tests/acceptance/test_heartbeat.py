"""S3 section 19, phase 8, and S0 sections 10 and 14: what a heartbeat prunes, ranks, compares and reports.

The files are hand-written in the documents' own forms, in a mind that has no other content.
"""

import re
from typing import Any

import pytest

from tests.acceptance.company import ROLES, Company
from tests.interfaces.command_line import NOW

ROW = {"agentId", "staleIntentionsPruned", "desiresPrioritized", "conflictsDetected", "chunksProcessed", "timestamp"}
REPORT = "agents/cfo/memory/bdi-conflicts/2026-02-24.md"


def section(text: str, heading: str) -> str:
    """Return one `##` section of a Markdown file, or an empty text."""
    found = re.search(rf"^## {re.escape(heading)}.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def test_every_agent_is_reported_with_the_fields_of_the_documents(acme: Company) -> None:
    rows = acme.data("heartbeat", "--once")["agents"]
    assert sorted(row["agentId"] for row in rows) == sorted(ROLES)
    for row in rows:
        assert set(row) >= ROW
        assert row["timestamp"].startswith("2026-02-24T14:30:00")
        assert row["desiresPrioritized"] > 0
        assert (row["staleIntentionsPruned"], row["conflictsDetected"], row["chunksProcessed"]) == (0, 0, 1)


def test_a_frozen_clock_and_the_same_files_give_the_same_rows(acme: Company) -> None:
    assert acme.heartbeat() == acme.heartbeat()


@pytest.mark.parametrize(
    ("strategy", "markers", "outcome"),
    [
        ("single-minded", "[deadline: 2026-02-23]", "expired"),
        ("open-minded", "[deadline: 2026-02-23] [updated: 2026-02-24]", "expired"),
        ("cautious", "[deadline: 2026-02-23] [updated: 2026-02-24]", "expired"),
        ("single-minded", "[updated: 2025-01-01]", ""),
        ("single-minded", "[deadline: 2026-03-31] [updated: 2025-01-01]", ""),
        ("open-minded", "[updated: 2026-02-16]", "stalled"),
        ("open-minded", "[updated: 2026-02-18]", ""),
        ("cautious", "[updated: 2026-02-20]", "stalled"),
        ("cautious", "[updated: 2026-02-22]", ""),
        ("", "[updated: 2026-02-16]", "stalled"),
        ("", "[updated: 2026-02-18]", ""),
    ],
)
def test_intentions_are_pruned_by_deadline_and_stall_as_their_strategy_says(
    acme: Company, strategy: str, markers: str, outcome: str
) -> None:
    stated = f"- **Strategy:** {strategy}\n" if strategy else "- **Status:** active\n"
    acme.write("agents/legal/agent.json", {**acme.read("agents/legal/agent.json"), "bdi": {}})
    acme.write("agents/legal/Intentions.md", f"# Intentions\n\n## Sign the lease {markers}\n\n{stated}")
    row = acme.heartbeat("legal")["legal"]
    text = acme.text("agents/legal/Intentions.md")
    assert row["staleIntentionsPruned"] == bool(outcome)
    if outcome:
        assert section(text, "Sign the lease") == ""
        assert outcome in section(text, "Archive")
    else:
        assert section(text, "Sign the lease").startswith(f"## Sign the lease {markers}")


def test_markers_are_read_in_the_body_of_a_section_too(acme: Company) -> None:
    late = "## Sign the lease\nCall the owner. [deadline: 2026-02-20]\n"
    fresh = "## Paint the wall\n[updated: 2026-02-24]\n"
    acme.write("agents/legal/Intentions.md", f"# Intentions\n\n{late}\n{fresh}")
    assert acme.heartbeat("legal")["legal"]["staleIntentionsPruned"] == 1
    left = acme.text("agents/legal/Intentions.md")
    assert section(left, "Sign the lease") == ""
    assert "[updated: 2026-02-24]" in section(left, "Paint the wall")


def test_time_alone_stalls_what_an_agent_committed_to_and_its_goal_is_evaluated(acme: Company) -> None:
    acme.done("goal_create", level="tactical", description="Have a lease", goal_id="G-x")
    acme.done("plan_generate", goal_id="G-x", plan_id="P-x", steps=[{"description": "Sign it"}])
    acme.done("intention_commit", goal_id="G-x", plan_id="P-x", intention_id="I-x", strategy="open-minded")
    assert acme.heartbeat("cfo", now="2026-03-03T14:00:00Z")["cfo"]["staleIntentionsPruned"] == 0
    row = acme.heartbeat("cfo", now="2026-03-04T15:00:00Z")["cfo"]
    assert row["staleIntentionsPruned"] == 1
    assert row["goalsReevaluated"] == 1
    mind = acme.data("mind", "cfo")
    assert [one["id"] for one in mind["intentions"] if one["status"] == "active"] == []
    goal = next(goal for goal in mind["goals"] if goal["id"] == "G-x")
    assert goal["status"] in {"active", "pending"}
    assert goal["last_evaluated"].startswith("2026-03-04")


def test_desires_are_scored_anew_with_the_urgency_of_their_deadline(acme: Company) -> None:
    dimensions: dict[str, Any] = {"base": 0.5, "importance": 0.5, "urgency": 0.1, "alignment": 0.5}
    acme.done(
        "desire_create", name="Close the round", type="achieve", category="terminal", desire_id="D-x",
        deadline="2026-03-06T14:30:00Z", **dimensions,
    )  # fmt: skip
    for day, urgency in (("2026-02-26", 0.2), ("2026-03-01", 0.5), ("2026-03-06", 1.0), ("2026-03-20", 1.0)):
        acme.heartbeat("cfo", now=f"{day}T14:30:00Z")
        desire = next(one for one in acme.data("mind", "cfo")["desires"] if one["id"] == "D-x")
        assert desire["urgency"] == pytest.approx(urgency, abs=1e-9)
        expected = 0.5 * 0.30 + 0.5 * 0.25 + urgency * 0.25 + 0.5 * 0.15 + 0.05
        assert desire["priority"] == pytest.approx(expected, abs=1e-9)


def test_desires_stand_in_the_file_in_falling_priority(acme: Company) -> None:
    acme.done(
        "desire_create", name="Least of all", type="achieve", category="terminal", desire_id="D-low",
        base=0, importance=0, urgency=0, alignment=0,
    )  # fmt: skip
    acme.done(
        "desire_create", name="Most of all", type="achieve", category="terminal", desire_id="D-high",
        base=1, importance=1, urgency=1, alignment=1,
    )  # fmt: skip
    count = acme.heartbeat("cfo")["cfo"]["desiresPrioritized"]
    text = acme.text("agents/cfo/Desires.md")
    priorities = [float(found) for found in re.findall(r"\*\*Priority:\*\* ([\d.]+)", text)]
    assert len(priorities) == count
    assert priorities == sorted(priorities, reverse=True)
    assert text.index("## Most of all") < text.index("## Least of all")


def test_desires_that_only_state_a_priority_are_sorted_by_it_and_keep_it(acme: Company) -> None:
    acme.write("agents/legal/Desires.md", "# Desires\n\n## Low\npriority: 0.2\n\n## High\npriority: 0.95\n")
    acme.heartbeat("legal")
    text = acme.text("agents/legal/Desires.md")
    assert text.index("## High") < text.index("## Low")
    assert "priority: 0.95" in section(text, "High")
    assert "priority: 0.2" in section(text, "Low")


CONFLICTS = {
    "S0 section 10": (
        "## Market demand is growing\n\ncertainty: 0.85\n\n## Market demand is declining\n\ncertainty: 0.78\n",
        ("Market demand is growing", "Market demand is declining"),
        "0.78",
    ),
    "S1 section 14": (
        "## Session Storage\nRedis is our primary session store\nCertainty: 0.9\nAdded: 2026-01-15\n\n## Session "
        "Storage\nSessions are stored in PostgreSQL after the migration\nCertainty: 0.85\nAdded: 2026-02-20\n",
        ("Redis is our primary session store", "Sessions are stored in PostgreSQL after the migration"),
        "0.85",
    ),
    "S1 section 17": (
        "## Auth Token TTL\nAuth tokens have a 12-hour fixed TTL\n**Certainty**: 0.8\n\n"
        "## Auth Token TTL\nAuth tokens use sliding window refresh with configurable TTL\n**Certainty**: 0.9\n",
        ("Auth tokens have a 12-hour fixed TTL", "Auth tokens use sliding window refresh with configurable TTL"),
        "0.8",
    ),
    "S3 section 18.4": (
        "## churn_rate is 3.2%\n- **Certainty:** 0.92\n- **Source:** analytics_api\n- **Category:** environment\n\n"
        "## churn_rate is 5.8%\n- **Certainty:** 0.85\n- **Source:** crm_export\n- **Category:** environment\n",
        ("churn_rate is 3.2%", "churn_rate is 5.8%"),
        "0.85",
    ),
}


@pytest.mark.parametrize("example", CONFLICTS)
def test_the_conflicts_of_the_documents_are_found_and_reported(acme: Company, example: str) -> None:
    beliefs, sides, severity = CONFLICTS[example]
    acme.write("agents/cfo/Beliefs.md", f"# Beliefs\n\n{beliefs}")
    assert acme.heartbeat("cfo")["cfo"]["conflictsDetected"] == 1
    report = acme.text(REPORT)
    assert all(side in report for side in sides)
    assert f"**Severity:** {severity}" in report
    for word in ("**Belief A:**", "**Belief B:**", "**Category:**", "**Reason:**", "**Resolution:**", "certainty: "):
        assert report.count(word) >= 1, word


def test_all_conflicts_stand_in_one_report_of_one_format(acme: Company) -> None:
    everything = "\n".join(beliefs for beliefs, _, _ in CONFLICTS.values())
    acme.write("agents/cfo/Beliefs.md", f"# Beliefs\n\n{everything}")
    assert acme.heartbeat("cfo")["cfo"]["conflictsDetected"] == len(CONFLICTS)
    report = acme.text(REPORT)
    assert len(re.findall(r"^## Conflict \d+", report, re.MULTILINE)) == len(CONFLICTS)
    for word in ("Belief A", "Belief B", "Category", "Reason", "Severity", "Resolution"):
        assert report.count(f"- **{word}:**") == len(CONFLICTS), word
    assert "analytics_api" in report
    assert [path.name for path in acme.file(REPORT).parent.iterdir()] == ["2026-02-24.md"]


def test_in_a_conflict_the_surer_belief_stands_and_nothing_is_deleted(acme: Company) -> None:
    beliefs, _, _ = CONFLICTS["S3 section 18.4"]
    acme.write("agents/cfo/Beliefs.md", f"# Beliefs\n\n{beliefs}")
    acme.heartbeat("cfo")
    found = {one["statement"]: one["status"] for one in acme.done("belief_get", limit=100)["beliefs"]}
    assert found["churn_rate is 3.2%"] == "held"
    assert found["churn_rate is 5.8%"] == "flagged"
    assert acme.heartbeat("cfo")["cfo"]["beliefCount"] == len(found)


def test_two_uncertain_beliefs_are_no_conflict(acme: Company) -> None:
    acme.write(
        "agents/cfo/Beliefs.md",
        "# Beliefs\n\n## API Style\nWe might use REST.\nCertainty: 0.3\n\n"
        "## API Style\nGraphQL could be better.\nCertainty: 0.2\n",
    )
    assert acme.heartbeat("cfo")["cfo"]["conflictsDetected"] == 0
    assert not acme.file(REPORT).exists()


def test_beliefs_that_agree_or_speak_of_other_things_are_no_conflict(acme: Company) -> None:
    acme.write(
        "agents/cfo/Beliefs.md",
        "# Beliefs\n\n## churn_rate is 3.2%\ncertainty: 0.9\n\n## price is $49\ncertainty: 0.9\n\n"
        "## mrr is 48200\ncertainty: 0.9\n",
    )
    assert acme.heartbeat("cfo")["cfo"]["conflictsDetected"] == 0


@pytest.mark.parametrize(("sections", "chunks"), [(30, 1), (50, 1), (75, 2), (120, 3)])
def test_beliefs_are_processed_in_chunks_of_fifty_sections_and_none_is_lost(
    acme: Company, sections: int, chunks: int
) -> None:
    acme.command("mind", "cfo")
    text = "# Beliefs\n" + "".join(f"\n## Fact number {n} holds\n\ncertainty: 0.5\n" for n in range(sections))
    acme.write("agents/cfo/Beliefs.md", "# Beliefs\n")
    acme.done("belief_get")
    acme.write("agents/cfo/Beliefs.md", text)
    row = acme.heartbeat("cfo")["cfo"]
    after = acme.text("agents/cfo/Beliefs.md")
    assert row["beliefCount"] == sections
    assert row["chunksProcessed"] == chunks
    assert all(section(after, f"Fact number {n} holds") for n in range(sections))


def test_expired_and_duplicate_beliefs_are_cleaned_and_no_others(acme: Company) -> None:
    acme.done("belief_update", description="The fair is on", certainty=0.9, source="x", expires="2026-02-20")
    acme.done("belief_update", description="The fair was good", certainty=0.9, source="x", expires="2026-04-20")
    acme.heartbeat("cfo")
    statements = [one["statement"] for one in acme.done("belief_get", limit=100)["beliefs"]]
    assert "The fair is on" not in statements
    assert "The fair was good" in statements


def test_a_maintenance_report_is_written(acme: Company) -> None:
    acme.heartbeat("cfo")
    (report,) = acme.file("agents/cfo/memory/maintenance").iterdir()
    assert report.name == "2026-02-24.md"
    assert "Maintenance" in report.read_text("utf-8")


def test_on_a_sunday_the_week_is_summarised(acme: Company) -> None:
    acme.done("memory_store_item", content="Runway is nine months", type="fact", importance=0.9, store="long_term")
    acme.heartbeat("cfo", now="2026-02-28T12:00:00Z")
    assert not acme.file("agents/cfo/memory/weekly").exists()
    acme.heartbeat("cfo", now="2026-03-01T12:00:00Z")
    assert "Runway is nine months" in acme.text("agents/cfo/memory/weekly/2026-W09.md")


def test_an_agent_a_person_wrote_by_hand_is_discovered(acme: Company) -> None:
    acme.write("agents/advisor/Beliefs.md", "# Beliefs\n\n## Rates will rise\ncertainty: 0.7\n")
    rows = acme.heartbeat()
    assert rows["advisor"]["beliefCount"] == 1
    assert len(rows) == len(ROLES) + 1


def test_an_unknown_agent_has_no_heartbeat(acme: Company) -> None:
    result = acme.command("heartbeat", "--once", "--agent", "cfoo", code=1, now=NOW)
    assert "did you mean 'cfo'" in result.stderr
