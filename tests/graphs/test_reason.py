"""The machine `reason`: methods ranked, run through the one call path, and fused."""

from pathlib import Path
from typing import Any

from mabos.graphs.server import reason as graph
from mabos.graphs.wiring import hold_services
from mabos.nodes.reasoning import ReasonContext
from tests.tools.test_reasoning import PLANT
from tests.world import write_company


def reasoned(root: Path, **asked: Any) -> dict[str, Any]:
    with hold_services(write_company(root)):
        given: Any = asked
        answer: dict[str, Any] = graph.invoke(given, context=ReasonContext(workspace=str(root), agent_id="cfo"))
        return answer


def test_methods_are_run_and_fused(tmp_path: Path) -> None:
    answer = reasoned(tmp_path, problem=PLANT, methods=["decision-theory", "expected-utility"])
    assert set(answer["results"]) == {"decision-theory", "expected-utility"}
    assert answer["fusion"]["conclusion"]["value"] == "small"
    assert "decision-theory: computed" in answer["text"]


def test_the_router_chooses_one_where_none_is_named(tmp_path: Path) -> None:
    answer = reasoned(tmp_path, problem=PLANT, problem_classification={"stakes": "high"})
    assert list(answer["results"]) == [answer["ranking"][0]["method"]] == ["decision-theory"]
    assert answer["rejected"] == [{"method": "satisficing", "reason": "there is no aspiration"}]
    assert answer["results"]["decision-theory"]["episode_id"].startswith("EP-")


def test_a_method_that_refuses_says_so_beside_the_others(tmp_path: Path) -> None:
    answer = reasoned(tmp_path, problem=PLANT, methods=["decision-theory", "satisficing"])
    assert "satisficing cannot be used here" in answer["text"]
    assert answer["results"]["satisficing"]["code"] == "invalid_argument"


def test_without_a_problem_the_methods_are_ranked_and_a_named_one_shows_what_it_takes(tmp_path: Path) -> None:
    answer = reasoned(tmp_path / "ranked", problem_classification={"complexity": "complex"})
    assert (answer["ranking"][0]["method"], answer["results"]) == ("systems-thinking", {})
    assert "name a method" in answer["text"]
    shown = reasoned(tmp_path / "named", methods=["modal"])["results"]["modal"]
    assert (shown["status"], shown["answer"]["forms"][0]["example"]["kind"]) == ("needs_structure", "modal")
