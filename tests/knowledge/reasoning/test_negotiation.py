"""Negotiation: domains of the negotiating agents' competitions, closed forms of the literature, and enumeration."""

from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.result import MethodResult
from mabos.knowledge.reasoning.social.negotiation import Bargaining
from tests.knowledge.reasoning import genius
from tests.knowledge.reasoning.asking import ask, late

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "negotiation"
F = Fraction
EXAMPLE = dict(Bargaining.example)


def outcomes(problem: dict[str, Any]) -> list[tuple[Fraction, ...]]:
    """Return what every agreement is worth to the parties."""
    found = []
    for options in product(*problem["issues"].values()):
        terms = dict(zip(problem["issues"], options, strict=True))
        found.append(
            tuple(
                sum(
                    (F(str(one.get("weights", {}).get(issue, 1.0))) * F(str(float(one["values"][issue][option])))
                     for issue, option in terms.items()),
                    F(0),
                )
                for one in problem["parties"].values()
            )
        )  # fmt: skip
    return found


def efficient(points: list[tuple[Fraction, ...]]) -> set[tuple[Fraction, ...]]:
    """Return those that no other is as good as for all: one with a larger sum would have to be."""
    kept: list[tuple[Fraction, ...]] = []
    for one in sorted(set(points), key=sum, reverse=True):
        if not any(all(a >= b for a, b in zip(other, one, strict=True)) for other in kept):
            kept.append(one)
    return set(kept)


def of(agreement: Any) -> tuple[Fraction, ...]:
    return tuple(agreement.utilities.values())


def assert_like_enumeration(problem: dict[str, Any], result: MethodResult[Any]) -> None:
    """Compare the front and the solutions with all agreements looked at one by one."""
    floors = [F(str(float(one.get("reservation", 0.0)))) for one in problem["parties"].values()]
    front = efficient(outcomes(problem))
    assert {of(one) for one in result.answer.pareto} == front
    acceptable = [one for one in front if all(a >= b for a, b in zip(one, floors, strict=True))]
    assert {of(one) for one in result.answer.acceptable} == set(acceptable)
    if not acceptable:
        assert (result.status, result.answer.choice) == ("infeasible", None)
        return
    gains = {one: [a - b for a, b in zip(one, floors, strict=True)] for one in acceptable}
    solutions = {name: of(one) for name, one in result.answer.solutions.items()}
    assert prod(gains[solutions["nash"]]) == max(prod(held) for held in gains.values())
    assert min(gains[solutions["egalitarian"]]) == max(min(held) for held in gains.values())
    assert sum(solutions["utilitarian"]) == max(sum(one) for one in acceptable)
    hopes = [max(one[n] for one in acceptable) - floor for n, floor in enumerate(floors)]
    if all(hopes):
        shares = {one: min(g / h for g, h in zip(held, hopes, strict=True)) for one, held in gains.items()}
        assert shares[solutions["kalai-smorodinsky"]] == max(shares.values())


DOMAINS = sorted(path for path in DATA.glob("*") if path.is_dir())


def test_the_fronts_and_points_of_nine_domains_are_those_of_enumeration() -> None:
    if not DOMAINS:
        pytest.skip("the domains are not at hand")
    assert len(DOMAINS) == 9
    for folder in DOMAINS:
        problem = genius.read(folder)
        result = ask("negotiation", problem)
        assert result.status == "computed", folder.name
        assert_like_enumeration(problem, result)


def cake(
    pieces: int, *, discounts: tuple[float, float] = (1.0, 1.0), deadline: int = 10, **more: Any
) -> dict[str, Any]:
    """Return the division of a cake into so many pieces between two who want all of it."""
    names = [str(n) for n in range(pieces + 1)]
    first = {"values": {"first gets": {one: int(one) / pieces for one in names}}, "discount": discounts[0]}
    second = {"values": {"first gets": {one: (pieces - int(one)) / pieces for one in names}}, "discount": discounts[1]}
    parties = {"first": {**first, **more.get("first", {})}, "second": {**second, **more.get("second", {})}}
    return {"kind": "bargaining", "issues": {"first gets": names}, "parties": parties, "deadline": deadline}


