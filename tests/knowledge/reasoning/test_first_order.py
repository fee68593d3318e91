"""First-order consequence: textbook arguments, the gold formulas of FOLIO, truth tables, and small models."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import OutOfTime
from mabos.knowledge.reasoning.formal.first_order import FirstOrder
from mabos.knowledge.reasoning.kernels.formula import Atom, Formula, JoinedFormula, Quantified, parse
from mabos.knowledge.reasoning.result import MethodResult
from tests.knowledge.reasoning.asking import ask, late

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning"


def follows(goal: str, *premises: Any, **more: Any) -> MethodResult[Any]:
    return ask("deductive", {"kind": "fol", "premises": list(premises), "goal": goal, **more})


def test_socrates_is_mortal() -> None:
    result = ask("deductive", dict(FirstOrder.example))
    assert (result.status, result.evidence, result.confidence) == ("proved", ("B-1",), 1.0)


@pytest.mark.parametrize(
    ("premises", "goal", "status"),
    [
        (["forall x (M(x) -> P(x))", "forall x (S(x) -> M(x))"], "forall x (S(x) -> P(x))", "proved"),  # Barbara
        (["forall x (M(x) -> ~P(x))", "forall x (S(x) -> M(x))"], "forall x (S(x) -> ~P(x))", "proved"),  # Celarent
        (["forall x (M(x) -> P(x))", "exists x (S(x) & M(x))"], "exists x (S(x) & P(x))", "proved"),  # Darii
        (["forall x (P(x) -> M(x))", "forall x (S(x) -> M(x))"], "forall x (S(x) -> P(x))", "unknown"),  # undistributed
        (["exists y forall x L(x, y)"], "forall x exists y L(x, y)", "proved"),
        (["forall x exists y L(x, y)"], "exists y forall x L(x, y)", "unknown"),
        ([], "exists x (Drinks(x) -> forall y Drinks(y))", "proved"),  # Smullyan's drinker
        ([], "exists x forall y (Shaves(x, y) <-> ~Shaves(y, y))", "disproved"),  # Russell's barber
        (["a = b", "P(a)"], "P(b)", "proved"),
        (["P(a)", "~P(b)"], "a != b", "proved"),
        (["P", "~P"], "Q", "inconsistent"),
    ],
)
def test_textbook_arguments_are_decided(premises: list[str], goal: str, status: str) -> None:
    assert follows(goal, *premises).status == status


def test_schuberts_way_of_one_wolf_is_a_chain_through_what_exists() -> None:
    premises = [
        "forall x (Wolf(x) -> Animal(x))",
        "forall x (Animal(x) -> exists y (Plant(y) & Eats(x, y)))",
        "exists x Wolf(x)",
    ]
    assert follows("exists x exists y (Wolf(x) & Plant(y) & Eats(x, y))", *premises).status == "proved"


def test_what_has_only_infinite_models_is_not_decided_and_the_bound_is_said() -> None:
    order = [
        "forall x ~Less(x, x)",
        "forall x forall y forall z (Less(x, y) & Less(y, z) -> Less(x, z))",
        "forall x exists y Less(x, y)",
    ]
    result = follows("P(a)", *order)
    assert (result.status, result.answer.holds, result.answer.independent) == ("unknown", None, False)
    assert result.assumptions == ("no model of up to 2 more things, no contradiction to depth 2",)


def test_a_countermodel_is_told_as_the_atoms_that_are_true() -> None:
    result = follows("Q(a)", "P(a)", "forall x (P(x) -> Q(x) | R(x))")
    assert result.answer.countermodel == ("P(a)", "R(a)")


def test_the_premises_that_are_not_needed_are_not_evidence() -> None:
    premises = [{"id": "p1", "says": "P(a)"}, {"id": "p2", "says": "R(b)"}, {"id": "p3", "says": "∀x (P(x) → Q(x))"}]
    assert follows("Q(a)", *premises).evidence == ("p1", "p3")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("∀x P(x) → Q(x)", "∀x (P(x) → Q(x))"),
        ("∀x (P(x)) → Q(a)", "∀x P(x) → Q(a)"),
        ("p & q | r -> s", "((p ∧ q) ∨ r) → s"),
        ("not p or q iff r", "(¬p ∨ q) ↔ r"),
        ("p -> q -> r", "p → (q → r)"),
        ("forall x, y: L(x, y)", "∀x ∀y L(x, y)"),
    ],
)
def test_formulas_are_read_as_they_bind(text: str, told: str) -> None:
    assert str(parse(text)) == told


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("P(a", r"expected '\)' at character 3, found the end"),
        ("P(f(a))", r"f\(...\) is a function"),
        ("P(a) & P(a, b)", "'P' has"),
        ("[]p", "a problem of kind modal"),
        ("(" * 90 + "p" + ")" * 90, "nested at most 60 levels"),
        ("__import__('os').system('x')", "is not a formula: expected .* at character 16"),
    ],
)
def test_what_is_no_formula_is_refused_where_it_fails(goal: str, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        follows(goal)


def test_too_many_ground_instances_are_refused_before_they_are_built() -> None:
    names = " & ".join(f"P(c{number})" for number in range(40))
    with pytest.raises(InvalidArgument, match="ground instances are more than"):
        follows("Q", names, "forall x, y, z, u: R(x, y, z, u)")


def test_no_time_is_a_timeout() -> None:
    with pytest.raises(OutOfTime):
        late("deductive", dict(FirstOrder.example), looks=3)
    assert ask("deductive", dict(FirstOrder.example), seconds=1e-9).status == "timeout"


propositions = st.recursive(
    st.sampled_from(["p", "q", "r", "⊤", "⊥"]),
    lambda inner: st.one_of(
        inner.map(lambda one: f"¬({one})"),
        st.tuples(inner, st.sampled_from("∧∨→↔⊕"), inner).map(lambda told: f"({told[0]} {told[1]} {told[2]})"),
    ),
    max_leaves=8,
)
monadic = st.recursive(
    st.sampled_from(["P(x)", "P(a)", "R(x, y)", "R(y, x)", "R(a, y)", "Q(y)"]),
    lambda inner: st.one_of(
        inner.map(lambda one: f"¬({one})"),
        st.tuples(st.sampled_from(["∀x", "∃x", "∀y", "∃y"]), inner).map(lambda told: f"{told[0]} ({told[1]})"),
        st.tuples(inner, st.sampled_from("∧∨→"), inner).map(lambda told: f"({told[0]} {told[1]} {told[2]})"),
    ),
    max_leaves=5,
)


def is_true(  # noqa: PLR0911  # one return for each form of a formula
    formula: Formula, model: frozenset[tuple[str, ...]], size: int, values: dict[str, str]
) -> bool:
    def inner(one: Formula) -> bool:
        return is_true(one, model, size, values)

    match formula:
        case Atom():
            return (formula.predicate, *(values.get(term, term) for term in formula.terms)) in model
        case Quantified():
            instances = [is_true(formula.body, model, size, {**values, formula.variable: str(n)}) for n in range(size)]
            return all(instances) if formula.every else any(instances)
        case JoinedFormula(op="not"):
            return not inner(formula.parts[0])
        case JoinedFormula(op="and"):
            return all(map(inner, formula.parts))
        case JoinedFormula(op="or"):
            return any(map(inner, formula.parts))
        case JoinedFormula(op="implies"):
            return not inner(formula.parts[0]) or inner(formula.parts[1])
    return (inner(formula.parts[0]) == inner(formula.parts[1])) is (formula.op == "iff")


@settings(max_examples=30, deadline=None)
@given(st.lists(propositions, max_size=2), propositions)
def test_propositions_follow_as_truth_tables_say(premises: list[str], goal: str) -> None:
    rows = [
        frozenset((name,) for name, true in zip("pqr", row, strict=True) if true) for row in product([0, 1], repeat=3)
    ]
    kept = [row for row in rows if all(is_true(parse(one), row, 1, {}) for one in premises)]
    said = {is_true(parse(goal), row, 1, {}) for row in kept}
    expected = (
        "inconsistent" if not said else "unknown" if len(said) == 2 else "proved" if True in said else "disproved"
    )
    assert follows(goal, *premises).status == expected


@settings(max_examples=40, deadline=None)
@given(monadic, monadic)
def test_no_small_model_contradicts_what_is_decided(premise: str, goal: str) -> None:
    status = follows(f"∀x ∀y ({goal})", f"∃x ∃y ({premise})").status
    read = parse(f"∃x ∃y ({premise})"), parse(f"∀x ∀y ({goal})")
    atoms = [("P", "0"), ("P", "1"), ("Q", "0"), ("Q", "1"), *(("R", *pair) for pair in product("01", repeat=2))]
    seen = set()
    for row in product([False, True], repeat=len(atoms)):
        model = frozenset(atom for atom, true in zip(atoms, row, strict=True) if true)
        if is_true(read[0], model, 2, {"a": "0"}):
            seen.add(is_true(read[1], model, 2, {"a": "0"}))
    possible = {"proved": {True}, "disproved": {False}, "inconsistent": set[bool]()}
    assert seen <= possible.get(status, {True, False})


def test_the_gold_formulas_of_folio_are_read_and_decided() -> None:
    path = DATA / "deductive" / "folio_gold_fol.jsonl"
    if not path.exists():
        pytest.skip("the formulas of FOLIO are not in ../shared/data/reasoning")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    read = right = 0
    for row in rows:
        try:
            status = follows(row["conclusion-FOL"], *row["premises-FOL"]).status
        except InvalidArgument:
            continue
        read += 1
        right += {"proved": "True", "disproved": "False"}.get(status, "Uncertain") == row["label"]
    print(f"FOLIO: {read} read, {right} right of {len(rows)}")
    assert read / len(rows) >= 0.97
    assert right / len(rows) >= 0.92


def test_boolean_expressions_have_the_value_that_is_printed() -> None:
    path = DATA / "bbh" / "boolean_expressions.jsonl"
    if not path.exists():
        pytest.skip("boolean_expressions is not in ../shared/data/reasoning")
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        text = row["input"].removesuffix(" is").replace("True", "⊤").replace("False", "⊥")
        assert follows(text).answer.holds is (row["target"] == "True")


def test_webs_of_lies_are_untangled() -> None:
    path = DATA / "bbh" / "web_of_lies.jsonl"
    if not path.exists():
        pytest.skip("web_of_lies is not in ../shared/data/reasoning")
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        *said, asked = row["input"].removeprefix("Question: ").replace("?", ".").strip(". ").split(". ")
        premises = []
        for one in said:
            who, says, what = one.partition(" says ")
            name = (what or who).split()[0]
            claim = f'"{name}"' if "truth" in one else f'¬"{name}"'
            premises.append(f'"{who}" ↔ {claim}' if says else claim)
        assert follows(f'"{asked.split()[1]}"', *premises).answer.holds is (row["target"] == "Yes")
