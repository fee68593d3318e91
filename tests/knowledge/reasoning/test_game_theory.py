"""Games: Gambit's catalogue, whose titles state solutions, textbook trees, and the power in published voting bodies."""

from fractions import Fraction
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.result import MethodResult
from mabos.knowledge.reasoning.social.coalitions import Coalitions
from mabos.knowledge.reasoning.social.game_theory import estimate
from mabos.knowledge.reasoning.social.games import NormalForm
from mabos.knowledge.reasoning.social.trees import ExtensiveForm, build_normal_form
from tests.knowledge.reasoning import gambit
from tests.knowledge.reasoning.asking import ask, late

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "game_theory"
FILES = sorted((*DATA.glob("*/*.nfg"), *DATA.glob("*/*.efg")))
F = Fraction


def bimatrix(*rows: list[tuple[int, int]]) -> dict[str, Any]:
    """Return a game of two players whose strategies are numbered from 1."""
    sizes = {"row": len(rows), "column": len(rows[0])}
    strategies = {name: [str(number + 1) for number in range(size)] for name, size in sizes.items()}
    return {"kind": "normal_form", "strategies": strategies, "payoffs": [[list(cell) for cell in row] for row in rows]}


def assert_nobody_gains(problem: dict[str, Any], result: MethodResult[Any]) -> None:
    """Check every equilibrium by all deviations to a pure strategy."""
    if problem["kind"] == "normal_form":
        game = NormalForm.of(problem)
        strategies, table = dict(game.strategies), game.table
    else:
        strategies, table = build_normal_form(ExtensiveForm.of(problem), Budget())
    for one in result.answer.equilibria:
        shares = [[one.strategies[name].get(word, F(0)) for word in held] for name, held in strategies.items()]
        assert all(sum(held) == 1 and min(held) >= 0 for held in shares)
        for player, (name, held) in enumerate(strategies.items()):
            for place in range(len(held)):
                pure = [F(int(place == other)) for other in range(len(held))]
                against = [*shares[:player], pure, *shares[player + 1 :]]
                assert _expected(table, against, player) <= one.payoffs[name]


def _expected(table: dict[tuple[int, ...], tuple[Fraction, ...]], shares: list[list[Fraction]], player: int) -> F:
    total = F(0)
    for profile, pays in table.items():
        weight = F(1)
        for held, place in zip(shares, profile, strict=True):
            weight *= held[place]
        total += weight * pays[player]
    return total


@cache
def catalogued(name: str) -> tuple[dict[str, Any], MethodResult[Any]]:
    """Return a game of the catalogue and what it comes to."""
    found = [path for path in FILES if name in path.name]
    if not found:
        pytest.skip("the games of Gambit are not at hand")
    _, problem = gambit.read(found[0])
    return problem, ask("game-theory", problem)


def test_every_equilibrium_of_the_catalogue_is_a_best_response() -> None:
    if not FILES:
        pytest.skip("the games of Gambit are not at hand")
    assert len(FILES) == 30
    for path in FILES:
        _, problem = gambit.read(path)
        result = ask("game-theory", problem) if "6x6" not in path.name else catalogued("6x6")[1]
        if hasattr(result.answer, "equilibria"):
            assert_nobody_gains(problem, result)
            assert result.status == ("computed" if result.answer.equilibria else "unknown")


def test_von_stengels_game_has_75_extreme_equilibria() -> None:
    result = catalogued("6x6")[1]
    assert len(result.answer.equilibria) == 75
    assert result.assumptions == ()


@pytest.mark.parametrize(
    ("name", "equilibria"),
    [
        ("contrib_2x2", [({"1": F(1, 2), "2": F(1, 2)}, {"1": F(1, 3), "2": F(2, 3)})]),
        ("myerson1991", [({"Raise / Raise": F(1, 3), "Raise / Fold": F(2, 3)}, {"Meet": F(2, 3), "Pass": F(1, 3)})]),
        ("fig5_11", [({"D": 1}, {"d": 1})]),
        ("fig5_15", [({"L": 1}, {"U": 1}), ({"R": 1}, {"D": 1})]),
        ("yamamoto", [({"1": 1}, {"1": 1}), ({"2": 1}, {"2": 1})]),
    ],
)
def test_the_solutions_of_the_books_are_found(name: str, equilibria: list[Any]) -> None:
    _, result = catalogued("2x2.nfg" if name == "contrib_2x2" else name)
    assert [tuple(one.strategies.values()) for one in result.answer.equilibria] == equilibria


