"""Root cause: published fault trees (scram), PetShop incidents, textbook trees, a failed plan, and brute force."""

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.causal.fault_trees import FaultTree
from mabos.knowledge.reasoning.causal.incidents import Incident
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest
from mabos.knowledge.reasoning.premises import KnownPremise
from mabos.knowledge.reasoning.problem import Premise
from tests.knowledge.reasoning import open_psa, petshop
from tests.knowledge.reasoning.asking import ask, late

EXPECTED = (
    json.loads((open_psa.DATA / "expected.json").read_text("utf-8")) if open_psa.DATA.exists() else dict[str, Any]()
)


@pytest.mark.skipif(not EXPECTED, reason="the fault trees are not in ../shared/data/reasoning")
@pytest.mark.parametrize("name", EXPECTED)
def test_published_fault_trees_have_their_cut_sets_and_probability(name: str) -> None:
    case = EXPECTED[name]
    answer = ask("root-cause", open_psa.fault_tree((open_psa.DATA / case["files"][0]).read_text("utf-8"))).answer
    assert answer.count == case["n_minimal_cut_sets"]
    assert answer.probability == pytest.approx(case["p_top_bdd"], abs=case["tol"])


def test_the_cooling_trains_fail_by_their_pumps_most() -> None:
    result = ask("root-cause", dict(FaultTree.example))
    assert result.answer.probability == pytest.approx((1 - 0.5 * 0.3) ** 2)
    assert result.answer.cut_sets[0].events == ("pump one", "pump two")
    assert result.answer.importance["pump one"].birnbaum == pytest.approx(0.85 * 0.5)
    assert result.claims[0].value == "pump one and pump two"


def test_two_of_three_redundancy() -> None:
    """The voting gate of the Fault Tree Handbook (NUREG-0492): P = 3p^2 - 2p^3."""
    tree = {
        "kind": "fault_tree",
        "top": "trip fails",
        "gates": {"trip fails": {"when": "at least", "least": 2, "of": ["a", "b", "c"]}},
        "events": dict.fromkeys("abc", 0.1),
    }
    answer = ask("root-cause", tree).answer
    assert answer.probability == pytest.approx(3 * 0.01 - 2 * 0.001)
    assert [one.events for one in answer.cut_sets] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_the_pressure_tank_of_the_fault_tree_handbook() -> None:
    """NUREG-0492, chapter VIII: T, K2, S with K1, S with R, S with S1, and their probabilities."""
    tree = {
        "kind": "fault_tree",
        "top": "tank ruptures",
        "gates": {
            "tank ruptures": {"of": ["T", "pump runs on"]},
            "pump runs on": {"of": ["K2", "K2 held"]},
            "K2 held": {"when": "all", "of": ["S", "power to K2"]},
            "power to K2": {"of": ["S1", "K1 held"]},
            "K1 held": {"of": ["K1", "R"]},
        },
        "events": {"T": 5e-6, "K2": 3e-5, "S": 1e-4, "K1": 3e-5, "R": 1e-4, "S1": 3e-5},
    }
    answer = ask("root-cause", tree).answer
    assert [one.events for one in answer.cut_sets[:2]] == [("K2",), ("T",)]
    assert {one.events for one in answer.cut_sets[2:]} == {("R", "S"), ("K1", "S"), ("S", "S1")}
    assert answer.probability == pytest.approx(3.5e-5, rel=1e-2)


def test_what_is_known_to_have_worked_leaves_the_rest() -> None:
    events = {**FaultTree.example["events"], "pump one": {"probability": 0.7, "happened": False, "id": "F-3"}}
    result = ask("root-cause", {**FaultTree.example, "events": events})
    assert result.answer.cut_sets[0].events == ("pump two", "valve one")
    assert result.evidence == ("F-3",)
    assert result.answer.importance["valve one"].given_top == pytest.approx(1)


def test_a_failure_that_cannot_be_is_inconsistent() -> None:
    assert ask("root-cause", {**FaultTree.example, "events": dict.fromkeys(FaultTree.example["events"], 0)}).status == (
        "inconsistent"
    )


def test_a_failed_plan_is_traced_to_the_belief_that_was_wrong() -> None:
    result = ask("root-cause", dict(Incident.example))
    assert result.answer.explanation == ("address is right",)
    assert result.claims[0].value == "address is right"
    assert {"B-7", "STEP-1"} <= set(result.evidence)
    assert result.answer.suspects[0].path == ("address is right", "send invoice")


