"""A single step of a work session: the model's next answer, the look-up for a tool use, and the resulting order.

Nothing here has an effect beyond the look-up: act carries out orders like all other requests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.backends.chat import NOT_ASKED, ChatMessage, Completion, ToolUse
from mabos.backends.shown import fence_text
from mabos.configs.errors import InvalidArgument, MabosError
from mabos.language.request import Request, Slot, SpeechAct
from mabos.society.messages import Message
from mabos.tools.catalogue.declaration import OWN
from mabos.tools.gate.call import call
from mabos.tools.requests.acceptance import judge_order
from mabos.tools.requests.colleagues import capable, title
from mabos.tools.runtime.activity import text_listener
from mabos.tools.runtime.services import Agent, Caller, Services
from mabos.tools.work.briefing import Briefing, briefing, conversation_of
from mabos.tools.work.changes import unsaid_change
from mabos.tools.work.compact import compact, whole
from mabos.tools.work.grounding import Ground, ground
from mabos.tools.work.mandate import INSISTS, NOT_YET, find_unsupported, is_repeated, withheld
from mabos.tools.work.office import LETTER, call_reading
from mabos.tools.work.reads import is_office_read, read
from mabos.tools.work.session import BEFORE, GROUNDS, MADE, WorkSession, is_work, order_data, order_id, orders_of
from mabos.tools.work.spoken import SpokenWords, spoken_by_person
from mabos.tools.work.toolbox import FIND, OF_PEOPLE, REPLACED, Toolbox
from mabos.workspace.copies import replace
from mabos.workspace.text import shorten

TAG = "work"
"""The purpose of a session's call, in ledgers and recordings."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The equipment of a session in one cycle: the briefing, and the tools for the current words."""

    agent: Agent
    request: Request
    briefing: Briefing
    toolbox: Toolbox


@dataclass(frozen=True, slots=True)
class LookUp:
    """The result of a tool use, and the operations that it makes available."""

    text: str
    found: tuple[str, ...] = ()
    is_error: bool = False


def desk_for(agent: Agent, request: Request, message: Message) -> Desk:
    """Return the equipment of a session: briefing and tools for its message and the earlier talk."""
    limits, before = agent.services.settings.work, conversation_of(agent, message)
    toolbox = Toolbox(agent, " ".join([*(one.content for one in before[-2:]), message.content]), limits.tools)
    told = briefing(agent, message, before, budget_tokens=limits.briefing_tokens, offered=toolbox.offered)
    return Desk(agent, request, told, toolbox)


def works(services: Services) -> bool:
    """Return whether a model works on messages here."""
    return services.model.name not in NOT_ASKED and services.settings.models.work


def next_answer(desk: Desk, session: WorkSession) -> Completion:
    """Return the model's next answer; raises `Unavailable` if it is out of reach or a budget is exhausted."""
    services = desk.agent.services
    limits = services.settings.work
    told = (ChatMessage("system", desk.briefing.system), ChatMessage("user", desk.briefing.message))
    turns = [*told, *map(_fence_turn, session.turns)]
    specs = desk.toolbox.specs(session.shown)
    return services.model.complete(
        turns, max_tokens=limits.answer_tokens, tag=TAG, tools=specs, on_text=text_listener()
    )


def looked_up(desk: Desk, session: WorkSession, use: ToolUse) -> LookUp | None:
    """Return the result of a read-only tool use, or why it is impossible; None for an order."""
    if use.invalid:
        return LookUp(use.invalid, is_error=True)
    try:
        if use.name == FIND:
            return _search_operations(desk, use)
        if is_office_read(use.name):
            return LookUp(read(desk.agent, use.name, use.arguments, desk.agent.services.settings.work.result_tokens))
        if why := _unusable(desk, session, use.name):
            return LookUp(why, is_error=True)
        reading = call_reading(desk.agent, use.name, _arguments(desk, use))
        return _call_read_operation(desk, reading.operation, use) if use.name == reading.operation else None
    except MabosError as error:
        return LookUp(error.message, is_error=True)


