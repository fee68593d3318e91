"""The steps of one round: convene, think in parallel, act in seat order, learn in parallel, settle.

If a script runs the company, its actions replace thinking, acting and learning.

While they think and learn, agents touch only their own minds; shared data is written in `act` and `settle`, one agent
after another. So ids, ledgers and shared files never depend on the timing of threads.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from mabos.configs.settings import environment
from mabos.mind.intentions import OVER
from mabos.nodes.act import act as act_once
from mabos.nodes.company.run import find_run, meeting, save_run, simulation_of
from mabos.nodes.company.script import follow
from mabos.nodes.company.state import CompanyContext, CompanyState, Seat, SeatTurn
from mabos.nodes.deliberate import deliberate
from mabos.nodes.learn import learn as learn_from
from mabos.nodes.learning.episodes import share
from mabos.nodes.open_workspaces import OPEN, OpenWorkspace
from mabos.nodes.perceive import perceive
from mabos.nodes.phase import way
from mabos.nodes.plan import plan
from mabos.nodes.state import ROUND, BdiState, Context, context_of
from mabos.nodes.work import work
from mabos.society.decisions import Decision
from mabos.society.roles import ROLES
from mabos.society.simulation.company import CompanySimulation
from mabos.society.simulation.stakeholder_policy import OwnerQuestion, OwnerSituation, answer
from mabos.tools.gate.call import call
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import PERSON, Services
from mabos.workspace.clock import SteppedClock, parse_time

SEAT_TIME = timedelta(minutes=5)
"""The delay between agents on a simulated clock, so that events in a round have an order."""


def convene(state: CompanyState, runtime: Runtime[CompanyContext]) -> dict[str, Any]:
    """Open the round; in a simulation, set the clock to Monday and let the owner answer open questions."""
    services = OPEN.find(_workspace(state, runtime)).services
    business = services.business(state.get("business_id", ""))
    opened = {
        "workspace": str(services.layout.root), "business_id": business.id, "agents": list(seats(business).values()),
        "turns": {}, "answered": [], "week": 0, "attempt": 0, "next": "think", "outcome": "",
    }  # fmt: skip
    run = find_run(services.layout.root)
    if run is None or run.business_id != business.id:
        return opened
    simulation = simulation_of(run, services, business)
    week = simulation.week
    _advance(services, meeting(simulation.scenario, week))
    if run.must_settle(week):
        return opened | {"week": week, "next": "settle"}
    run = run.begin(week)
    save_run(services, run)
    answered = answer_decisions(services, business, simulation)
    following = "think" if run.contender.is_agents else "script"
    if simulation.is_bankrupt:
        following = "settle"
    return opened | {"week": week, "attempt": run.attempts, "answered": answered, "next": following}


def to_think(state: CompanyState) -> list[Send] | str:
    """Send every agent to think; a script acts in their place, and a bankrupt company only lets the week pass."""
    if state["next"] != "think":
        return state["next"]
    root = state["workspace"]
    return [Send("think", Seat(workspace=root, agent_id=one, cycle=_cycle_id(state, one))) for one in state["agents"]]


def script(state: CompanyState, runtime: Runtime[CompanyContext]) -> dict[str, Any]:
    """Make the week's moves of a simulation's scripted policy."""
    services = OPEN.find(state["workspace"]).services
    business = services.business(state["business_id"])
    run = find_run(services.layout.root)
    if run is None:
        return {}
    outcomes = follow(services, business, simulation_of(run, services, business), run)
    noted = {"deeds": len(outcomes), "done": sum(outcome.ok for outcome in outcomes)}
    runtime.stream_writer({"phase": "script", "week": state["week"], "status": "done", "noted": noted})
    return {}


def think(state: Seat, runtime: Runtime[CompanyContext]) -> dict[str, Any]:
    """Perceive, deliberate and plan, for one agent with its own mind."""
    mine = _own(runtime, state["workspace"], state["agent_id"], state["cycle"])
    turn = BdiState(agent_id=state["agent_id"], trigger=ROUND)
    turn = _after(turn, perceive(turn, mine))
    turn = _after(turn, deliberate(turn, mine))
    if way("deliberate", turn) == "plan":
        turn = _after(turn, plan(turn, mine))
    return {"turns": {state["agent_id"]: turn}}


def act(state: CompanyState, runtime: Runtime[CompanyContext]) -> dict[str, Any]:
    """Let the agents act, one after another in seat order."""
    home = OPEN.find(state["workspace"])
    acted = {}
    for agent_id in state["agents"]:
        turn = state["turns"][agent_id]
        mine = _own(runtime, state["workspace"], agent_id, turn["cycle"])
        while way("plan", turn) == "act":
            turn = _after(turn, act_once(turn, mine))
            if way("act", turn) == "work":
                turn = _after(turn, work(turn, mine))
            elif way("act", turn) == "plan":
                turn = _after(turn, plan(turn, mine))
        acted[agent_id] = turn
        _tell(home, agent_id)
        if isinstance(home.services.clock, SteppedClock):
            home.services.clock.advance(SEAT_TIME)
    return {"turns": acted}


def _tell(home: OpenWorkspace, agent_id: str) -> None:
    """Share an agent's plan results with the entity memory: that is shared, so not while all agents learn."""
    cycle = home.cycles.get(agent_id)
    if cycle is not None and "learning" not in home.services.without:
        with home.services.sync.group():
            share(cycle.agent, [one for one in cycle.agent.mind.intentions if one.status in OVER])


