"""Which template a goal is pursued with: what worked in a case like this, else the library, and never blindly again."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from knowledge.cases import Similar
from mind.library import Library, Match, applicable, bind
from mind.lookup import BeliefIndex
from mind.model import Goal, Plan
from mind.situation import believed, wanted
from nodes.choices import failures, lately
from nodes.cycle import Cycle
from nodes.planning.deadlines import overdue
from nodes.planning.phrasing import for_readers, smoothed
from nodes.planning.shares import beyond_share
from society.business import read_agent

FIT = 0.3
"""A template that shares less with a goal than this is for something else."""

TRUSTED = 0.6
"""How alike a success must be before its template goes ahead of the library's best."""

GIVEN_UP = 2
"""A template that failed this often for a goal is not tried again."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A template for a goal, where it comes from, and what speaks against it."""

    match: Match
    source: str = "library"
    risks: tuple[str, ...] = ()
    case_id: str = ""

    @property
    def name(self) -> str:
        """The template's name."""
        return self.match.template.name


def proposals(
    matches: Sequence[Match], successes: Iterable[Similar], risks: Iterable[Similar], failed: dict[str, int]
) -> list[Proposal]:
    """Return the templates to try, best first: proven ones, then the library's by fit, risky ones last.

    `failed` says how often a template has failed for this goal; one that failed `GIVEN_UP` times is left out.
    """
    usable = [match for match in matches if match.score >= FIT and failed.get(match.template.name, 0) < GIVEN_UP]
    proven = {str(one.case.solution.get("template", "")): one for one in successes if one.score >= TRUSTED}
    warned: dict[str, list[str]] = {}
    for one in risks:
        why = f"{one.case.id}: it ended as {one.case.outcome} in a situation like this ({one.score:.2f})"
        warned.setdefault(str(one.case.solution.get("template", "")), []).append(why)
    found = [
        Proposal(
            match,
            "case" if match.template.name in proven else "library",
            tuple(warned.get(match.template.name, ())),
            proven[match.template.name].case.id if match.template.name in proven else "",
        )
        for match in usable
    ]
    return sorted(
        found,
        key=lambda one: (bool(one.risks), failed.get(one.name, 0), one.source != "case", -one.match.score, one.name),
    )


def proposed(cycle: Cycle, goal: Goal, library: Library, *, without: Iterable[str] = ()) -> Plan | None:
    """Return a plan for `goal`, bound to what is believed now, or None where no template fits and may be used."""
    mind = cycle.agent.mind
    lookup = mind.index
    role = read_agent(cycle.services.layout, cycle.agent.id).role
    desire = next((one for one in mind.desires if one.id == goal.desire_id), None)
    text = " ".join(filter(None, (goal.description, desire.description if desire else "", goal.target)))
    excluded = {*without, *lately(mind.plans, cycle.agent.clock())}
    matches = [
        match
        for match in library.search(text, role=role, limit=8)
        if match.template.name not in excluded and applicable(match.template, lookup)
    ]
    if not matches:
        return None
    situation, desires = believed(goal, lookup), wanted(goal)
    successes = cycle.agent.cases.retrieve(situation, desires, 5)
    risks = cycle.agent.cases.risks(situation, desires)
    ranked = proposals(matches, successes, risks, dict(failures(mind.plans, goal.id)))
    if not ranked:
        return None
    return _affordable(cycle, goal, ranked)


def _affordable(cycle: Cycle, goal: Goal, ranked: Sequence[Proposal]) -> Plan:
    """Return the plan of the first proposal that is through in time and takes no more than its share of what is shared.

    If there is none, of the first that is in time, else of the first; what speaks against it is among its risks.
    """
    mind, now = cycle.agent.mind, cycle.agent.clock()
    above = list(_line(goal, mind.goals))
    lacking: list[tuple[Plan, tuple[str, ...], str]] = []
    for proposal in ranked:
        plan = _bound(cycle, goal, proposal, mind.index)
        conflict = overdue(plan, above, now)
        excess = beyond_share(plan, goal.desire_id, mind.desires, mind.index)
        if not conflict and not excess:
            return plan
        lacking.append((plan, conflict, excess))
    plan, conflict, excess = min(lacking, key=lambda one: bool(one[1]))
    cycle.note(overdue=list(conflict), beyond_its_share=excess)
    against = [f"cannot be in time: {'; '.join(conflict)}" if conflict else "", excess]
    return replace(plan, risks=(*plan.risks, *filter(None, against)))


def _line(goal: Goal, goals: Iterable[Goal]) -> Iterator[Goal]:
    """Yield a goal and those above it, nearest first."""
    by_id = {one.id: one for one in goals}
    seen: set[str] = set()
    below: Goal | None = goal
    while below is not None and below.id not in seen:
        yield below
        seen.add(below.id)
        below = by_id.get(below.parent_goal_id)


def _bound(cycle: Cycle, goal: Goal, proposal: Proposal, lookup: BeliefIndex) -> Plan:
    """Return the plan of a proposal; what speaks against it is written into its risks and lowers its confidence."""
    template = for_readers(proposal.match.template, lookup, _units(cycle))
    plan = bind(template, goal, lookup, ids=cycle.agent.ids, now=cycle.agent.clock())
    confidence = plan.confidence
    if proposal.source == "case":
        confidence = min(0.95, confidence + 0.1)
    if proposal.risks:
        confidence *= 0.6
    return replace(
        plan,
        source="case" if proposal.source == "case" else "library",
        strategy=f"as it worked in {proposal.case_id}" if proposal.case_id else plan.strategy,
        confidence=round(confidence, 4),
        risks=(*plan.risks, *proposal.risks),
        steps=tuple(map(smoothed, plan.steps)),
        status="active",
    )


def _units(cycle: Cycle) -> Callable[[str], str]:
    """Return how the unit of a watched number is found."""
    if not cycle.agent.business_id:
        return lambda _name: ""
    metrics = cycle.agent.business.metrics
    return lambda name: point.unit if (point := metrics.latest(name)) is not None else ""
