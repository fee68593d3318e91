"""Norms: the contrary-to-duty cases of the literature, dilemmas, exceptions, and standard deontic logic."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import OutOfTime
from mabos.knowledge.reasoning.formal.deontic import Norms
from mabos.knowledge.reasoning.result import MethodResult
from tests.knowledge.reasoning.asking import ask, late


def normed(norms: list[dict[str, Any]], **more: Any) -> MethodResult[Any]:
    return ask("deontic", {"kind": "norms", "norms": norms, **more})


def norm(name: str, modality: str, act: Any, *conditions: Any, priority: int = 0) -> dict[str, Any]:
    return {"id": name, "modality": modality, "act": act, "if": list(conditions), "priority": priority}


def standard(goal: str, *formulas: str) -> MethodResult[Any]:
    return ask("deontic", {"kind": "norms", "formulas": list(formulas), "goal": goal})


def standing(result: MethodResult[Any]) -> dict[str, str]:
    return {one.norm: one.standing for one in result.answer.norms}


def test_chisholms_neighbour_who_does_not_go_must_not_say_that_he_comes() -> None:
    result = ask("deontic", dict(Norms.example))
    assert (result.status, result.answer.violated) == ("proved", ("help",))
    assert result.answer.to_do == ("not tell",)
    assert standing(result) == {"help": "violated", "no-warning": "open"}
    assert result.evidence == ("F-1", "no-warning")


def test_chisholm_is_inconsistent_in_standard_deontic_logic() -> None:
    assert standard("O t", "O g", "O(g -> t)", "~g -> O ~t", "~g").status == "inconsistent"


def test_forresters_murderer_must_murder_gently_and_has_violated_a_norm() -> None:
    norms = [
        norm("no murder", "forbidden", ["murder", "?x"], ["person", "?x"]),
        norm("gently", "obligatory", ["murder gently", "?x"], ["murder", "?x"]),
    ]
    facts = [["person", "Jones"], ["murder", "Jones"]]
    rules = [{"id": "strict", "if": [["murder gently", "?x"]], "then": ["murder", "?x"]}]
    result = normed(norms, facts=facts, rules=rules)
    assert standing(result) == {"no murder": "violated", "gently": "open"}
    assert result.answer.to_do == ("murder gently(Jones)",)
    assert result.answer.conflicting == ()


def test_forrester_is_inconsistent_in_standard_deontic_logic() -> None:
    assert standard("O m", "O ~m", "m -> O g", "O(g -> m)", "m").status == "inconsistent"


def test_the_fence_of_prakken_and_sergot_is_white_where_there_must_be_none() -> None:
    norms = [
        norm("no fence", "forbidden", ["fence"]),
        norm("white", "obligatory", ["white fence"], ["fence"]),
        norm("cliff", "permitted", ["fence"], ["near the edge"], priority=1),
    ]
    rules = [{"if": [["white fence"]], "then": ["fence"]}]
    assert standing(normed(norms, facts=[["fence"]], rules=rules)) == {"no fence": "violated", "white": "open"}
    by_cliff = normed(norms, facts=[["fence"], ["near the edge"]], rules=rules)
    assert standing(by_cliff) == {"cliff": "open", "no fence": "overridden", "white": "open"}


def test_sartres_student_is_in_a_dilemma_that_neither_norm_wins() -> None:
    norms = [norm("mother", "obligatory", ["stay"]), norm("country", "obligatory", ["join"])]
    rules = [{"if": [["join"]], "then": {"neg": ["stay"]}}]
    asked = {"modality": "obligatory", "act": ["stay"]}
    result = normed(norms, rules=rules, goal=asked)
    assert (result.status, result.answer.conflicting) == ("unknown", ("country", "mother"))
    higher = [norms[0], norm("country", "obligatory", ["join"], priority=1)]
    settled = normed(higher, rules=rules, goal=asked)
    assert (settled.status, standing(settled)) == ("disproved", {"country": "open", "mother": "overridden"})
    assert settled.answer.entailed == ("not stay",)


def test_platos_friend_in_a_rage_does_not_get_his_weapon_back() -> None:
    norms = [
        norm("promise", "obligatory", ["return", "weapon"]),
        norm("harm", "forbidden", ["return", "weapon"], ["enraged", "friend"], priority=1),
    ]
    facts = [{"id": "F", "atom": ["enraged", "friend"], "confidence": 0.8}]
    result = normed(norms, facts=facts, goal={"modality": "forbidden", "act": ["return", "weapon"]})
    assert (result.status, result.confidence, result.evidence) == ("proved", 0.8, ("F", "harm"))


def test_a_duty_that_a_higher_one_kept_from_being_met_is_not_violated() -> None:
    norms = [norm("promise", "obligatory", ["meet"]), norm("rescue", "obligatory", ["save"], priority=1)]
    rules = [{"if": [["save"]], "then": {"neg": ["meet"]}}]
    assert standing(normed(norms, facts=[["save"]], rules=rules)) == {"rescue": "fulfilled", "promise": "overridden"}


def test_what_nothing_forbids_is_permitted_as_far_as_the_norms_go() -> None:
    asked = {"modality": "permitted", "act": ["smoke"]}
    result = normed([norm("n", "forbidden", ["run"])], goal=asked)
    assert (result.status, result.assumptions) == ("proved", ("no other norms apply",))
    assert normed([norm("n", "forbidden", ["smoke"])], goal=asked).status == "disproved"


@pytest.mark.parametrize(
    ("goal", "premises", "status"),
    [
        ("P p", ["O p"], "proved"),  # what ought to be may be
        ("~(O p & O ~p)", [], "proved"),  # no dilemmas
        ("O(p | q)", ["O p"], "proved"),  # Ross: post the letter, or burn it
        ("p", ["O p"], "unknown"),  # what ought to be need not be
        ("O q", ["O(p -> q)", "O p"], "proved"),
        ("O p", ["O O p"], "unknown"),
    ],
)
def test_standard_deontic_logic_says_what_its_textbooks_do(goal: str, premises: list[str], status: str) -> None:
    assert standard(goal, *premises).status == status


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ({"norms": [norm("a", "obligatory", ["p"]), norm("a", "forbidden", ["q"])]}, "two norms are called 'a'"),
        ({"norms": [norm("a", "obligatory", ["p", "?x"])]}, r"rule a: \?x is in none of its plain conditions"),
        ({"norms": [norm("a", "obligatory", ["p"])], "goal": "O p"}, "not both"),
        ({}, "there are no norms"),
        ({"formulas": ["O p(a)"], "goal": "O p"}, "#1: .* letters have no terms"),
    ],
)
def test_what_cannot_be_is_refused(problem: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("deontic", {"kind": "norms", **problem})


def test_facts_that_contradict_each_other_are_inconsistent() -> None:
    result = normed([norm("a", "obligatory", ["p"])], facts=[["q"], {"id": "F-2", "atom": {"neg": ["q"]}}])
    assert (result.status, result.evidence) == ("inconsistent", ("F-2",))


def test_hostile_acts_are_only_names() -> None:
    act = ["\"). :- true. %\n__import__('os')"]
    norms = [norm("a", "obligatory", act), norm("b", "forbidden", act)]
    assert normed(norms).answer.conflicting == ("a", "b")


def test_no_time_is_a_timeout() -> None:
    with pytest.raises(OutOfTime):
        late("deontic", dict(Norms.example), looks=2)


acts = st.sampled_from(["p", "q", "r"])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["obligatory", "forbidden"]), acts, st.integers(0, 2)), min_size=1, max_size=5),
    st.lists(st.tuples(acts, acts), max_size=2),
)
def test_of_duties_in_conflict_none_gives_way_to_a_lower_one(
    duties: list[tuple[str, str, int]], excludes: list[tuple[str, str]]
) -> None:
    norms = [norm(f"n{at}", modality, [act], priority=by) for at, (modality, act, by) in enumerate(duties)]
    rules = [{"if": [[one]], "then": {"neg": [other]}} for one, other in excludes if one != other]
    found = standing(normed(norms, rules=rules))
    highest = max(by for _, _, by in duties)
    top = [at for at, (_, _, by) in enumerate(duties) if by == highest]
    assert all(found[f"n{at}"] in ("open", "conflicting") for at in top)
    said = {
        (modality == "obligatory", act) for at, (modality, act, _) in enumerate(duties) if found[f"n{at}"] == "open"
    }
    assert not any((not holds, act) in said for holds, act in said)
    assert not any((True, one) in said and (True, other) in said for one, other in excludes if one != other)


def test_where_too_many_duties_conflict_the_answer_is_not_claimed() -> None:
    norms = [norm(f"{way}{act}", way, [f"act {act}"]) for act in range(8) for way in ("obligatory", "forbidden")]
    result = normed(norms, goal={"modality": "obligatory", "act": ["act 0"]})
    assert (result.status, result.confidence) == ("unknown", None)
    assert result.assumptions[-1] == "of the ways to meet the duties in conflict only 64 were weighed"
