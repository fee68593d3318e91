"""Bayes: textbook base rates, textbook networks, official marginals, and enumeration."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.probabilistic.networks import BayesianNetwork
from tests.knowledge.reasoning.asking import ask, late

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "bayesian"
SPRINKLER = {
    "kind": "network",
    "nodes": {
        "cloudy": {"table": [0.5]},
        "sprinkler": {"parents": ["cloudy"], "table": [0.1, 0.5]},
        "rain": {"parents": ["cloudy"], "table": [0.8, 0.2]},
        "wet": {"parents": ["sprinkler", "rain"], "table": [0.99, 0.9, 0.9, 0.0]},
    },
}


def test_mammography_of_gigerenzer_and_hoffrage() -> None:
    likelihood = {"cancer": 0.8, "healthy": 0.096}
    result = ask(
        "bayesian", {"prior": {"cancer": 0.01, "healthy": 0.99}, "likelihood": likelihood, "kind": "hypotheses"}
    )
    assert result.answer.posterior["cancer"] == pytest.approx(0.0776, abs=5e-5)
    assert result.answer.odds["cancer"] == pytest.approx(0.8 / 0.096)


def test_the_cab_problem_of_tversky_and_kahneman() -> None:
    cab = {"kind": "hypotheses", "prior": {"blue": 0.15, "green": 0.85}, "likelihood": {"blue": 0.8, "green": 0.2}}
    assert ask("bayesian", cab).answer.posterior["blue"] == pytest.approx(0.41, abs=0.005)


def test_monty_hall_is_won_by_switching() -> None:
    doors = {"kind": "hypotheses", "prior": dict.fromkeys("123", 1 / 3), "likelihood": {"1": 0.5, "2": 1, "3": 0}}
    assert ask("bayesian", doors).answer.posterior == pytest.approx({"1": 1 / 3, "2": 2 / 3, "3": 0})


def test_the_burglary_of_russell_and_norvig() -> None:
    result = ask("bayesian", dict(BayesianNetwork.example))
    assert result.answer.marginals["burglary"]["true"] == pytest.approx(0.284, abs=5e-4)


def test_the_sprinkler_of_murphy_is_explained_away() -> None:
    wet = ask("bayesian", {**SPRINKLER, "evidence": {"wet": "true"}}).answer
    assert wet.marginals["sprinkler"]["true"] == pytest.approx(0.2781 / 0.6471, abs=1e-4)
    assert wet.evidence_probability == pytest.approx(0.6471, abs=1e-4)
    rained = ask("bayesian", {**SPRINKLER, "evidence": {"wet": "true", "rain": "true"}}).answer
    assert rained.marginals["sprinkler"]["true"] == pytest.approx(0.1945, abs=1e-4)


def test_evidence_that_cannot_be_is_inconsistent() -> None:
    impossible = {"wet": "true", "sprinkler": "false", "rain": "false"}
    assert ask("bayesian", {**SPRINKLER, "evidence": impossible}).status == "inconsistent"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"nodes": {"a": {"parents": ["b"], "table": [0.5, 0.5]}, "b": {"parents": ["a"], "table": [0.5, 0.5]}}},
            "cycle",
        ),
        ({"nodes": {"a": {"table": [[0.5, 0.6]]}}}, "sums to 1.1"),
        ({"nodes": {"a": {"parents": ["z"], "table": [0.5, 0.5]}}}, "'z', which is not a node"),
        ({"nodes": {"a": {"parents": ["b"], "table": [0.5]}, "b": {"table": [0.5]}}}, "needs 2 rows"),
        ({"evidence": {"rain": "maybe"}}, "has no state 'maybe'"),
        ({"query": ["snow"]}, "'snow' is not a variable"),
    ],
)
def test_what_is_no_network_is_refused_with_the_reason(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("bayesian", {**SPRINKLER, **changes})


def test_a_network_too_dense_for_an_exact_answer_is_refused_before_any_table_is_made() -> None:
    names = [f"v{number}" for number in range(40)]
    pairs = [{"over": [a, b], "values": [1, 2, 2, 1]} for a in names for b in names if a < b]
    with pytest.raises(InvalidArgument, match="draw samples instead"):
        ask("bayesian", {"kind": "factors", "variables": {name: ["0", "1"] for name in names}, "tables": pairs})


def test_a_network_that_takes_too_long_is_given_up() -> None:
    assert ask("bayesian", {**SPRINKLER, "query": ["rain"]}, seconds=1e-9).status == "timeout"


shares = st.floats(0.01, 0.99)


@settings(max_examples=40, deadline=None)
@given(st.lists(shares, min_size=11, max_size=11), st.sampled_from(["true", "false"]))
def test_marginals_and_the_most_probable_states_equal_enumeration(numbers: list[float], seen: str) -> None:
    nodes = {
        "a": {"table": [numbers[0]]},
        "b": {"parents": ["a"], "table": numbers[1:3]},
        "c": {"parents": ["a", "b"], "table": numbers[3:7]},
        "d": {"parents": ["c", "b"], "table": numbers[7:11]},
    }
    answer = ask("bayesian", {"kind": "network", "nodes": nodes, "evidence": {"d": seen}}).answer
    weights: dict[tuple[bool, ...], float] = {}
    for a, b, c in product([True, False], repeat=3):
        rows = ((0, a), (1 + (not a), b), (3 + 2 * (not a) + (not b), c), (7 + 2 * (not c) + (not b), seen == "true"))
        weight = 1.0
        for row, held in rows:
            weight *= numbers[row] if held else 1 - numbers[row]
        weights[a, b, c] = weight
    total = sum(weights.values())
    assert answer.evidence_probability == pytest.approx(total)
    for place, name in enumerate("abc"):
        expected = sum(weight for states, weight in weights.items() if states[place]) / total
        assert answer.marginals[name]["true"] == pytest.approx(expected)
    chosen = tuple(answer.most_probable[name] == "true" for name in "abc")
    assert weights[chosen] == pytest.approx(max(weights.values()))


@pytest.mark.skipif(not DATA.exists(), reason="the public networks are not here")
@pytest.mark.parametrize("name", ["Grids_12", "Pedigree_12"])
def test_official_marginals_of_the_uai_2014_competition(name: str) -> None:
    problem, expected = uai(DATA / "uai2014_mar" / name)
    marginals = ask("bayesian", problem).answer.marginals
    worst = max(
        abs(marginals[variable][state] - share)
        for variable, row in expected.items()
        if variable in marginals
        for state, share in row.items()
    )
    assert worst <= 1e-6


def uai(stem: Path) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """Return a problem and its official marginals from the files of the competition."""
    words = iter(stem.with_name(f"{stem.name}.uai").read_text().split()[1:])
    sizes = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[next(words) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    tables = [{"over": scope, "values": [float(next(words)) for _ in range(int(next(words)))]} for scope in scopes]
    seen = stem.with_name(f"{stem.name}.uai.evid").read_text().split()[1:]
    told = iter(stem.with_name(f"{stem.name}.uai.MAR").read_text().split()[2:])
    expected = {
        str(place): {str(state): float(next(told)) for state in range(int(next(told)))} for place in range(len(sizes))
    }
    problem = {
        "kind": "factors",
        "variables": {str(place): [str(state) for state in range(size)] for place, size in enumerate(sizes)},
        "tables": tables,
        "evidence": dict(zip(seen[::2], seen[1::2], strict=True)),
    }
    return problem, expected


@pytest.mark.skipif(not DATA.exists(), reason="the public networks are not here")
@pytest.mark.parametrize("name", ["asia", "cancer", "survey", "child"])
def test_published_networks_agree_with_weighted_draws(name: str) -> None:
    network = bif((DATA / "bif" / f"{name}.bif").read_text())
    exact = ask("bayesian", network).answer.marginals
    drawn = ask("monte-carlo", network, seed=7).answer
    for variable, row in exact.items():
        assert drawn.marginals[variable] == pytest.approx(row, abs=5 * drawn.standard_error)


def bif(text: str) -> dict[str, Any]:
    """Return the network of a file in the Bayesian interchange format."""
    nodes: dict[str, Any] = {
        name: {"states": [one.strip() for one in states.split(",")]}
        for name, states in re.findall(r"variable (\w+) \{\s*type discrete \[ \d+ \] \{ ([^}]*) \}", text)
    }
    for head, body in re.findall(r"probability \( ([^)]*) \) \{(.*?)\}", text, re.S):
        name, _, parents = (part.strip() for part in head.partition("|"))
        node = nodes[name]
        node["parents"] = [one.strip() for one in parents.split(",")] if parents else []
        rows = {
            tuple(one.strip() for one in key.split(",")) if key else (): [float(one) for one in row.split(",")]
            for key, row in re.findall(r"(?:table|\(([^)]*)\)) ([\d., e-]+);", body)
        }
        node["table"] = [rows[key] for key in product(*(nodes[one]["states"] for one in node["parents"]))]
    return {"kind": "network", "nodes": nodes}


def test_a_late_answer_of_weighted_draws_is_of_the_draws_made_by_then() -> None:
    result = late("monte-carlo", SPRINKLER, looks=3)
    assert result.status == "timeout"
    assert result.answer.marginals["rain"]["true"] == pytest.approx(0.5, abs=0.05)
