"""Gather the input of a simulated quarter's report: metrics, ledger, minds and decisions."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta

from mabos.nodes.company.audit import audit_run
from mabos.nodes.company.reasons import RecalledMemory, report_decision
from mabos.nodes.company.round import seats
from mabos.nodes.company.run import Run, simulation_of
from mabos.nodes.deliberation.levers import EFFECT
from mabos.society.metrics import Metrics
from mabos.society.simulation.company import CompanySimulation, week_start
from mabos.society.simulation.kpis import Kpi
from mabos.society.simulation.report_input import (
    Activity,
    CampaignResult,
    GoalLine,
    ModelUse,
    PriceChange,
    ReportedDecision,
    ReportedInsight,
    ReportedNews,
    ReportInput,
)
from mabos.society.simulation.sensors import SOURCE
from mabos.society.simulation.timeline import OF_TOOL
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent, Services
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.ledger import LedgerEntry

ACTUATORS = tuple(OF_TOOL)
"""The operations that move the market or ask the owner: what a report calls a decision."""

OPENING = "market"
"""The author of the opening prices of a market."""
_CYCLE_WEEK = re.compile(r"C-w(\d+)")


def chronicle(services: Services, run: Run, weeks: int) -> ReportInput:
    """Return all data for a run's report, in an order that depends on the run alone."""
    business = services.business(run.business_id)
    simulation = simulation_of(run, services, business)
    scenario = simulation.scenario
    agents = [services.agent(agent_id) for agent_id in seats(business).values()]
    news = tuple(_news(agents, simulation))
    idle = None if run.policy == "nothing" else simulation.simulate_inaction(weeks)
    return ReportInput(
        title=scenario.title,
        business=business.manifest.name,
        scenario=scenario.scenario,
        scenario_hash=scenario.digest(),
        policy=run.policy,
        without=run.without,
        asked=_summarize_model_use(services, run),
        audit=audit_run(services, business, simulation, agents),
        seed=run.seed,
        owner=scenario.stakeholder.model_dump(mode="json"),
        weeks=weeks,
        made_for=0 if weeks == scenario.weeks else scenario.weeks,
        unplayed=scenario.beyond(weeks),
        first_day=f"{week_start(scenario, 0):%Y-%m-%d}",
        last_day=f"{week_start(scenario, weeks) - timedelta(days=1):%Y-%m-%d}",
        score=simulation.score(),
        score_name=scenario.score.primary,
        idle_score=idle.score if idle else None,
        idle=idle.figures if idle else {},
        idle_course=idle.course if idle else {},
        bankrupt=simulation.is_bankrupt,
        kpis=_kpis(business.metrics, simulation, weeks),
        decisions=tuple(
            sorted(
                _decisions(services, business, simulation, agents, news), key=lambda one: (one.week, one.agent, one.id)
            )
        ),
        goals=tuple(line for agent in agents for line in _goals(agent)),
        learnings=tuple(line for agent in agents for line in _learnings(agent, simulation)),
        activity=tuple(_activity(services, agent) for agent in agents),
        news=news,
        campaigns=tuple(
            CampaignResult(one.channel, one.segment, one.spent_usd, one.leads) for one in business.campaigns.all()
        ),
        prices=tuple(_prices(business, simulation)),
        effects=tuple(
            (belief.id.removeprefix(EFFECT), belief.statement)
            for agent in agents
            for belief in agent.mind.beliefs
            if belief.id.startswith(EFFECT)
        ),
        versions=(("mabos", _version()),),
    )


def _kpis(metrics: Metrics, simulation: CompanySimulation, weeks: int) -> tuple[Kpi, ...]:
    days = [iso(week_start(simulation.scenario, week)) for week in range(weeks + 1)]
    found = []
    for name in metrics.names():
        at = {point.at: point.value for point in metrics.series(name)}
        found.append(Kpi(name, tuple(at.get(day) for day in days)))
    return tuple(found)


