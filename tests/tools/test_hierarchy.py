"""The tools of the hierarchy, called as a person calls them."""

from mabos.backends.chat import ScriptedModel
from tests.world import Member


def test_a_line_that_is_found_comes_with_what_it_was_made_of_and_what_was_made_of_it(cfo: Member) -> None:
    stored = cfo.do("memory_store_item", content="Hold the price", type="decision", importance=0.9)
    cfo.do("memory_build_hierarchy")
    (found,) = cfo.do("memory_hierarchy_search", query="hold price", level="weekly")["results"]
    (source,) = found["sources"]
    assert source["path"] == "memory/2026-02-24.md"
    assert source["text"].endswith(f"Hold the price {stored['memory_id']}")
    assert [one["path"] for one in found["used_by"]] == ["memory/monthly/2026-02.md"]
    (day,) = cfo.do("memory_hierarchy_search", query="hold price", level="daily")["results"]
    assert day["sources"] == []
    assert {one["path"] for one in day["used_by"]} == {"memory/weekly/2026-W09.md"}


def test_what_was_built_is_told_apart_from_what_was_there(cfo: Member) -> None:
    cfo.do("memory_store_item", content="Hold the price", importance=0.9)
    assert len(cfo.do("memory_build_hierarchy", scope="quarter")["written"]) == 3
    again = cfo.do("memory_build_hierarchy", scope="quarter")
    assert (again["files"], again["written"]) == (["memory/quarterly/2026-Q1.md"], [])
    assert cfo.do("memory_build_hierarchy", since="2026-02-25")["files"] == []


def test_a_model_tells_each_summary_that_is_made_anew(cfo: Member) -> None:
    model = ScriptedModel([{"narrative": f"Told of the {level}."} for level in ("week", "month", "quarter")])
    cfo.world.restart(model=model)
    cfo.do("memory_store_item", content="Hold the price", importance=0.9)
    cfo.do("memory_build_hierarchy")
    cfo.do("memory_build_hierarchy")
    (found,) = cfo.do("memory_hierarchy_search", query="told quarter", level="quarterly")["results"]
    assert found["excerpt"] == "Told of the quarter."
    assert [call.tag for call in model.calls] == ["memory: hierarchy"] * 3