def test_a_cake_is_halved_and_a_better_fallback_gets_half_of_what_is_left_as_well() -> None:
    """Nash 1950: with a fallback of 1/5 the split is 3/5 to 2/5."""
    answer = ask("negotiation", cake(10)).answer
    assert {of(one) for one in answer.solutions.values() if one != answer.solutions["alternating offers"]} == {
        (F(1, 2), F(1, 2))
    }
    assert of(ask("negotiation", cake(10, first={"reservation": 0.2})).answer.choice) == (F(3, 5), F(2, 5))


def test_the_impatient_get_less_as_rubinstein_shows() -> None:
    """Rubinstein 1982: the first mover gets (1 - d2) / (1 - d1 d2); with d = 1/2 for both that is 2/3."""
    result = ask("negotiation", cake(300, discounts=(0.5, 0.5), deadline=40))
    assert result.answer.shares == {"first": F(2, 3), "second": F(1, 3)}
    assert float(of(result.answer.solutions["alternating offers"])[0]) == pytest.approx(2 / 3, abs=0.01)
    assert ask("negotiation", cake(10, discounts=(0.9, 0.8))).answer.shares == {"first": F(5, 7), "second": F(2, 7)}


def test_who_makes_the_last_offer_takes_all_of_a_cake_that_keeps() -> None:
    """Stahl 1972: without impatience only the last round counts."""
    for rounds, share in ((1, 1), (2, 0)):
        answer = ask("negotiation", cake(10, deadline=rounds)).answer
        assert answer.solutions["alternating offers"].utilities == {"first": share, "second": 1 - share}


def test_kalai_and_smorodinsky_heed_what_each_could_hope_for_and_nash_does_not() -> None:
    """Kalai and Smorodinsky 1975: the first could have 10, the second 5."""
    options = {"a": (10, 0), "b": (8, 3), "c": (6, 3.5), "d": (4, 4.5), "e": (0, 5)}
    values = [{"deal": {name: worth[n] for name, worth in options.items()}} for n in (0, 1)]
    parties = {"first": {"values": values[0]}, "second": {"values": values[1]}}
    solutions = ask(
        "negotiation", {"kind": "bargaining", "issues": {"deal": list(options)}, "parties": parties}
    ).answer.solutions
    assert {name: one.terms["deal"] for name, one in solutions.items()} == {
        "nash": "b",
        "kalai-smorodinsky": "b",
        "egalitarian": "d",
        "utilitarian": "b",
        "alternating offers": "e",
    }


def test_plans_concede_as_faratin_says_early_or_late() -> None:
    """Boulware below 1, conceder above 1; nobody offers less than it aspires to, and in the end they meet."""
    paces = {}
    for pace in (0.2, 1.0, 5.0):
        answer = ask("negotiation", cake(100, deadline=11, first={"concession": pace})).answer
        plan = answer.plans["first"]
        paces[pace] = plan[5].aspiration
        assert (plan[0].aspiration, plan[-1].aspiration) == (1.0, 0.0)
        assert all(float(offer.agreement.utilities["first"]) >= offer.aspiration for offer in plan)
        assert answer.meeting is not None
    assert paces[0.2] == pytest.approx(1 - 0.5**5)
    assert paces[1.0] == pytest.approx(0.5)
    assert paces[5.0] == pytest.approx(1 - 0.5**0.2)


def test_where_fallbacks_leave_no_room_what_comes_closest_is_told() -> None:
    result = ask("negotiation", cake(10, first={"reservation": 0.7}, second={"reservation": 0.6}))
    assert (result.status, result.answer.zone, result.claims) == ("infeasible", None, ())
    assert of(result.answer.solutions["closest"]) in {(F(6, 10), F(4, 10)), (F(5, 10), F(5, 10))}


def test_a_recommended_agreement_is_a_choice_with_its_terms() -> None:
    result = ask("negotiation", EXAMPLE)
    assert (result.claims[0].subject, result.claims[0].value) == ("decision", "delivery: fast, price: middle")
    assert result.answer.zone == {"buyer": (F(2, 5), F(19, 25)), "seller": (F(2, 5), F(4, 5))}


