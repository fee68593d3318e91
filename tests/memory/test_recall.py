"""Recall: ranking by words, filters, and further passes that find what is linked."""

from pathlib import Path

import pytest

from mabos.configs.settings import load_settings
from mabos.memory.memory import Memory
from tests.memory.factory import Remembering


@pytest.fixture
def mind(tmp_path: Path) -> Remembering:
    return Remembering(tmp_path)


def authentication(mind: Remembering) -> None:
    """The six items of S1 section 12, and something else."""
    mind.memory.store_many(
        [
            {"content": "JWT implementation for authentication", "tags": ["authentication", "jwt", "security"]},
            {"content": "OAuth2 provider setup", "tags": ["authentication", "oauth2"]},
            {"content": "Token refresh policy decision", "tags": ["jwt", "session", "policy"]},
            {"content": "Screens of the account pages redesigned", "tags": ["session", "architecture"]},
            {"content": "Redis store migration", "tags": ["session", "infrastructure", "redis"]},
            {"content": "Rate limiting on endpoints", "tags": ["security", "api", "rate-limit"]},
            {"content": "Lunch menu for Friday", "tags": ["office"]},
        ]
    )


def test_any_word_of_the_question_finds_and_more_words_rank_higher(mind: Remembering) -> None:
    mind.memory.store("The churn of enterprise customers fell", importance=0.1)
    mind.memory.store("Enterprise price list", importance=0.9)
    mind.memory.store("Office plants", importance=0.9)
    hits = mind.memory.recall("why did enterprise churn fall?")
    assert [hit.content for hit in hits] == ["The churn of enterprise customers fell", "Enterprise price list"]
    assert all(0 < hit.score <= 1 and hit.depth == 0 for hit in hits)


def test_one_word_of_a_long_question_is_no_answer(mind: Remembering) -> None:
    mind.memory.store_many([{"content": "Office plants need water"}, {"content": "The board wants the budget"}])
    assert mind.memory.recall("which planet has rings, moons, storms, oceans, craters, glaciers and water?") == []
    assert [hit.content for hit in mind.memory.recall("which plants need water?")] == ["Office plants need water"]


def test_singular_and_plural_are_one_word(mind: Remembering) -> None:
    mind.memory.store("Customers complained")
    assert mind.memory.recall("customer")


def test_among_equals_importance_decides_and_then_the_newer(mind: Remembering) -> None:
    mind.memory.store_many([{"content": f"audit {n}", "importance": share} for n, share in enumerate((0.5, 0.9, 0.4))])
    assert [hit.content for hit in mind.memory.recall("audit")] == ["audit 1", "audit 0", "audit 2"]
    mind.wait(days=1)
    mind.memory.store("audit 3")
    assert mind.memory.recall("audit")[0].content == "audit 3"


def test_filters_narrow_what_is_recalled(mind: Remembering) -> None:
    mind.memory.store("audit in May", type="fact", importance=0.9, store="long_term")
    mind.memory.store("audit went well", type="outcome", importance=0.3)
    assert [hit.content for hit in mind.memory.recall("audit", type="fact")] == ["audit in May"]
    assert [hit.store for hit in mind.memory.recall("audit", store="short_term")] == ["short_term"]
    assert [hit.content for hit in mind.memory.recall("audit", min_importance=0.5)] == ["audit in May"]
    assert len(mind.memory.recall("audit", limit=1)) == 1
    assert mind.memory.recall("audit", limit=0) == []


def test_without_a_question_the_important_and_the_recent_come_to_mind(mind: Remembering) -> None:
    mind.memory.store("long ago and minor", importance=0.1, store="long_term")
    mind.wait(days=30)
    mind.memory.store("just now", importance=0.5)
    mind.memory.store("crucial", importance=1.0)
    assert [hit.content for hit in mind.memory.recall()] == ["crucial", "just now", "long ago and minor"]


def test_a_hit_tells_its_item_with_the_recall_counted(mind: Remembering) -> None:
    stored = mind.memory.store("audit in May")
    assert [mind.memory.recall("audit")[0].found.access_count for _ in range(2)] == [1, 2]
    assert mind.memory.recall("audit")[0].found.id == stored.id


def test_depth_finds_all_six_of_the_worked_example_and_says_at_which_pass(mind: Remembering) -> None:
    authentication(mind)
    depths = {hit.content: hit.depth for hit in mind.memory.recall("authentication system", recursive_depth=2)}
    assert depths == {
        "JWT implementation for authentication": 0,
        "OAuth2 provider setup": 0,
        "Token refresh policy decision": 1,
        "Rate limiting on endpoints": 1,
        "Screens of the account pages redesigned": 2,
        "Redis store migration": 2,
    }


def test_further_passes_leave_the_first_in_its_order(mind: Remembering) -> None:
    authentication(mind)
    first = [hit.content for hit in mind.memory.recall("authentication system")]
    deeper = [hit.content for hit in mind.memory.recall("authentication system", recursive_depth=3) if hit.depth == 0]
    assert deeper == first


def test_depth_is_capped_at_three(mind: Remembering) -> None:
    chain = [f"link{n} link{n + 1}" for n in range(8)]
    mind.memory.store_many([{"content": content} for content in chain])
    assert max(hit.depth for hit in mind.memory.recall("link0", recursive_depth=9)) == 3


def test_a_market_leads_to_enterprise_and_to_what_only_mentions_enterprise(mind: Remembering) -> None:
    mind.memory.store("The market moves to enterprise")
    linked = mind.memory.store("Enterprise billing needs invoices")
    mind.memory.store_many([{"content": f"filler number {n}"} for n in range(9)])
    assert [hit.depth for hit in mind.memory.recall("market")] == [0]
    assert (linked.id, 1) in [(hit.found.id, hit.depth) for hit in mind.memory.recall("market", recursive_depth=1)]


def test_as_many_hits_as_are_asked_for_are_found(mind: Remembering) -> None:
    mind.memory.store_many([{"content": f"audit {number}", "store": "long_term"} for number in range(150)])
    assert len(mind.memory.recall("audit", limit=140)) == 140
    assert len(mind.memory.recall("audit", limit=200, type="observation")) == 150


def test_who_asks_for_no_number_gets_as_many_as_the_settings_say(mind: Remembering) -> None:
    mind.memory.store_many([{"content": f"audit {number}", "store": "long_term"} for number in range(30)])
    settings = load_settings().memory
    few = Memory("cfo", mind.document, mind.directory, mind.clock, mind.ids,
                 settings=settings.model_copy(update={"recall_limit": 7}))  # fmt: skip
    assert (len(mind.memory.recall("audit")), len(few.recall("audit")), len(few.recall("audit", limit=9))) == (20, 7, 9)
