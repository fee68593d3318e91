"""The fixed point: equal to an independent oracle, whatever the order, and kept exact as facts come and go."""

from collections.abc import Mapping
from itertools import product
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.inference_loads import Load, Triples, business, inference, university
from mabos.configs.errors import InvalidArgument
from mabos.knowledge.inference.reasoner import FixedPoint, Reasoner
from mabos.knowledge.inference.relations import StatedTriple
from mabos.knowledge.model import Rule
from tests.knowledge.oracle import closure

FRIENDS = (
    inference("R-1", "?x knows ?z", "?x knows ?y", "?y knows ?z", factor=0.9),
    inference("R-2", "?y knows ?x", "?x knows ?y", factor=1.0),
    inference("R-3", "?x trusts ?y", "?x knows ?y", "?y age gt 40", factor=0.8),
    inference("R-4", "?x outranks ?y", "?x age gt ?a", "?y age ?a", "?x knows ?y", factor=0.7),
    inference("R-5", "club has ?x", "?x trusts _", "?x knows ?x", factor=0.9),
)


def reasoner(facts: Triples, rules: tuple[Rule, ...], **more: int) -> Reasoner:
    made = Reasoner(rules, max_derived=10**6)
    run = made.change({triple: StatedTriple(sure) for triple, sure in facts.items()}, **more)
    assert run.converged or more
    return made


def held(made: Reasoner) -> Triples:
    return {one.triple: one.confidence for one in made.held()}


def assert_equal(one: Mapping[tuple[str, str, str], float], other: Mapping[tuple[str, str, str], float]) -> None:
    assert one.keys() == other.keys()
    assert max((abs(one[triple] - other[triple]) for triple in one), default=0.0) < 1e-9


def assert_witnessed(made: Reasoner) -> None:
    """Every derived confidence is what its witness says, and no triple rests on itself."""
    for one in made.held():
        if one.rule is not None:
            least = min(support.confidence for support in one.supports)
            assert abs(one.confidence - least * one.rule.confidence_factor) < 1e-12
            assert all(made.find(support.triple) is support for support in one.supports)
    finished: set[int] = set()
    for one in made.held():
        path = [(one, iter(one.supports))]
        open_ = {id(one)}
        while path:
            node, supports = path[-1]
            support = next(supports, None)
            if support is None:
                finished.add(id(node))
                open_.discard(id(node))
                path.pop()
            elif id(support) not in finished:
                assert id(support) not in open_
                open_.add(id(support))
                path.append((support, iter(support.supports)))


@pytest.mark.parametrize("load", [university(3000, sure=False, factor=0.9), business(2000)], ids=lambda load: load.name)
def test_the_fixed_point_equals_an_independent_oracle(load: Load) -> None:
    made = reasoner(load.facts, load.rules)
    assert_equal(held(made), closure(load.facts, load.rules))
    assert_witnessed(made)


APART = (
    *FRIENDS[:3],
    inference("A-1", "?x busy true", "?x age ?a", "?y knows ?y", "?v trusts ?w", factor=0.9),
    inference("A-2", "club meets ?x", "?x age gt 40", "_ knows ann", factor=0.8),
    inference("A-3", "?x elder ?y", "?x age gt ?a", "?y age ?a", "?v knows ?w", "?w busy _", factor=0.7),
)
"""Rules of which some conditions have little to do with the others."""


PEOPLE = st.sampled_from(["ann", "bob", "cy", "di"])
SURE = st.sampled_from([0.3, 0.5, 0.8, 0.9, 1.0])
KNOWING = st.dictionaries(st.tuples(PEOPLE, st.just("knows"), PEOPLE), SURE, max_size=7)
AGES = st.dictionaries(st.tuples(PEOPLE, st.just("age"), st.sampled_from(["39", "41", "9", "100"])), SURE, max_size=5)


@settings(deadline=None)
@given(knowing=KNOWING, ages=AGES)
def test_conditions_that_only_have_to_hold_somehow_hold_at_their_surest(knowing: Triples, ages: Triples) -> None:
    made = reasoner(knowing | ages, APART)
    assert_equal(held(made), closure(knowing | ages, APART))
    assert_witnessed(made)