def to_learn(state: CompanyState) -> list[Send]:
    """Send every agent to learn from its turn."""
    return [
        Send("learn", SeatTurn(workspace=state["workspace"], turn=state["turns"][agent])) for agent in state["agents"]
    ]


def learn(state: SeatTurn, runtime: Runtime[CompanyContext]) -> dict[str, Any]:
    """Run the learning phase of one agent with its own mind."""
    turn = state["turn"]
    mine = _own(runtime, state["workspace"], turn["agent_id"], turn["cycle"])
    return {"turns": {turn["agent_id"]: _after(turn, learn_from(turn, mine))}}


def settle(state: CompanyState, runtime: Runtime[CompanyContext]) -> dict[str, Any]:
    """Close the round; in a simulation, the market moves one week and shows its visible results."""
    services = OPEN.find(state["workspace"]).services
    business = services.business(state["business_id"])
    run = find_run(services.layout.root)
    if run is None or run.business_id != business.id:
        return {"outcome": "done"}
    if not run.must_settle(state["week"]):
        save_run(services, replace(run, begun=state["week"], is_settling=True))
    tick = simulation_of(run, services, business).advance(
        state["week"], deliver=services.mail.deliver, roles=seats(business)
    )
    if tick is None:
        return {"outcome": "done"}
    world = tick.after
    earned = {"mrr": round(world.mrr)} if world.serving is None else {"revenue": round(world.serving.takings)}
    shown = {"cash": round(world.cash), **earned, "customers": world.subscribers}
    runtime.stream_writer({"phase": "settle", "week": state["week"], "status": "done", "noted": shown})
    return {"outcome": "bankrupt" if world.bankrupt else "done"}


def _advance(services: Services, to: datetime) -> None:
    """Move a simulated clock ahead; it never goes back."""
    if isinstance(services.clock, SteppedClock):
        services.clock.advance(max(timedelta(0), to - services.clock()))


def seats(business: Business) -> dict[str, str]:
    """Return the agent in each role, in seat order."""
    return {role: business.manifest.agents[role] for role in ROLES if role in business.manifest.agents}


def _workspace(state: CompanyState, runtime: Runtime[CompanyContext]) -> str:
    named = context_of(runtime.context, CompanyContext).workspace
    return named or state.get("workspace") or str(environment().workspace)


def _own(runtime: Runtime[CompanyContext], workspace: str, agent_id: str, cycle: str) -> Runtime[Context]:
    """Return the runtime of one agent's phase: the round's, with the agent's own context."""
    context = Context(workspace=workspace, agent_id=agent_id, cycle=cycle, stepwise=False)
    return runtime.override(context=context)  # type: ignore[arg-type,return-value]  # another context for the same run


def _after(turn: BdiState, update: dict[str, Any]) -> BdiState:
    return {**turn, **update}  # type: ignore[typeddict-item]  # phases return parts of this very state


def _cycle_id(state: CompanyState, agent_id: str) -> str:
    """Return the id of a cycle: reproducible in a simulation, where a round begun again has other ids than at first."""
    if not state["attempt"]:
        return ""
    again = f"-{state['attempt']}" if state["attempt"] > 1 else ""
    return f"C-w{state['week'] + 1:03d}{again}-{agent_id}"


def answer_decisions(services: Services, business: Business, simulation: CompanySimulation) -> list[str]:
    """Return the ids of the decisions that the owner has just answered; the others remain pending."""
    pending = business.decisions.pending()
    if not pending:
        return []
    world = simulation.world
    situation = OwnerSituation(services.clock(), world.cash, world.ledger.costs - world.ledger.revenue)
    terms = simulation.scenario.stakeholder
    answered = []
    for decision in pending:
        found = answer(_build_owner_question(decision), terms.policy, situation, latency_weeks=terms.latency_weeks)
        if found is None:
            continue
        arguments = {
            "decision_id": decision.id,
            "resolution": found.resolution,
            "feedback": found.feedback,
            "business_id": business.id,
        }
        if found.chosen_option and decision.options:
            arguments["chosen_option"] = found.chosen_option
        outcome = call(services, "decision_resolve", arguments, caller=PERSON, agent_id=decision.from_agent)
        if outcome.ok:
            answered.append(decision.id)
    return answered


def _build_owner_question(decision: Decision) -> OwnerQuestion:
    """Return a question as the owner counts its weeks: from the day it was asked, at whatever hour of the round."""
    day = parse_time(decision.created_at).replace(hour=0, minute=0, second=0, microsecond=0)
    return OwnerQuestion(decision.id, decision.cost, day, decision.recommendation)
