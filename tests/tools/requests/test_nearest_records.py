"""Questions in words that no record has: the nearest record is quoted and named as that; a far one is not told."""

from pathlib import Path

import pytest

from mabos.language.request import Request
from mabos.tools.requests.answers.dispatch import answer_question, answer_unclear
from mabos.tools.requests.response import Say
from tests.world import World

FILES = {
    "sales.csv": "date,name,value\n2026-01-31,pints sold,9120\n2026-02-28,pints sold,8840\n",
    "aims.md": "# Aims\n\n- pints_sold: at least 9,000\n",
    "minutes.md": "# Minutes\n\nDr. Weber reported that the boiler passed on 28 January. The next test is in 2027.\n\n"
    "Casks that are not returned within 60 days are charged at 45 dollars.\n",
    "rota.csv": "name,room,first_aid_until\nTom Bell,Owls,2026-03-31\nGreta Lind,Larks,2026-12-15\n",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    inbox = world.business.directory / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (inbox / name).write_text(text, encoding="utf-8")
    world.do("crm_create_contact", email="omar@lowe.example", name="Omar Lowe", phone="555 0142")
    world.do(
        "fact_assert", "cfo", subject="company", predicate="overdraft_limit_usd", object="15000", confidence=0.9,
        source="the bank",
    )  # fmt: skip
    return world


def asked(world: World, question: str) -> Say:
    return answer_question(world.agent("cfo").handle, Request("R", "M", "stakeholder", "question", question))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("pints sold in february?", "8,840"),
        ("What did Dr Weber say about the boiler?", "28 January"),
        ("how far can we overdraw?", "15,000"),
        ("Whose first aid runs out this month?", "Tom Bell"),
        ("what do we charge for casks that nobody returns?", "45 dollars"),
    ],
)
def test_a_record_in_other_words_is_found_with_its_source(world: World, question: str, value: str) -> None:
    said = asked(world, question)
    assert value in said.text
    assert said.claims


def test_what_no_record_is_near_to_is_not_known_and_no_value_is_told(world: World) -> None:
    said = asked(world, "What did we spend on training last year?")
    assert not said.claims
    assert "$" not in said.text
    assert "no record" in said.text


def test_what_is_nearest_is_told_as_nearest(world: World) -> None:
    said = asked(world, "how far can we overdraw?")
    assert said.data.get("is_nearest")


def test_an_unclear_sentence_is_answered_only_where_a_record_has_all_of_it(world: World) -> None:
    cfo = world.agent("cfo").handle
    said = answer_unclear(cfo, Request("R", "M", "stakeholder", "unclear", "Mr Lowe's number please"))
    assert isinstance(said, Say)
    assert "555 0142" in said.text
    other = answer_unclear(cfo, Request("R", "M", "stakeholder", "unclear", "Paint it by tomorrow then"))
    assert not isinstance(other, Say)


def test_an_overview_has_figures_with_targets_and_what_waits(world: World) -> None:
    world.do(
        "decision_request", "cfo", subject="Buy a second fermenter", description="The one is full.",
        options=[{"id": "y", "label": "Buy", "impact": "6,400 dollars"}, {"id": "n", "label": "Wait"}],
        recommendation="y", estimated_cost=6400,
    )  # fmt: skip
    said = asked(world, "How do we stand?").text
    assert "8,840" in said
    assert "missed" in said
    assert "fermenter" in said