def test_one_card_poker_of_myerson_is_worth_a_third_to_the_one_who_sees_the_card() -> None:
    assert catalogued("myerson1991")[1].answer.equilibria[0].payoffs == {"Fred": F(1, 3), "Alice": F(-1, 3)}


def test_what_titles_and_comments_of_the_catalogue_state_is_so() -> None:
    assert len(catalogued("3x3x3")[1].answer.equilibria) == 2  # "five equilibria (two pure)"
    for no_pure in ("g1.nfg", "nau2004__sec4"):  # "no pure, 1 totally mixed"; "unique, irrational"
        assert catalogued(no_pure)[1].status == "unknown"
    zero = catalogued("zero")[1]
    assert len(zero.answer.equilibria) == 4
    assert "all mixtures of them are equilibria too" in zero.assumptions[0]
    mixed = [one.strategies["II"] for one in catalogued("fig10.7")[1].answer.equilibria]
    assert {"l / b": F(2, 5), "r / a": F(3, 5)} in mixed
    hall = catalogued("fig10.12")[1]  # "a whole convex set of optimal strategies for player II"
    assert len({one.payoffs["I"] for one in hall.answer.equilibria}) == 1
    assert "all mixtures of them" in hall.assumptions[-1]
    todd = catalogued("todd1")[1].answer.equilibria
    assert len(todd) % 2 == 1
    assert len(todd[0].strategies["Player 1"]) == 3


def test_seltens_game_of_1975_has_one_perfect_equilibrium_in_the_tree() -> None:
    result = catalogued("selten1975")[1]
    assert (result.answer.path, result.answer.payoffs) == (("R",), {"Player 1": 1, "Player 2": 1})
    assert result.claims[0].value == "R"


def test_players_who_forget_are_named() -> None:
    for name, who in (("gilboa1997", "Player 1"), ("wichardt2008", "Player 1"), ("fig10.7", "II")):
        assert any(one.startswith(f"{who} forgets") for one in catalogued(name)[1].assumptions)
    assert not any("forgets" in one for one in catalogued("myerson1991")[1].assumptions)


def test_the_centipede_ends_at_once_and_a_tie_of_the_sharing_game_is_told() -> None:
    centipede = catalogued("fig5_9")[1]
    assert (centipede.answer.path, set(centipede.answer.play.values())) == (("A",), {"A"})
    assert centipede.answer.payoffs == {"1": 1, "2": 0}
    assert catalogued("fig5_1.efg")[1].assumptions == ("at /2-0 another move is as good",)


def test_entry_is_not_deterred_by_a_threat_nobody_would_carry_out() -> None:
    """Selten 1978, the stage game of the chain store."""
    result = ask("game-theory", dict(ExtensiveForm.example))
    assert result.answer.path == ("enter", "share")
    assert result.answer.payoffs == {"entrant": 1, "incumbent": 1}


def test_prisoners_defect_though_both_could_have_more() -> None:
    result = ask("game-theory", dict(NormalForm.example))
    assert result.claims[0].value == "defect, defect"
    assert result.answer.undominated == {"row": ("defect",), "column": ("defect",)}
    assert ("cooperate", "cooperate") in result.answer.pareto
    assert ("defect", "defect") not in result.answer.pareto


def test_the_correlated_equilibrium_of_chicken_of_aumann() -> None:
    """Aumann 1974: half the time both yield, a quarter each one dares: 10.5 together, more than any equilibrium."""
    chicken = bimatrix([(6, 6), (2, 7)], [(7, 2), (0, 0)])
    result = ask("game-theory", chicken)
    assert result.answer.correlated.total == F(21, 2)
    assert dict(result.answer.correlated.advice) == {("1", "1"): F(1, 2), ("1", "2"): F(1, 4), ("2", "1"): F(1, 4)}
    assert max(sum(one.payoffs.values()) for one in result.answer.equilibria) < F(21, 2)


