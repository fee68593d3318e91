"""Reflection of a model on a closed case: one lesson with evidence, and a playbook after two successes.

A lesson is kept only if its evidence exists and the claim check finds each of its numbers in the case's records. A
playbook goes to the owner as a decision and is inactive until approved. Without a model none of this runs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, Field

from mabos.backends.chat import NOT_ASKED, ChatMessage
from mabos.backends.structured import complete_structured
from mabos.knowledge.case_records import Case
from mabos.language.claims import Evidence, check_claims, complaint
from mabos.mind.conditions import fault, is_comparison, subjects
from mabos.mind.model import Learning, Playbook
from mabos.mind.procedures.playbooks import routines
from mabos.mind.situation import is_success
from mabos.nodes.cycle import Cycle, Errand
from mabos.nodes.learning.effects import UNTOLD
from mabos.tools.plans.case_steps import recorded_steps
from mabos.tools.plans.sources import TO_PEOPLE
from mabos.tools.runtime.services import Agent
from mabos.tools.work.briefing import BriefingPart, ThoughtBriefing, missing_evidence, thinking
from mabos.tools.work.briefing.parts import KEEP
from mabos.tools.work.briefing.thinking import is_measured
from mabos.tools.work.proposals import ModelProposal, ProposalStatus, came_of_plan, proposal_id
from mabos.workspace.copies import replace
from mabos.workspace.text import one_line

WORKED = 2
"""The number of successes after which a procedure is proposed as a playbook."""
YES, NO = "A", "B"
_POINTS = 8
_KNOWN = 6
_PLAYBOOK = "playbook:"
_CASE, _FIGURES = "The case", "Points of the figures"


class _Procedure(BaseModel):
    name: Annotated[str, Field(min_length=3, max_length=80)]
    trigger: Annotated[str, Field(min_length=3, max_length=200)]
    success: Annotated[str, Field(max_length=200)] = ""


class _Reflection(BaseModel):
    lesson: Annotated[str, Field(max_length=400)] = ""
    applies_when: Annotated[str, Field(max_length=200)] = ""
    evidence: list[str] = []
    playbook: _Procedure | None = None


def open_cases(cycle: Cycle) -> frozenset[str]:
    """Return the cases whose outcome is open; none without a model, which alone reflects on them."""
    if cycle.services.model.name in NOT_ASKED:
        return frozenset()
    return frozenset(one.id for one in cycle.agent.cases.all() if one.outcome == "open")


def reflect_on_case(cycle: Cycle, was_open: frozenset[str], kept: Iterable[str]) -> dict[str, str]:
    """Return a model's lesson from a case closed in this cycle, and why parts of it were refused.

    `was_open` are the cases that were open before, `kept` the new ones. One case per cycle is reflected on, each once,
    newest failure first. A cycle that worked on a message leaves it to the next one.
    """
    agent, model = cycle.agent, cycle.services.model
    if model.name in NOT_ASKED:
        return {}
    waiting = {one.about for one in agent.proposals.all() if one.kind == "lesson" and one.status == "asked"}
    concerned = was_open | set(kept) | waiting
    closed = [one for one in agent.cases.all() if one.id in concerned and one.outcome != "open"]
    fresh = [one for one in closed if one.id in waiting or (_is_unread(agent, one) and _teaches(agent, one))]
    if not fresh or cycle.desks:
        agent.proposals.save(*(_unread(one, cycle.now()) for one in fresh if one.id not in waiting))
        return {}
    case = max(fresh, key=lambda one: (not one.success, one.stored_at, one.id))
    alike = _alike(agent, case)
    told = _build_briefing(agent, case, alike)
    answer, wrong = _request_reflection(cycle, case, told)
    now = cycle.now()
    words = answer.lesson if answer is not None and not wrong else ""
    status: ProposalStatus = "refused" if wrong else "taken"
    lesson_id = proposal_id("lesson", case.id)
    kept_lesson = ModelProposal(lesson_id, "lesson", case.id, words, status, wrong, created_at=now, updated_at=now)
    agent.proposals.save(kept_lesson)
    found = {"lesson": f"LRN-{case.id}-M" if words else "", "refused": wrong}
    if answer is not None and words:
        agent.mind.save(_learning(case, answer, now), why="a model reflected on a case", cycle=cycle.id)
    if answer is not None and answer.playbook is not None and len(alike) >= WORKED:
        found["playbook"] = _propose(agent, case, answer.playbook, now)
    return {name: said for name, said in found.items() if said}


def proposed_playbooks(cycle: Cycle) -> tuple[Errand, ...]:
    """Return the owner's questions about playbooks that a model proposed, and adopt the accepted ones."""
    agent, errands = cycle.agent, list[Errand]()
    waiting = [one for one in agent.proposals.all() if one.kind == "playbook" and one.status == "asked"]
    decisions = {one.id: one for one in agent.services.decisions(agent.business_id).all()} if waiting else {}
    for proposal in waiting:
        decision = decisions.get(proposal.decision_id)
        if decision is None:
            errands.append(_question(proposal))
        elif not decision.open:
            is_accepted = decision.status != "rejected" and decision.chosen_option in ("", YES)
            if is_accepted:
                agent.mind.save(_playbook(proposal), why=f"accepted in {decision.id}", cycle=cycle.id)
            status = "taken" if is_accepted else "refused"
            agent.proposals.save(replace(proposal, status=status, reason=decision.feedback, updated_at=cycle.now()))
    return tuple(errands)


