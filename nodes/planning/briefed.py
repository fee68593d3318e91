"""Brief a model for planning: the whole goal, its causes, earlier plans, and operations with schemas."""

import re
from collections.abc import Iterator, Sequence

import orjson

from mabos.mind.model import Goal
from mabos.nodes.planning.composed import DELEGATE, MESSAGE, NOT_STEPS, PROPOSE, STATES
from mabos.nodes.planning.levers import is_lever, owner_of
from mabos.nodes.planning.proposals import Planned
from mabos.tools.requests.colleagues import capable, title
from mabos.tools.runtime.services import Agent
from mabos.tools.work.briefing import BriefingPart, ThoughtBriefing, thinking
from mabos.tools.work.briefing.parts import KEEP
from mabos.tools.work.proposals import came_of_plan
from mabos.tools.work.ranking import rank
from mabos.tools.work.toolbox import INTERNAL, Toolbox, entry_of_tool, may_use, named_records, spec_of
from mabos.workspace.text import one_line

_SCHEMA = (
    f'- {DELEGATE}: Ask a colleague to do something; the colleague sees only the text. {{"type":"object","properties":'
    '{"to":{"type":"string","description":"The role of the colleague."},"text":{"type":"string","description":"The '
    'whole order, with amounts and names."},"deadline":{"type":"string","description":"ISO 8601"}},"required":'
    '["to","text"]}\n'
    f"- {PROPOSE}: Put a proposal to the owner, and go on after a yes: who of the team does what until when, or "
    'anything that only the owner can decide. {"type":"object","properties":{"text":{"type":"string","description":'
    '"The whole proposal, with reasons and costs."},"deadline":{"type":"string","description":"ISO 8601"}},'
    '"required":["text"]}'
)
_PLANS = 8
_BELIEFS = 20
_WHOLE = 6
"""Operations that are shown with their schema."""


def build_briefing(agent: Agent, goal: Goal, found: Planned) -> ThoughtBriefing:
    """Return a model's briefing for a goal; no part of the goal or its request is cut."""
    about = " ".join(
        filter(None, [goal.description, _describe_desire(agent, goal), goal.target, *_asked_in(agent, goal)])
    )
    parts = (
        BriefingPart("The goal", tuple(_goal(agent, goal)), worth=10, floor=KEEP),
        operations_part(agent, ranked_steps(agent, about)),
        colleagues_part(agent, about),
        BriefingPart("What the library offers", tuple(_list_library_options(found)), worth=6, floor=2),
        BriefingPart("Your earlier plans for this aim, newest first", tuple(_earlier(agent, goal)), worth=7, floor=3),
        BriefingPart("Believed", tuple(_list_surest_beliefs(agent)), worth=3),
    )
    return thinking(agent, "plan", about, parts, budget_tokens=2 * agent.services.settings.work.briefing_tokens)


def ranked_steps(agent: Agent, text: str) -> list[str]:
    """Return the operations that act for the business and can be steps, ranked by relevance to a text."""
    acting = [one for one in agent.services.tools.all() if one.module not in INTERNAL and one.name not in STATES]
    tools = [one for one in acting if _is_step(agent, one.name) and may_use(agent, one)]
    ranked = rank(agent.services, text, tuple(map(entry_of_tool, tools)), named_records(agent, text))
    return ranked[: agent.services.settings.work.tools]


def operations_part(agent: Agent, names: Sequence[str]) -> BriefingPart:
    """Return operations with their purpose and the full schema of their arguments."""
    specs = [spec_of(agent, name) for name in names if _is_step(agent, name)]
    lines = [f"- {one.name}: {one.description} {orjson.dumps(one.parameters).decode()}" for one in specs[:_WHOLE]]
    others = [f"{one.name} ({_first(one.description)})" for one in specs[_WHOLE:]]
    lines += [f"- Others, of which 'find' tells the arguments: {'; '.join(others)}"] if others else []
    title_ = "Operations, each with the JSON Schema of its arguments"
    return BriefingPart(title_, (_SCHEMA, *lines), worth=8, floor=8, supports="nothing")