def test_the_certainty_of_a_belief_is_taken_from_the_mind_and_cited() -> None:
    sure = {"B-7": 0.6, "B-9": 0.9}

    def resolve(name: str) -> KnownPremise:
        return KnownPremise(
            Premise(id=name, subject="us", predicate="held", object="true", confidence=sure[name]), sure[name]
        )

    components = {
        "pay": {"failed": True, "depends_on": ["account is right", "bank is open"]},
        "account is right": {"certainty": {"ref": "B-7", "as": "confidence"}, "id": "B-7"},
        "bank is open": {"certainty": {"ref": "B-9", "as": "confidence"}, "id": "B-9"},
    }
    request = ReasoningRequest({"kind": "incident", "symptom": "pay", "components": components}, method="root-cause")
    result = Engine(resolve).reason(request).result
    assert result.claims[0].value == "account is right"
    assert set(result.evidence) == {"B-7", "B-9"}


def test_a_step_that_worked_clears_what_it_rested_on() -> None:
    """By hand: the symptom needs a or b or itself at fault; b is cleared by c but for what did not pass on."""
    components = {
        "plan": {"failed": True, "depends_on": ["a", "b"], "prior": 0.0},
        "a": {"prior": 0.1},
        "b": {"prior": 0.1},
        "c": {"failed": False, "depends_on": ["b"], "prior": 0.0},
    }
    problem = {"kind": "incident", "symptom": "plan", "components": components, "passes": 1.0}
    shares = {one.name: one.share for one in ask("root-cause", problem).answer.suspects}
    assert shares == pytest.approx({"a": 1.0})
    assert ask("root-cause", problem).answer.check_next is None
    loose = {one.name: one.share for one in ask("root-cause", {**problem, "passes": 0.9}).answer.suspects}
    b_given_worked = 0.1 * 0.1 / (0.9 + 0.1 * 0.1)
    a, b = 0.1, b_given_worked
    fails = 1 - (1 - 0.9 * a) * (1 - 0.9 * b)
    assert loose["a"] == pytest.approx(a * (1 - 0.1 * (1 - 0.9 * b)) / fails)


def test_a_contradiction_of_what_failed_is_inconsistent() -> None:
    components = {"a": {"failed": True, "prior": 0.0, "depends_on": ["b"]}, "b": {"failed": False}}
    assert ask("root-cause", {"kind": "incident", "symptom": "a", "components": components}).status == "inconsistent"


def test_the_metric_that_rose_by_itself_is_the_cause() -> None:
    quiet = [10, 11, 10, 9, 10, 11]
    components = {
        "shop": {
            "depends_on": ["search", "payment"],
            "metrics": {"latency": {"baseline": quiet, "present": [10, 40, 42]}},
        },
        "search": {"depends_on": ["table"], "metrics": {"latency": {"baseline": quiet, "present": [10, 39, 41]}}},
        "table": {"metrics": {"latency": {"baseline": quiet, "present": [10, 38, 41]}}, "id": "M-3"},
        "payment": {"metrics": {"latency": {"baseline": quiet, "present": [55, 54, 55]}}},
    }
    problem = {"kind": "incident", "symptom": "shop", "metric": "latency", "components": components}
    result = ask("root-cause", problem)
    assert result.answer.suspects[0].name == "table"
    assert result.evidence[0] == "M-3"
    assert result.status == "estimated"


def test_a_metric_as_it_always_was_has_no_cause() -> None:
    readings = {"latency": {"baseline": [10, 11, 10, 9, 10], "present": [10, 9], "bad": "high"}}
    problem = {
        "kind": "incident",
        "symptom": "shop",
        "metric": "latency",
        "components": {"shop": {"metrics": readings}},
    }
    assert ask("root-cause", problem).status == "unknown"


