"""Counterfactual: the firing squad, the traveller and the courtroom of Pearl 2009; bounds of Tian and Pearl 2000."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.knowledge.reasoning.causal.structures import StructuralModel
from tests.knowledge.reasoning.asking import ask, late


def court(**more: Any) -> dict[str, Any]:
    """Return the drug that may have killed: a trial, and what those who chose did (Causality, table 9.2)."""
    problem = {
        "kind": "causal_model",
        "variables": {"drug": {}, "dies": {"parents": ["drug"]}},
        "confounded": [["drug", "dies"]],
        "counts": {"over": ["drug", "dies"], "values": [2, 998, 28, 972]},
        "trial": {"true": {"true": 0.016, "false": 0.984}, "false": {"true": 0.014, "false": 0.986}},
        "treatment": "drug",
        "outcome": "dies",
    }
    return {**problem, **more}


def test_the_prisoner_would_be_dead_had_rifleman_a_not_shot() -> None:
    result = ask("counterfactual", dict(StructuralModel.example))
    p, q = 0.7, 0.1
    assert result.answer.distribution["0"] == pytest.approx(q * (1 - p) / (1 - (1 - q) * (1 - p)))
    assert result.answer.evidence_probability == pytest.approx(1 - (1 - q) * (1 - p))
    assert [step.by for step in result.trace] == ["abduction", "action", "prediction"]


def test_in_the_deterministic_squad_the_other_rifleman_would_have_killed() -> None:
    squad = {**StructuralModel.example, "noise": {"order": 0.5, "nerves": 0.0}}
    assert ask("counterfactual", squad).answer.distribution == {"1": 1.0}


def test_the_desert_traveller_dies_either_way() -> None:
    problem = {
        "kind": "structural_model",
        "noise": {"poisons": 0.5, "shoots": 0.5},
        "equations": {
            "poisoned canteen": "poisons",
            "emptied canteen": "shoots",
            "cyanide": "min(poisoned_canteen, 1 - emptied_canteen)",
            "death": "max(cyanide, emptied_canteen)",
        },
        "evidence": {"poisoned canteen": 1, "emptied canteen": 1},
        "do": {"emptied canteen": 0},
        "outcome": "death",
    }
    assert ask("counterfactual", problem).answer.distribution == {"1": 1.0}
    assert ask("counterfactual", {**problem, "do": {"emptied canteen": 0, "poisoned canteen": 0}}).answer.mean == 0


def test_the_drug_was_to_blame_for_certain() -> None:
    answer = ask("counterfactual", court()).answer
    assert answer.necessity == pytest.approx((1.0, 1.0))
    assert answer.sufficiency == pytest.approx((0.002, 0.031), abs=5e-4)
    assert answer.both == pytest.approx((0.002, 0.016))


def test_leukaemia_near_the_nuclear_test_site_under_monotonicity() -> None:
    """Finkelstein and Levin 1990, as in Causality section 9.2.5."""
    problem = {
        "kind": "causal_model",
        "variables": {"exposed": {}, "dies": {"parents": ["exposed"]}},
        "counts": {"over": ["exposed", "dies"], "values": [30, 69130, 16, 59010]},
        "treatment": "exposed",
        "outcome": "dies",
        "monotonic": True,
    }
    answer = ask("counterfactual", problem).answer
    assert answer.necessity == pytest.approx((0.37535, 0.37535), abs=5e-4)
    assert answer.sufficiency == pytest.approx((0.0001627, 0.0001627), abs=1e-6)
    free = ask("counterfactual", {**problem, "monotonic": False}).answer
    assert free.necessity == pytest.approx((0.37535, 1.0), abs=5e-4)


def test_a_trial_and_observation_that_exclude_each_other_are_inconsistent() -> None:
    trial = {"true": {"true": 0.9, "false": 0.1}, "false": {"true": 0.01, "false": 0.99}}
    assert ask("counterfactual", court(trial=trial)).status == "inconsistent"


def test_a_trial_alone_bounds_necessity_and_sufficiency_together() -> None:
    answer = ask("counterfactual", court(counts=None, confounded=[])).answer
    assert answer.both == pytest.approx((0.002, 0.016))
    assert answer.necessity is None


def test_direct_and_indirect_effects_of_a_linear_chain() -> None:
    problem = {
        "kind": "causal_model",
        "variables": {
            "x": {"table": [0.4]},
            "m": {"parents": ["x"], "table": [0.7, 0.2]},
            "y": {"parents": ["x", "m"], "table": [0.9, 0.6, 0.5, 0.2]},
        },
        "treatment": "x",
        "outcome": "y",
    }
    answer = ask("counterfactual", problem).answer
    assert answer.direct == pytest.approx(0.4)
    assert answer.indirect == pytest.approx(0.5 * 0.3)
    assert answer.average == pytest.approx(answer.direct + answer.indirect)


def test_what_cannot_have_happened_is_inconsistent() -> None:
    problem = {**StructuralModel.example, "evidence": {"captain": 1, "death": 0}}
    assert ask("counterfactual", problem).status == "inconsistent"


def test_a_late_answer_is_given_up() -> None:
    assert ask("counterfactual", court(), seconds=1e-9).status == "timeout"
    with pytest.raises(Exception, match="time"):
        late("counterfactual", dict(StructuralModel.example), looks=2)


weights = st.lists(st.integers(1, 9), min_size=8, max_size=8)


@settings(max_examples=30, deadline=None)
@given(weights)
def test_bounds_hold_the_truth_of_every_population(counts: list[int]) -> None:
    """A unit is treated or not, and would have the event with and without: all eight types are enumerated."""
    types = list(product((1, 0), repeat=3))
    total = sum(counts)
    held = dict(zip(types, counts, strict=True))

    def share(*conditions: Any) -> float:
        return sum(count for one, count in held.items() if all(test(*one) for test in conditions)) / total

    seen = [
        share(lambda x, y1, y0, a=a, b=b: x == a and (y1 if x else y0) == b) * total for a in (1, 0) for b in (1, 0)
    ]
    with_, without = share(lambda _x, y1, _y0: y1), share(lambda _x, _y1, y0: y0)
    trial = {"true": {"true": with_, "false": 1 - with_}, "false": {"true": without, "false": 1 - without}}
    answer = ask("counterfactual", court(counts={"over": ["drug", "dies"], "values": seen}, trial=trial)).answer
    helped = share(lambda x, y1, y0: x and y1 and not y0) / share(lambda x, y1, _y0: x and y1)
    assert answer.necessity[0] - 1e-6 <= helped <= answer.necessity[1] + 1e-6
    both = share(lambda _x, y1, y0: y1 and not y0)
    assert answer.both[0] - 1e-6 <= both <= answer.both[1] + 1e-6
    treated = share(lambda x, *_: x)
    on_treated = (share(lambda x, y1, _: x and y1) - share(lambda x, _, y0: x and y0)) / treated
    assert answer.on_the_treated == pytest.approx(on_treated, abs=1e-6)
    low = max(0, with_ - without)
    assert answer.both[0] >= low - 1e-6


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0.05, 0.95), min_size=3, max_size=3))
def test_necessity_in_equations_is_that_of_enumeration(shares: list[float]) -> None:
    problem = {
        "kind": "structural_model",
        "noise": dict(zip(("u", "v", "w"), shares, strict=True)),
        "equations": {"x": "u", "y": "max(min(x, v), w)"},
        "outcome": "y",
        "treatment": "x",
    }
    answer = ask("counterfactual", problem).answer
    _, v, w = shares
    assert answer.necessity == pytest.approx(v * (1 - w) / (v + w - v * w))
    assert answer.sufficiency == pytest.approx(v)
    assert answer.both == pytest.approx(v * (1 - w))