def test_what_is_no_equilibrium_is_not_claimed() -> None:
    assert ask("game-theory", bimatrix([(1, -1), (-1, 1)], [(-1, 1), (1, -1)])).claims == ()
    assert ask("game-theory", bimatrix([(2, 1), (0, 0)], [(0, 0), (1, 2)])).claims == ()


def shares(**problem: Any) -> Any:
    return ask("game-theory", {"kind": "coalition", **problem}).answer


def test_power_in_the_council_of_the_six_of_1958() -> None:
    """Brams and Affuso 1976: with 12 of 17 votes Luxembourg has none."""
    votes = {"de": 4, "fr": 4, "it": 4, "be": 2, "nl": 2, "lu": 1}
    answer = shares(players=list(votes), weights=votes, quota=12)
    assert list(answer.shapley.values()) == [F(14, 60)] * 3 + [F(9, 60)] * 2 + [0]
    assert list(answer.banzhaf.values()) == [F(10, 42)] * 3 + [F(6, 42)] * 2 + [0]


def test_power_in_the_security_council_of_the_united_nations() -> None:
    """Shapley and Shubik's index after 1965: 421/2145 of each permanent member, 4/2145 of each other."""
    votes = {f"p{n}": 7 for n in range(5)} | {f"n{n}": 1 for n in range(10)}
    answer = shares(players=list(votes), weights=votes, quota=39)
    assert (answer.shapley["p0"], answer.shapley["n0"]) == (F(421, 2145), F(4, 2145))
    assert (answer.banzhaf["p0"], answer.banzhaf["n0"]) == (F(106, 635), F(21, 1270))
    assert answer.core is not None
    assert sum(answer.core[f"p{n}"] for n in range(5)) == 1


def test_the_gloves_of_shapley_and_shubik() -> None:
    answer = ask("game-theory", dict(Coalitions.example)).answer
    assert answer.shapley == {"left": F(2, 3), "right a": F(1, 6), "right b": F(1, 6)}
    assert answer.core == {"left": 1, "right a": 0, "right b": 0}
    assert not answer.shapley_in_core


def test_the_majority_game_has_an_empty_core() -> None:
    answer = shares(players=["a", "b", "c"], weights={"a": 1, "b": 1, "c": 1}, quota=2)
    assert (answer.core, len(answer.blocking)) == (None, 2)


