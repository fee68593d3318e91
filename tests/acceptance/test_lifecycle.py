"""S1 section 17: one finding from its creation through every step, with the true calendar and the true arithmetic.

2026-02-24 is a Tuesday, and its week ends on Sunday 2026-03-01. Of the five items of step 3 only the third and the
fourth have more than three tenths of their tags in common.
"""

import json

from tests.acceptance.company import Company

FINDING = "Auth token TTL is 12 hours, causing overnight session expiry for users who leave tabs open"
RELATED = (
    ("Token refresh endpoint needed", ["authentication", "token", "api"]),
    ("PKCE flow configured for OAuth2", ["authentication", "oauth2", "security"]),
    ("JWT uses RS256 algorithm", ["authentication", "jwt", "security"]),
    ("Session cookie is httpOnly", ["session", "security", "cookie"]),
)
DECISION = "Decision: implement sliding window token refresh"
WEDNESDAY, SUNDAY, LATER = "2026-02-25T10:00:00Z", "2026-03-01T12:00:00Z", "2026-03-11T12:00:00Z"


def test_a_finding_goes_through_every_step_of_its_life(acme: Company) -> None:
    stored = initial_storage(acme)
    checkpoint(acme)
    consolidated = consolidation(acme, stored)
    hierarchy(acme, stored)
    beliefs_in_conflict(acme)
    search(acme, stored, consolidated)


def initial_storage(acme: Company) -> list[str]:
    """Step 1: the finding lies in short-term memory, and in the log of its day; returns the ids of all five."""
    tags = ["authentication", "bug", "session", "token-ttl"]
    first = acme.done("memory_store_item", content=FINDING, type="fact", importance=0.8, tags=tags, tier="short_term")
    assert first["store"] == "short_term"
    assert f"[fact] (0.8, short_term) {FINDING} #authentication #bug #session #token-ttl {first['memory_id']}" in (
        acme.text("agents/cfo/memory/2026-02-24.md")
    )
    others = [
        acme.done("memory_store_item", content=content, type="fact", importance=0.7, tags=tags, store="short_term")
        for content, tags in RELATED
    ]
    acme.done("memory_store_item", content=DECISION, type="decision", importance=0.9, store="long_term")
    return [one["memory_id"] for one in (first, *others)]


def checkpoint(acme: Company) -> None:
    """Step 2: where the session stands is written down before the conversation is cut, and found afterwards."""
    written = acme.done(
        "memory_checkpoint",
        context="Investigating overnight session expiry bug. Root cause identified as 12-hour auth token TTL.",
        decisions=["Will implement sliding window token refresh"],
        findings=["Token TTL is 12 hours (hardcoded in auth-config.ts)", "No refresh mechanism exists"],
        next_steps=["Implement token refresh endpoint", "Add refresh trigger at T-15 minutes before expiry"],
    )
    assert written["path"] == "memory/checkpoints/2026-02-24-1430.md"
    assert "## Active Decisions\n\n- Will implement sliding window token refresh" in written["content"]
    assert acme.done("memory_status")["latest_checkpoint"] == written["path"]


def consolidation(acme: Company, stored: list[str]) -> str:
    """Step 3: what shares more than three tenths of its tags becomes one long-term item; returns its id."""
    done = acme.done("memory_consolidate")
    made = [item for item in done["items"] if item.get("derived_from")]
    assert [item["derived_from"] for item in made] == [stored[2:4]]
    (item,) = made
    assert item["content"] == f"[Consolidated from 2 memories] {RELATED[1][0]} | {RELATED[2][0]}"
    assert (item["importance"], item["tags"]) == (0.7, ["authentication", "oauth2", "security", "jwt"])
    status = acme.done("memory_status")
    assert (status["short_term"], status["long_term"]) == (0, 5)
    return str(item["id"])


