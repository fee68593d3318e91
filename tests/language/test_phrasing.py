"""Orders as hurried, formal and foreign writers put them: slips of the pen, the passive, the same as before."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from mabos.language.interpreter import Vocabulary
from mabos.language.phrasing import as_imperative
from mabos.language.selectors import selector_in
from mabos.language.spelling import repair_spelling
from tests.language.test_whole_messages import ordered, read, values

CAMPAIGN = "Start a campaign 'Spring camp' on search for everybody, 140 dollars a week for 4 weeks."


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("strat a serch campain for evryone, 3 wks", "start a search campaign for everyone, 3 weeks"),
        ("Remnd me 20 nov, call the insurer abt the roof", "Remind me 20 nov, call the insurer about the roof"),
        (
            "lemme know wot customers owe us n how many r late",
            "let me know what customers owe us and how many are late",
        ),
    ],
)
def test_slips_of_the_pen_are_mended(typed: str, meant: str) -> None:
    assert repair_spelling(typed) == meant


@pytest.mark.parametrize(
    "text",
    [
        "Send 'Serch nite' to bob.serch@example.com and Mr Campain",
        "Subject: Evry nite. Text: teh band plays n sings",
        "The lease of the bilge pump, the loaves, a leaflet and the freelancer's invoice",
    ],
)
def test_names_quotes_letters_and_words_of_english_stay(text: str) -> None:
    assert repair_spelling(text) == text


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("The list of tenants is to be prepared by Friday.", "prepare the list of tenants by Friday."),
        ("The kit list should be checked no later than 18 November.", "check the kit list no later than 18 November."),
        ("The roof must never be painted by strangers.", "The roof must never be painted by strangers."),
        ("The bread is to be admired.", "The bread is to be admired."),
    ],
)
def test_the_passive_is_an_order_where_it_asks_for_work(said: str, order: str) -> None:
    assert as_imperative(said) == order


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("I have made an error: not search but social. The rest stays.", {"channel": "social"}),
        ("Furthermore, the duration should be three weeks instead of four.", {"weeks": 3}),
        ("n 3 weeks instead of 4 sry", {"weeks": 3}),
    ],
)
def test_a_correction_in_other_words_changes_what_it_names(text: str, changed: dict[str, object]) -> None:
    (reading,) = read(text, (ordered(CAMPAIGN),))
    assert (reading.act, values(reading)) == ("correction", changed)


@pytest.mark.parametrize("per", ["dollars in the week", "dollars for week", "dollars by week", "pw"])
def test_a_weekly_amount_in_other_words_is_weekly(per: str) -> None:
    (reading,) = read(f"Open one campaign with name 'Riddles' on social, 90 {per}, five weeks, for all people.")
    assert values(reading)["weekly_budget_usd"] == 90


def test_what_is_the_same_is_taken_from_the_order_before() -> None:
    (reading,) = read(
        "one more called 'Ballroom' on events, same money each week but just 4 weeks", [ordered(CAMPAIGN)]
    )
    assert (reading.operation, reading.missing) == ("ad_campaign_create", ())
    assert {"name": "Ballroom", "channel": "events", "weekly_budget_usd": 140, "weeks": 4}.items() <= values(
        reading
    ).items()


def steps_of(text: str) -> Sequence[tuple[str, str]]:
    (reading,) = read(text)
    return [(one["kind"], one["text"]) for one in values(reading)["steps"]]


@pytest.mark.parametrize(
    "text",
    [
        "We intend to have a stall; please plan it as a project. The pitch is to be measured first, then a sketch is "
        "to be drawn. Thereafter I must approve the sketch; not until then are the shelves to be made.",
        "stall at the fair, plan it pls: 1 measure the pitch 2 draw a sketch 3 i ok the sketch 4 have the shelves made",
        "We want to have a stall. Please make the plan: first to measure the pitch, second to draw a sketch, third I "
        "must approve the sketch, fourth to have the shelves made.",
    ],
)
def test_a_project_has_its_steps_and_its_approval_whoever_writes(text: str) -> None:
    found = steps_of(text)
    assert [kind for kind, _ in found] == ["work", "work", "approval", "work"]
    assert [words for kind, words in found if kind == "work"] == [
        "measure the pitch",
        "draw a sketch",
        "make the shelves",
    ]


def test_a_noun_before_the_noun_narrows_a_selection() -> None:
    words = Vocabulary(tags=("hotel", "coast", "plot-holder"), fields={"standing": ("lead",)})
    found = selector_in("Write to our hotel customers on the coast for me", words)
    assert found is not None
    assert found.value["where"] == {"tags": {"all": ["hotel", "coast"]}}
    each = selector_in("Send every plot holder this letter", words)
    assert each is not None
    assert (each.value["where"], each.unexplained) == ({"tags": "plot-holder"}, ())


def test_a_rule_about_a_channel_is_no_wider_than_that_channel() -> None:
    (reading,) = read("From now on nothing goes on social any more.")
    assert reading.act == "standing"
    assert (values(reading)["operations"], values(reading)["channel"]) == (["ad_campaign_create"], "social")


def test_nobody_gets_any_post_is_no_rule_about_publishing() -> None:
    vocabulary = Vocabulary(companies=("Marlow & Sons",))
    (reading,) = read(
        "From now on nobody at Marlow & Sons gets any post from us, all right?", (), vocabulary=vocabulary
    )
    assert (reading.act, reading.operation, values(reading)) == ("standing", "forbid", {"who": "Marlow & Sons"})


def test_work_goes_to_the_contractor_who_is_named() -> None:
    vocabulary = Vocabulary(names={"Jonah Pell": "contractors/CON-1"})
    order = replace(ordered("Create a work package 'Kiosk', 380 dollars, by 4 December."), status="done")
    (reading,) = read("Jonah Pell should do it.", (order,), vocabulary=vocabulary)
    assert reading.operation == "work_package_assign"
    assert values(reading) == {"package_id": "Kiosk", "contractor_id": "Jonah Pell"}