def test_the_order_in_which_issues_are_told_does_not_matter() -> None:
    issues = {name: EXAMPLE["issues"][name] for name in reversed(EXAMPLE["issues"])}
    told, again = ask("negotiation", EXAMPLE), ask("negotiation", {**EXAMPLE, "issues": issues})
    assert (told.answer, told.claims) == (again.answer, again.claims)


def huge(issues: int) -> dict[str, Any]:
    """Return issues of ten options each that two value in opposite orders and unlike ways."""
    names = {f"issue {n}": [str(k) for k in range(10)] for n in range(issues)}
    first = {name: {k: int(k) for k in held} for name, held in names.items()}
    second = {name: {k: (9 - int(k)) ** 2 + n for k in held} for n, (name, held) in enumerate(names.items())}
    parties = {"a": {"values": first}, "b": {"values": second}}
    return {"kind": "bargaining", "issues": names, "parties": parties}


def test_a_space_too_large_to_list_still_has_its_exact_front() -> None:
    result = ask("negotiation", huge(30))
    assert result.status == "computed"
    assert result.answer.choice is not None


def test_a_bargain_whose_time_is_up_shows_the_largest_sum() -> None:
    result = late("negotiation", huge(30), looks=200)
    assert (result.status, result.answer.pareto, result.answer.choice) == ("timeout", (), None)
    assert result.answer.solutions["utilitarian"].terms["issue 0"] == "0"


def test_more_efficient_agreements_than_can_be_held_are_refused() -> None:
    names = {f"issue {n}": [str(k) for k in range(1_000)] for n in range(3)}
    first = {name: {k: int(k) * 1000.0**n for k in held} for n, (name, held) in enumerate(names.items())}
    second = {name: {k: -worth for k, worth in held.items()} for name, held in first.items()}
    problem = {"kind": "bargaining", "issues": names, "parties": {"a": {"values": first}, "b": {"values": second}}}
    with pytest.raises(InvalidArgument, match="efficient agreements in part"):
        ask("negotiation", problem, seconds=None)


def changed(**party: Any) -> dict[str, Any]:
    return {**EXAMPLE, "parties": {**EXAMPLE["parties"], "buyer": {**EXAMPLE["parties"]["buyer"], **party}}}


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (changed(weights={"colour": 1}), "'buyer' names 'colour', which is not an issue"),
        (changed(values={"price": {"low": 1}}), "gives no value to"),
        (changed(values={"price": {"low": 1, "middle": 0, "high": 0, "free": 3}}), "values 'free' of 'price'"),
        (changed(discount=0), "greater than 0"),
        (changed(reservation=float("nan")), "finite|valid number"),
        ({**EXAMPLE, "issues": {"price": ["low", "low"]}}, "named twice"),
        ({**EXAMPLE, "parties": {"buyer": EXAMPLE["parties"]["buyer"]}}, "at least 2"),
    ],
)
def test_what_is_no_bargain_is_refused_with_the_reason(problem: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("negotiation", problem)


def test_names_are_only_ever_names() -> None:
    hostile = {"kind": "bargaining", "issues": {"'; drop": ["__import__('os')", 'a\n"b']}, "parties": {}}
    values = {"'; drop": {"__import__('os')": 1, 'a\n"b': 0}}
    hostile["parties"] = {"{0}": {"values": values}, "%s": {"values": values}}
    assert ask("negotiation", hostile).answer.choice.terms == {"'; drop": "__import__('os')"}


worth = st.integers(-3, 5)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 3), st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_the_front_and_the_points_are_those_of_all_agreements(
    parties: int, sizes: list[int], data: st.DataObject
) -> None:
    issues = {f"i{n}": [f"o{k}" for k in range(size)] for n, size in enumerate(sizes)}
    told = {
        f"p{number}": {
            "values": {name: {option: data.draw(worth) for option in options} for name, options in issues.items()},
            "weights": {"i0": data.draw(st.sampled_from([0.5, 1, 2]))},
            "reservation": data.draw(st.integers(-2, 3)),
        }
        for number in range(parties)
    }
    problem = {"kind": "bargaining", "issues": issues, "parties": told}
    assert_like_enumeration(problem, ask("negotiation", problem))
