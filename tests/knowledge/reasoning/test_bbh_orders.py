"""Every third puzzle of order in BIG-Bench Hard is read by its template and solved."""

import pytest

from tests.knowledge.reasoning import bbh
from tests.knowledge.reasoning.asking import ask


@pytest.mark.parametrize("count", ["three", "five", "seven"])
def test_exactly_the_option_that_is_right_must_be_true(count: str) -> None:
    tasks = bbh.rows(f"logical_deduction_{count}_objects")[::3]
    if not tasks:
        pytest.skip("the puzzles of BIG-Bench Hard are not in ../shared/data/reasoning")
    wrong = [
        task["input"]
        for task in tasks
        if ask("deductive", bbh.puzzle(task["input"])).answer.chosen != (task["target"].strip("()"),)
    ]
    assert wrong == []