def _search_operations(desk: Desk, use: ToolUse) -> LookUp:
    query = str(use.arguments.get("query") or "")
    if not query:
        raise InvalidArgument(f"{FIND}: describe the task", argument="query")
    return LookUp(desk.toolbox.find_operations(query), desk.toolbox.usable(desk.toolbox.found_by(query)))


def _call_read_operation(desk: Desk, operation: str, use: ToolUse) -> LookUp | None:
    """Return the result of a read-only operation; None if it is not an operation, or writes."""
    agent = desk.agent
    if operation not in agent.services.tools.names:
        return None
    tool = agent.services.tools.tool(operation)
    given = {name: one for name, one in use.arguments.items() if name != "agent_id"}  # the gate checks who acts
    if not tool.only_reads(tool.validate_arguments(given)):
        return None
    because = {"message": desk.request.message_id, "request": desk.request.id}
    caller = Caller("agent", agent.id)
    outcome = call(agent.services, operation, use.arguments, caller=caller, cycle=agent.cycle, because=because)
    if not outcome.ok:
        return LookUp(outcome.message, is_error=True)
    budget = agent.services.settings.work.result_tokens
    return LookUp((whole if tool.catalogue == OWN else compact)(dict(outcome.result), budget))


def order_from(desk: Desk, session: WorkSession, use: ToolUse) -> Request | str:
    """Return the order from a tool use, always with the same id, or why there is none."""
    agent, request = desk.agent, desk.request
    name = order_id(request, session, use)
    known = agent.requests.find(name)
    if known is not None:
        return known
    reading = call_reading(agent, use.name, _arguments(desk, use))
    now = agent.now()
    order = Request(
        id=name,
        message_id=request.message_id,
        sender=request.sender,
        act=reading.act,
        sentence=in_words(agent, reading.act, reading.operation, reading.slots) or reading.sentence,
        operation=reading.operation,
        slots=reading.slots,
        refers_to=reading.refers_to,
        created_at=now,
        updated_at=now,
        data=order_data(request, use),
    )
    spoken = spoken_by_person(agent, request)
    if first := _same_before(agent, request, order):
        return first
    if why := withheld(agent, order, session, spoken):
        if order.operation not in agent.services.tools.names:
            return f"{NOT_YET}{why}. Answer, or ask the person whether you should."
        if not is_repeated(session, use):
            return f"{NOT_YET}{why}. Answer, or ask whether you should; the same call again goes to the owner."
        order = replace(order, data={**order.data, INSISTS: why})
    if why := _unsaid(agent, order, spoken):
        return f"Not done: {why}. Use the person's own words and values, or ask the person."
    return _with_grounds(_after_namesake(agent, order), ground(agent, order, spoken).bound)


def _after_namesake(agent: Agent, order: Request) -> Request:
    """Return an order that refers to an earlier one of the same name and other values: "the same on social"."""
    name = order.slot("name") if order.operation in agent.services.tools.names else None
    if order.act != "order" or order.refers_to or not name:
        return order
    given = {one.name: one.value for one in order.slots}
    for one in reversed(agent.requests.all()):
        if (one.operation, one.slot("name")) == (order.operation, name) and one.sender == order.sender:
            return order if {slot.name: slot.value for slot in one.slots} == given else replace(order, refers_to=one.id)
    return order


def _unsaid(agent: Agent, order: Request, spoken: SpokenWords) -> str:
    """Return the part of a rule, a change or a small order that the person did not say, or an empty text."""
    if order.act in ("standing", "withdrawal", "correction", "report"):
        target = agent.requests.find(order.refers_to) if order.refers_to else None
        return unsaid_change(agent, order, spoken, target=target)
    missing = find_unsupported(agent, order, spoken)
    return f"{missing} is not in what the person said" if missing else ""


