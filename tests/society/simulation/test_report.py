import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mabos.society.simulation.kpis import Kpi
from mabos.society.simulation.leading import group_decisions, leading_page
from mabos.society.simulation.report import html, journal_page, kpis_csv, manifest, markdown, write_report
from mabos.society.simulation.report_input import (
    Activity,
    CampaignResult,
    GoalLine,
    PriceChange,
    ReportedDecision,
    ReportedInsight,
    ReportedNews,
    ReportInput,
)

VOID = {"meta", "br", "link", "img", "hr", "input"}

REPORT = ReportInput(
    title="A quarter",
    business="Acme",
    weeks=2,
    first_day="2026-01-05",
    last_day="2026-01-18",
    scenario="saas",
    scenario_hash="ab" * 32,
    policy="bdi",
    seed="1",
    score=457_734.4,
    kpis=(
        Kpi("cash", (420_000.0, 410_000.5, 400_000.0)),
        Kpi("mrr", (26_066.0, 26_500.0, 27_000.0)),
        Kpi("churn_rate", (None, 6.0, 5.0)),
        Kpi("subscribers_smb", (340.0, 338.0, 345.0)),
        Kpi("subscribers_mid", (84.0, 84.0, 85.0)),
        Kpi("home_made", (1.0, 2.0, 3.0)),
    ),
    decisions=(
        ReportedDecision(
            "L-cmo-4", 1, "cmo", "Search campaign", "ad_campaign_create", 4200, ("goal Grow MRR", "belief leads < 20")
        ),
        ReportedDecision(
            "DEC-1", 2, "cto", "Rewrite", "work_package_create", 90_000, (), "rejected", "above the limit"
        ),
    ),
    goals=(GoalLine("ceo", "Twelve months of runway", "strategic", "active", 62.4),),
    learnings=(ReportedInsight("cmo", "Search is cheapest."),),
    activity=(Activity("ceo", "Chief executive", 2, 5, 1),),
    news=(ReportedNews(1, "A rival has launched."),),
    versions=(("mabos", "0.1.0"),),
)


