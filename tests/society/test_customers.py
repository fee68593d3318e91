"""Laws of contacts, deals and scores: entering again changes nothing, pipelines add up, scores keep their bounds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.configs.settings import load_settings
from mabos.society.contacts import Contact, Touch, address, entry, merge_contacts, merge_touches
from mabos.society.customers import ContactFilter, open_customers
from mabos.society.deals import LOST, WON, Deal, change_stage, in_order, pipeline, stage_named
from mabos.society.lead_scores import score
from mabos.workspace.clock import iso
from mabos.workspace.sync import Sync

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
CRM = load_settings().crm
WORDS = st.sampled_from(["", "Ann", "Bob", "Head of Sales", "smb"])
TOUCHES = st.lists(
    st.builds(
        Touch,
        id=st.sampled_from("abcdef"),
        at=st.integers(0, 400).map(lambda days: iso(NOW - timedelta(days=days))),
        kind=st.sampled_from([*CRM.points, "unheard of"]),
    ),
    max_size=6,
).map(lambda found: merge_touches((), found))
CONTACTS = st.builds(
    Contact, id=st.just("CON-1"), email=st.just("a@b.co"), name=WORDS, company=WORDS, title=WORDS, segment=WORDS,
    tags=st.lists(st.sampled_from("xyz"), max_size=3, unique=True).map(tuple), touches=TOUCHES,
    fields=st.dictionaries(st.sampled_from("pq"), WORDS),
)  # fmt: skip


@given(CONTACTS, CONTACTS)
def test_entering_the_same_again_changes_nothing_and_loses_nothing(known: Contact, given_: Contact) -> None:
    once = merge_contacts(known, given_)
    assert merge_contacts(once, given_) == once
    assert set(known.tags) | set(given_.tags) == set(once.tags)
    assert {one.id for one in once.touches} == {one.id for one in (*known.touches, *given_.touches)}
    assert (once.id, once.email) == (known.id, known.email)


def test_very_many_touches_are_the_newest(tmp_path: Path) -> None:
    many = [Touch(str(number), iso(NOW + timedelta(minutes=number)), "opened") for number in range(250)]
    kept = merge_touches((), many)
    assert (len(kept), kept[-1].id, kept[0].id) == (200, "249", "50")


def test_entering_tells_new_from_known_by_address() -> None:
    ann = Contact("CON-1", "ann@company.com", name="Ann")
    again = entry({ann.id: ann}, replace(ann, id="CON-2", company="Initech"))
    assert (again.contact.id, again.created, again.changed) == ("CON-1", False, ("company",))
    assert entry({}, ann).created


@pytest.mark.parametrize(
    "text",
    ["", "a", "a@b", "@b.co", "a@b.co,c@d.co", "a b@c.co", "a@b.co\nBcc: x@y.co", "a@-b.co", ".a@b.co", "a..b@c.co",
     "ä@b.co", "a@b.co\x00", "<a@b.co>", "a@" + "b." * 150 + "co"],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="is not an e-mail address"):
        address(text)


PATHS = st.lists(
    st.tuples(st.floats(0, 1e6), st.lists(st.sampled_from(in_order(CRM.stages)), min_size=1, max_size=6)), max_size=12
)


@given(PATHS)
def test_a_pipeline_adds_up_whatever_way_deals_went(paths: list[tuple[float, list[str]]]) -> None:
    deals: list[Deal] = []
    for number, (value, stages) in enumerate(paths):
        deal = Deal(f"D{number}", "Plan", value_usd=round(value, 2), created_at=iso(NOW))
        for day, stage in enumerate(stages):
            deal = change_stage(deal, stage, at=iso(NOW + timedelta(days=day)), by="cmo")
        deals.append(deal)
    found = pipeline(deals, CRM.stages, NOW + timedelta(days=10))
    assert sum(one.deals for one in found.stages) == len(deals)
    assert sum(one.value_usd for one in found.stages) == pytest.approx(sum(one.value_usd for one in deals), abs=0.1)
    assert found.weighted_usd <= found.open_usd
    assert found.open_deals == sum(one.is_open for one in deals)
    for figures in found.stages:
        assert figures.conversion is None or 0 <= figures.conversion <= 1
    assert all(len({a.stage, b.stage}) == 2 for deal in deals for a, b in zip(deal.history, deal.history[1:]))  # noqa: B905  # pairs of neighbours


def test_stages_of_settings_are_in_the_order_of_their_chances_and_others_names_are_known() -> None:
    assert in_order({"lost": 0, "demo": 0.4, "won": 1, "lead": 0.1}) == ("lead", "demo", WON, LOST)
    assert stage_named("ContractSent", CRM.stages) == "negotiation"
    with pytest.raises(InvalidArgument, match="there are lead, qualified, proposal, negotiation, won, lost"):
        stage_named("dreaming", CRM.stages)


@given(CONTACTS, st.lists(st.sampled_from(["smb", "Small Business", "ent"]), max_size=2))
def test_a_score_keeps_its_bounds_and_is_the_sum_of_its_parts(contact: Contact, served: list[str]) -> None:
    found = score(contact, served, CRM, NOW)
    assert 0 <= found.score <= found.at_most <= 100
    assert sum(one.points for one in found.contributions) == pytest.approx(found.score, abs=0.2)
    assert (found.score < found.at_most) == bool(found.unknown)
    assert all(one.because or one.value == 0 for one in found.contributions)


@given(CONTACTS)
def test_another_reply_today_never_lowers_a_score(contact: Contact) -> None:
    more = replace(contact, touches=merge_touches(contact.touches, [Touch("new", iso(NOW), "replied")]))
    assert score(more, ["smb"], CRM, NOW).score >= score(contact, ["smb"], CRM, NOW).score


def test_deals_that_another_system_knows_are_one_each(tmp_path: Path) -> None:
    customers = open_customers(tmp_path, Sync("off"))
    for stage in ("lead", "lead", "proposal"):
        customers.deal(
            "hubspot-456",
            lambda known, stage=stage: change_stage(  # type: ignore[misc]  # mypy does not know the default's type
                known or Deal("DEAL-1", "Yearly", external_id="hubspot-456"), stage, at=iso(NOW), by="cmo"
            ),
        )
    (deal,) = open_customers(tmp_path, Sync("off")).deals.all()
    assert [move.stage for move in deal.history] == ["lead", "proposal"]
    assert customers.chosen(ContactFilter()) == ()
