"""The tables of S0 sections 16 and 20: parameters and defaults as printed, and the categories of section 17."""

import re
from typing import Any

import pytest

from tests.acceptance.company import Company

TABLES: dict[str, dict[str, Any]] = {
    "memory_store_item": {"content": ..., "type": None, "importance": ..., "source": "manual", "tags": None,
                          "store": "short_term"},
    "memory_recall": {"query": None, "type": None, "store": "all", "limit": 20, "min_importance": 0,
                      "recursive_depth": 0},
    "memory_consolidate": {"min_importance": 0.6, "min_access_count": 2, "dry_run": False, "summarize": True},
    "memory_checkpoint": {"context": ..., "decisions": None, "findings": None, "next_steps": None,
                          "open_questions": None},
    "memory_build_hierarchy": {"scope": "all", "since": None},
    "memory_hierarchy_search": {"query": ..., "level": ..., "limit": 10},
    "memory_status": {},
    "fact_assert": {"subject": ..., "predicate": ..., "object": ..., "confidence": ..., "source": ...,
                    "valid_from": None, "valid_until": None},
    "fact_retract": {"fact_id": None, "subject": None, "predicate": None},
    "fact_query": {"subject": None, "predicate": None, "object": None, "min_confidence": 0, "valid_at": None,
                   "include_derived": True, "limit": 50},
    "fact_explain": {"fact_id": ...},
}  # fmt: skip
CHOICES = {
    ("memory_store_item", "type"): ["event", "decision", "outcome", "lesson", "fact", "observation"],
    ("memory_store_item", "store"): ["working", "short_term", "long_term"],
    ("memory_recall", "store"): ["working", "short_term", "long_term", "all"],
    ("memory_build_hierarchy", "scope"): ["week", "month", "quarter", "all"],
    ("memory_hierarchy_search", "level"): ["daily", "weekly", "monthly", "quarterly"],
}


@pytest.mark.parametrize("tool", TABLES)
def test_parameters_and_defaults_are_as_printed(founded: Company, tool: str) -> None:
    schema = next(one["schema"] for one in founded.data("tools") if one["name"] == tool)
    assert set(TABLES[tool]) | {"agent_id"} <= set(schema["properties"])
    for name, default in TABLES[tool].items():
        if default is ...:
            assert name in schema["required"], name
        elif default is not None:
            assert name not in schema["required"], name
            assert schema["properties"][name]["default"] == default


@pytest.mark.parametrize(("tool", "name"), CHOICES)
def test_choices_are_as_printed(founded: Company, tool: str, name: str) -> None:
    schema = next(one["schema"] for one in founded.data("tools") if one["name"] == tool)
    assert sorted(schema["properties"][name]["enum"]) == sorted(CHOICES[tool, name])


def store(acme: Company, content: str, *, importance: float = 0.5, **more: Any) -> str:
    """Store a memory of the CFO and return its id."""
    told: dict[str, Any] = {"type": "fact", "importance": importance, **more}
    return str(acme.done("memory_store_item", content=content, **told)["memory_id"])


@pytest.mark.parametrize("place", ["working", "short_term", "long_term"])
def test_an_item_lies_in_its_store_with_every_field_and_in_the_daily_log(acme: Company, place: str) -> None:
    made = store(acme, "Runway is nine months", store=place, tags=["runway"], importance=0.8, source="ledger")
    (item,) = acme.read("agents/cfo/memory-store.json")[place]
    assert item["id"] == made
    assert re.fullmatch(r"M-\d{13}-\w{4}", made)
    assert (item["content"], item["type"], item["importance"]) == ("Runway is nine months", "fact", 0.8)
    assert (item["source"], item["tags"], item["access_count"]) == ("ledger", ["runway"], 0)
    assert item["created_at"] == item["accessed_at"] == "2026-02-24T14:30:00.000Z"
    assert "Runway is nine months" in acme.text("agents/cfo/memory/2026-02-24.md")


