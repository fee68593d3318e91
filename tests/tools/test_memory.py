"""The memory tools, called as a person calls them."""

import pytest

from mabos.backends.chat import ScriptedModel
from mabos.backends.metering import Meter, ModelBudget, within
from tests.world import Member


def test_an_item_is_stored_and_recalled(cfo: Member) -> None:
    stored = cfo.do("memory_store_item", content="Runway is nine months", type="fact", importance=0.8, tags=["runway"])
    assert stored["store"] == "short_term"
    found = cfo.do("memory_recall", query="runway months")
    (item,) = found["items"]
    assert (item["id"], item["store"], item["depth"]) == (stored["memory_id"], "short_term", 0)
    assert found["text"] == f"- **{item['id']}** [short_term] [fact] (imp: 0.8) — Runway is nine months"


def test_depth_is_told_only_where_it_was_asked_for(cfo: Member) -> None:
    for content in ("The market moves to enterprise", "Enterprise billing needs invoices"):
        cfo.do("memory_store_item", content=content, importance=0.5)
    text = cfo.do("memory_recall", query="market", recursive_depth=1)["text"]
    assert "depth: 0) — The market moves" in text
    assert "depth: 1) — Enterprise billing needs invoices (via refinement)" in text
    assert "depth" not in cfo.do("memory_recall", query="market")["text"]


def test_a_recall_says_how_it_was_found_and_what_each_score_is_made_of(cfo: Member) -> None:
    cfo.do("memory_store_item", content="Runway is nine months", importance=0.8)
    found = cfo.do("memory_recall", query="runway months")
    assert (found["mode"], found["notice"]) == ("text", "")
    (item,) = found["items"]
    assert item["why"]["words"] > 0
    assert sum(item["why"].values()) == pytest.approx(item["score"], abs=0.001)


def test_letters_inside_words_are_the_last_resort_and_it_is_said(cfo: Member) -> None:
    cfo.do("memory_store_item", content="Runway is nine months", importance=0.8)
    found = cfo.do("memory_recall", query="unwa")
    assert (found["mode"], found["count"]) == ("scan", 1)
    assert found["text"].endswith("Found by letters inside words, as no word was found.")
    nothing = cfo.do("memory_recall", query="zebra", recursive_depth=3)
    assert (nothing["mode"], nothing["count"]) == ("scan", 0)
    assert nothing["text"].startswith("Nothing is remembered about that; it was searched by letters inside words")


def test_a_correction_supersedes_and_what_it_corrects_is_kept(cfo: Member) -> None:
    old = cfo.do("memory_store_item", content="Runway is nine months", importance=0.8)["memory_id"]
    new = cfo.do("memory_store_item", content="Runway is six months", importance=0.8, supersedes=[old])
    assert new["item"]["supersedes"] == [old]
    assert [item["id"] for item in cfo.do("memory_recall", query="nine months of runway")["items"]] == [
        new["memory_id"]
    ]
    assert cfo.do("memory_status")["total"] == 2
    assert cfo.refused("memory_store_item", content="x", importance=0.5, supersedes=["M-none"])[1] == "supersedes"


def test_storing_the_same_twice_gives_the_same_id(cfo: Member) -> None:
    ids = {cfo.do("memory_store_item", content="Once", importance=0.5)["memory_id"] for _ in range(2)}
    assert len(ids) == 1


def test_the_older_name_of_a_store_is_understood(cfo: Member) -> None:
    assert cfo.do("memory_store_item", content="Old", importance=0.5, tier="long_term")["store"] == "long_term"


def test_consolidation_groups_and_a_dry_run_only_tells(cfo: Member) -> None:
    for number in range(5):
        cfo.do("memory_store_item", content=f"Churn {number}", type="fact", importance=0.7, tags=["churn"])
    told = cfo.do("memory_consolidate", dry_run=True)
    assert (told["candidates"], told["consolidated"], len(told["groups"][0]["sources"])) == (5, 0, 5)
    done = cfo.do("memory_consolidate")
    assert done["consolidated"] == 1
    assert done["items"][0]["derived_from"] == told["groups"][0]["sources"]
    assert cfo.do("memory_status")["long_term"] == 1


def test_a_checkpoint_is_written_and_the_status_names_it(cfo: Member) -> None:
    written = cfo.do("memory_checkpoint", context="Reviewing the runway", decisions=["Hold the price"])
    assert written["path"] == "memory/checkpoints/2026-02-24-1200.md"
    assert "## Active Decisions\n\n- Hold the price" in written["content"]
    assert cfo.do("memory_status")["latest_checkpoint"] == written["path"]


def test_the_status_counts_and_shows_the_newest(cfo: Member) -> None:
    cfo.do("memory_store_item", content="One", importance=0.5, store="working")
    status = cfo.do("memory_status")
    assert (status["working"], status["short_term"], status["long_term"], status["total"]) == (1, 0, 0, 1)
    assert [item["content"] for item in status["recent"]] == ["One"]


def test_digests_are_built_and_searched(cfo: Member) -> None:
    cfo.do("memory_store_item", content="Decided on a price", type="decision", importance=0.9)
    assert cfo.do("memory_build_hierarchy")["files"] == [
        "memory/weekly/2026-W09.md",
        "memory/monthly/2026-02.md",
        "memory/quarterly/2026-Q1.md",
    ]
    for level in ("daily", "weekly", "monthly", "quarterly"):
        (found,) = cfo.do("memory_hierarchy_search", query="decided price", level=level)["results"]
        assert (found["score"], found["matched"]) == (2, ["decided", "price"])


@pytest.mark.parametrize(
    ("tool", "arguments", "argument"),
    [
        ("memory_store_item", {"content": "", "importance": 0.5}, "content"),
        ("memory_store_item", {"content": "x", "importance": 2}, "importance"),
        ("memory_store_item", {"content": "x", "importance": 0.5, "type": "rumour"}, "type"),
        ("memory_checkpoint", {"context": " "}, "context"),
        ("memory_build_hierarchy", {"since": "yesterday"}, "since"),
        ("memory_hierarchy_search", {"query": "x", "level": "yearly"}, "level"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_written(
    cfo: Member, tool: str, arguments: dict[str, object], argument: str
) -> None:
    assert cfo.refused(tool, **arguments) == ("invalid_argument", argument)
    assert cfo.do("memory_status")["total"] == 0


def test_a_model_tells_what_is_consolidated_and_every_call_is_metered(cfo: Member) -> None:
    model = ScriptedModel([{"narrative": "Churn rose after the price change."}])
    meter = Meter()
    cfo.world.restart(model=model)
    with within(meter):
        for number in range(3):
            cfo.do("memory_store_item", content=f"Churn note {number}", importance=0.7, tags=["churn"])
        cfo.do("memory_consolidate", dry_run=True)
        assert meter.spent.model_calls == 0
        (item,) = cfo.do("memory_consolidate")["items"]
        assert item["content"] == "[Consolidated from 3 memories] Churn rose after the price change."
        assert len(item["derived_from"]) == 3
        assert meter.spent.model_calls == 1


def test_a_model_that_may_not_be_called_leaves_what_is_consolidated_as_it_was_said(cfo: Member) -> None:
    cfo.world.restart(model=ScriptedModel([]))
    with within(Meter(ModelBudget(model_calls=0))):
        for number in range(2):
            cfo.do("memory_store_item", content=f"Churn note {number}", importance=0.7, tags=["churn"])
        (item,) = cfo.do("memory_consolidate")["items"]
        assert item["content"] == "[Consolidated from 2 memories] Churn note 0 | Churn note 1"
