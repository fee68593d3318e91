"""Reasoning about reasoning: forecasts of others, published paradoxes, closed forms, and checked traces."""

import csv
import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.fusion import fuse_results
from mabos.knowledge.reasoning.meta.calibration import Calibration, calibration
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Soundness
from tests.knowledge.reasoning.asking import ask, late

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the public reasoning data is not here")


def forecasts(name: str) -> list[tuple[float, float]]:
    """Return every forecast of a file and what came of it; a drawn game is half of a victory for both."""
    with (DATA / "calibration" / name).open() as file:
        rows = list(csv.DictReader(file))
    names = [name.removesuffix("_outcome") for name in rows[0] if name.endswith("_outcome")]
    return [(float(row[name]), float(row[f"{name}_outcome"])) for row in rows for name in names if row[name]]


@needs_data
def test_the_nfl_forecasts_of_538_have_their_published_scores() -> None:
    told = calibration(forecasts("538_nfl_games.csv"))
    assert told.count == 3778
    assert told.brier == pytest.approx(0.2201, abs=5e-5)
    assert told.error_wide == pytest.approx(0.0219, abs=5e-5)


def correct_forecast(told: Calibration, forecast: float) -> float:
    """Return how often forecasts like this came true; the forecast itself where too little is known."""
    below = [frequency for edge, frequency in told.corrected if edge <= forecast]
    return below[-1] if below else told.corrected[0][1] if told.corrected else forecast


@needs_data
@pytest.mark.parametrize("name", ["538_nfl_games.csv", "538_tennis_men.csv"])
def test_a_map_learned_on_half_of_overconfident_forecasts_halves_the_error_on_the_rest(name: str) -> None:
    sharpened = [(p**3 / (p**3 + (1 - p) ** 3), right) for p, right in forecasts(name)]
    learned, rest = calibration(sharpened[::2]), sharpened[1::2]
    before = calibration(rest).error
    after = calibration([(correct_forecast(learned, p), right) for p, right in rest]).error
    assert before is not None
    assert after is not None
    assert after <= before / 2


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.8, 1.0]), st.sampled_from([0.0, 0.5, 1.0])),
        min_size=1,
        max_size=80,
    )
)
def test_the_brier_score_is_the_sum_of_murphys_parts(held: list[tuple[float, float]]) -> None:
    told = ask("calibration", {"kind": "forecasts", "forecasts": [list(one) for one in held]}).answer
    assert told.brier == pytest.approx(told.reliability - told.resolution + told.uncertainty)
    assert (told.error is None) == (len(held) < 30)
    frequencies = [frequency for _, frequency in told.corrected]
    assert frequencies == sorted(frequencies)


def test_murphys_parts_of_a_small_table() -> None:
    """Ten forecasts of .2 of which two, and ten of .8 of which eight come true: reliable and resolved."""
    held = [[0.2, number < 2] for number in range(10)] + [[0.8, number < 8] for number in range(10)]
    told = ask("calibration", {"kind": "forecasts", "forecasts": held}).answer
    assert (told.reliability, told.resolution, told.uncertainty) == pytest.approx((0, 0.09, 0.25))
    assert told.brier == pytest.approx(0.16)


def masses(**sources: list[tuple[str, float]]) -> dict[str, Any]:
    told = {name: [{"outcomes": list(one), "mass": mass} for one, mass in held] for name, held in sources.items()}
    return {"kind": "masses", "frame": ["m", "c", "t"], "sources": told}


def test_zadehs_paradox_is_flagged_and_its_certainty_not_repeated() -> None:
    """Zadeh 1979: Dempster's rule makes the tumour certain that both doctors all but rule out."""
    result = ask("dempster-shafer", masses(first=[("m", 0.99), ("t", 0.01)], second=[("c", 0.99), ("t", 0.01)]))
    assert result.answer.conflict == pytest.approx(0.9999)
    assert (result.status, result.answer.rule) == ("unknown", "Yager")
    assert result.answer.belief["t"] == pytest.approx(0.0001)
    assert result.answer.plausibility["m"] == pytest.approx(0.9999)