def _same_before(agent: Agent, request: Request, order: Request) -> str:
    """Return the result of the same order of this session, or an empty text where it was not given yet."""
    for one in orders_of(agent.requests.all(), request):
        is_same = (one.act, one.operation, one.refers_to) == (order.act, order.operation, order.refers_to)
        given = {slot.name: slot.value for slot in order.slots}
        if is_same and {slot.name: slot.value for slot in one.slots} == given and one.status in MADE:
            told = one.replied or one.reason or one.status
            return f"{BEFORE} Its result: {told}"
    return ""


def _with_grounds(order: Request, bound: Sequence[Ground]) -> Request:
    """Return an order whose slots remember the words that they come from."""
    words = {one.slot: one.words for one in reversed(bound)}
    slots = (replace(one, words=one.words or words.get(one.name) or str(one.value)[:80]) for one in order.slots)
    data = {**order.data, GROUNDS: [one.as_data() for one in bound]} if bound else order.data
    return replace(order, slots=tuple(slots), data=data)


def _arguments(desk: Desk, use: ToolUse) -> Mapping[str, Any]:
    """Return the arguments of a tool use, with a message's id replaced by that of the one order made for it."""
    name = str(use.arguments.get("request_id", ""))
    named = desk.agent.requests.find(name) if name.startswith("REQ-") else None
    if named is None or not is_work(named):
        return use.arguments
    over = ("refused", "failed", "withdrawn")
    made = [one for one in orders_of(desk.agent.requests.all(), named) if one.act == "order" and one.status not in over]
    if len(made) != 1:
        known = "; ".join(f"{one.id}: {shorten(one.sentence, 60)}" for one in made) or "none"
        raise InvalidArgument(f"{name} is a message; name one of its orders: {known}", argument="request_id")
    return {**use.arguments, "request_id": made[0].id}


def in_words(agent: Agent, act: SpeechAct, operation: str, slots: Sequence[Slot]) -> str:
    """Describe one call of an operation to a person; empty if the operation has no description."""
    if act != "order" or operation not in agent.services.tools.names or operation == LETTER:
        return ""
    tool = agent.services.tools.tool(operation)
    try:
        values = tool.validate_arguments({one.name: one.value for one in slots})
        return tool.told(agent, values.model_dump(mode="json", by_alias=True))
    except MabosError:  # the handler says what is wrong with it
        return ""


def quote_results(agent: Agent, order: Request) -> str:
    """Return the full result of a user's tool for an order, since its report has only a few values."""
    tools = agent.services.tools
    if order.status != "done" or order.operation not in tools.names or tools.tool(order.operation).catalogue != OWN:
        return ""
    effects = [one for verdict in judge_order(agent, order) for one in verdict.found]
    results = [whole(dict(one["result"]), agent.services.settings.work.result_tokens) for one in effects[-1:]]
    return "".join(f"\nIt returned: {one}" for one in results)


def _unusable(desk: Desk, session: WorkSession, name: str) -> str:
    """Return why a tool cannot be used, with the alternative, or an empty text."""
    agent = desk.agent
    if name in REPLACED:
        return f"Use {REPLACED[name]} instead of {name}."
    if name in OF_PEOPLE:
        return f"Only people use {name}."
    if not desk.toolbox.usable((name,)):
        if name in agent.services.tools.names and (other := capable(agent, agent.services.tools.tool(name))):
            return f"You may not use {name}; {title(agent, other)} may: delegate to {other}."
        shown = ", ".join(sorted(desk.toolbox.names(session.shown)))
        return f"There is no tool {name!r} that you may use. Shown: {shown}. Search others with {FIND}."
    return ""


def _fence_turn(turn: ChatMessage) -> ChatMessage:
    """Return a turn as the model sees it: results are data."""
    return replace(turn, content=fence_text(turn.content)) if turn.role == "tool" else turn