@pytest.mark.skipif(not petshop.DATA.exists(), reason="PetShop is not in ../shared/data/reasoning")
def test_the_incidents_of_petshop_are_traced_to_the_planted_fault() -> None:
    places = []
    for problem, cause in petshop.incidents():
        names = [one.name for one in ask("root-cause", problem).answer.suspects]
        places.append(names.index(cause) if cause in names else 99)
    assert len(places) == 16
    assert sum(place == 0 for place in places) >= 14
    assert sum(place < 3 for place in places) >= 15


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ({**FaultTree.example, "top": "nothing"}, "'nothing' is not a gate"),
        ({**FaultTree.example, "events": {"valve one": 2}}, "less than or equal to 1"),
        (
            {"kind": "fault_tree", "top": "a", "gates": {"a": {"of": ["b"]}, "b": {"of": ["a"]}}, "events": {"e": 0.1}},
            "cycle",
        ),
        (
            {"kind": "fault_tree", "top": "a", "gates": {"a": {"of": ["q"]}}, "events": {"e": 0.1}},
            "'q', which is neither",
        ),
        (
            {"kind": "fault_tree", "top": "a", "gates": {"a": {"of": ["e"], "least": 3}}, "events": {"e": 0.1}},
            "can never",
        ),
        (
            {"kind": "incident", "symptom": "a", "components": {"a": {"depends_on": ["b"]}}},
            "'b', which is not a component",
        ),
        ({"kind": "incident", "symptom": "a", "components": {"a": {"failed": False}}}, "nothing to explain"),
        ({"kind": "incident", "symptom": "a", "components": {"a": {"depends_on": ["a"]}}}, "cycle"),
        ({"kind": "incident", "symptom": "a", "metric": "m", "components": {"a": {}}}, "has no metric 'm'"),
        (
            {
                "kind": "fault_tree",
                "top": "t",
                "gates": {"t": {"of": [f"e{n}" for n in range(500)]}},
                "events": {f"e{n}": 0.1 for n in range(500)},
            },
            "more than the 400",
        ),
    ],
)
def test_what_is_no_failure_is_refused_with_the_reason(problem: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("root-cause", problem)


def test_a_tree_with_very_many_cut_sets_counts_them_all_and_lists_some() -> None:
    gates: dict[str, Any] = {f"g{n}": {"of": [f"a{n}", f"b{n}", f"c{n}"]} for n in range(12)}
    gates["top"] = {"when": "all", "of": [f"g{n}" for n in range(12)]}
    events = {f"{letter}{n}": 0.1 for letter in "abc" for n in range(12)}
    problem = {"kind": "fault_tree", "top": "top", "gates": gates, "events": events}
    answer = ask("root-cause", problem).answer
    assert answer.count == 3**12
    assert len(answer.cut_sets) == 1_000
    cut_short = late("root-cause", problem, looks=400)
    assert cut_short.status == "timeout"
    assert cut_short.answer.count == 3**12
    assert 0 < len(cut_short.answer.cut_sets) < 1_000
    assert ask("root-cause", problem, seconds=1e-9).status == "timeout"


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Any]:
    """Return a fault tree of five events and four gates that may share inputs."""
    events = {name: draw(st.floats(0.01, 0.99)) for name in "abcde"}
    gates: dict[str, Any] = {}
    for name in ("g1", "g2", "g3", "top"):
        inputs = draw(st.lists(st.sampled_from([*events, *gates]), min_size=1, max_size=4, unique=True))
        when = draw(st.sampled_from(["all", "any", "at least"]))
        gates[name] = {"when": when, "of": inputs, "least": draw(st.integers(1, len(inputs)))}
    return {"kind": "fault_tree", "top": "top", "gates": gates, "events": events}


def happens(tree: dict[str, Any], name: str, state: dict[str, bool]) -> bool:
    if name in state:
        return state[name]
    gate = tree["gates"][name]
    inputs = [happens(tree, one, state) for one in gate["of"]]
    return sum(inputs) >= {"all": len(inputs), "any": 1, "at least": int(gate["least"])}[gate["when"]]


@settings(max_examples=30, deadline=None)
@given(trees())
def test_cut_sets_probability_and_importance_are_those_of_enumeration(tree: dict[str, Any]) -> None:
    answer = ask("root-cause", tree).answer
    enough, total, with_ = [], 0.0, dict.fromkeys("abcde", 0.0)
    for cell in product([False, True], repeat=5):
        state = dict(zip("abcde", cell, strict=True))
        if happens(tree, "top", state):
            weight = 1.0
            for name, held in state.items():
                weight *= tree["events"][name] if held else 1 - tree["events"][name]
            total += weight
            enough.append(frozenset(name for name, held in state.items() if held))
            for name in enough[-1]:
                with_[name] += weight
    minimal = {one for one in enough if not any(other < one for other in enough)}
    assert {frozenset(one.events) for one in answer.cut_sets} == minimal
    assert answer.count == len(minimal)
    assert answer.probability == pytest.approx(total)
    shares = [one.probability for one in answer.cut_sets]
    assert shares == sorted(shares, reverse=True)
    for name, one in answer.importance.items():
        assert one.given_top == pytest.approx(with_[name] / total)


def test_cut_sets_that_differ_by_the_least_still_stand_in_order() -> None:
    tree = {
        "kind": "fault_tree",
        "top": "top",
        "gates": {"top": {"when": "any", "of": ["a", "b"]}},
        "events": {"a": 0.01, "b": 0.010000000000000002},
    }
    assert [one.events for one in ask("root-cause", tree).answer.cut_sets] == [("b",), ("a",)]
