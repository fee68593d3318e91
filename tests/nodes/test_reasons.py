"""Why something was done, as the report of a quarter tells it: run for real, week by week."""

from pathlib import Path

import pytest

from mabos.graphs import wiring
from mabos.graphs.simulate import BUSINESS, simulate
from mabos.nodes.company.chronicle import chronicle
from mabos.nodes.company.reasons import sentence
from mabos.nodes.company.run import find_run
from mabos.society.simulation.report_input import ReportInput


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> ReportInput:
    out: Path = tmp_path_factory.mktemp("run")
    simulate("saas", out=out, weeks=6, seed=7)
    with wiring.hold_services(out / "workspace") as services:
        assert BUSINESS in services.businesses()
        run = find_run(services.layout.root)
        assert run is not None
        return chronicle(services, run, 6)


def test_every_chain_ends_in_what_was_believed_at_the_time(report: ReportInput) -> None:
    assert report.decisions
    for one in report.decisions:
        if any(reason.startswith("goal") and ":" in reason for reason in one.why):
            assert one.why[-1].startswith(("belief ", "nothing was known yet of ")), one


def test_a_measured_belief_has_its_value_source_and_week(report: ReportInput) -> None:
    first = next(one for one in report.decisions if one.tool == "work_package_create" and one.agent == "cto")
    assert any(reason.startswith("belief An order of work adds ") for reason in first.why)
    assert any("(measured effects, week " in reason for reason in first.why)


def test_no_chain_rests_on_what_its_own_plan_brought_about(report: ReportInput) -> None:
    for one in report.decisions:
        plan = next((reason.removeprefix("plan ") for reason in one.why if reason.startswith("plan ")), "")
        name = plan.split(" (")[0]
        assert not any(reason.startswith("belief") and f"of {name}," in reason for reason in one.why), one


def test_what_was_approved_names_its_approval(report: ReportInput) -> None:
    approved = [one for one in report.decisions if one.approval == "approved"]
    assert approved
    assert all(one.why[0].startswith("approval DEC-") for one in approved)
    assert all(one.approval for one in report.decisions if one.tool == "decision_request")


def test_an_action_is_told_in_a_sentence() -> None:
    assert sentence("content_generate", {"title": "The first week"}) == "Published 'The first week'"
    price = {"product": "Team", "amount_usd": 49.0}
    assert sentence("stripe_create_price", price) == "Set the price of Team for all customers to $49 a month"
    campaign = {"name": "Autumn", "channel": "search", "segment": "mid"}
    told = "Started the campaign 'Autumn' on search for mid-sized customers"
    assert sentence("ad_campaign_create", campaign) == told
    assert sentence("work_package_create", {"title": "X"}, done=False) == "Wanted, and not done: ordered 'X'"
    assert sentence("something_else", {"name": "x"}) == "Something else: x"


def test_the_score_has_its_name(report: ReportInput) -> None:
    assert report.score_name == "net_worth"


def test_the_report_knows_what_doing_nothing_comes_to(report: ReportInput, tmp_path: Path) -> None:
    idle = simulate("saas", out=tmp_path, weeks=6, seed=7, policy="nothing")
    assert report.idle_score == idle.score
    assert {name: report.idle[name] for name in ("cash", "mrr", "quality")} == {
        name: idle.kpis[name] for name in ("cash", "mrr", "quality")
    }


def test_news_name_work_and_customers_in_words(report: ReportInput) -> None:
    texts = [one.text for one in report.news]
    assert any(text.startswith("Work package '") for text in texts)
    assert not any("segment" in text for text in texts)


def test_an_order_that_was_delivered_says_so(report: ReportInput) -> None:
    orders = [one for one in report.decisions if one.tool == "work_package_create" and one.week <= 2]
    assert orders
    assert all("was delivered" in one.outcome for one in orders)
