"""Deduction from facts and rules: textbook syllogisms and programs, Logic-LM's programs, and brute force."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest
from mabos.knowledge.reasoning.formal.horn import Horn
from mabos.knowledge.reasoning.premises import KnownPremise
from mabos.knowledge.reasoning.problem import Premise
from tests.knowledge.reasoning import logic_lm
from tests.knowledge.reasoning.asking import ask, late

FAMILY = {
    "facts": [["parent", "Ann", "Bo"], ["parent", "Bo", "Cy"], ["parent", "Cy", "Di"]],
    "rules": [
        {"id": "base", "if": [["parent", "?x", "?y"]], "then": ["ancestor", "?x", "?y"]},
        {"id": "step", "if": [["parent", "?x", "?y"], ["ancestor", "?y", "?z"]], "then": ["ancestor", "?x", "?z"]},
    ],
}
TWEETY = {
    "facts": [["bird", "Tweety"], ["bird", "Opus"], ["penguin", "Opus"]],
    "rules": [{"id": "R", "if": [["bird", "?x"], {"not": ["penguin", "?x"]}], "then": ["flies", "?x"]}],
}


def horn(**fields: Any) -> dict[str, Any]:
    return {"kind": "horn", **fields}


def test_socrates_is_mortal() -> None:
    result = ask("deductive", dict(Horn.example))
    assert (result.status, result.answer.holds, result.confidence) == ("proved", True, 1.0)
    assert result.evidence == ("R-1",)
    assert [step.says for step in result.trace] == ["man(Socrates) (1)", "mortal(Socrates) (1)"]


def test_the_ancestors_of_a_line_are_its_transitive_closure() -> None:
    result = ask("deductive", horn(**FAMILY, goal=["ancestor", "Ann", "?who"]))
    assert sorted(one.values["?who"] for one in result.answer.bindings) == ["Bo", "Cy", "Di"]


def test_wests_crime_of_russell_and_norvig() -> None:
    rules = [
        {
            "id": "crime",
            "if": [["american", "?x"], ["weapon", "?y"], ["sells", "?x", "?y", "?z"], ["hostile", "?z"]],
            "then": ["criminal", "?x"],
        },
        {"if": [["missile", "?m"], ["owns", "Nono", "?m"]], "then": ["sells", "West", "?m", "Nono"]},
        {"if": [["missile", "?m"]], "then": ["weapon", "?m"]},
        {"if": [["enemy", "?x", "America"]], "then": ["hostile", "?x"]},
    ]
    facts = [["owns", "Nono", "M1"], ["missile", "M1"], ["american", "West"], ["enemy", "Nono", "America"]]
    result = ask("deductive", horn(facts=facts, rules=rules, goal=["criminal", "?who"]))
    assert [one.values for one in result.answer.bindings] == [{"?who": "West"}]
    assert result.trace[-1].by == "rule crime"


def test_in_a_closed_world_birds_fly_unless_they_are_known_to_be_penguins() -> None:
    def flies(name: str) -> str:
        return ask("deductive", horn(**TWEETY, goal=["flies", name], semantics="cwa")).status

    assert (flies("Tweety"), flies("Opus")) == ("proved", "disproved")


def test_absence_decides_nothing_in_an_open_world() -> None:
    with pytest.raises(InvalidArgument, match='rule R has "not"'):
        ask("deductive", horn(**TWEETY, goal=["flies", "Opus"]))
    assert ask("deductive", horn(facts=[["kind", "Bob"]], goal=["rough", "Bob"])).status == "unknown"


def test_the_game_that_a_position_without_moves_loses_needs_strata() -> None:
    win = {"id": "win", "if": [["move", "?x", "?y"], {"not": ["win", "?y"]}], "then": ["win", "?x"]}
    with pytest.raises(InvalidArgument, match="rule win depends on the absence of its own conclusion"):
        ask("deductive", horn(facts=[["move", "a", "b"]], rules=[win], goal=["win", "a"], semantics="cwa"))


def test_what_follows_and_is_denied_is_inconsistent_and_named() -> None:
    rule = {"if": [["quaker", "?x"]], "then": ["pacifist", "?x"]}
    hawk = {"if": [["republican", "?x"]], "then": {"neg": ["pacifist", "?x"]}}
    facts = [["quaker", "Nixon"], ["republican", "Nixon"]]
    result = ask("deductive", horn(facts=facts, rules=[rule, hawk], goal=["pacifist", "Nixon"]))
    assert (result.status, result.answer.contradictions) == ("inconsistent", ("pacifist(Nixon)",))


def test_the_confidence_is_that_of_the_best_derivation() -> None:
    facts = [{"atom": ["a"], "confidence": 0.5}, {"atom": ["b"], "confidence": 0.9, "id": "F-b"}]
    rules = [
        {"if": [["a"]], "then": ["goal"], "factor": 1.0},
        {"id": "R-b", "if": [["b"]], "then": ["c"], "factor": 0.9},
        {"id": "R-c", "if": [["c"]], "then": ["goal"], "factor": 0.9},
    ]
    result = ask("deductive", horn(facts=facts, rules=rules, goal=["goal"]))
    assert result.confidence == pytest.approx(0.9 * 0.9 * 0.9)
    assert result.evidence == ("F-b", "R-b", "R-c")


def test_amounts_are_compared_by_value() -> None:
    rules = [{"if": [["runway", "?c", "?m"], {"compare": ["?m", "<", "6"]}], "then": ["at_risk", "?c"]}]
    facts = [["runway", "Acme", 5.5], ["runway", "Best", "12"]]
    result = ask("deductive", horn(facts=facts, rules=rules, goal=["at_risk", "?c"]))
    assert [one.values["?c"] for one in result.answer.bindings] == ["Acme"]


def test_facts_and_rules_of_an_agent_are_premises_by_id() -> None:
    mind = {
        "F-1": KnownPremise(Premise(id="F-1", subject="Acme", predicate="churn", object="high", confidence=0.8), 0.8),
        "RULE-7": KnownPremise(
            {"id": "RULE-7", "if": [["churn", "?c", "high"]], "then": ["risk", "?c", "yes"], "factor": 0.9}
        ),
    }
    problem = horn(premises=["F-1", "RULE-7"], goal=["risk", "Acme", "yes"])
    result = Engine(mind.__getitem__).reason(ReasoningRequest(problem, method="deductive")).result
    assert (result.status, result.evidence) == ("proved", ("F-1", "RULE-7"))
    assert result.confidence == pytest.approx(0.72)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"rules": [{"id": "R-9", "if": [["a", "?x"]], "then": ["b", "?y"]}]}, r"\?y is in none of its plain"),
        ({"facts": [{"id": "F-1"}]}, "facts.0: {'id': 'F-1'} is not an atom like"),
        ({"rules": [{"if": [{"nt": ["a"]}], "then": ["b"]}]}, r"rules.0.if.0: {'nt': \['a'\]} is not an atom like"),
        ({"facts": [["a", "?x"]]}, r"the fact a\(\?x\) has a variable"),
        ({"rules": [{"id": "R-9", "if": [["a"], {"compare": ["1", "~", "2"]}], "then": ["b"]}]}, "no operator '~'"),
        ({"rules": [{"id": "R-9", "if": [["?p", "x"]], "then": ["b"]}]}, r"the predicate \?p is a variable"),
    ],
)
def test_what_cannot_be_is_refused_with_the_rule_named(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("deductive", horn(**fields, goal=["b"]))


def test_more_than_can_be_held_is_refused() -> None:
    pairs = [["e", str(one), str(other)] for one in range(30) for other in range(30)]
    chain = [["e", "?a", "?b"], ["e", "?b", "?c"], ["e", "?c", "?d"]]
    rule = {"if": chain, "then": ["r", "?a", "?b", "?c", "?d"]}
    with pytest.raises(InvalidArgument, match="100,001 facts that follow are more than"):
        ask("deductive", horn(facts=pairs, rules=[rule], goal=["r", "1", "2", "3", "4"]))


def test_hostile_names_are_only_names() -> None:
    name = "\"). :- true. % __import__('os')\n?"
    facts = [["man", name], ["man", ""]]
    rules = [{"if": [["man", "?x"]], "then": ["mortal", "?x"]}]
    assert ask("deductive", horn(facts=facts, rules=rules, goal=["mortal", name])).status == "proved"


def test_when_time_is_up_what_followed_by_then_is_told() -> None:
    facts = [["edge", str(n), str(n + 1)] for n in range(300)]
    rules = [
        {"if": [["edge", "?x", "?y"]], "then": ["path", "?x", "?y"]},
        {"if": [["path", "?x", "?y"], ["path", "?y", "?z"]], "then": ["path", "?x", "?z"]},
    ]
    result = late("deductive", horn(facts=facts, rules=rules, goal=["path", "0", "300"]), looks=2_000)
    assert (result.status, result.answer.holds) == ("timeout", None)
    assert result.answer.derived > 0


ATOMS = [(predicate, thing) for predicate in "pqr" for thing in "ab"]
RULES = st.tuples(
    st.lists(st.sampled_from("pqr"), min_size=1, max_size=2), st.sampled_from("pqr"), st.sampled_from([0.5, 0.8, 1.0])
)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from(ATOMS), st.sampled_from([0.3, 0.7, 1.0])), st.lists(RULES, max_size=6))
def test_confidences_are_the_least_fixed_point_of_the_formula(
    stated: dict[tuple[str, str], float], rules: list[tuple[list[str], str, float]]
) -> None:
    sure = dict(stated)
    for _, (body, head, factor), thing in product(range(12), rules, "ab"):
        supports = [sure.get((one, thing), 0.0) for one in body]
        sure[head, thing] = max(sure.get((head, thing), 0.0), min(supports) * factor)
    facts = [{"atom": list(atom), "confidence": confidence} for atom, confidence in stated.items()]
    told = [{"if": [[one, "?x"] for one in body], "then": [head, "?x"], "factor": by} for body, head, by in rules]
    for predicate, thing in ATOMS:
        result = ask("deductive", horn(facts=facts, rules=told, goal=[predicate, thing]))
        expected = sure.get((predicate, thing), 0.0)
        assert result.confidence == (pytest.approx(expected) if expected else None)


@pytest.mark.parametrize(("name", "share", "otherwise"), [("proofwriter", 0.97, "C"), ("prontoqa", 0.832, "B")])
def test_the_programs_of_logic_lm_give_the_share_of_right_answers_that_is_published(
    name: str, share: float, otherwise: str
) -> None:
    questions = logic_lm.rows(name)
    if not questions:
        pytest.skip("the programs of Logic-LM are not in ../shared/data/reasoning")
    right = 0
    for row in questions:
        try:
            problem = logic_lm.horn(logic_lm.program(row))
        except (ValueError, KeyError):
            continue  # not a program
        holds = ask("deductive", problem).answer.holds
        right += {True: "A", False: "B", None: otherwise}[holds] == row["answer"]
    print(f"{name}: {right}/{len(questions)} right")
    assert right / len(questions) >= share