def test_costs_are_shared_as_littlechild_and_owen_share_a_runway() -> None:
    cost = {"small": 12, "middle": 15, "large": 20}
    sets = [[name for n, name in enumerate(cost) if held >> n & 1] for held in range(1, 8)]
    values = [{"members": one, "value": -max(cost[name] for name in one)} for one in sets]
    answer = shares(players=list(cost), values=values)
    assert answer.shapley == {"small": -4, "middle": F(-11, 2), "large": F(-21, 2)}
    assert answer.core == answer.shapley


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ({**NormalForm.example, "payoffs": [[[1, 1]]]}, "one entry for each strategy of 'row'"),
        ({**NormalForm.example, "payoffs": [[["1e99999999", 3], [0, 5]], [[5, 0], [1, 1]]]}, "is not a payoff"),
        ({**NormalForm.example, "payoffs": [[["1/0", 3], [0, 5]], [[5, 0], [1, 1]]]}, "is not a payoff"),
        ({"kind": "normal_form", "strategies": {"a": ["x", "x"]}, "payoffs": [[1], [2]]}, "named twice"),
        ({**ExtensiveForm.example, "players": ["entrant"]}, "2 payoffs for 1 players"),
        ({"kind": "coalition", "players": ["a", "b"], "weights": {"a": 1, "b": 1}, "quota": 0}, "quota of 0"),
        ({"kind": "coalition", "players": ["a"], "values": [{"members": ["z"], "value": 1}]}, "'z'"),
        ({"kind": "coalition", "players": [str(n) for n in range(17)], "weights": {}, "quota": 1}, "at most 16"),
        (
            {"kind": "normal_form", "strategies": {str(n): list("abcdefgh") for n in range(8)}, "payoffs": []},
            "profiles are more than",
        ),
    ],
)
def test_what_is_no_game_is_refused_with_the_reason(problem: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("game-theory", problem)


def test_moves_that_look_like_paths_do_not_hide_each_other() -> None:
    end = {"player": "p", "moves": {"x": {"payoffs": [1]}, "y": {"payoffs": [2]}}}
    worse = {"player": "p", "moves": {"x": {"payoffs": [1.5]}, "y": {"payoffs": [0]}}}
    tree = {"player": "p", "moves": {"a/b": end, "a": {"player": "p", "moves": {"b": worse}}}}
    answer = ask("game-theory", {"kind": "extensive_form", "players": ["p"], "tree": tree}).answer
    assert answer.path == ("a/b", "y")
    assert (answer.play["/a\\/b"], answer.play["/a/b"]) == ("y", "x")


def test_a_tree_of_too_many_plans_is_refused_before_they_are_built() -> None:
    node: dict[str, Any] = {"payoffs": [0, 0]}
    for level in range(40):
        node = {
            "player": "ab"[level % 2],
            "information": f"{level}",
            "moves": {"l": {"payoffs": [1, level]}, "r": node},
        }
    hidden = {"player": "a", "information": "0", "moves": {"l": {"payoffs": [0, 0]}, "r": {"payoffs": [1, 1]}}}
    tree = {"player": "a", "moves": {"on": node, "off": hidden}}
    problem = {"kind": "extensive_form", "players": ["a", "b"], "tree": tree}
    assert estimate(ExtensiveForm.of(problem)) > 1_000
    with pytest.raises(InvalidArgument, match="profiles of plans"):
        ask("game-theory", problem)


def test_a_game_whose_time_is_up_shows_its_pure_equilibria() -> None:
    coordination = bimatrix(*[[(int(i == j), int(i == j)) for j in range(8)] for i in range(8)])
    result = late("game-theory", coordination, looks=200)
    assert result.status == "timeout"
    assert len(result.answer.equilibria) == 8
    assert result.assumptions == ("only pure equilibria were looked for",)


def test_a_game_too_large_for_mixtures_is_searched_for_pure_equilibria() -> None:
    coordination = bimatrix(*[[(int(i == j), int(i == j)) for j in range(30)] for i in range(30)])
    result = ask("game-theory", coordination)
    assert (result.status, len(result.answer.equilibria)) == ("computed", 30)
    assert result.assumptions == ("only pure equilibria were looked for",)


payoff = st.integers(-3, 3)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.data())
def test_all_that_is_found_of_any_small_game_is_an_equilibrium(rows: int, columns: int, data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.tuples(payoff, payoff), min_size=rows * columns, max_size=rows * columns))
    problem = bimatrix(*[cells[row * columns : (row + 1) * columns] for row in range(rows)])
    result = ask("game-theory", problem)
    assert_nobody_gains(problem, result)
    found = [tuple(one.strategies.values()) for one in result.answer.equilibria]
    assert found
    assert len(found) == len({str(one) for one in found})
    for i, j in product(range(rows), range(columns)):
        stays = all(cells[other * columns + j][0] <= cells[i * columns + j][0] for other in range(rows))
        stays &= all(cells[i * columns + other][1] <= cells[i * columns + j][1] for other in range(columns))
        assert stays == (({str(i + 1): 1}, {str(j + 1): 1}) in found)
    assert result.answer.correlated.total >= max(sum(one.payoffs.values()) for one in result.answer.equilibria)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-4, 6), min_size=15, max_size=15))
def test_shapley_is_the_mean_over_all_orders_and_an_allocation_in_the_core_satisfies_all(values: list[int]) -> None:
    sets = [frozenset(name for n, name in enumerate("abcd") if held >> n & 1) for held in range(1, 16)]
    worth = {frozenset[str](): 0, **dict(zip(sets, values, strict=True))}
    told = [{"members": sorted(one), "value": value} for one, value in worth.items() if one]
    answer = shares(players=list("abcd"), values=told)
    orders = list(permutations("abcd"))
    for name in "abcd":
        before = [frozenset(order[: order.index(name)]) for order in orders]
        assert answer.shapley[name] == F(sum(worth[one | {name}] - worth[one] for one in before), len(orders))
    assert sum(answer.shapley.values()) == worth[frozenset("abcd")]
    if answer.core is not None:
        assert all(sum(answer.core[name] for name in one) >= value for one, value in worth.items())
        assert sum(answer.core.values()) == worth[frozenset("abcd")]
    else:
        assert not answer.shapley_in_core
