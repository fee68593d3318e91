"""What a question names: people, dates, and the words that remain."""

import pytest

from memory.question import Named, dates, question


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What happened on 7 May 2023?", [Named(5, 2023, 7)]),
        ("What happened on May 7th, 2023?", [Named(5, 2023, 7)]),
        ("the 3rd of June", [Named(6, 0, 3)]),
        ("Who joined in August?", [Named(8)]),
        ("spending in May", [Named(5)]),
        ("in late May and at the start of March", [Named(5, part="late"), Named(3, part="early")]),
        ("mid-March 2026, the middle of April", [Named(3, 2026, part="mid"), Named(4, part="mid")]),
        ("late on 24 May", [Named(5, 0, 24)]),
        ("Q of 2026-02-24 and of 2026-03", [Named(2, 2026, 24), Named(3, 2026)]),
        ("the alarm at 2026-02-24T14:30:00Z", [Named(2, 2026, 24)]),
        ("may we march on?", []),
        ("13 of 2026-13-01", []),
        ("between January 2024 and February 2024", [Named(1, 2024), Named(2, 2024)]),
    ],
)
def test_dates_are_read_as_people_write_them(text: str, named: list[Named]) -> None:
    assert list(dates(text)) == named


def test_a_name_with_a_capital_says_who_and_not_what_about() -> None:
    asked = question("When did Caroline's sister visit?", {"Caroline", "Melanie", "manual"})
    assert asked.people == {"Caroline"}
    assert asked.text == "When did sister visit?"
    assert asked.words == ("sister", "visit")


def test_a_source_that_is_no_name_keeps_its_word() -> None:
    asked = question("where is the user manual?", {"manual"})
    assert "manual" in asked.words
    assert asked.text == "where is the user manual?"


def test_a_question_of_nothing_but_a_name_keeps_it() -> None:
    assert question("Caroline?", {"Caroline"}).words == ("carolin",)
