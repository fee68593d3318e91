"""A model's plan from the whole catalogue: verified, compared with the library's, and governed.

Every step is verified like a handwritten one, and errors are returned to the model once. A plan competes with the
library's on merit (`merit`). Its steps pass the gate like any other: the owner is asked if governance requires it.
Operations that the agent may not use, or that another role owns (`levers`), become a REQUEST to that colleague.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from mabos.backends.chat import NOT_ASKED, ChatMessage
from mabos.backends.structured import complete_structured
from mabos.configs.errors import MabosError
from mabos.language.request import Check
from mabos.mind.model import Goal, Plan
from mabos.nodes.choices import is_resting
from mabos.nodes.cycle import Cycle
from mabos.nodes.planning.briefed import build_briefing, colleagues_part, operations_part
from mabos.nodes.planning.composed import Suggestion, acceptance_checks, compose_plan
from mabos.nodes.planning.levers import calls_for_much, undoing
from mabos.nodes.planning.merit import aims_at, is_better, merit_of_library, merit_of_model
from mabos.nodes.planning.proposals import Planned
from mabos.tools.runtime.services import Agent
from mabos.tools.work.briefing import ThoughtBriefing, missing_evidence
from mabos.tools.work.proposals import ModelProposal, proposal_id
from mabos.tools.work.toolbox import Toolbox

ANSWER_TOKENS = 2_000
AGAIN = timedelta(days=1)
"""The time for which a goal is left alone if a model had no plan."""
_NO_PLAN = "the model has no plan"
MOST_DAYS, LEAST_DAYS = 90, 7
"""The longest and shortest time until the figures that a plan should move are checked."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A model's plan that could be carried out: its merit, its expectations, and the id of the proposal."""

    id: str
    plan: Plan
    merit: float
    answer: Suggestion
    checks: tuple[Check, ...]


def suggest_plan(cycle: Cycle, goal: Goal, found: Planned) -> Planned:
    """Return `found`, or a model's plan if it has more merit; see `merit` for the rule.

    A model is not asked if it could not win, twice for a goal in the same state, or within a day after it had no plan.
    A refused plan is not considered again.
    """
    model, agent = cycle.services.model, cycle.agent
    if model.name in NOT_ASKED or not _can_win(agent, goal, found):
        return found
    before = agent.proposals.find(proposal_id("question", goal.id))
    if (
        before is not None
        and before.reason.startswith(_NO_PLAN)
        and is_resting(before.updated_at, agent.clock(), AGAIN)
    ):
        return found
    told = build_briefing(agent, goal, found)
    words, now = proposal_id("question", told.key), agent.now()
    asked = ModelProposal(proposal_id("question", goal.id), "question", goal.id, words, "asked", updated_at=now)
    if before is not None and before.words == asked.words:
        return found
    made = _request_plan(cycle, goal, told)
    why = made if isinstance(made, str) and made.startswith(_NO_PLAN) else ""
    agent.proposals.save(replace(asked, reason=why))
    if isinstance(made, str):
        return replace(found, why_not=(*found.why_not, made), was_asked=True)
    found = replace(found, was_asked=True)
    pressing = [one for one in made.answer.calling if calls_for_much(agent, goal, [one])]
    library = merit_of_library(agent, goal, found.plan, pressing) if found.plan is not None else 0.0
    cycle.note(merits=[f"model {made.merit:.2f}", f"library {library:.2f}"] if found.plan is not None else [])
    if not is_better(made.merit, library):
        lost = (
            f"what the model suggests has less merit ({made.merit:.2f}) than {_name_library_plan(found)} "
            f"({library:.2f})"
        )
        return replace(found, why_not=(*found.why_not, lost))
    passed = (
        f"{_name_library_plan(found)}: it has less merit ({library:.2f}) than the model's plan ({made.merit:.2f})",
    )
    cycle.note(suggested=[step.description for step in made.plan.steps])
    agent.proposals.save(_build_proposal(agent, goal, made))
    why_not = (*(passed if found.plan is not None else ()), *found.why_not)
    return replace(found, plan=made.plan, is_safe=True, why_not=why_not)