def _decisions(
    services: Services,
    business: Business,
    simulation: CompanySimulation,
    agents: list[Agent],
    news: Iterable[ReportedNews],
) -> Iterator[ReportedDecision]:
    """Yield the agents' actions on the market and requests to the owner, with the reasons on record."""
    asked = {decision.id: decision for decision in business.decisions.all()}
    heard = tuple(one.text for one in news)
    for agent in agents:
        held = RecalledMemory.of(agent, business.metrics, week_start(simulation.scenario, 0))
        wanted: dict[str, Mapping[str, str]] = {}
        for entry in services.ledger.entries(agent.id):
            if entry.body.get("tool") not in ACTUATORS or entry.kind not in ("call", "awaiting"):
                continue
            decision_id = str(entry.body.get("decision", ""))
            decision = asked.get(decision_id)
            if entry.kind == "awaiting":
                wanted[decision_id] = entry.body.get("why", {})
                if decision is not None and decision.performed_at:
                    continue  # its call tells it, for the reasons that it was asked for
            because = {**wanted.get(decision_id, {}), **entry.body.get("why", {})}
            explained = replace(entry, body={**entry.body, "why": because})
            yield report_decision(held, explained, asked, heard, week=_week(entry))


def _prices(business: Business, simulation: CompanySimulation) -> Iterator[PriceChange]:
    """Yield the prices that were set in the run, oldest first, each with the one before it."""
    before: dict[tuple[str, str], float] = {}
    for price in sorted(business.pricing.prices.all(), key=lambda one: one.created_at):
        place = (price.product, price.segment)
        set_at = parse_time(price.created_at) if price.created_at else week_start(simulation.scenario, 0)
        week = (set_at - week_start(simulation.scenario, 0)).days // 7 + 1
        if price.created_by != OPENING and before.get(place) != price.unit_amount / 100:
            yield PriceChange(week, price.segment, price.unit_amount / 100, before.get(place))
        before[place] = price.unit_amount / 100


def _goals(agent: Agent) -> Iterator[GoalLine]:
    for goal in agent.mind.goals:
        told = (agent.id, goal.description, goal.level, goal.status, goal.progress)
        yield GoalLine(*told, id=goal.id, parent=goal.parent_goal_id)


def _learnings(agent: Agent, simulation: CompanySimulation) -> Iterator[ReportedInsight]:
    for learning in agent.mind.learnings:
        at = parse_time(learning.at) if learning.at else week_start(simulation.scenario, 0)
        yield ReportedInsight(agent.id, learning.insight, (at - week_start(simulation.scenario, 0)).days // 7 + 1)


def _activity(services: Services, agent: Agent) -> Activity:
    kinds: dict[str, int] = {}
    cycles = set()
    for entry in services.ledger.entries(agent.id):
        kinds[entry.kind] = kinds.get(entry.kind, 0) + 1
        cycles.add(entry.cycle)
    return Activity(
        agent.id, agent.mind.persona.title, cycles=len(cycles - {""}), messages=len(agent.inbox.messages()),
        actions=kinds.get("call", 0), refused=kinds.get("refused", 0), learnings=len(agent.mind.learnings),
    )  # fmt: skip


def _news(agents: list[Agent], simulation: CompanySimulation) -> Iterator[ReportedNews]:
    told = {
        (message.timestamp, message.content): message.metadata.get("predicate") in ("event", "expects")
        for agent in agents
        for message in agent.inbox.messages()
        if message.sender == SOURCE
    }
    for (at, text), is_event in sorted(told.items()):
        yield ReportedNews((parse_time(at) - week_start(simulation.scenario, 0)).days // 7, text, is_event)


def _summarize_model_use(services: Services, run: Run) -> ModelUse | None:
    """Return the model use of a run, from the ledgers; None if the agents had no model."""
    if not run.model:
        return None
    calls = [
        entry.body for agent in services.agents() for entry in services.ledger.entries(agent) if entry.kind == "model"
    ]
    tokens, usd = (sum(float(body.get(name, 0)) for body in calls) for name in ("tokens", "usd"))
    return ModelUse(run.model, len(calls), round(tokens), round(usd, 6))


def _week(entry: LedgerEntry) -> int:
    named = _CYCLE_WEEK.match(entry.cycle)
    return int(named[1]) if named else 0


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mabos")
    except PackageNotFoundError:
        return "source"
