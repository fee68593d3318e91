"""Modal logic: the axioms that tell the logics apart, the arguments of pytableaux, and models by enumeration."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import OutOfTime
from mabos.knowledge.reasoning.formal.modal import ModalArgument
from mabos.knowledge.reasoning.kernels.formula import Atom, Formula, JoinedFormula, parse
from mabos.knowledge.reasoning.kernels.kripke import FRAMES
from mabos.knowledge.reasoning.result import MethodResult
from tests.knowledge.reasoning.asking import ask, late

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "modal" / "pytableaux_arguments.jsonl"


def judged(goal: str, *premises: str, logic: str = "K", **more: Any) -> MethodResult[Any]:
    return ask("modal", {"kind": "modal", "logic": logic, "premises": list(premises), "goal": goal, **more})


AXIOMS = {
    "K: [](p -> q) -> ([]p -> []q)": set(FRAMES),
    "D: []p -> <>p": {"D", "T", "B", "KD45", "S4", "S5"},
    "T: []p -> p": {"T", "B", "S4", "S5"},
    "B: p -> []<>p": {"B", "KB4", "S5"},
    "4: []p -> [][]p": {"K4", "KB4", "K45", "KD45", "S4", "S5"},
    "5: <>p -> []<>p": {"KB4", "K45", "KD45", "S5"},
    "dual: <>p <-> ~[]~p": set(FRAMES),
    "Lob: []([]p -> p) -> []p": set(),
    "McKinsey: []<>p -> <>[]p": set(),
}


@pytest.mark.parametrize("axiom", AXIOMS)
def test_an_axiom_is_valid_in_just_the_logics_that_have_it(axiom: str) -> None:
    formula = axiom.split(": ", 1)[1]
    assert {logic for logic in FRAMES if judged(formula, logic=logic).answer.valid} == AXIOMS[axiom]


def test_what_is_always_known_in_s4_is_known_to_be_known() -> None:
    result = ask("modal", dict(ModalArgument.example))
    assert (result.status, result.answer.valid, result.confidence) == ("proved", True, 1.0)


def test_a_countermodel_can_be_checked_by_hand() -> None:
    result = judged("[]p", "p")
    assert (result.status, result.answer.valid) == ("unknown", False)
    (first, letters), *_ = result.answer.countermodel.worlds
    assert (first, letters) == ("w0", ("p",))
    assert ("w0", "w1") in result.answer.countermodel.sees


def test_premises_without_a_world_are_inconsistent() -> None:
    assert judged("q", "[]p", "[]~p", logic="D").status == "inconsistent"
    assert judged("q", "[]p", "[]~p", logic="K").status == "unknown"


def test_where_there_are_too_many_letters_only_a_bound_is_claimed() -> None:
    many = " & ".join(f"[]p{number}" for number in range(10))
    result = judged("[]p3", many, worlds=2)
    assert (result.status, result.answer.valid, result.confidence) == ("unknown", None, None)
    assert result.assumptions == ("no countermodel of up to 2 worlds; larger ones were not looked at",)
    assert judged("[]q", many).answer.valid is False


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("[]P(a)", "letters have no terms"),
        ("forall x p", "nothing is quantified"),
        ("[]", "the end"),
        ("p" + " <-> (p" * 40 + ")" * 40, "written out"),
    ],
)
def test_what_is_no_modal_formula_is_refused(goal: str, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        judged(goal)


def test_hostile_letters_are_only_letters() -> None:
    assert judged("\"). :- true. %\n__import__('os')\"".replace('"', "'").join('""'), logic="T").answer.valid is False


def test_no_time_is_a_timeout() -> None:
    big = " & ".join(f"<>p{number}" for number in range(6))
    with pytest.raises(OutOfTime):
        late("modal", {"kind": "modal", "goal": big}, looks=50)


modal_formulas = st.recursive(
    st.sampled_from(["p", "q"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("¬□◇"), inner).map(lambda told: f"{told[0]}({told[1]})"),
        st.tuples(inner, st.sampled_from("∧∨→↔"), inner).map(lambda told: f"({told[0]} {told[1]} {told[2]})"),
    ),
    max_leaves=5,
)
Sight = frozenset[tuple[int, int]]
PAIRS = [(0, 0), (0, 1), (1, 0), (1, 1)]


def is_true(formula: Formula, at: int, letters: tuple[frozenset[str], ...], sees: Sight) -> bool:
    def inner(one: Formula, where: int = at) -> bool:
        return is_true(one, where, letters, sees)

    if isinstance(formula, Atom):
        return formula.predicate in letters[at]
    assert isinstance(formula, JoinedFormula)
    seen = [other for one, other in sees if one == at]
    first, *rest = formula.parts
    table: dict[str, Any] = {
        "not": lambda: not inner(first),
        "and": lambda: all(map(inner, formula.parts)),
        "or": lambda: any(map(inner, formula.parts)),
        "implies": lambda: not inner(first) or inner(rest[0]),
        "iff": lambda: inner(first) == inner(rest[0]),
        "box": lambda: all(inner(first, other) for other in seen),
        "diamond": lambda: any(inner(first, other) for other in seen),
    }
    return bool(table[formula.op]())


def of_frame(logic: str, count: int, sees: Sight) -> bool:
    worlds = range(count)
    laws: dict[str, Any] = {
        "serial": all(any((a, b) in sees for b in worlds) for a in worlds),
        "reflexive": all((a, a) in sees for a in worlds),
        "symmetric": all((b, a) in sees for a, b in sees),
        "transitive": all((a, d) in sees for a, b in sees for c, d in sees if b == c),
        "euclidean": all((b, d) in sees for a, b in sees for c, d in sees if a == c),
    }
    return all(laws[one] for one in FRAMES[logic])  # type: ignore[index]  # a name of the table


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(FRAMES)), modal_formulas)
def test_validity_is_what_models_say(logic: str, text: str) -> None:
    result, formula = judged(text, logic=logic), parse(text)
    if result.answer.valid:
        for bits in product([0, 1], repeat=4):
            sees = frozenset(pair for pair, bit in zip(PAIRS, bits, strict=True) if bit)
            if of_frame(logic, 2, sees):
                for row in product([frozenset[str](), frozenset("p"), frozenset("q"), frozenset("pq")], repeat=2):
                    assert is_true(formula, 0, row, sees)
    else:
        worlds = [name for name, _ in result.answer.countermodel.worlds]
        sight = frozenset((worlds.index(one), worlds.index(other)) for one, other in result.answer.countermodel.sees)
        assert of_frame(logic, len(worlds), sight)
        assert not is_true(formula, 0, tuple(frozenset(true) for _, true in result.answer.countermodel.worlds), sight)


def written(formula: Any) -> str:
    """Return a formula given as nested lists as text."""
    if isinstance(formula, str):
        return formula
    op, *parts = formula
    signs = {"not": "¬", "box": "□", "dia": "◇", "and": "∧", "or": "∨", "imp": "→", "iff": "↔"}
    told = [written(part) for part in parts]
    return f"{signs[op]}({told[0]})" if len(told) == 1 else f"(({told[0]}) {signs[op]} ({told[1]}))"


def test_the_arguments_of_pytableaux_are_all_judged_right() -> None:
    if not DATA.exists():
        pytest.skip("the arguments of pytableaux are not in ../shared/data/reasoning")
    rows = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    wrong = []
    for row in rows:
        result = judged(written(row["conclusion"]), *map(written, row["premises"]), logic=row["logic"])
        if result.answer.valid is not (row["expected"] == "valid"):
            wrong.append(row["id"])
    assert wrong == []
