"""Questions about the whole, with a bound of one's own, and about deeds: each answered from records, through cycles."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabos.society.roles import STAKEHOLDER
from tests.world import World

WEEKS = (
    "week,covers,takings_usd,food_cost_pct\n"
    "2026-04-20,402,18050,31\n2026-04-27,398,17900,31\n2026-05-04,410,18200,31\n"
    "2026-05-11,395,17650,32\n2026-05-18,430,19400,30\n2026-05-25,388,16900,39\n"
)
CUSTOMERS = (("Ann Bell", "12000"), ("Ben Cox", "3000"), ("Cy Dunn", "25000"))


@pytest.fixture
def bistro(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path / "w", template="retail", at=datetime(2026, 6, 1, 9, tzinfo=UTC)) as world:
        (tmp_path / "w" / "businesses" / "acme" / "inbox" / "weeks.csv").write_text(WEEKS, "utf-8")
        yield world


def reply(world: World, agent: str, message: str) -> tuple[str, list[tuple[str, object]]]:
    """Return what an agent answers, and the fields and values that it claims."""
    before = {one.id for one in world.services.inbox(STAKEHOLDER).messages()}
    world.agent(agent).cycle(message)
    said = [one for one in world.services.inbox(STAKEHOLDER).messages() if one.id not in before]
    claims = [claim for one in said for claim in one.metadata.get("claims", ())]
    return "\n".join(one.content for one in said), [(claim["field"], claim["value"]) for claim in claims]


def test_a_word_that_names_a_figure_is_that_figure_whatever_else_it_means(bistro: World) -> None:
    _, claims = reply(bistro, "cfo", "What were the takings last week?")
    assert claims == [("takings", 16900.0)]
    _, claims = reply(bistro, "cfo", "which week was the best?")
    assert ("takings", 19400.0) in claims  # of all weeks, not of the one that was asked about before


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is food cost okay? We want 32 % or less.", "No."),
        ("Are covers still above 380?", "Yes."),
        ("is takings at least 17,000?", "No."),
    ],
)
def test_a_figure_is_held_against_the_bound_that_the_question_names(bistro: World, question: str, answer: str) -> None:
    text, claims = reply(bistro, "cfo", question)
    assert text.startswith(answer)
    assert claims


def test_the_business_as_a_whole_is_told_in_its_latest_figures(bistro: World) -> None:
    _, claims = reply(bistro, "ceo", "How's business?")
    assert {("covers", 388.0), ("takings", 16900.0), ("food_cost", 39.0)} <= set(claims)


def test_only_a_value_far_from_those_before_stands_out(bistro: World) -> None:
    text, claims = reply(bistro, "cfo", "Anything unusual in the numbers?")
    assert {name for name, _ in claims} == {"food_cost", "takings"}
    assert "39" in text


def test_a_period_that_has_not_come_has_no_value_and_a_forecast(bistro: World) -> None:
    text, claims = reply(bistro, "cfo", "What will takings be next week?")
    assert "no value" in text
    assert "18,016.67" in text
    assert claims == [("takings", 16900.0)]


def test_whether_anything_of_a_kind_was_done_is_counted_in_its_records(bistro: World) -> None:
    text, _ = reply(bistro, "cmo", "Did you write to anybody this week?")
    assert text.startswith("No.")
    bistro.do("crm_create_contact", email="ann@bell.example", name="Ann Bell")
    bistro.do("email_send", to="ann@bell.example", subject="Table four", text="It is yours on Friday.")
    assert [one.status for one in bistro.business.mailings.letters.all()] == ["sent"]
    text, _ = reply(bistro, "cmo", "Did you write to anybody this week?")
    assert text.startswith("Yes")


def test_the_largest_customers_are_those_of_a_field_that_says_how_large(bistro: World) -> None:
    for name, size in CUSTOMERS:
        email = f"{name.split()[0].lower()}@guest.example"
        bistro.do("crm_create_contact", email=email, name=name, tags=["customer"], fields={"revenue_usd": size})
    reply(bistro, "cmo", "Draft a letter to our two largest customers: The terrace opens on 5 June.")
    drafts = sorted((bistro.root / "businesses" / "acme" / "mail" / "drafts").glob("*.eml"))
    to = {line for path in drafts for line in path.read_text("utf-8").splitlines() if line.startswith("To:")}
    assert {name for name, _ in CUSTOMERS if any(name in line for line in to)} == {"Ann Bell", "Cy Dunn"}


def test_nobody_is_chosen_as_largest_where_no_record_says_how_large(bistro: World) -> None:
    for name, _ in CUSTOMERS:
        bistro.do("crm_create_contact", email=f"{name.split()[0].lower()}@guest.example", name=name, tags=["customer"])
    reply(bistro, "cmo", "Draft a letter to our two largest customers: The terrace opens on 5 June.")
    assert not list((bistro.root / "businesses" / "acme").glob("mail/drafts/*.eml"))
    (request,) = bistro.agent("cmo").handle.requests.all()
    assert (request.status, request.missing) == ("asking", ("recipients",))


def test_a_withdrawal_stops_no_order_that_it_does_not_mean(bistro: World) -> None:
    reply(bistro, "cmo", "Start a search campaign named 'Terrace', 60 dollars a week for 2 weeks, for everybody.")
    reply(bistro, "cmo", "Stop the painting of the kitchen.")
    assert [one.status for one in bistro.business.campaigns.all()] == ["recorded"]
