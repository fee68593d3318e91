from dataclasses import replace

from mabos.society.simulation.levers import Advertising, Levers, Order
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.simulation.truth import Scheduled
from mabos.society.simulation.wording import customers, label_record
from mabos.society.simulation.world import step
from tests.society.simulation.policies import played

SAAS = load_scenario("saas")


def test_segments_are_customers_in_words() -> None:
    assert [customers(name) for name in ("smb", "mid", "ent", "all", "clinics")] == [
        "small customers", "mid-sized customers", "large customers", "all customers", "clinics customers",
    ]  # fmt: skip
    assert label_record("Repair", "WP-1") == "'Repair' (WP-1)"
    assert label_record("", "WP-1") == "WP-1"


def test_news_name_what_was_done_by_its_title() -> None:
    ordered = Levers(
        advertising=(Advertising("CMP-1", "search", "smb", 300, 3, name="Spring"),),
        orders=(Order("WP-1", "product", 4000, "", title="Repair sign-in"),),
    )
    _, events = played(SAAS, lambda _: ordered, "1", 8)
    told = {event.kind: event.text for event in events}
    assert told["delivery"].startswith("Work package 'Repair sign-in' (WP-1) was delivered after")
    assert told["campaign_over"].startswith("Campaign 'Spring' (CMP-1) has run:")


def test_a_shock_is_heard_of_in_words() -> None:
    shock = Scheduled(0, "churn_shock", size=2.0, segment="ent")
    truth = replace(SAAS.truth("1"), events=(shock,))
    _, events = step(SAAS.opening("1"), truth, Levers(), "1")
    assert "Large customers are leaving faster than usual." in [event.text for event in events]