class Page(HTMLParser):
    """Collects what a page would fetch, and checks that its elements close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in {"src", "href"}]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_says_start_end_and_change_of_each_figure() -> None:
    text = markdown(REPORT)
    assert "| Cash | $420,000 | $400,000 | −$20,000 | −5% |" in text
    assert "| Churn a month | 6.0% | 5.0% | −1.0 points |  |" in text
    assert "**Score: $457,734**" in text


def test_a_change_is_the_difference_of_the_two_figures_beside_it() -> None:
    kpis = (Kpi("runway_months", (8.0355, 5.8592)), Kpi("burn", (11_725.2, 10_468.7)), Kpi("nps", (5.0, 21.0)))
    text = markdown(replace(REPORT, kpis=kpis, weeks=1))
    assert "| 8.0 | 5.9 | −2.1 | −27% |" in text
    assert "| $11,725 | $10,469 | −$1,256 | −11% |" in text
    assert "| Net promoter score | 5 | 21 | +16 |  |" in text


def test_a_goal_that_was_reached_time_and_again_is_told_once() -> None:
    goal = GoalLine("cfo", "Keep six months of runway", "tactical", "achieved", 100.0)
    report = replace(REPORT, goals=(goal, goal, replace(goal, status="active", progress=85.2), goal))
    text = markdown(report)
    assert text.count("Keep six months of runway") == 2
    assert "Keep six months of runway (tactical): achieved 3 times, 100 %" in text
    assert "Keep six months of runway (tactical): active, 85 %" in text
    assert "reached at the time" in text
    assert Page(html(report)).open == []


def test_decisions_come_with_their_chain_of_reasons_and_their_approval() -> None:
    assert "journal.md" in markdown(REPORT)
    text = journal_page(REPORT)
    chain = text[text.index("**Search campaign**") :]
    assert chain.index("goal Grow MRR") < chain.index("belief leads < 20") < chain.index("**Rewrite**")
    assert "| 2 | cto | Rewrite | $90,000 | rejected | above the limit |" in text
    assert "1 asked: 0 approved, 1 rejected" in text


CAMPAIGN = ReportedDecision("L-1", 1, "cmo", "Started 'S'", "ad_campaign_create", 1200, ("goal Grow: leads >= 4",))


def test_decisions_of_one_kind_for_one_goal_are_one_line_with_count_sum_and_weeks() -> None:
    twelve = tuple(
        replace(
            CAMPAIGN,
            id=f"L-{week}",
            week=week,
            why=(f"goal Grow: leads >= {week}",),
            outcome=f"has run: {week} leads for $9",
        )
        for week in range(1, 13)
    )
    other = replace(CAMPAIGN, id="L-99", week=4, why=("goal Defend",))
    asked = replace(CAMPAIGN, id="L-98", week=5, approval="rejected")
    groups = group_decisions((*twelve, other, asked))
    assert [(len(one.decisions), one.cost, one.weeks, one.goal, one.is_done) for one in groups] == [
        (12, 14_400, "weeks 1 to 12", "Grow", True),
        (1, 1200, "week 4", "Defend", True),
        (1, 1200, "week 5", "Grow", False),
    ]
    assert str(sum(range(1, 13))) in groups[0].outcome
    text = markdown(replace(REPORT, decisions=(*twelve, other, asked)))
    assert text.count("$14,400") == 2
    assert "has run" not in text


def test_a_question_that_waits_is_named_on_the_first_page_and_counted_as_open() -> None:
    asked = ReportedDecision(
        "L-ceo-1", 2, "ceo", "Asked the owner: Take the risk", "decision_request", approval="pending"
    )
    report = replace(REPORT, decisions=(*REPORT.decisions, asked))
    assert [one for one in leading_page(report).to_decide if one.startswith("Waits") and "Take the risk" in one]
    assert "2 asked: 0 approved, 1 rejected, 0 modified, 1 open" in markdown(report)


def test_deeds_without_a_goal_give_the_beliefs_and_the_award_that_they_rest_on() -> None:
    said = (
        "costs $370 ($109 to $1,417); 2 weeks (measured, week 2)",
        "costs $21 ($9 to $40); 2 weeks (measured, week 3)",
    )
    award = "award Take what brings at least $1.25 for a dollar. (cfo, week 3)"
    led = tuple(
        replace(CAMPAIGN, id=one, why=(f"belief A lead by search for smb customers {one}", award)) for one in said
    )
    (line,) = [one for one in leading_page(replace(REPORT, decisions=led)).why if one.startswith("Campaigns: 2")]
    assert all(one in line for one in ("$370", "$21 ($9 to $40)", "$1.25", "small customers"))
    assert "week 2)" not in line


def test_what_was_learned_states_figures_of_records_alone() -> None:
    campaigns = (
        CampaignResult("search", "smb", 1000, 40),
        CampaignResult("search", "ent", 1000, 0),
        CampaignResult("events", "mid", 900, 3),
    )
    kpis = (*REPORT.kpis, Kpi("subscribers_ent", (9.0, 9.0, 12.0)), Kpi("runway_months", (8.0, 5.0, 4.2)))
    missed = "Push missed: expected mrr >= 100000; mrr was 26066 and is 25825"
    page = leading_page(
        replace(
            REPORT,
            campaigns=campaigns,
            prices=(PriceChange(1, "ent", 828.0, 690.0), PriceChange(2, "ent", 700.0, 828.0)),
            effects=(("price_ent", "Half of the ent customers would pay $900; the list says $828, after 2 weeks"),),
            learnings=(ReportedInsight("ceo", missed), ReportedInsight("ceo", missed)),
            kpis=kpis,
            idle={"runway_months": 6.0},
        )
    )
    learned = dict(page.learned)
    assert len(learned["Prices"]) == 2, "a price has one line, however often it changed"
    assert learned["Prices"][1] == "Half of the large customers would pay $900, after 2 weeks."
    assert all(said in learned["Expectations"][0] for said in ("100,000", "26,066", "25,825", "2 times"))
    assert any("shortened" in one and "4.2" in one and "6.0" in one for one in page.happened)
    assert learned["Channels"][0].startswith("Search: $50 a lead")
    assert ("$25" in learned["Channels"][-1], "$300" in learned["Channels"][-1]) == (True, True)
    assert all(said in learned["Prices"][0] for said in ("$690", "$828", "9 to 12"))
    assert "from 9 to 12" in learned["Customers"][0]
    assert any("4.2 months" in one for one in page.to_decide)
    assert any("Rewrite" in one for one in page.to_decide), "what was refused is named"


def test_goals_agents_learnings_and_news_are_told() -> None:
    text = markdown(REPORT) + journal_page(REPORT)
    for said in ("Twelve months of runway (strategic): active, 62 %", "Chief executive (`ceo`) | 2 | 5 | 1"):
        assert said in text
    assert "Search is cheapest." in text
    assert "Week 1: A rival has launched." in text


def test_an_empty_report_says_so() -> None:
    empty = ReportInput(title="Nothing", business="Acme", weeks=0, first_day="2026-01-05", last_day="2026-01-05")
    text = markdown(empty) + journal_page(empty)
    for said in (
        "Nothing was learned of channels",
        "Nothing waits for you",
        "Nothing was decided.",
        "Nobody had to be asked.",
        "No goals were adopted.",
        "Nobody acted.",
        "None.",
    ):
        assert said in text
    assert "Score" not in text
    assert Page(html(empty)).open == []


def test_the_page_is_well_formed_and_fetches_nothing() -> None:
    page = Page(html(REPORT))
    assert page.open == []
    assert page.links
    assert all(link.startswith("#") for link in page.links)
    assert not re.search(r"https?://|@import|url\(", html(REPORT))


def test_the_page_serves_light_and_dark() -> None:
    assert "prefers-color-scheme: dark" in html(REPORT)
    assert '<meta name="viewport"' in html(REPORT)


def test_what_agents_wrote_is_text_and_never_markup() -> None:
    nasty = "<script>alert(1)</script>\n| *x* |"
    report = replace(
        REPORT,
        decisions=(ReportedDecision("<b>", 1, nasty, nasty, "t", 1, (nasty,), "approved", nasty),),
        goals=(GoalLine(nasty, nasty, "x", "y", 500),),
        learnings=(ReportedInsight(nasty, nasty),),
        news=(ReportedNews(1, nasty),),
        title=nasty,
    )
    page = html(report)
    assert "<script" not in page
    assert Page(page).open == []
    rows = [line for line in journal_page(report).splitlines() if line.startswith("| 1 |")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 7


def test_decisions_are_marked_in_the_charts_and_rejected_ones_are_not() -> None:
    lanes, charts = html(REPORT).split('<div class="charts">')
    assert "Week 1, cmo: Search campaign" in charts
    assert "Week 2, cto: Rewrite" not in charts
    assert "hollow" in lanes.split("Week 2, cto: Rewrite", 1)[1].split("/>", 1)[0]


def test_figures_are_a_table_of_weeks() -> None:
    rows = list(csv.DictReader(io.StringIO(kpis_csv(REPORT))))
    assert [row["week"] for row in rows] == ["0", "1", "2"]
    assert rows[0]["churn_rate"] == ""
    assert float(rows[1]["cash"]) == 410_000.5


def test_the_manifest_names_what_reproduces_the_run() -> None:
    found = json.loads(manifest(REPORT))
    assert (found["scenario_hash"], found["seed"], found["policy"]) == ("ab" * 32, "1", "bdi")
    assert found["versions"] == {"mabos": "0.1.0"}


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    first = {path.name: path.read_bytes() for path in write_report(REPORT, tmp_path / "a")}
    second = {path.name: path.read_bytes() for path in write_report(replace(REPORT), tmp_path / "b")}
    assert first == second
    assert set(first) == {"report.md", "report.html", "journal.md", "kpis.csv", "journal.jsonl", "manifest.json"}


@pytest.mark.parametrize("bankrupt", [True, False])
def test_a_bankruptcy_is_not_hidden(bankrupt: bool) -> None:
    report = replace(REPORT, bankrupt=bankrupt)
    assert ("went bankrupt" in markdown(report)) == bankrupt
    assert ("went bankrupt" in html(report)) == bankrupt


def test_what_the_agents_add_stands_beside_doing_nothing() -> None:
    compared = replace(REPORT, idle_score=400_000.4, idle={"cash": 390_000.0})
    text = markdown(compared)
    assert "That is $57,734 more than doing nothing in the same market comes to ($400,000)." in text
    assert "| Cash | $420,000 | $400,000 | −$20,000 | −5% | $390,000 |" in text
    assert "$57,734 more than doing nothing" in html(compared)
    assert json.loads(manifest(compared))["score_doing_nothing"] == 400_000.4
    worse = replace(REPORT, score=1000.0, idle_score=3000.0)
    assert "That is $2,000 less than doing nothing" in markdown(worse)


def test_where_doing_nothing_is_not_known_nothing_is_compared() -> None:
    assert "oing nothing" not in markdown(REPORT)
    assert "oing nothing" not in html(REPORT)


def test_goals_stand_below_the_goals_that_they_serve_also_a_colleagues(tmp_path: Path) -> None:
    goals = (
        GoalLine("ceo", "Grow", "strategic", "active", 20.0, id="G-1"),
        GoalLine("cmo", "Fill the pipeline", "tactical", "active", 40.0, id="G-2", parent="G-1"),
        GoalLine("cmo", "Publish steadily", "operational", "achieved", 100.0, id="G-3", parent="G-2"),
        GoalLine("cmo", "Publish steadily", "operational", "achieved", 100.0, id="G-4", parent="G-2"),
        GoalLine("hr", "One of a ring", "operational", "active", 0.0, id="G-5", parent="G-6"),
        GoalLine("hr", "The other of it", "operational", "active", 0.0, id="G-6", parent="G-5"),
    )
    text = markdown(replace(REPORT, goals=goals))
    assert (
        "- Grow (strategic): active, 20 %\n  - Fill the pipeline (tactical, cmo): active, 40 %\n    - Publish" in text
    )
    assert "Publish steadily (operational, cmo): achieved 2 times, 100 %" in text
    assert text.count("One of a ring") == text.count("The other of it") == 1
    assert Page(html(replace(REPORT, goals=goals))).open == []


def test_a_chart_marks_what_was_meant_to_move_it_and_shows_what_nobody_would_have_come_to() -> None:
    ordered = ReportedDecision("L-coo-1", 1, "coo", "Goods", "work_package_create", 900.0, area="supply")
    series = (Kpi("stock", (100.0, 80.0, 90.0)), Kpi("quality", (0.5, 0.5, 0.6)))
    text = html(replace(REPORT, kpis=series, decisions=(ordered,), idle_course={"stock": (100.0, 50.0, 0.0)}))
    stock, quality = text.split('aria-label="Units in stock', 1)[1].split('aria-label="Product quality', 1)
    assert "Week 1, coo: Goods" in stock.split("</svg>", 1)[0]
    assert "Week 1, coo: Goods" not in quality.split("</svg>", 1)[0]
    assert "Had nobody acted from 100 to 0" in stock


def test_the_picture_of_a_week_leads_to_its_reasons() -> None:
    text = html(replace(REPORT, news=(ReportedNews(1, "A rival has launched.", is_event=True),)))
    assert '<a href="#decision-1">' in text
    assert '<details id="decision-1">' in text
    assert "Week 1: A rival has launched." in text


def test_many_deeds_of_one_kind_in_a_week_are_one_row_that_opens() -> None:
    terms = ("cmo", "Campaign", "ad_campaign_create", 100, ("goal Grow",))
    campaigns = [ReportedDecision(f"L-{number}", 1, *terms) for number in range(5)]
    text = html(
        replace(
            REPORT, decisions=(*campaigns, ReportedDecision("L-9", 1, "cmo", "An article", "content_generate", 250))
        )
    )
    assert "Campaigns: 5" in text
    assert "$500" in text
    assert text.count("goal Grow") == 1, "what they all rest on is told once"
    assert '<details class="many" id="decision-1">' in text
    assert '<details id="decision-6">' in text
    assert all(f"mabos why L-{number}" in text for number in range(5))
    assert Page(text).open == []


def test_a_chart_says_in_which_week_how_much_was_done_to_move_it() -> None:
    campaigns = tuple(
        ReportedDecision(f"L-{one}", 1, "cmo", f"Campaign {one}", "ad_campaign_create", 1) for one in range(12)
    )
    text = html(replace(REPORT, decisions=campaigns))
    mrr = text.split('aria-label="Monthly recurring revenue', 1)[1].split("</svg>", 1)[0]
    assert mrr.count('<g class="mark">') == 1
    assert ">12</text>" in mrr
    assert "Campaign 0" in mrr
    assert "Campaign 11" in mrr


def test_the_longest_runway_is_told_as_that_and_no_difference_to_it_is_made_up() -> None:
    report = replace(REPORT, kpis=(Kpi("runway_months", (10.3, 60.0)),), weeks=1, idle={"runway_months": 60.0})
    assert "| Runway, months | 10.3 | 60+ |  |  | 60+ |" in markdown(report)
    assert "480%" not in html(report)


def test_reasons_are_told_in_words() -> None:
    why = ("goal Win more customers: new_subscribers >= 4.4",)
    report = replace(REPORT, decisions=(ReportedDecision("L-1", 1, "cmo", "Article", "content_generate", 250, why),))
    assert "goal Win more customers: new subscribers ≥ 4.4" in html(report)


def test_a_run_of_another_length_than_its_scenario_says_so() -> None:
    assert "2 weeks, of a scenario made for 13" in html(replace(REPORT, made_for=13))
    assert "made for" not in html(REPORT)


def test_the_segments_of_a_shop_are_called_by_their_names_beside_each_other() -> None:
    kpis = (Kpi("subscribers_loyal", (1.0, 2.0)), Kpi("subscribers_casual", (3.0, 4.0)))
    text = html(replace(REPORT, kpis=kpis))
    assert "</i>Loyal</li>" in text
    assert "</i>Casual</li>" in text