def test_shafers_simple_support_functions_add_up() -> None:
    """Shafer 1976: supports s and t for the same set combine to 1 - (1 - s)(1 - t)."""
    answer = ask("dempster-shafer", masses(first=[("mc", 0.6)], second=[("mc", 0.5)])).answer
    assert dict(answer.masses)[("c", "m")] == pytest.approx(0.8)
    assert (answer.conflict, answer.rule) == (0, "Dempster")


def test_conflicting_simple_supports_are_renormalised() -> None:
    answer = ask("dempster-shafer", masses(first=[("m", 0.4)], second=[("c", 0.3)])).answer
    assert answer.conflict == pytest.approx(0.12)
    assert answer.belief["m"] == pytest.approx(0.4 * 0.7 / 0.88)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(["m", "c", "mt", "mct"]), st.floats(0, 0.25)), max_size=3),
        min_size=1,
        max_size=4,
    )
)
def test_belief_never_exceeds_plausibility_and_masses_sum_to_one(sources: list[list[tuple[str, float]]]) -> None:
    answer = ask("dempster-shafer", masses(**{f"s{n}": held for n, held in enumerate(sources)})).answer
    assert sum(mass for _, mass in answer.masses) == pytest.approx(1)
    assert all(answer.belief[one] <= answer.plausibility[one] + 1e-9 for one in "mct")


def opinions(*distributions: dict[str, float], **more: Any) -> dict[str, Any]:
    return {"kind": "opinions", "opinions": {f"s{n}": {"distribution": d} for n, d in enumerate(distributions)}, **more}


def test_a_logarithmic_pool_is_externally_bayesian() -> None:
    """Genest and Zidek 1986: updating the pool by a likelihood equals pooling the updated opinions."""
    first, second, likelihood = {"a": 0.8, "b": 0.2}, {"a": 0.4, "b": 0.6}, {"a": 0.3, "b": 0.9}

    def updated(shares: dict[str, float]) -> dict[str, float]:
        joint = {name: share * likelihood[name] for name, share in shares.items()}
        return {name: share / sum(joint.values()) for name, share in joint.items()}

    before = ask("weighted-ensemble", opinions(first, second)).answer.distribution
    after = ask("weighted-ensemble", opinions(updated(first), updated(second))).answer.distribution
    assert after == pytest.approx(updated(before))


def test_a_zero_does_not_veto_and_a_linear_pool_is_the_mean() -> None:
    answer = ask("weighted-ensemble", opinions({"a": 1, "b": 0}, {"a": 0.5, "b": 0.5})).answer
    assert (answer.pool, answer.distribution) == ("linear", pytest.approx({"a": 0.75, "b": 0.25}))


