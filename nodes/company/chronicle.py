"""What a simulated quarter comes to: metrics, ledger, minds and decisions gathered into the input of its report."""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from nodes.company.round import seats
from nodes.company.run import Run, simulation_of
from society.metrics import Metrics
from society.simulation.company import Simulation, week_start
from society.simulation.report import Activity, Decided, GoalLine, Kpi, Learned, News, ReportInput
from society.simulation.sensors import SOURCE
from tools.agent import Agent
from tools.services import Business, Services
from workspace.clock import iso, parse_time
from workspace.ledger import Entry

ACTUATORS = (
    "stripe_create_price",
    "ad_campaign_create",
    "ad_campaign_manage",
    "content_generate",
    "work_package_create",
    "decision_request",
)
"""The operations that move the market or ask the owner: what a report calls a decision."""

_CYCLE_WEEK = re.compile(r"C-w(\d+)")


def chronicle(services: Services, run: Run, weeks: int) -> ReportInput:
    """Return everything the report of a run is made of, in an order that depends on the run alone."""
    business = services.business(run.business_id)
    simulation = simulation_of(run, services, business)
    scenario = simulation.scenario
    agents = [services.agent(agent_id) for agent_id in seats(business).values()]
    return ReportInput(
        title=scenario.title,
        business=business.manifest.name,
        scenario=scenario.scenario,
        scenario_hash=scenario.digest(),
        policy=run.policy,
        seed=run.seed,
        weeks=weeks,
        first_day=f"{week_start(scenario, 0):%Y-%m-%d}",
        last_day=f"{week_start(scenario, weeks) - timedelta(days=1):%Y-%m-%d}",
        score=simulation.score(),
        bankrupt=simulation.is_bankrupt,
        kpis=_kpis(business.metrics, simulation, weeks),
        decisions=tuple(sorted(_decisions(services, business), key=lambda one: (one.week, one.agent, one.id))),
        goals=tuple(line for agent in agents for line in _goals(agent)),
        learnings=tuple(line for agent in agents for line in _learnings(agent, simulation)),
        activity=tuple(_activity(services, agent) for agent in agents),
        news=tuple(_news(agents, simulation)),
        versions=(("mabos", _version()),),
    )


def _kpis(metrics: Metrics, simulation: Simulation, weeks: int) -> tuple[Kpi, ...]:
    days = [iso(week_start(simulation.scenario, week)) for week in range(weeks + 1)]
    found = []
    for name in metrics.names():
        at = {point.at: point.value for point in metrics.series(name)}
        found.append(Kpi(name, tuple(at.get(day) for day in days)))
    return tuple(found)


def _decisions(services: Services, business: Business) -> Iterator[Decided]:
    """Yield what agents did to the market, and what they asked the owner, with the reasons on record."""
    asked = {decision.id: decision for decision in business.decisions.all()}
    for agent_id in seats(business).values():
        agent = services.agent(agent_id)
        for entry in services.ledger.entries(agent_id):
            tool = str(entry.body.get("tool", ""))
            if tool not in ACTUATORS or entry.kind not in ("call", "awaiting"):
                continue
            decision = asked.get(str(entry.body.get("decision", "")))
            if (
                entry.kind == "awaiting"
                and decision is not None
                and decision.granted is False
                and decision.performed_at
            ):
                continue  # its call tells it
            yield Decided(
                id=entry.id,
                week=_week(entry),
                agent=agent_id,
                subject=decision.subject if decision else _subject(tool, entry.body.get("arguments", {})),
                tool=tool,
                cost=float(entry.body.get("cost", 0.0) or (decision.cost if decision else 0.0)),
                why=_why(agent, entry.body.get("why", {})),
                approval=decision.status if decision else "",
                answer=decision.feedback if decision else "",
            )


def _subject(tool: str, arguments: Mapping[str, Any]) -> str:
    named = next((str(arguments[key]) for key in ("name", "title", "subject", "campaign_id") if key in arguments), "")
    return f"{tool}: {named}" if named else tool


def _why(agent: Agent, because: Mapping[str, str]) -> tuple[str, ...]:
    """Return the chain from intention to desire in words, as far as the mind still knows it."""
    goals = {goal.id: goal for goal in agent.mind.goals}
    desires = {desire.id: desire for desire in agent.mind.desires}
    plans = {plan.id: plan for plan in agent.mind.plans}
    chain = []
    plan = plans.get(because.get("plan", ""))
    if plan is not None:
        chain.append(f"plan {plan.name} ({plan.source})")
    goal = goals.get(because.get("goal", "") or (plan.goal_id if plan else ""))
    if goal is not None:
        chain.append(f"goal {goal.description}")
        if goal.desire_id in desires:
            chain.append(f"desire {desires[goal.desire_id].name}")
    return tuple(chain)


def _goals(agent: Agent) -> Iterator[GoalLine]:
    for goal in agent.mind.goals:
        yield GoalLine(agent.id, goal.description, goal.level, goal.status, goal.progress)


def _learnings(agent: Agent, simulation: Simulation) -> Iterator[Learned]:
    for learning in agent.mind.learnings:
        at = parse_time(learning.at) if learning.at else week_start(simulation.scenario, 0)
        yield Learned(agent.id, learning.insight, (at - week_start(simulation.scenario, 0)).days // 7 + 1)


def _activity(services: Services, agent: Agent) -> Activity:
    kinds: dict[str, int] = {}
    cycles = set()
    for entry in services.ledger.entries(agent.id):
        kinds[entry.kind] = kinds.get(entry.kind, 0) + 1
        cycles.add(entry.cycle)
    return Activity(
        agent.id,
        agent.mind.persona.title,
        cycles=len(cycles - {""}),
        messages=len(agent.inbox.messages()),
        actions=kinds.get("call", 0),
        refused=kinds.get("refused", 0),
        learnings=len(agent.mind.learnings),
    )


def _news(agents: list[Agent], simulation: Simulation) -> Iterator[News]:
    told = {
        (message.timestamp, message.content)
        for agent in agents
        for message in agent.inbox.messages()
        if message.sender == SOURCE
    }
    for at, text in sorted(told):
        yield News((parse_time(at) - week_start(simulation.scenario, 0)).days // 7, text)


def _week(entry: Entry) -> int:
    named = _CYCLE_WEEK.match(entry.cycle)
    return int(named[1]) if named else 0


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mabos")
    except PackageNotFoundError:
        return "source"