def _can_win(agent: Agent, goal: Goal, found: Planned) -> bool:
    """Return whether the best plan that a model could make would have more merit than the library's."""
    if found.plan is None:
        return True
    best = merit_of_model(agent, goal, 1.0, aims_at(goal.target), founded=True)
    figures = agent.business.metrics.names() if agent.business_id else ()
    pressing = [one for one in figures if calls_for_much(agent, goal, [one])]
    return is_better(best, merit_of_library(agent, goal, found.plan, pressing))


def _request_plan(cycle: Cycle, goal: Goal, told: ThoughtBriefing) -> _Candidate | str:
    """Return the plan of a model, or the reason for which there is none or it is refused.

    It may search for operations once, and correct itself once.
    """
    agent = cycle.agent
    turns = [ChatMessage("system", told.system), ChatMessage("user", told.question)]
    searched, wrong = False, ""
    for _ in range(3):
        answer = complete_structured(cycle.services.model, turns, Suggestion, max_tokens=ANSWER_TOKENS, tag="plan")
        if answer is None:
            return wrong or _NO_PLAN
        if answer.find and not answer.steps and not searched:
            searched, more = True, _search_operations(agent, answer.find)
        elif not answer.steps:
            return wrong or ": ".join(filter(None, (_NO_PLAN, answer.reason)))
        else:
            made = _candidate(agent, goal, told, answer)
            if not isinstance(made, str) or wrong:
                return made
            wrong, more = made, f"{made}. Correct the plan, or give no steps."
        turns += [ChatMessage("assistant", answer.model_dump_json()), ChatMessage("user", more)]
    return wrong


def _candidate(agent: Agent, goal: Goal, told: ThoughtBriefing, answer: Suggestion) -> _Candidate | str:
    """Return the verified plan of an answer with its merit, or why it cannot be used."""
    name = proposal_id("plan", [(one.operation, one.arguments, one.conditions) for one in answer.steps])
    before = agent.proposals.find(name)
    if before is not None and before.status in ("refused", "failed", "contradicted"):
        return f"the model suggests again what was {before.status}: {before.reason}"
    wrong = missing_evidence(agent, told, answer.evidence) if answer.evidence else ""
    if wrong:
        return f"what the model suggests cannot be used: {wrong}"
    try:
        plan, checks = compose_plan(agent, goal, answer), acceptance_checks(agent, answer)
    except MabosError as error:
        return f"what the model suggests cannot be used: {error.message}"
    if plan.risks:
        return f"what the model suggests: {plan.risks[0]}"
    merit = merit_of_model(agent, goal, answer.probability, answer.expected, founded=bool(answer.evidence))
    because = f": {answer.reason}" if answer.reason else ""
    strategy = f"put together by {agent.services.model.name}{because}"
    strategy += f" ({', '.join(answer.evidence)})" if answer.evidence else ""
    return _Candidate(name, replace(plan, confidence=round(merit, 4), strategy=strategy), merit, answer, checks)


def _search_operations(agent: Agent, query: str) -> str:
    """Return the steps that a search finds, with their schemas, and those that only colleagues may take."""
    toolbox = Toolbox(agent, query, agent.services.settings.work.tools)
    parts = (operations_part(agent, toolbox.usable(toolbox.found_by(query))), colleagues_part(agent, query))
    return "\n\n".join([*(one.text for one in parts if one.lines), "Now give the plan."])


def _build_proposal(agent: Agent, goal: Goal, made: _Candidate) -> ModelProposal:
    """Return the record of a chosen plan: its expectations, the figures before, and the calls that would undo it."""
    now, answer = agent.now(), made.answer
    points = {figure: agent.business.metrics.latest(figure) for figure in answer.expected} if agent.business_id else {}
    return ModelProposal(
        made.id,
        "plan",
        goal.id,
        "; ".join(step.description for step in made.plan.steps),
        "taken",
        answer.reason,
        made.plan.id,
        tuple(f"{figure} {way}" for figure, way in answer.expected.items()),
        {figure: point.value for figure, point in points.items() if point is not None},
        tuple(undo for step in made.plan.steps if (undo := undoing(agent, step.tool, step.arguments)) is not None),
        min(MOST_DAYS, max(LEAST_DAYS, answer.within_days)),
        checks=made.checks,
        created_at=now,
        updated_at=now,
    )


def _name_library_plan(found: Planned) -> str:
    return (found.plan.template or found.plan.name) if found.plan is not None else "the library"
