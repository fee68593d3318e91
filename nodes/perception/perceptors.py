"""Users' own perceptors: read like documents, with the perceptor as the source of belief."""

from datetime import datetime, timedelta
from hashlib import sha256

from mabos.configs.errors import nearest
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.documents import Reading, read_before, screen_findings, take_in
from mabos.society.business import read_agent


def read_perceptors(cycle: Cycle) -> Reading:
    """Read the agent's perceptors, store new content as facts and figures, and return it."""
    agent, now, found = cycle.agent, cycle.agent.clock(), []
    known, agents = None, cycle.services.agents()
    for one in cycle.services.perceptors.all:
        last = cycle.seen.get((agent.id, one.source))
        is_due = not isinstance(last, datetime) or now - last >= timedelta(seconds=one.every_s)
        told = cycle.services.perceptors.take_news(one.source, agent.id)
        if not one.is_for(agent.id) and (wrong := [name for name in one.agents if name not in agents]):
            told = one.problem(f"there is no agent {wrong[0]!r}; {nearest(wrong[0], agents, 'there are')}")
        if told is None and not (one.is_for(agent.id) and is_due):
            continue
        cycle.marks[agent.id, one.source] = now
        findings = screen_findings(cycle, one.read(agent.id, cycle.now()) if told is None else told)
        checksum = sha256(repr((findings.values, findings.problems)).encode()).hexdigest()
        known = read_before(agent) if known is None else known
        if known.get(one.source, {}).get("sha256") != checksum:
            found.append((one.source, checksum, findings))
    return take_in(agent, read_agent(cycle.services.layout, agent.id), found) if found else Reading()