def hierarchy(acme: Company, stored: list[str]) -> None:
    """Step 4: on Sunday the week is summarised, with its month and quarter; each line leads back to its day."""
    acme.done("memory_store_item", content="Implemented token refresh endpoint", type="outcome", importance=0.7,
              tags=["authentication"], store="long_term", now=WEDNESDAY)  # fmt: skip
    acme.heartbeat("cfo", now="2026-02-28T12:00:00Z")
    assert not acme.file("agents/cfo/memory/weekly").exists()
    acme.heartbeat("cfo", now=SUNDAY)
    week = acme.text("agents/cfo/memory/weekly/2026-W09.md")
    assert week.startswith("# Weekly Summary: 2026-W09\n")
    tuesday, wednesday = week.index("\n## Tuesday 2026-02-24\n"), week.index("\n## Wednesday 2026-02-25\n")
    assert f"\n- {FINDING} (" in week[tuesday:wednesday]
    assert f"\n- {DECISION} (" in week[tuesday:wednesday]
    assert "\n- and 2 more ([Tue](../2026-02-24.md#L" in week[tuesday:wednesday]  # what condenses others comes last
    assert "\n- Implemented token refresh endpoint (" in week[wednesday:]
    month = acme.text("agents/cfo/memory/monthly/2026-02.md")
    assert "- authentication (week 9; " in month.partition("## Key Themes")[2]
    assert f"- 2026-02-24 {DECISION} (" in month.partition("## Key Decisions")[2]
    (found,) = acme.done("memory_hierarchy_search", query="sliding window", level="quarterly", now=SUNDAY)["results"]
    traced = acme.data("memory", "trace", f"{found['path']}:{found['line']}", "--agent", "cfo", now=SUNDAY)
    assert "[decision] (0.9, long_term) Decision: implement sliding window" in json.dumps(traced["below"])
    told = acme.command("memory", "trace", f"{found['path']}:{found['line']}", "--agent", "cfo", now=SUNDAY).stdout
    assert "made of:\n  monthly/2026-02.md:" in told
    log = acme.text("agents/cfo/memory/2026-02-24.md").splitlines()
    line = next(number for number, line in enumerate(log, start=1) if stored[0] in line)
    back = acme.data("memory", "trace", f"2026-02-24.md:{line}", "--agent", "cfo", now=SUNDAY)
    for path in ("memory/weekly/2026-W09.md", "memory/monthly/2026-02.md", "memory/quarterly/2026-Q1.md"):
        assert path in json.dumps(back["above"])


def beliefs_in_conflict(acme: Company) -> None:
    """Step 6: the belief from before the fix and the one from after it are reported."""
    acme.write(
        "agents/cfo/Beliefs.md",
        "# Beliefs\n\n## Auth Token TTL\nAuth tokens have a 12-hour fixed TTL\nCertainty: 0.9\nAdded: 2026-02-24\n\n"
        "## Auth Token TTL\nAuth tokens use sliding window refresh with configurable TTL for a session\n"
        "Certainty: 0.9\nAdded: 2026-03-10\n",
    )
    assert acme.heartbeat("cfo", now=LATER)["cfo"]["conflictsDetected"] == 1
    report = acme.text("agents/cfo/memory/bdi-conflicts/2026-03-11.md")
    assert "12-hour fixed TTL" in report
    assert "sliding window refresh with configurable TTL" in report


def search(acme: Company, stored: list[str], consolidated: str) -> None:
    """Step 5: who asks about sessions weeks later finds what names them, and by its links what does not."""
    found = acme.done("memory_recall", query="session problems", recursive_depth=1, now=LATER)["items"]
    depths = {one.get("id") or one["path"]: one["depth"] for one in found}
    assert depths[stored[4]] == 0
    assert depths[stored[0]] == 0
    assert depths[consolidated] == 1
    assert "memory/bdi-conflicts/2026-03-11.md" in depths
    direct = acme.done("memory_recall", query="session problems", now=LATER)["items"]
    assert consolidated not in [one.get("id") for one in direct]