def test_every_file_of_memory_is_written(acme: Company) -> None:
    store(acme, "Runway is nine months", store="long_term", importance=0.9)
    assert "Runway is nine months" in acme.text("agents/cfo/memory-store.json")
    assert acme.file("agents/cfo/Memory.md").is_file()
    assert "Runway is nine months" in acme.text("agents/cfo/MEMORY.md")
    assert "Runway is nine months" in acme.text("agents/cfo/memory/mabos-memory-items.md")


def test_working_memory_holds_seven_and_demotes_the_oldest(acme: Company) -> None:
    ids = [store(acme, f"Note {n}", store="working") for n in range(9)]
    stored = acme.read("agents/cfo/memory-store.json")
    assert [item["id"] for item in stored["working"]] == ids[2:]
    assert sorted(item["id"] for item in stored["short_term"]) == sorted(ids[:2])


def test_after_two_hours_short_term_keeps_only_what_deserves_it(acme: Company) -> None:
    store(acme, "Lunch was late", importance=0.2)
    kept = store(acme, "The bank raised our rate", importance=0.7)
    later = "2026-02-24T16:31:00Z"
    counts = acme.done("memory_status", now=later)
    acme.done("memory_store_item", content="Something new", importance=0.1, now=later)
    stored = acme.read("agents/cfo/memory-store.json")
    assert [item["content"] for item in stored["short_term"]] == ["Something new"]
    assert [item["id"] for item in stored["long_term"]] == [kept]
    assert (counts["short_term"], counts["long_term"]) == (0, 1)
    assert "Lunch was late" in acme.text("agents/cfo/memory/2026-02-24.md")


def test_status_counts_the_three_stores_and_shows_recent_items(acme: Company) -> None:
    store(acme, "One", store="working")
    store(acme, "Two", store="long_term")
    status = acme.done("memory_status")
    assert (status["working"], status["short_term"], status["long_term"]) == (1, 0, 1)
    assert {item["content"] for item in status["recent"]} == {"One", "Two"}


def related(acme: Company) -> list[str]:
    """Store five memories about one thing and one about another."""
    ids = [
        store(acme, f"Churn interview {n}: price was the reason", tags=["churn", "price", "smb"], importance=0.7)
        for n in range(5)
    ]
    return [*ids, store(acme, "The office moved", tags=["office"], importance=0.9)]


def test_consolidation_merges_related_items_and_keeps_their_lineage(acme: Company) -> None:
    ids = related(acme)
    done = acme.done("memory_consolidate")
    assert (done["candidates"], done["consolidated"]) == (6, 2)
    stored = acme.read("agents/cfo/memory-store.json")
    assert stored["short_term"] == []
    merged = next(item for item in stored["long_term"] if item.get("derived_from"))
    assert sorted(merged["derived_from"]) == sorted(ids[:5])
    assert merged["content"].startswith("[Consolidated from 5 memories]")
    assert set(merged["tags"]) == {"churn", "price", "smb"}
    assert "The office moved" in {item["content"] for item in stored["long_term"]}


def test_without_a_summary_each_item_is_promoted_as_it_is(acme: Company) -> None:
    ids = related(acme)
    acme.done("memory_consolidate", summarize=False)
    stored = acme.read("agents/cfo/memory-store.json")
    assert sorted(item["id"] for item in stored["long_term"]) == sorted(ids)
    assert not any(item.get("derived_from") for item in stored["long_term"])


def test_a_dry_run_changes_nothing(acme: Company) -> None:
    related(acme)
    before = acme.text("agents/cfo/memory-store.json")
    done = acme.done("memory_consolidate", dry_run=True)
    assert (done["candidates"], done["consolidated"], len(done["groups"])) == (6, 0, 2)
    assert acme.text("agents/cfo/memory-store.json") == before


