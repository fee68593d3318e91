"""A scripted policy that runs a company on disk: its moves use the call path in the names of the roles."""

from collections.abc import Mapping
from hashlib import blake2b

import orjson

from mabos.configs.errors import UnknownId
from mabos.nodes.company.run import Run
from mabos.society.simulation.baselines import SCRIPTS
from mabos.society.simulation.company import CompanySimulation, week_start
from mabos.society.simulation.policies import HeardNews, PolicyMove, Sight
from mabos.society.simulation.sensors import SOURCE
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import iso
from mabos.workspace.ids import random_stream


def follow(services: Services, business: Business, simulation: CompanySimulation, run: Run) -> list[Outcome]:
    """Make the week's moves and return their outcomes.

    Calls that the owner has approved meanwhile come first. An interrupted week resumes: finished keys are not repeated.
    """
    week, by_role = simulation.week, business.manifest.agents
    outcomes = []
    for decision in business.decisions.all():
        if decision.granted and decision.action is not None:
            tool, arguments = decision.action["tool"], decision.action["arguments"]
            key = f"decision:{decision.id}"
            outcomes.append(_call_tool(services, decision.from_agent, tool, arguments, key=key, week=week))
    luck = random_stream(run.seed, "policy", week)
    for move in SCRIPTS[run.policy](sight(services, business, simulation), luck):
        if move.role not in by_role:
            raise UnknownId(f"no agent holds the role {move.role!r}, in whose name the policy {run.policy!r} acts")
        key = _key(week, move)
        outcomes.append(_call_tool(services, by_role[move.role], move.tool, move.arguments, key=key, week=week))
    return outcomes


def sight(services: Services, business: Business, simulation: CompanySimulation) -> Sight:
    """Return the company's own records on the Monday of the current week."""
    metrics, since = business.metrics, iso(week_start(simulation.scenario, simulation.week))
    heard: dict[HeardNews, None] = {}
    for agent_id in business.manifest.agents.values():
        for message in services.agent(agent_id).inbox.messages():
            if message.sender == SOURCE and message.timestamp >= since:
                heard[HeardNews(message.metadata["subject"], message.metadata["value"])] = None
    return Sight(
        simulation.week,
        tuple(simulation.scenario.segments),
        {name: tuple(point.value for point in metrics.series(name)) for name in metrics.names()},
        tuple(one for one in business.campaigns.all() if one.status == "running"),
        tuple(one for one in business.workforce.packages.all() if one.is_under_way),
        tuple(heard),
        frozenset(one.action["tool"] for one in business.decisions.pending() if one.action is not None),
        tuple(one for one in business.campaigns.all() if one.status == "completed"),
    )


def _call_tool(
    services: Services, agent_id: str, tool: str, arguments: Mapping[str, object], *, key: str, week: int
) -> Outcome:
    caller, cycle = Caller("agent", agent_id), f"C-w{week + 1:03d}-{agent_id}"
    return call(services, tool, arguments, caller=caller, key=key, cycle=cycle)


def _key(week: int, move: PolicyMove) -> str:
    """Return the effect key of a move: the records show moves done before a crash, so no number counts it."""
    said = orjson.dumps([move.role, move.tool, dict(move.arguments)], option=orjson.OPT_SORT_KEYS)
    return f"policy:w{week + 1:03d}:{blake2b(said, digest_size=8).hexdigest()}"
