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


def test_a_rare_word_leads_to_its_record_though_others_are_on_none(world: World) -> None:
    said = asked(world, "Any news on who foots the bill for the boiler?")
    assert "boiler passed on 28 January" in said.text
    assert "Nearest on record" in said.text


def test_what_a_colleague_told_the_owner_is_found(world: World) -> None:
    world.do(
        "agent_message", "ceo", to="stakeholder", performative="INFORM", content="The card terminal fee rises to 1.9%."
    )
    for question in ("What did the CEO tell me about the card machine?", "Did the CEO write about the card fee?"):
        assert "1.9%" in asked(world, question).text


def test_the_sums_of_a_list_are_added_up(world: World) -> None:
    for title, budget in (("Repair the boiler", 480), ("New sign", 350)):
        world.do(
            "work_package_create", title=title, description=title, required_skills=[], budget_usd=budget,
            deadline="2026-03-20",
        )  # fmt: skip
    assert "$830 altogether" in asked(world, "What are the open jobs going to set us back?").text
    assert "20 March 2026" in asked(world, "When is the sign due and what may it cost?").text


def test_a_package_recorded_again_is_told_with_its_new_budget(world: World) -> None:
    owner = world.agent("coo")
    owner.cycle("Create a work package 'Oven repair' for 300 dollars by 20 March.")
    owner.cycle("No, make it 350.")
    said = asked(world, "What is the budget of the oven repair?")
    assert "$350" in said.text
    assert "$300" not in said.text


def test_a_question_for_an_address_starts_no_letter(world: World) -> None:
    world.agent("coo").cycle("Do we have an email for Omar Lowe?")
    assert "omar@lowe.example" in world.services.inbox("stakeholder").messages()[-1].content
    assert [one.act for one in world.agent("coo").handle.requests.all()] == ["question"]


def test_the_price_now_is_the_newest_one(world: World) -> None:
    world.do("stripe_create_product", name="Bread box")
    for amount in (22, 26):
        if world.ask("stripe_create_price", product="Bread box", amount_usd=amount).awaiting:
            world.answer("approve")
            world.do("stripe_create_price", product="Bread box", amount_usd=amount)
        world.later(minutes=1)
    said = asked(world, "What's the price of the bread box now?")
    assert "$26 a month" in said.text
    assert "$22" not in said.text
