from datetime import datetime
from pathlib import Path
from typing import Any

from mabos.society.decisions import DecisionAnswer
from mabos.society.simulation.company import BusinessRecords, CompanySimulation, week_start
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.simulation.stakeholder_policy import OwnerQuestion, OwnerSituation, answer
from mabos.workspace.clock import frozen_clock, iso, parse_time
from mabos.workspace.ids import Ids
from tests.tools.offices import office
from tests.world import World

SAAS = load_scenario("saas")
Call = tuple[int, str, str, dict[str, Any]]


def ad(week: int, channel: str, segment: str, weekly: float) -> Call:
    arguments = {"name": channel, "channel": channel, "segment": segment, "weekly_budget_usd": weekly, "weeks": 13}
    return week, "cmo", "ad_campaign_create", arguments


def package(week: int, agent: str, area: str, budget: float) -> Call:
    arguments = {"title": area, "description": area, "required_skills": ["engineering"], "budget_usd": budget}
    return week, agent, "work_package_create", {**arguments, "area": area}


def price(week: int, segment: str, amount: float) -> Call:
    return (
        week,
        "strategy",
        "stripe_create_price",
        {"product": "Subscription", "amount_usd": amount, "segment": segment},
    )


PLAN: list[Call] = [
    *(price(1, segment, amount) for segment, amount in (("smb", 34.0), ("mid", 149.0), ("ent", 890.0))),
    ad(0, "search", "smb", 700.0),
    ad(0, "outbound", "mid", 900.0),
    ad(0, "events", "ent", 900.0),
    package(0, "cto", "product", 9000.0),
    package(0, "coo", "support", 4000.0),
    package(5, "cto", "product", 9000.0),
    *((week, "cmo", "content_generate", {"type": "blog_post", "title": f"Week {week}"}) for week in range(13)),
]


def at(world: World, moment: datetime) -> World:
    clock = frozen_clock(moment)
    return world.variant(clock=clock, ids=Ids(clock, seed=f"test-{moment}"))


def quarter(root: Path, calls: list[Call]) -> tuple[CompanySimulation, World, int]:
    """Run a quarter in which agents make these calls and the scenario's owner answers what waits for a person."""
    world = office(root, threshold=SAAS.stakeholder.approval_threshold_usd).simulate_market()
    business = world.services.business("acme")
    records = BusinessRecords(
        business.metrics, business.campaigns, business.pricing, business.content, business.workforce, business.staff
    )
    simulation = CompanySimulation(root, SAAS, seed="1", records=records)
    simulation.open_books()
    waiting: list[Call] = []
    asked = 0
    for week in range(SAAS.weeks):
        now = week_start(SAAS, week)
        world = at(world, now)
        ledger = simulation.world.ledger
        situation = OwnerSituation(now, simulation.world.cash, ledger.costs - ledger.revenue)
        for decision in business.decisions.pending():
            question = OwnerQuestion(
                decision.id, decision.cost, parse_time(decision.created_at), decision.recommendation
            )
            said = answer(question, SAAS.stakeholder.policy, situation, latency_weeks=1)
            if said is not None:
                business.decisions.resolve(
                    decision.id, DecisionAnswer(said.resolution, iso(now), feedback=said.feedback)
                )
        due = [*waiting, *(call for call in calls if call[0] == week)]
        waiting = [call for call in due if world.agent(call[1]).ask(call[2], **call[3]).awaiting]
        asked += len(waiting)
        simulation.advance(week, deliver=world.services.mail.deliver, roles=dict(business.manifest.agents))
    return simulation, world, asked


def test_a_plan_carried_out_by_catalogue_tools_alone_beats_doing_nothing(tmp_path: Path) -> None:
    idle, _, _ = quarter(tmp_path / "idle", [])
    busy, world, asked = quarter(tmp_path / "busy", PLAN)
    assert asked >= 5
    assert busy.score() > 1.05 * idle.score()
    assert busy.world.mrr > 1.3 * idle.world.mrr
    assert all(decision.status == "approved" for decision in world.services.decisions("acme").all())


def test_the_market_speaks_to_the_agents_through_their_inboxes_and_metrics(tmp_path: Path) -> None:
    _, world, _ = quarter(tmp_path, PLAN)
    heard = {
        agent: world.agent(agent).handle.inbox.messages() for agent in ("ceo", "cfo", "cto", "coo", "hr", "strategy")
    }
    assert all(heard.values())
    assert {message.sender for messages in heard.values() for message in messages} == {"market"}
    assert len(world.services.business("acme").metrics.series("mrr")) == SAAS.weeks + 1


def test_a_quarter_is_the_same_files_twice(tmp_path: Path) -> None:
    kept = []
    for name in ("one", "two"):
        _, world, _ = quarter(tmp_path / name, PLAN)
        world.close()
        home = tmp_path / name / "businesses" / "acme"
        files = {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}
        kept.append({path: text for path, text in files.items() if not path.name.startswith(".")})
    assert kept[0] == kept[1]


def test_people_a_loan_and_a_refund_are_asked_for_and_the_market_answers_in_the_books(tmp_path: Path) -> None:
    calls: list[Call] = [
        (0, "coo", "staff_hire", {"title": "Support agent", "area": "support", "weekly_usd": 900}),
        (0, "cfo", "loan_request", {"amount_usd": 20_000, "weeks": 8}),
        (1, "coo", "refund_issue", {"segment": "smb", "amount_usd": 150, "reason": "The outage"}),
    ]
    simulation, world, asked = quarter(tmp_path, calls)
    business = world.services.business("acme")
    assert asked >= 2
    assert [one.status for one in business.staff.positions.all()] == ["employed"]
    assert [(one.status, one.left_usd) for one in business.staff.loans.all()] == [("repaid", 0.0)]
    assert [one.status for one in business.pricing.refunds.all()] == ["paid"]
    assert business.metrics.series("debt")[-1].value == 0
    assert simulation.world.ledger.payroll > 15_800
    (position,) = business.staff.positions.all()
    assert world.agent("coo").ask("staff_release", position_id=position.id).awaiting
    assert world.agent("coo").refused("refund_issue", segment="globex", amount_usd=10, reason="x")[1] == "segment"