def test_what_was_recalled_twice_qualifies_whatever_its_importance(acme: Company) -> None:
    store(acme, "The auditor is called Mehta", importance=0.1)
    assert acme.done("memory_consolidate", dry_run=True)["candidates"] == 0
    for _ in range(2):
        assert acme.done("memory_recall", query="auditor")["count"] == 1
    assert acme.done("memory_consolidate", dry_run=True)["candidates"] == 1


def test_a_checkpoint_has_all_its_sections_and_two_in_a_minute_both_survive(acme: Company) -> None:
    told: dict[str, Any] = {"decisions": ["Freeze hiring"], "findings": ["Burn rose"], "next_steps": ["Ask the bank"],
            "open_questions": ["How long?"]}  # fmt: skip
    first = acme.done("memory_checkpoint", context="Reviewing runway", **told)["path"]
    second = acme.done("memory_checkpoint", context="Still reviewing")["path"]
    assert first == "memory/checkpoints/2026-02-24-1430.md"
    text = acme.text(f"agents/cfo/{first}")
    assert text.startswith("# Session Checkpoint — 2026-02-24 14:30 UTC")
    headings = ["Current Task Context", "Active Decisions", "Key Findings", "Next Steps", "Open Questions"]
    assert [heading for heading in headings if f"## {heading}" in text] == headings
    assert all(part[0] in text for part in told.values())
    assert second != first
    assert "Still reviewing" in acme.text(f"agents/cfo/{second}")
    assert sorted([first, second])[-1] == second


def test_recall_filters_by_type_store_and_importance_and_keeps_to_its_limit(acme: Company) -> None:
    store(acme, "Runway is nine months", store="long_term", importance=0.9)
    store(acme, "Runway was discussed", type="event", importance=0.3)
    for asked, contents in (
        ({}, {"Runway is nine months", "Runway was discussed"}),
        ({"type": "event"}, {"Runway was discussed"}),
        ({"store": "long_term"}, {"Runway is nine months"}),
        ({"min_importance": 0.5}, {"Runway is nine months"}),
    ):
        found = acme.done("memory_recall", query="runway", **asked)["items"]
        assert {item["content"] for item in found if "store" in item} == contents
    assert len(acme.done("memory_recall", query="runway", limit=1)["items"]) == 1


def test_depth_finds_what_is_only_indirectly_related_and_says_so(acme: Company) -> None:
    store(acme, "Globex churned after the outage", store="long_term", tags=["globex"])
    store(acme, "Postmortem: a disk was full", store="long_term", tags=["globex", "disk"])
    store(acme, "Lunch was late", store="long_term", tags=["lunch"])
    plain = acme.done("memory_recall", query="outage")
    assert "Postmortem: a disk was full" not in {item["content"] for item in plain["items"]}
    assert "depth" not in plain["text"]
    assert {item["depth"] for item in plain["items"]} == {0}
    deep = acme.done("memory_recall", query="outage", recursive_depth=1)
    found = {item["content"]: item["depth"] for item in deep["items"]}
    assert found["Postmortem: a disk was full"] == 1
    assert "Lunch was late" not in found
    assert "depth: 1) — Postmortem: a disk was full (via refinement)" in deep["text"]


def test_depth_is_capped_at_three(acme: Company) -> None:
    store(acme, "Globex churned", store="long_term", tags=["globex"])
    capped = acme.done("memory_recall", query="globex", recursive_depth=99)
    assert max(item["depth"] for item in capped["items"]) <= 3


def test_the_days_of_a_week_become_summaries_that_can_be_searched(acme: Company) -> None:
    store(acme, "We decided to freeze hiring", type="decision", importance=0.9, store="long_term")
    acme.done("memory_build_hierarchy")
    for path in ("weekly/2026-W09.md", "monthly/2026-02.md", "quarterly/2026-Q1.md"):
        assert "freeze hiring" in acme.text(f"agents/cfo/memory/{path}")
    for level in ("daily", "weekly", "monthly", "quarterly"):
        found = acme.done("memory_hierarchy_search", query="freeze hiring", level=level)
        assert "freeze hiring" in str(found)