def _first(description: str) -> str:
    """Return the first clause of an operation's description."""
    return re.split(r"[.;:,] ", description)[0].rstrip(".")


def _is_step(agent: Agent, name: str) -> bool:
    """Return whether an operation can be a step of a plan: it changes something, and is no other step's."""
    registry = agent.services.tools
    return name in registry.names and name not in (*NOT_STEPS, MESSAGE) and registry.tool(name).writes


def _goal(agent: Agent, goal: Goal) -> Iterator[str]:
    yield f"[{goal.id}] {one_line(goal.description)}"
    if wanted := _describe_desire(agent, goal):
        yield f"Why: {wanted}"
    yield f"Target: {goal.target or 'none'}. Deadline: {goal.deadline or 'none'}."
    if goal.success_criteria:
        yield f"It is reached when: {'; '.join(goal.success_criteria)}."
    yield from (f"Asked in {said}" for said in _asked_in(agent, goal))


def _describe_desire(agent: Agent, goal: Goal) -> str:
    """Return the desire behind a goal in full, with its reason."""
    desire = next((one for one in agent.mind.desires if one.id == goal.desire_id), None)
    if desire is None:
        return ""
    said = [f"[{desire.id}] {desire.name}", desire.description, desire.reason]
    return one_line(". ".join(dict.fromkeys(one.rstrip(".") for one in said if one)))


def _asked_in(agent: Agent, goal: Goal) -> list[str]:
    """Return the messages that a goal rests on, whole."""
    names = [*goal.evidence, goal.desire_id.removeprefix("D-")]
    found = [agent.inbox.find(one) for one in dict.fromkeys(names) if one.startswith("MSG-")]
    return [f"[{one.id}] from {one.sender}: {one.content}" for one in found if one is not None]


def colleagues_part(agent: Agent, about: str) -> BriefingPart:
    """Return relevant operations that only colleagues may use."""
    return BriefingPart("Operations of colleagues, for delegate", tuple(_of_others(agent, about)), worth=3)


def _of_others(agent: Agent, about: str) -> Iterator[str]:
    registry, toolbox = agent.services.tools, Toolbox(agent, about, agent.services.settings.work.tools)
    for name in toolbox.found_by(about):
        if name in registry.names and not toolbox.may(name):
            tool = registry.tool(name)
            other = owner_of(agent, tool) if is_lever(tool) else capable(agent, tool)
            if other:
                yield f"- {name}: {tool.summary} Only {title(agent, other)} may use it."


def _list_library_options(found: Planned) -> Iterator[str]:
    if found.plan is not None:
        steps = "; ".join(one_line(one.description) for one in found.plan.steps)
        yield f"- {found.plan.name} (confidence {found.plan.confidence:.2f}): {steps}"
    yield from (f"- Not possible: {one_line(one)}" for one in found.why_not)
    if found.known.summary:
        yield f"- {one_line(found.known.summary)}"


def _earlier(agent: Agent, goal: Goal) -> list[str]:
    alike = {one.id for one in agent.mind.goals if goal.desire_id and one.desire_id == goal.desire_id} | {goal.id}
    made = [one for one in agent.proposals.all() if one.kind == "plan" and one.about in alike]
    told = [came_of_plan(one) for one in reversed(made[-_PLANS:])]
    plans = {one.plan_id for one in made}
    others = [one for one in agent.mind.plans if one.goal_id == goal.id and one.id not in plans]
    return [*told, *(f"- {one.id}: {one_line(one.name)} of the library was {one.status}" for one in others[-_PLANS:])]


def _list_surest_beliefs(agent: Agent) -> list[str]:
    held = [one for one in agent.mind.beliefs if one.status == "held"]
    surest = sorted(held, key=lambda one: (-one.certainty, one.id))[:_BELIEFS]
    return [f"[{one.id}] {one_line(one.statement)} (certainty {one.certainty:.2f})" for one in surest]
