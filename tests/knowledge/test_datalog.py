"""Datalog programs of others with expected tuples: those that fit binary facts must give exactly these."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from mabos.knowledge.inference.backward import Prover
from mabos.knowledge.inference.reasoner import Reasoner
from mabos.knowledge.inference.relations import StatedTriple
from mabos.knowledge.model import Condition, Fact, Rule

DATA = Path(__file__).parents[3] / "shared" / "data" / "knowledge" / "datalog"
_ATOM = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*")


def programs() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(DATA.rglob("*.yaml")):
        told = yaml.safe_load(path.read_text())
        for case in told.get("tests", [told]):
            yield case["name"], case


def atom(text: str) -> Condition:
    found = _ATOM.fullmatch(text)
    if found is None:
        raise NotImplementedError(text)
    terms = [term.strip() for term in found[2].split(",")]
    if not 1 <= len(terms) <= 2:
        raise NotImplementedError(text)
    subject, object_ = (*(_term(term) for term in terms), "true")[:2]
    return Condition(found[1], subject, object_)


def _term(text: str) -> str:
    if text == "_":
        return ""
    if re.fullmatch(r"[A-Za-z]\w*", text):
        return f"?{text}"
    if re.fullmatch(r"-?\d+|\"[^\"]*\"", text):
        return text.strip('"')
    raise NotImplementedError(text)


def rule(number: int, text: str) -> Rule:
    head, _, body = text.rstrip(". ").partition(":-")
    conditions = tuple(atom(one) for one in re.split(r",(?![^()]*\))", body))
    return Rule(f"R-{number}", text, "inference", conditions, conclusion=atom(head), confidence_factor=1.0)


def mapped(case: dict[str, Any]) -> tuple[dict[tuple[str, str, str], StatedTriple], list[Rule]]:
    """Return the program as facts and rules; raises `NotImplementedError` where it does not fit."""
    facts = {}
    for predicate, rows in case["program"]["facts"].items():
        for row in rows:
            if not 1 <= len(row) <= 2:
                raise NotImplementedError(f"{predicate} has {len(row)} places")
            subject, object_ = (*map(str, row), "true")[:2]
            facts[subject, predicate, object_] = StatedTriple(1.0)
    return facts, [rule(number, text) for number, text in enumerate(case["program"]["rules"])]


def expected(case: dict[str, Any], predicate: str) -> set[tuple[str, ...]]:
    return {(*map(str, row), "true")[:2] for row in case["expect"][predicate]}


CASES = dict(programs()) if DATA.exists() else {}


@pytest.mark.skipif(not CASES, reason="the Datalog programs are not in ../shared/data/knowledge")
@pytest.mark.parametrize("name", CASES)
def test_a_program_gives_exactly_the_expected_tuples(name: str) -> None:
    case = CASES[name]
    try:
        facts, rules = mapped(case)
    except NotImplementedError as wide:
        pytest.skip(f"not of binary facts alone: {wide}")
    made = Reasoner(rules)
    assert made.change(facts).converged
    for predicate in case["expect"]:
        held = {(one.triple[0], one.triple[2]) for one in made.held() if one.triple[1] == predicate}
        assert held == expected(case, predicate)
        stated = [Fact(f"F-{n}", *triple) for n, triple in enumerate(facts)]
        prover = Prover(
            rules,
            lambda *wanted, stated=stated: [
                one
                for one in stated
                if all(not want or want == has for want, has in zip(wanted, one.triple, strict=True))
            ],
        )
        assert {(one.triple[0], one.triple[2]) for one in prover.prove(None, predicate, None)} == held


@pytest.mark.skipif(not CASES, reason="the Datalog programs are not in ../shared/data/knowledge")
def test_enough_programs_fit() -> None:
    fitting = 0
    for case in CASES.values():
        try:
            mapped(case)
        except NotImplementedError:
            continue
        fitting += 1
    assert fitting >= 15


def test_closure_same_generation_and_join_shapes_hold() -> None:
    up = {(str(n), "up", str(n // 2)): StatedTriple(1.0) for n in range(2, 32)}
    flat = {("1", "flat", "1"): StatedTriple(1.0)}
    rules = [
        rule(1, "sg(X, Y) :- flat(X, Y)."),
        rule(2, "sg(X, Y) :- up(X, A), sg(A, B), up(Y, B)."),
        rule(3, "above(X, Y) :- up(X, Y)."),
        rule(4, "above(X, Y) :- above(X, Z), above(Z, Y)."),
    ]
    made = Reasoner(rules)
    made.change(up | flat)
    same = {(one.triple[0], one.triple[2]) for one in made.held() if one.triple[1] == "sg"}
    levels = [range(2**n, 2 ** (n + 1)) for n in range(5)]
    assert same == {(str(a), str(b)) for level in levels for a in level for b in level}
    assert sum(one.triple[1] == "above" for one in made.held()) == sum(len(level) * n for n, level in enumerate(levels))