def tell(acme: Company, subject: str, predicate: str, value: str, *, confidence: float = 0.9, **more: Any) -> str:
    """Assert a fact of the CFO and return its id."""
    told: dict[str, Any] = {
        "subject": subject,
        "predicate": predicate,
        "object": value,
        "confidence": confidence,
        "source": "test",
    }
    return str(acme.done("fact_assert", **told, **more)["fact_id"])


def objects(acme: Company, **asked: Any) -> list[str]:
    """Return the objects of the facts that a query finds, sorted."""
    return sorted(fact["object"] for fact in acme.done("fact_query", **asked)["facts"])


def test_facts_are_found_by_pattern_confidence_and_validity(acme: Company) -> None:
    made = tell(acme, "acme-consulting", "hasRevenue", "$50000", valid_from="2026-01-01", valid_until="2026-06-30")
    assert re.fullmatch(r"F-\d{13}-\w{4}", made)
    tell(acme, "acme-labs", "hasRevenue", "$9000", confidence=0.4)
    tell(acme, "globex", "isCompetitorOf", "acme-labs")
    assert objects(acme, subject="acme-*") == ["$50000", "$9000"]
    assert objects(acme, subject="acme*", predicate="hasRevenue", min_confidence=0.5) == ["$50000"]
    assert objects(acme, object="acme-labs") == ["acme-labs"]
    assert objects(acme, predicate="hasRevenue", valid_at="2026-03-01") == ["$50000", "$9000"]
    assert objects(acme, predicate="hasRevenue", valid_at="2026-07-01") == ["$9000"]
    assert objects(acme, predicate="hasRevenue", valid_at="2025-12-31") == ["$9000"]
    assert len(objects(acme, limit=2)) == 2


def test_the_last_day_of_validity_counts(acme: Company) -> None:
    tell(acme, "acme", "lease", "Main St", valid_from="2026-01-01", valid_until="2026-06-30")
    assert objects(acme, predicate="lease", valid_at="2026-06-30") == ["Main St"]
    assert objects(acme, predicate="lease", valid_at="2026-01-01") == ["Main St"]


def test_an_identical_triple_is_updated_and_another_is_added(acme: Company) -> None:
    first = tell(acme, "acme", "plan", "pro", confidence=0.5)
    assert tell(acme, "acme", "plan", "pro", confidence=0.9) == first
    assert tell(acme, "acme", "plan", "team") != first
    facts = {fact["object"]: fact["confidence"] for fact in acme.done("fact_query", subject="acme")["facts"]}
    assert facts == {"pro": 0.9, "team": 0.9}


@pytest.mark.parametrize(
    ("asked", "left"),
    [({"subject": "acme"}, ["c"]), ({"predicate": "p"}, ["b"]), ({"subject": "acme", "predicate": "p"}, ["b", "c"])],
)
def test_facts_are_retracted_in_bulk(acme: Company, asked: dict[str, str], left: list[str]) -> None:
    tell(acme, "acme", "p", "a")
    tell(acme, "acme", "q", "b")
    tell(acme, "globex", "p", "c")
    acme.done("fact_retract", **asked)
    assert objects(acme) == left


def test_a_retraction_that_names_nothing_is_refused(acme: Company) -> None:
    tell(acme, "acme", "p", "a")
    acme.refused("fact_retract")
    assert objects(acme) == ["a"]


def test_a_fact_is_explained_by_its_source(acme: Company) -> None:
    made = tell(acme, "acme", "p", "a")
    explained = acme.done("fact_explain", fact_id=made)
    assert "test" in str(explained)
    assert made in str(explained)


def test_facts_are_written_as_a_page_to_read(acme: Company) -> None:
    tell(acme, "acme", "runway_months", "9")
    assert "runway_months" in acme.text("agents/cfo/memory/mabos-facts.md")
