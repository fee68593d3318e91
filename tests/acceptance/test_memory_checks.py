"""S1 section 20: the checks it prints for memory, and how the enhancements hand on what each has made."""

from typing import Any

from tests.acceptance.company import Company

SUNDAY, WEEKS_LATER = "2026-03-01T12:00:00Z", "2026-03-20T12:00:00Z"


def store(acme: Company, content: str, *tags: str, **more: Any) -> str:
    """Store a memory of the CFO and return its id."""
    told: dict[str, Any] = {"type": "fact", "importance": 0.7, "tags": list(tags), **more}
    return str(acme.done("memory_store_item", content=content, **told)["memory_id"])


def groups(acme: Company) -> list[dict[str, Any]]:
    """Return what consolidating everything would merge, the larger groups first."""
    found = acme.done("memory_consolidate", min_importance=0, dry_run=True)["groups"]
    return sorted(found, key=lambda group: -len(group["sources"]))


def recalled(acme: Company, query: str, depth: int, **more: Any) -> list[dict[str, Any]]:
    """Return what is recalled, best first."""
    return list(acme.done("memory_recall", query=query, recursive_depth=depth, **more)["items"])


def auth(acme: Company) -> None:
    """Store memories of which the later ones only follow from the earlier ones."""
    store(acme, "JWT token implementation with RS256 for auth", "security", "jwt")
    store(acme, "Rate limits on every endpoint", "security", "api")
    store(acme, "The API gateway was replaced", "api", "gateway")
    store(acme, "Lunch was late", "lunch")


# --- S0 11


def test_a_workspace_may_rank_as_the_documents_do(acme: Company) -> None:
    acme.write("mabos.yaml", "memory:\n  ranking: classic\n  classic_temporal_decay: true\n")
    store(acme, "Runway is nine months", store="long_term")
    store(acme, "Runway was twelve months", store="long_term", now=SUNDAY)
    found = recalled(acme, "runway", 0, store="long_term", now=WEEKS_LATER)
    assert [hit["content"] for hit in found] == ["Runway was twelve months", "Runway is nine months"]
    assert all(set(hit["why"]) == {"similarity", "importance"} for hit in found)
    assert found[0]["why"]["similarity"] > found[1]["why"]["similarity"]


# --- 20.1, R1


def test_what_shares_half_of_its_tags_is_one_group_and_what_shares_none_stands_alone(acme: Company) -> None:
    first = store(acme, "JWT chosen", "auth", "security", "jwt")
    second = store(acme, "OAuth chosen", "auth", "security", "oauth")
    third = store(acme, "The schema was migrated", "database", "migration")
    assert [group["sources"] for group in groups(acme)] == [[first, second], [third]]


def test_a_group_of_one_is_promoted_unchanged(acme: Company) -> None:
    store(acme, "JWT chosen", "auth")
    (item,) = acme.done("memory_consolidate")["items"]
    assert item["content"] == "JWT chosen"
    assert not item.get("derived_from")


def test_a_group_has_the_greatest_importance_every_tag_and_the_ids_of_its_sources(acme: Company) -> None:
    weights = (0.3, 0.9, 0.5)
    tags = (("a", "b"), ("a", "b", "c"), ("b", "a"))
    ids = [store(acme, f"note {n}", *tags[n], importance=weights[n]) for n in range(3)]
    (item,) = acme.done("memory_consolidate", min_importance=0)["items"]
    assert item["importance"] == 0.9
    assert set(item["tags"]) == {"a", "b", "c"}
    assert item["derived_from"] == ids


# --- 20.1, R4


def test_every_answer_of_the_first_pass_has_depth_0_and_a_deeper_recall_finds_no_less(acme: Company) -> None:
    auth(acme)
    plain, deep = recalled(acme, "auth", 0), recalled(acme, "auth", 1)
    assert {hit["depth"] for hit in plain} == {0}
    assert {hit["id"] for hit in plain} < {hit["id"] for hit in deep}


def test_no_depth_tells_the_same_twice_or_goes_beyond_three(acme: Company) -> None:
    auth(acme)
    for depth in (2, 5):
        hits = recalled(acme, "auth", depth)
        assert len({hit["id"] for hit in hits}) == len(hits)
        assert max(hit["depth"] for hit in hits) <= 3


def test_a_term_of_the_answers_leads_on_and_a_short_common_word_does_not(acme: Company) -> None:
    store(acme, "The token is signed with RS256")
    linked = store(acme, "A token lives twelve hours")
    common = store(acme, "The lunch is the best")
    depths = {hit["id"]: hit["depth"] for hit in recalled(acme, "RS256", 1)}
    assert depths[linked] == 1
    assert common not in depths


# --- 20.2 and 20.3


def test_what_was_consolidated_stands_in_the_summary_of_its_week(acme: Company) -> None:
    store(acme, "JWT chosen", "auth", "security")
    store(acme, "OAuth chosen", "auth", "security")
    acme.done("memory_consolidate")
    acme.done("memory_build_hierarchy", scope="week", now=SUNDAY)
    week = acme.text("agents/cfo/memory/weekly/2026-W09.md")
    assert "[Consolidated from 2 memories] JWT chosen | OAuth chosen" in week


def test_a_deep_recall_finds_the_summaries_of_what_the_stores_forgot(acme: Company) -> None:
    store(acme, "Sessions moved from Redis to Postgres", "sessions", importance=0.2)
    acme.done("memory_build_hierarchy", now=SUNDAY)
    found = recalled(acme, "Redis", 2, now=WEEKS_LATER)
    assert found
    paths = {hit["path"] for hit in found if "path" in hit}
    assert "memory/weekly/2026-W09.md" in paths


def test_a_report_of_conflicts_is_found_by_asking_for_it(acme: Company) -> None:
    acme.write(
        "agents/cfo/Beliefs.md",
        "# Beliefs\n\n## Session Store\nRedis is our primary session store.\nCertainty: 0.9\n\n"
        "## Session Store\nSessions are stored in PostgreSQL after migration.\nCertainty: 0.85\n",
    )
    assert acme.heartbeat("cfo")["cfo"]["conflictsDetected"] == 1
    paths = {hit.get("path") for hit in recalled(acme, "belief conflict about the session store", 1)}
    assert "memory/bdi-conflicts/2026-02-24.md" in paths


# --- 20.4


def test_where_nothing_is_found_no_depth_finds_anything(acme: Company) -> None:
    auth(acme)
    answer = acme.done("memory_recall", query="zeppelin", recursive_depth=3)
    assert (answer["items"], answer["count"]) == ([], 0)
    assert "Nothing is remembered" in answer["text"]