def test_an_echo_does_not_count_twice() -> None:
    one, other = {"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.8}
    voices = {
        "x": {"distribution": one, "group": "g"},
        "y": {"distribution": one, "group": "g"},
        "z": {"distribution": other},
    }
    echoed = ask("weighted-ensemble", {"kind": "opinions", "opinions": voices}).answer.distribution
    assert echoed == pytest.approx(ask("weighted-ensemble", opinions(one, other)).answer.distribution)


def positions(*held: tuple[str, Any, int, float]) -> dict[str, Any]:
    told = {
        f"s{n}": {"question": q, "answer": answer, "soundness": soundness, "confidence": sure}
        for n, (q, answer, soundness, sure) in enumerate(held)
    }
    return {"kind": "positions", "positions": told}


def test_the_nixon_diamond_is_left_undecided() -> None:
    result = ask("debate", positions(("pacifist?", True, 3, 0.8), ("pacifist?", False, 3, 0.8)))
    assert (result.status, result.answer.stands) == ("unknown", {"pacifist?": None})


def test_a_proof_prevails_over_any_number_of_analogies() -> None:
    answer = ask("debate", positions(*[("legal?", True, 4, 0.9)] * 3, ("legal?", False, 1, 0.7))).answer
    assert answer.stands == {"legal?": False}
    assert answer.dissent == {"legal?": ("s0", "s1", "s2")}


def test_the_doctrinal_paradox_is_shown_question_by_question() -> None:
    """List and Pettit 2002: majorities for both premises and against the conclusion; nothing is forced to fit."""
    held = [
        (q, answer, 3, sure)
        for q, votes in {"p": (1, 1, 0), "q": (1, 0, 1), "p and q": (1, 0, 0)}.items()
        for answer, sure in zip(map(bool, votes), (0.6, 0.61, 0.62), strict=True)
    ]
    answer = ask("debate", positions(*held)).answer
    assert answer.stands == {"p": False, "q": True, "p and q": False}


def test_thinking_on_is_worth_what_a_surer_answer_is_worth() -> None:
    problem = {
        "kind": "computation",
        "confidence": 0.7,
        "gain": 100,
        "loss": 50,
        "options": {"better": {"reliability": 0.9, "cost": 5}},
    }
    answer = ask("meta-cognitive", problem).answer
    assert (answer.verdict, answer.method, answer.now) == ("think on", "better", pytest.approx(55))
    assert answer.value["better"] == pytest.approx(0.2 * 150 - 5)
    problem["options"] = {"better": {"reliability": 0.9, "cost": 31}}
    assert ask("meta-cognitive", problem).answer.verdict == "act"


def test_one_asks_or_leaves_it_where_that_is_better() -> None:
    risky = {"kind": "computation", "confidence": 0.5, "gain": 10, "loss": 100}
    assert ask("meta-cognitive", risky).answer.verdict == "abstain"
    assert ask("meta-cognitive", {**risky, "ask": {"reliability": 0.99, "cost": 1}}).answer.verdict == "ask"


shares = st.floats(0, 1)


@given(st.tuples(shares, shares, st.floats(0, 100), st.floats(0, 100)), st.floats(0, 10), st.floats(0, 10))
def test_a_higher_cost_never_makes_thinking_on_worth_more(
    given_: tuple[float, float, float, float], cost: float, more: float
) -> None:
    sure, other, gain, loss = given_

    def value(price: float) -> float:
        options = {"m": {"reliability": other, "cost": price}}
        problem = {"kind": "computation", "confidence": sure, "gain": gain, "loss": loss, "options": options}
        worth: float = ask("meta-cognitive", problem).answer.value["m"]
        return worth

    assert value(cost + more) <= value(cost)


def outcomes(*held: tuple[str, bool, str], where: str = "") -> Any:
    told = [{"method": name, "right": right, "circumstances": place} for name, right, place in held]
    return ask("learning-to-reason", {"kind": "outcomes", "outcomes": told, "circumstances": where}).answer


def test_a_method_is_as_reliable_as_laplace_and_bayes_say() -> None:
    answer = outcomes(*[("a", True, "")] * 8, *[("a", False, "")] * 2, *[("b", True, "")] * 2)
    assert answer.reliability["a"].mean == pytest.approx(10 / 14)
    assert answer.reliability["b"].mean == pytest.approx(4 / 6)
    assert answer.use == "a"


def test_circumstances_decide_once_enough_is_known_of_them() -> None:
    general = [("a", True, "calm")] * 20 + [("b", False, "calm")] * 20
    assert outcomes(*general, ("b", True, "storm"), where="storm").use == "a"
    assert outcomes(*general, *[("b", True, "storm")] * 20, *[("a", False, "storm")] * 20, where="storm").use == "b"


@needs_data
def test_selection_closes_half_of_the_gap_to_the_best_of_the_minizinc_solvers() -> None:
    """ASlib CSP-Minizinc-Time-2016, the official folds; the reference is .606."""
    folder = DATA / "strategy_selection" / "aslib" / "CSP-Minizinc-Time-2016"
    costs: dict[str, dict[str, float]] = {}
    for name, _, solver, cost, _ in _arff(folder / "algorithm_runs.arff"):
        costs.setdefault(name, {})[solver] = float(cost)
    features = {
        name: [0.0 if one == "?" else float(one) for one in row]
        for name, _, *row in _arff(folder / "feature_values.arff")
    }
    folds = {name: fold for name, _, fold in _arff(folder / "cv.arff")}
    chosen = 0.0
    for name, fold in folds.items():
        solved = [{"features": features[other], "costs": costs[other]} for other in folds if folds[other] != fold]
        use = ask("strategy-selection", {"kind": "selection", "features": features[name], "solved": solved}).answer.use
        chosen += costs[name][use]
    solvers = next(iter(costs.values()))
    single = min(sum(costs[name][solver] for name in folds) for solver in solvers)
    virtual = sum(min(costs[name].values()) for name in folds)
    assert (single - chosen) / (single - virtual) >= 0.5


def _arff(path: Path) -> list[list[str]]:
    return [line.split(",") for line in path.read_text().split("@DATA")[1].split("\n") if line.strip()]


def test_a_problem_of_which_only_the_class_is_known_is_ranked_by_the_router() -> None:
    answer = ask("strategy-selection", {"kind": "selection", "classification": {"complexity": "complex"}}).answer
    assert answer.use == "systems-thinking"


def trace(*steps: dict[str, Any], **premises: str) -> dict[str, Any]:
    return {"kind": "trace", "premises": premises, "steps": [{"label": str(n), **step} for n, step in enumerate(steps)]}


def test_the_first_wrong_equation_is_found_and_later_ones_are_right_given_it() -> None:
    result = ask("reflection", trace({"equal": ["2 * 3", "7"], "defines": "a"}, {"equal": ["a + 1", "8"]}))
    assert (result.status, result.answer.first_wrong) == ("disproved", "0")
    assert result.answer.steps == {"0": "wrong: 2 * 3 is 6, and 7 is 7", "1": "holds"}


def test_prose_is_passed_over_and_that_is_said() -> None:
    result = ask("reflection", trace({"says": "we think"}, {"equal": ["1 + 1", "2"]}))
    assert (result.status, result.confidence) == ("proved", None)
    assert "1 are prose" in result.summary


def test_a_step_cannot_rest_on_what_is_not_there() -> None:
    with pytest.raises(InvalidArgument, match="uses 'p9', which is not a premise"):
        ask("reflection", trace({"formula": "A(x)", "uses": ["p9"]}))


def test_a_formula_follows_from_what_it_uses_or_is_wrong_and_the_premises_it_needs_are_told() -> None:
    premises = {"rule": "∀x (Man(x) → Mortal(x))", "fact": "Man(socrates)", "idle": "Man(plato)"}
    step = {"label": "1", "formula": "Mortal(socrates)", "uses": list(premises)}
    result = ask("reflection", {"kind": "trace", "premises": premises, "steps": [step]})
    assert (result.status, result.answer.load_bearing) == ("proved", ("rule", "fact"))
    unfounded = ask("reflection", {"kind": "trace", "premises": premises, "steps": [{**step, "uses": ["idle"]}]})
    assert unfounded.answer.steps == {"1": "wrong: Mortal(socrates) does not follow (unknown)"}


def test_a_check_that_is_late_tells_what_was_checked() -> None:
    result = late("reflection", trace({"equal": ["1", "1"]}, {"equal": ["2", "2"]}), looks=1)
    assert (result.status, result.answer.steps) == ("timeout", {"0": "holds"})


@needs_data
def test_mistakes_in_multistep_arithmetic_are_found_where_people_found_them() -> None:
    """BIG-Bench-Mistake: the first wrong step, of those traces that read as chains of equal expressions."""
    right = read = 0
    for line in (DATA / "reflection" / "bigbench_mistake_multistep_arithmetic.jsonl").read_text().splitlines():
        told = json.loads(line)
        steps = [_arithmetic(text) for text in told["steps"]]
        if not any(step.get("equal") for step in steps):
            continue
        try:
            place = ask("reflection", trace(*steps)).answer.place
        except InvalidArgument:
            continue
        read += 1
        right += place == told["mistake_index"]
    print(f"{right} of {read} first mistakes found")
    assert read >= 50
    assert right / read >= 0.8


def _arithmetic(text: str) -> dict[str, Any]:
    """Return a step such as "Let's calculate A = (8 * 9) = 72." as a chain of equal expressions."""
    found = re.search(r"(?:calculate|equation is) (.*?)(?: So the answer is .*)?\.?$", text.rstrip("."))
    if found is None:
        return {"says": text}
    sides = [re.sub(r"\b([A-D])\b", r"\1", side.strip().rstrip(".")) for side in found[1].split("=")]
    if re.fullmatch(r"[A-D]", sides[0]):
        return {"equal": sides[1:], "defines": sides[0]}
    return {"equal": sides[1:]} if not re.fullmatch(r"[-+*/() A-D\d]+", sides[0]) else {"equal": sides}


def result(
    name: str, answer: str | float, soundness: Soundness, sure: float | None = None, evidence: tuple[str, ...] = ()
) -> MethodResult[None]:
    claim = AnswerClaim("decision", "choose", answer)
    return MethodResult("computed", None, "", (claim,), sure, "score", evidence, method=name, soundness=soundness)


def test_a_proof_overrules_guesses_and_they_stand_as_dissent() -> None:
    told = fuse_results(
        [result("decision-theory", "a", 1), result("heuristic", "b", 4), result("case-based", "b", 4, 0.9)], {}
    )
    assert told.conclusion is not None
    assert told.conclusion.value == "a"
    assert told.verdicts[0].dissent == ("case-based", "heuristic")
    assert told.verdicts[0].basis == "an exact method overrules statistical and heuristic ones"


def test_methods_of_one_kernel_are_one_voice() -> None:
    two = fuse_results([result("decision-theory", "a", 1), result("expected-utility", "a", 1)], {})
    assert two.verdicts[0].independent == 1
    three = fuse_results([result("decision-theory", "a", 1), result("satisficing", "a", 4)], {})
    assert three.verdicts[0].independent == 2


def test_equals_that_oppose_each_other_conclude_nothing() -> None:
    told = fuse_results([result("decision-theory", "a", 1), result("game-theory", "b", 1)], {})
    assert told.conclusion is None
    assert told.verdicts[0].basis == "equals oppose each other"


def test_what_two_methods_differ_in_is_told_as_the_cause() -> None:
    told = fuse_results(
        [result("bayesian", "a", 2, 0.8, ("F-1", "F-2")), result("case-based", "b", 4, 0.6, ("F-1", "C-3"))], {}
    )
    (one,) = told.disagreements
    assert (one.methods, one.only_first, one.only_second) == (("bayesian", "case-based"), ("F-2",), ("C-3",))
    assert told.verdicts[0].interval is not None


def test_figures_that_are_close_agree() -> None:
    close = fuse_results([result("monte-carlo", 10.02, 3), result("bayesian", 10.0, 2)], {})
    assert close.verdicts[0].dissent == ()
    far = fuse_results([result("monte-carlo", 12.0, 3), result("bayesian", 10.0, 2)], {})
    assert far.disagreements[0].kind == "magnitude"


def test_a_method_that_failed_is_left_out_with_the_reason() -> None:
    failed: MethodResult[None] = MethodResult("timeout", None, "", method="causal")
    assert fuse_results([failed, result("bayesian", "a", 2)], {}).ignored == {"causal": "it ended as timeout"}


def test_the_order_of_results_changes_nothing() -> None:
    held = [result("bayesian", "a", 2, 0.7), result("heuristic", "b", 4), result("case-based", "b", 4, 0.8)]
    assert len({repr(fuse_results(order, {"heuristic": 0.9})) for order in permutations(held)}) == 1