def _is_unread(agent: Agent, case: Case) -> bool:
    return agent.proposals.find(proposal_id("lesson", case.id)) is None


def _unread(case: Case, now: str) -> ModelProposal:
    """Return the record of a case on which a model is yet to reflect."""
    return ModelProposal(proposal_id("lesson", case.id), "lesson", case.id, "", "asked", created_at=now, updated_at=now)


def _teaches(agent: Agent, case: Case) -> bool:
    """Return whether a case may teach something: neither a turn of a routine nor an order that was done as given."""
    if not recorded_steps(case) or agent.services.library.is_routine(str(case.solution.get("template") or "")):
        return False
    return not (is_success(case) and _is_ordered(agent, case))


def _is_ordered(agent: Agent, case: Case) -> bool:
    """Return whether a case comes from an order that someone gave."""
    plan_id = str(case.solution.get("plan") or "")
    aims = {one.goal_id for one in agent.mind.plans if one.id == plan_id}
    return any(one.request_id for one in agent.mind.goals if one.id in aims)


def _alike(agent: Agent, case: Case) -> list[Case]:
    """Return the cases in which the procedure of a case worked, itself among them; none that a playbook did."""
    if not is_success(case) or case.solution.get("source") == "playbook":
        return []
    tools = _procedure(case)
    return [one for one in agent.cases.all() if is_success(one) and tools and _procedure(one) == tools]


def _procedure(case: Case) -> tuple[str, ...]:
    """Return the operations that were done; what was said to people differs by its words."""
    done = [one for one in recorded_steps(case) if one.get("status") == "done"]
    return tuple(str(one["description" if one.get("tool") in TO_PEOPLE else "tool"]) for one in done)


def _request_reflection(cycle: Cycle, case: Case, told: ThoughtBriefing) -> tuple[_Reflection | None, str]:
    """Return a model's reflection and why its lesson is refused, if it is; errors go back to it once."""
    turns = [ChatMessage("system", told.system), ChatMessage("user", told.question)]
    answer: _Reflection | None = None
    wrong = ""
    for _ in range(2):
        answer = complete_structured(cycle.services.model, turns, _Reflection, max_tokens=800, tag="learn")
        if answer is None or not answer.lesson.strip():
            return answer, ""
        wrong = _check_support(cycle.agent, case, told, answer)
        if not wrong:
            break
        turns += [ChatMessage("assistant", answer.model_dump_json()), ChatMessage("user", f"{wrong} Correct it.")]
    return answer, wrong


def _check_support(agent: Agent, case: Case, told: ThoughtBriefing, answer: _Reflection) -> str:
    """Return why a lesson is not supported by the records of its case, or an empty text."""
    if wrong := missing_evidence(agent, told, answer.evidence):
        return wrong
    if not any(one == case.id or is_measured(agent, one) for one in answer.evidence):
        return f"it rests on neither {case.id} nor a measured figure"
    records = tuple(one.text for one in told.parts if one.title in (_CASE, _FIGURES))
    found = check_claims(answer.lesson, Evidence(records, (), agent.clock()))
    return complaint([one for one in found if one.kind in ("number", "amount", "date")])


def _build_briefing(agent: Agent, case: Case, alike: Sequence[Case]) -> ThoughtBriefing:
    known = [f"- {one.insight} ({one.id})" for one in agent.mind.learnings[-_KNOWN:]]
    asked = [f"This procedure worked in {', '.join(one.id for one in alike)}. Propose it as a playbook."]
    parts = (
        BriefingPart(_CASE, tuple(_render_case(agent, case)), worth=10, floor=KEEP),
        BriefingPart(_FIGURES, tuple(_points(agent, case)), worth=9, floor=KEEP),
        BriefingPart("Asked for", tuple(asked if len(alike) >= WORKED and _is_new(agent, case) else ()), worth=9),
        BriefingPart("Lessons known already", tuple(map(one_line, known)), worth=5),
    )
    budget = agent.services.settings.work.briefing_tokens
    return thinking(agent, "learn", case.context, parts, budget_tokens=budget)


