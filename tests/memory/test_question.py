"""What a question names: people, dates, and the words that remain."""

import pytest

from mabos.memory.question import question
from mabos.memory.weights import ranking_weights
from mabos.society.roles import load_roles
from mabos.workspace.dates import NamedDate, dates_in


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What happened on 7 May 2023?", [NamedDate(5, 2023, 7)]),
        ("What happened on May 7th, 2023?", [NamedDate(5, 2023, 7)]),
        ("the 3rd of June", [NamedDate(6, 0, 3)]),
        ("Who joined in August?", [NamedDate(8)]),
        ("spending in May", [NamedDate(5)]),
        ("in late May and at the start of March", [NamedDate(5, part="late"), NamedDate(3, part="early")]),
        ("mid-March 2026, the middle of April", [NamedDate(3, 2026, part="mid"), NamedDate(4, part="mid")]),
        ("late on 24 May", [NamedDate(5, 0, 24)]),
        ("Q of 2026-02-24 and of 2026-03", [NamedDate(2, 2026, 24), NamedDate(3, 2026)]),
        ("the alarm at 2026-02-24T14:30:00Z", [NamedDate(2, 2026, 24)]),
        ("may we march on?", []),
        ("13 of 2026-13-01", []),
        ("between January 2024 and February 2024", [NamedDate(1, 2024), NamedDate(2, 2024)]),
    ],
)
def test_dates_are_read_as_people_write_them(text: str, named: list[NamedDate]) -> None:
    assert list(dates_in(text)) == named


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


NAMES = {"cfo": "Chief Financial Officer, Finance", "cto": "Chief Technology Officer", "hr": "Head of People"}


def test_a_title_or_a_department_names_who_has_it() -> None:
    asked = question("What did the finance chief tell HR?", {"cfo", "cto", "hr"}, NAMES)
    assert asked.people == {"cfo", "hr"}
    assert asked.words == ("financ", "chief", "tell", "hr", "cfo")


def test_what_several_are_called_names_nobody() -> None:
    assert question("Which chief officer heads it?", {"cfo", "cto"}, NAMES).people == frozenset()


def test_who_has_said_nothing_is_asked_about_by_words_alone() -> None:
    asked = question("What did we hear about technology?", {"cfo"}, NAMES)
    assert (asked.people, asked.words) == (frozenset(), ("hear", "technolog", "cto"))


def test_the_shipped_names_are_the_titles_and_departments_of_the_roles() -> None:
    roles = {role.id: f"{role.title}, {role.department}" for role in load_roles().values()}
    assert dict(ranking_weights().names) == roles
