"""Linear programs: textbook cases, Beale's cycle, and all vertices looked at."""

from fractions import Fraction
from itertools import combinations
from operator import mul

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels.equilibria import solve_equations
from mabos.knowledge.reasoning.kernels.linear import Solution, maximise

F = Fraction
Row = tuple[list[Fraction], Fraction]


def best(objective: list[int], at_most: list[Row], equal: list[Row] | None = None) -> Solution | str:
    return maximise([F(one) for one in objective], at_most, equal or [], Budget())


def test_the_windows_and_doors_of_hillier_and_lieberman() -> None:
    rows = [([F(1), F(0)], F(4)), ([F(0), F(2)], F(12)), ([F(3), F(2)], F(18))]
    assert best([3, 5], rows) == Solution(F(36), (F(2), F(6)))


def test_the_program_on_which_beale_saw_the_simplex_method_cycle_ends() -> None:
    rows = [
        ([F(1, 4), F(-60), F(-1, 25), F(9)], F(0)),
        ([F(1, 2), F(-90), F(-1, 50), F(3)], F(0)),
        ([F(0), F(0), F(1), F(0)], F(1)),
    ]
    found = maximise([F(3, 4), F(-150), F(1, 50), F(-6)], rows, [], Budget())
    assert isinstance(found, Solution)
    assert found.value == F(1, 20)


def test_what_has_no_point_or_no_end_is_told() -> None:
    assert best([1], [([F(1)], F(-1))]) == "infeasible"
    assert best([1], [([F(-1)], F(3))]) == "unbounded"
    assert best([1, 1], [], [([F(1), F(1)], F(2)), ([F(2), F(2)], F(4))]) == Solution(F(2), (F(2), F(0)))


def test_a_program_too_large_is_refused_and_the_deadline_holds() -> None:
    with pytest.raises(InvalidArgument, match="cells of a linear program"):
        best([1] * 300, [([F(1)] * 300, F(1))] * 300)
    spent = iter([0.0, *[9.0] * 9])
    with pytest.raises(OutOfTime):
        maximise([F(1)], [([F(1)], F(1))], [], Budget(1.0, monotonic=lambda: next(spent)))


numbers = st.integers(-4, 6)


@settings(max_examples=50, deadline=None)
@given(
    st.tuples(numbers, numbers, numbers), st.lists(st.tuples(numbers, numbers, numbers, st.integers(-3, 9)), max_size=3)
)
def test_the_best_point_is_the_best_of_all_vertices(
    objective: tuple[int, int, int], told: list[tuple[int, int, int, int]]
) -> None:
    sides = [*told, (1, 1, 1, 10), (-1, 0, 0, 0), (0, -1, 0, 0), (0, 0, -1, 0)]
    points = [
        solve_equations([side[:3] for side in three], [side[3] for side in three]) for three in combinations(sides, 3)
    ]
    vertices = [[F(one, point[1]) for one in point[0]] for point in points if point]
    inside = [v for v in vertices if all(sum(map(mul, side, v)) <= side[3] for side in sides)]
    rows = [([F(a), F(b), F(c)], F(bound)) for a, b, c, bound in sides[:-3]]
    found = best(list(objective), rows)
    if not inside:
        assert found == "infeasible"
    else:
        assert isinstance(found, Solution)
        assert found.value == max(sum(map(mul, objective, v)) for v in inside)
        assert all(sum(map(mul, side, found.at)) <= side[3] for side in sides)