def _render_case(agent: Agent, case: Case) -> Iterator[str]:
    """Yield a case: its desires, beliefs and actions, a model's expectations, and its end."""
    yield f"[{case.id}] {one_line(case.context)}: {case.outcome.replace('_', ' ')}"
    yield from (f"- before: {name} was {value}" for name, value in case.beliefs.items() if value is not None)
    for step in recorded_steps(case):
        call = f"{step.get('tool')} {orjson.dumps(step.get('arguments') or {}).decode()}"
        yield f"- step {step.get('id')} ({step.get('status')}): {step.get('description')} {call}"
    results = {name: value for name, value in case.results.items() if isinstance(value, str | int | float) and value}
    results.pop(UNTOLD, None)
    yield f"- result: {', '.join(f'{name} {value}' for name, value in results.items())}"
    plan_id = str(case.solution.get("plan") or "")
    yield from (came_of_plan(one) for one in agent.proposals.all() if one.kind == "plan" and one.plan_id == plan_id)


def _figures_of(agent: Agent, case: Case) -> list[str]:
    plan_id = str(case.solution.get("plan") or "")
    expects = [one.rpartition(" ")[0] for p in agent.proposals.all() if p.plan_id == plan_id for one in p.expects]
    target = str(case.results.get("expected") or "")
    return list(dict.fromkeys([*(subjects(target) if target else ()), *expects]))


def _points(agent: Agent, case: Case) -> Iterator[str]:
    """Yield the newest points of the figures that a case is about, each with its id."""
    metrics = agent.business.metrics if agent.business_id else None
    for figure in _figures_of(agent, case) if metrics is not None else ():
        points = metrics.series(figure)[-_POINTS:] if metrics is not None else ()
        yield from (f"- {figure}@{one.at[:10]}: {one.value:g} {one.unit}".rstrip() for one in points)


def _learning(case: Case, answer: _Reflection, now: str) -> Learning:
    rests = ", ".join(dict.fromkeys(answer.evidence))
    context = f"{one_line(case.context)} (rests on {rests})"
    return Learning(f"LRN-{case.id}-M", one_line(answer.lesson), context, one_line(answer.applies_when), now)


def _is_new(agent: Agent, case: Case) -> bool:
    return agent.proposals.find(proposal_id("playbook", _procedure(case))) is None


def _propose(agent: Agent, case: Case, given: _Procedure, now: str) -> str:
    """Keep a playbook that a model proposes, to be put before the owner; return its name, or why it is refused."""
    if not _is_new(agent, case):
        return ""
    steps = tuple(_line(one) for one in recorded_steps(case) if one.get("status") == "done" and one.get("tool"))
    made = Playbook(one_line(given.name), one_line(given.trigger), steps, one_line(given.success))
    wrong = _fault(agent, made)
    content = {"name": made.name, "trigger": made.trigger, "steps": list(made.steps), "success": made.success}
    proposal = ModelProposal(
        proposal_id("playbook", _procedure(case)),
        "playbook",
        case.id,
        orjson.dumps(content).decode(),
        "refused" if wrong else "asked",
        wrong,
        created_at=now,
        updated_at=now,
    )
    agent.proposals.save(replace(proposal, decision_id="" if wrong else f"DEC-{proposal.id}"))
    return f"{made.name}: {wrong}" if wrong else made.name


def _fault(agent: Agent, made: Playbook) -> str:
    if any(one.name.casefold() == made.name.casefold() for one in agent.mind.playbooks):
        return "there is a playbook of this name"
    for condition in filter(None, (made.trigger, made.success)):
        if not is_comparison(condition) or fault(condition):
            return f"{condition!r} is no condition on a figure"
    return "" if routines([made]) else "it could not start by itself"


def _line(step: Mapping[str, Any]) -> str:
    """Return a step as a playbook has it: its words, the operation, and the arguments as JSON."""
    words = one_line(str(step.get("description") or step["tool"])).translate(str.maketrans("{}:", "().")).rstrip(".")
    return f"{words}: {step['tool']} {orjson.dumps(step.get('arguments') or {}).decode()}"


def _playbook(proposal: ModelProposal) -> Playbook:
    told = orjson.loads(proposal.words)
    return Playbook(told["name"], told["trigger"], tuple(told["steps"]), told["success"])


def _question(proposal: ModelProposal) -> Errand:
    """Return the question whether a procedure becomes a playbook, which is asked once."""
    made = _playbook(proposal)
    success = f" It is a success when {made.success}." if made.success else ""
    arguments: dict[str, Any] = {
        "subject": f"Make a playbook of what worked: {made.name}",
        "description": f"It worked in {proposal.about} and before. It would start when {made.trigger}, and do: "
        f"{'; '.join(made.steps)}.{success} Each step still asks where your rules say so.",
        "options": [
            {"id": YES, "label": "Accept", "impact": "The playbook starts by itself from now on"},
            {"id": NO, "label": "Decline", "impact": "Nothing changes"},
        ],
        "recommendation": YES,
        "decision_id": proposal.decision_id,
    }
    key = f"{_PLAYBOOK}{proposal.id}"
    return Errand(proposal.id, "decision_request", arguments, key, {"case": proposal.about})