PRODUCT = {(f"{of}{n}", of, str(n)): 0.5 + n / 2000 for of in "pqr" for n in range(200)}
"""Facts of which a rule without a common variable has eight million ways to hold."""
FLAG = inference("A-9", "?x flagged true", "?x p ?a", "?y q ?b", "?z r ?c")


def test_conditions_that_are_apart_cost_no_product() -> None:
    assert reasoner(PRODUCT, (FLAG,)).size == len(PRODUCT) + 200


@settings(max_examples=50, deadline=None)
@given(knowing=KNOWING, ages=AGES, chance=st.randoms(use_true_random=False))
def test_no_order_of_facts_or_rules_matters(knowing: Triples, ages: Triples, chance: Random) -> None:
    facts = knowing | ages
    expected = closure(facts, FRIENDS)
    for _ in range(3):
        shuffled, rules = list(facts.items()), list(FRIENDS)
        chance.shuffle(shuffled)
        chance.shuffle(rules)
        assert_equal(held(reasoner(dict(shuffled), tuple(rules))), expected)


@settings(max_examples=30, deadline=None)
@given(knowing=KNOWING, ages=AGES, levels=st.integers(0, 3), chance=st.randoms(use_true_random=False))
def test_not_even_when_cut_short(knowing: Triples, ages: Triples, levels: int, chance: Random) -> None:
    facts = knowing | ages
    first = Reasoner(FRIENDS)
    first.change({triple: StatedTriple(sure) for triple, sure in facts.items()}, max_levels=levels)
    shuffled, rules = list(facts.items()), list(FRIENDS)
    chance.shuffle(shuffled)
    chance.shuffle(rules)
    second = Reasoner(rules)
    second.change({triple: StatedTriple(sure) for triple, sure in shuffled}, max_levels=levels)
    assert_equal(held(first), held(second))


@settings(max_examples=40, deadline=None)
@given(
    knowing=KNOWING,
    ages=AGES,
    changes=st.lists(st.tuples(PEOPLE, PEOPLE, st.sampled_from([None, 0.0, 0.2, 0.6, 1.0])), max_size=12),
)
def test_after_any_changes_it_equals_a_new_start(
    knowing: Triples, ages: Triples, changes: list[tuple[str, str, float | None]]
) -> None:
    facts = knowing | ages
    made = reasoner(facts, FRIENDS)
    for subject, object_, sure in changes:
        triple = (subject, "knows", object_)
        made.change({triple: None if sure is None else StatedTriple(sure)})
        facts.pop(triple, None)
        if sure:
            facts[triple] = sure
        assert_equal(held(made), closure(facts, FRIENDS))
        assert_witnessed(made)


def test_two_hundred_random_retractions_equal_recomputation() -> None:
    load = business(400)
    made, random = reasoner(load.facts, load.rules), Random(7)
    facts = dict(load.facts)
    for trial in range(200):
        triple = random.choice(list(facts))
        gone = facts.pop(triple)
        made.change({triple: None})
        if trial % 2:
            facts[triple] = gone / 2
            made.change({triple: StatedTriple(gone / 2)})
        assert_equal(held(made), held(reasoner(facts, load.rules)))
    assert_equal(held(made), closure(facts, load.rules))


def test_a_retraction_costs_a_thousandth_of_starting_again() -> None:
    load = university(30_000)
    started = process_time()
    made = reasoner(load.facts, load.rules)
    whole = process_time() - started
    random, times = Random(3), []
    for triple in random.sample(list(load.facts), 101):
        started = process_time()
        made.change({triple: None})
        times.append(process_time() - started)
    assert sorted(times)[50] * 1000 < whole


def test_levels_are_counted_and_a_cut_is_reported() -> None:
    chain = {(f"n{n}", "next", f"n{n + 1}"): 1.0 for n in range(40)}
    rules = (
        inference("R-1", "?x reaches ?y", "?x next ?y"),
        inference("R-2", "?x reaches ?z", "?x reaches ?y", "?y next ?z"),
    )
    made = Reasoner(rules)
    cut = made.change({triple: StatedTriple(sure) for triple, sure in chain.items()}, max_levels=10)
    assert (cut.levels, cut.converged) == (10, False)
    assert max(int(one.triple[2][1:]) - int(one.triple[0][1:]) for one in made.held()) == 10
    whole = Reasoner(rules)
    assert whole.change({triple: StatedTriple(sure) for triple, sure in chain.items()}, max_levels=40) == FixedPoint(40)
    assert len({*(one.triple for one in whole.held())} - chain.keys()) == 40 * 41 // 2


def test_a_cap_guards_memory() -> None:
    everyone = {(f"p{n}", "is", "person"): 1.0 for n in range(200)}
    rules = (inference("R-1", "?x near ?y", "?x is person", "?y is person"),)
    made = Reasoner(rules, max_derived=1000)
    run = made.change({triple: StatedTriple(sure) for triple, sure in everyone.items()})
    assert not run.converged
    assert "1000" in run.reason
    assert len({*(one.triple for one in made.held())} - everyone.keys()) < 2000


def test_three_links_of_a_chain_keep_nine_tenths_cubed() -> None:
    rules = tuple(inference(f"R-{n}", f"?x p{n + 1} ?y", f"?x p{n} ?y", factor=0.9) for n in range(3))
    made = reasoner({("a", "p0", "b"): 1.0}, rules)
    last = made.find(("a", "p3", "b"))
    assert last is not None
    assert last.confidence == pytest.approx(0.729)


def test_what_is_stated_and_derived_is_held_by_the_better_and_falls_back_on_the_other() -> None:
    rules = (inference("R-1", "?x q ?y", "?x p ?y", factor=0.5),)
    made = reasoner({("a", "p", "b"): 1.0, ("a", "q", "b"): 0.8}, rules)
    assert held(made)["a", "q", "b"] == 0.8
    made.change({("a", "q", "b"): StatedTriple(0.3)})
    assert held(made)["a", "q", "b"] == 0.5
    made.change({("a", "p", "b"): None})
    assert held(made) == {("a", "q", "b"): 0.3}
    made.change({("a", "q", "b"): None})
    assert held(made) == {}


def test_numbers_are_compared_as_numbers_and_never_as_text() -> None:
    rules = (inference("R-1", "?x big true", "?x size gt 1000"),)
    sizes = ("9", "10000", "$2,000", "many", "150%", "2026-01-01")
    facts = {(f"s{n}", "size", size): 1.0 for n, size in enumerate(sizes)}
    found = {triple[0] for triple in held(reasoner(facts, rules)) if triple[1] == "big"}
    assert found == {"s1", "s2"}


def test_a_written_number_also_means_its_other_spellings() -> None:
    rules = (inference("R-1", "?x full true", "?x seats 1000"),)
    facts = {(f"s{n}", "seats", seats): 1.0 for n, seats in enumerate(("1,000", "1000.0", "100"))}
    assert {one[0] for one in held(reasoner(facts, rules)) if one[1] == "full"} == {"s0", "s1"}


@pytest.mark.parametrize("ends", list(product(("?x", "?y", "a", "_"), repeat=2)), ids=" ".join)
def test_a_condition_of_any_shape_joins_another_of_any_shape(ends: tuple[str, str]) -> None:
    facts = {(s, p, o): 1.0 for s, p, o in product("ab", "pq", "abc") if (s, o) != ("b", "a")}
    for other in product(("?x", "?y", "a", "_"), repeat=2):
        terms = [term for term in (*ends, *other) if term.startswith("?")] or ["a"]
        rule = inference("R-1", f"{terms[0]} r {terms[-1]}", f"{ends[0]} p {ends[1]}", f"{other[0]} q {other[1]}")
        assert_equal(held(reasoner(facts, (rule,))), closure(facts, (rule,)))


def test_a_factor_outside_its_range_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="confidence_factor"):
        Reasoner([inference("R-1", "?x q ?y", "?x p ?y", factor=1.5)])
