"""Orders of a model beyond a single operation call: duties, projects, letters, colleagues, rules.

Each order is declared as a function, whose signature and docstring give the JSON Schema. It returns the `Reading` of a
request, with the slots that the handler of the request expects; nothing happens here.

    reading_of(agent, "remind", {"text": "Renew the licence", "date": "2026-11-20"})
    # Reading("order", "Renew the licence", "remind", (Slot("text", ...), Slot("date", ...)))
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.configs.section import FrozenData
from mabos.language.request import Reading, Request, Slot
from mabos.tools.catalogue.arguments import Count, Text
from mabos.tools.gate.identity import check_capability
from mabos.tools.requests.calls import NAMES
from mabos.tools.requests.reports import open_steps
from mabos.tools.runtime.services import Agent, Caller
from mabos.tools.work.declared import OfficeTool
from mabos.tools.work.recipients import recipients
from mabos.workspace.clock import parse_time
from mabos.workspace.copies import replace
from mabos.workspace.text import fold, shorten

Weekday = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
Operations = Literal[
    "ad_campaign_create", "content_generate", "email_campaign", "email_send", "stripe_create_price",
    "stripe_create_product", "work_package_create",
]  # fmt: skip
LETTER = "email_send"
"""The operation whose handler writes letters, to one reader or several."""
_BLANK = ("[", "]")
_WORK = "work"
"""The operation of a whole message that a model works on, and the key under which its orders name it."""


class ProjectStep(FrozenData):
    """A step of a project."""

    text: Annotated[str, Field(min_length=2, description="The step in the person's words.")]
    kind: Literal["work", "approval", "operation"] = Field(
        "work", description="work: a person does and reports it; approval: the owner says yes; operation: I do it."
    )
    operation: str = Field("", description="With kind operation: the name of a tool, or write_letter.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="With kind operation: its arguments.")


class ColleagueQuestion(FrozenData):
    """A question to a colleague."""

    to: Annotated[str, Field(min_length=2, description="The colleague's role or id, as cfo.")]
    question: Annotated[str, Field(min_length=5, description="The whole question; the colleague sees nothing else.")]


def reading_of(agent: Agent, name: str, arguments: Mapping[str, Any]) -> Reading:
    """Return the request from an order; raises `MabosError` with how to change the arguments."""
    return ORDERS[name](agent, arguments)


def slots_of(agent: Agent, name: str, arguments: Mapping[str, Any]) -> tuple[Slot, ...]:
    """Return the slots of an order; for an operation of the catalogue, its arguments."""
    if name in ORDERS:
        return reading_of(agent, name, arguments).slots
    return tuple(Slot(key, value) for key, value in arguments.items() if key != "agent_id")


def call_reading(agent: Agent, name: str, arguments: Mapping[str, Any]) -> Reading:
    """Return the request from a call of any tool: an order of the office, or one operation call.

    Raises `MabosError` with how to change the arguments.
    """
    if name in ORDERS:
        return reading_of(agent, name, arguments)
    tool = agent.services.tools.tool(name)
    given = {key: value for key, value in arguments.items() if key != "agent_id"}
    record_names = {key: value for key, value in given.items() if key in NAMES}
    values = tool.validate_arguments(given)  # names of records are told apart from ids later, by the handler
    plain = values.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    sentence = shorten(tool.in_words(plain), 200, at_word=True)
    return Reading("order", sentence, tool.name, slots_of(agent, tool.name, {**plain, **record_names}))


# --- duties -------------------------------------------------------------------


def remind(agent: Agent, *, text: Text, date: Text) -> Reading:  # noqa: ARG001  # one signature for all orders
    """Remind the person of something on a day. For a rhythm use report_regularly.

    Args:
        text: What to remind of, in the person's words.
        date: The day as 2026-11-20, or with a time as 2026-11-20T09:00.
    """
    parse_time(date, argument="date")
    return Reading("order", text, "remind", (Slot("text", text), Slot("date", date)))


def report_regularly(
    agent: Agent,  # noqa: ARG001  # one signature for all orders
    *,
    figures: Annotated[list[Text], Field(min_length=1)],
    every: Literal["day", "week", "month", "quarter", "year"],
    weekday: Weekday | None = None,
    day: Annotated[int, Field(ge=1, le=31)] | None = None,
    interval: Count = 1,
) -> Reading:
    """Report figures to the person in a rhythm, as they are on record on each day. Starts at the next due day.

    Args:
        figures: Names of the figures, as in the briefing where they are on record.
        every: The unit of the rhythm.
        weekday: With week: the day of the week.
        day: With month, quarter or year: the day of the month; 31 is its last day.
        interval: With week: 2 is every second week.
    """
    if interval > 1 and every != "week":
        raise InvalidArgument("report_regularly: only weeks have an interval", argument="interval")
    rhythm: dict[str, Any] = {"every": every}
    rhythm |= {"weekday": weekday} if weekday and every == "week" else {}
    rhythm |= {"day": day} if day and every not in ("day", "week") else {}
    rhythm |= {"interval": interval} if interval > 1 else {}
    said = f"Report {', '.join(figures)} every {weekday or every}"
    return Reading("order", said, "report_regularly", (Slot("rhythm", rhythm), Slot("figures", list(figures))))


def task(agent: Agent, *, text: Text, deadline: str = "") -> Reading:  # noqa: ARG001  # one signature for all orders
    """Keep work that a person does as a goal with its deadline, until somebody reports it as done.

    Args:
        text: The work, in the person's words, whole.
        deadline: The day as 2026-11-20.
    """
    return Reading("order", text, "task", (Slot("text", text), *_deadline(deadline)))


def improve(
    agent: Agent,  # noqa: ARG001  # one signature for all orders
    *,
    metric: Text,
    direction: Literal["up", "down"],
    target: float | None = None,
    deadline: str = "",
) -> Reading:
    """Take up a figure as a goal that measured values decide: reduce churn to 3, grow members to 500.

    Args:
        metric: The name of the figure, as in the briefing.
        direction: Whether it should rise or fall.
        target: The value to reach.
        deadline: The day as 2026-11-20.
    """
    slots = [Slot("metric", metric), Slot("direction", direction)]
    slots += [Slot("target", target)] if target is not None else []
    said = f"Bring {metric} {direction}" + (f" to {target:g}" if target is not None else "")
    return Reading("order", said, "improve", (*slots, *_deadline(deadline)))


# --- projects -----------------------------------------------------------------


def project(
    agent: Agent, *, title: Text, steps: Annotated[list[ProjectStep], Field(min_length=2)], deadline: str = ""
) -> Reading:
    """Carry out several steps in order: work of people, approvals of the owner, and operations of mine.

    No step of mine starts before every step in front of it is reported or approved. People report their work.

    Args:
        title: What people call the project.
        steps: The steps in order, each as the person said it.
        deadline: The day as 2026-11-20.
    """
    parts = [_project_step(agent, one, number) for number, one in enumerate(steps, start=1)]
    return Reading("order", title, "project", (Slot("title", title), Slot("steps", parts), *_deadline(deadline)))


def _project_step(agent: Agent, step: ProjectStep, number: int) -> dict[str, Any]:
    text = step.text.strip().rstrip(".;")
    if step.kind == "approval":
        return {"text": text, "kind": "approval", "operation": "", "slots": {}}
    if step.kind == "work" or not step.operation:
        return {"text": text, "kind": "work", "operation": "", "slots": {}}
    operation = step.operation
    try:
        if operation in ORDERS and operation != write_letter.__name__:
            raise InvalidArgument(f"{operation} cannot be a step; give it as work, or order it by itself")
        reading = call_reading(agent, operation, step.arguments)
        check_capability(_acting(agent), agent.services.tools.tool(reading.operation))
    except MabosError as error:
        raise InvalidArgument(f"project: step {number}: {error.message}", argument="steps") from None
    slots = {one.name: one.value for one in reading.slots}
    return {"text": text, "kind": "operation", "operation": reading.operation, "slots": slots}


def report_done(agent: Agent, *, request_id: Text, steps: Annotated[list[Text], Field(min_length=1)]) -> Reading:
    """Note that a person reported steps of a project or task as done. Only what the person said is done.

    Args:
        request_id: The id of the order, as REQ-....
        steps: The descriptions of the steps, as in the briefing.
    """
    known = {
        fold(one.step.description): one.step.description for one in open_steps(agent) if one.request.id == request_id
    }
    unknown = [one for one in steps if fold(one) not in known]
    if unknown:
        waiting = "; ".join(known.values()) or "none"
        raise InvalidArgument(f"no open step {unknown[0]!r} in {request_id}; open: {waiting}", argument="steps")
    text = "; ".join(f"{known[fold(one)]}: done" for one in steps)
    return Reading("report", text, "", (Slot("text", text),))


# --- colleagues ---------------------------------------------------------------


def ask_colleagues(agent: Agent, *, questions: Annotated[list[ColleagueQuestion], Field(min_length=1)]) -> Reading:
    """Ask colleagues questions; I report when all of them have answered, in a later turn.

    Args:
        questions: One entry for each colleague and question.
    """
    given = [{"to": _colleague(agent, one.to), "question": one.question} for one in questions]
    said = "; ".join(f"ask {one['to']}: {one['question']}" for one in given)
    return Reading("order", said, "ask_colleagues", (Slot("questions", given),))


def delegate(agent: Agent, *, to: Text, text: Text, deadline: str = "") -> Reading:
    """Give an order to a colleague who can do it; the colleague reports to me, and I to the person.

    Args:
        to: The colleague's role or id, as cmo.
        text: The whole order with every amount, date and name; the colleague sees nothing else.
        deadline: The day as 2026-11-20.
    """
    slots = (Slot("to", _colleague(agent, to)), Slot("text", text), *_deadline(deadline))
    return Reading("order", text, "delegate", slots)


def _colleague(agent: Agent, named: str) -> str:
    seats = agent.business.manifest.agents if agent.business_id else {}
    found = seats.get(named.strip().removeprefix("the ").casefold(), named)
    if found not in agent.services.agents() or found == agent.id:
        others = ", ".join(role for role, seat in seats.items() if seat != agent.id)
        raise InvalidArgument(f"no colleague {named!r}; there are {others or 'none'}", argument="to")
    return found


# --- rules and changes --------------------------------------------------------


def standing_rule(
    agent: Agent,  # noqa: ARG001  # one signature for all orders
    *,
    kind: Literal["forbid", "ask_first", "cap", "lift"],
    words: Text,
    operations: list[Operations] | None = None,
    who: str = "",
    amount: Annotated[float, Field(ge=0)] = 0,
    per: Literal["day", "week", "month", "total"] = "total",
    rule: str = "",
) -> Reading:
    """Write down a rule of the owner that holds from now on for every agent, or lift one.

    Args:
        kind: forbid contact or an operation, ask_first before it, cap what it may cost, or lift a rule.
        words: The owner's own words.
        operations: What it is about; left out it is everything that leaves the company or costs money.
        who: With forbid: the company or person that gets no letters.
        amount: With cap: the most dollars.
        per: With cap: for how long.
        rule: With lift: the id of the rule, as INS-....
    """
    if kind == "cap" and amount <= 0:
        raise InvalidArgument("standing_rule: a cap needs the amount that the owner named", argument="amount")
    slots = [Slot("who", who)] if who else []
    slots += [Slot("operations", list(operations))] if operations else []
    slots += [Slot("amount", amount), Slot("per", per)] if kind == "cap" else []
    return Reading("standing", words, kind, tuple(slots), refers_to=rule)


def change_order(agent: Agent, *, request_id: Text, changes: dict[str, Any]) -> Reading:
    """Change an order that was given before: its values are replaced and it is taken up again.

    Args:
        request_id: The id of the order, as REQ-....
        changes: The new values, by the argument names of the tool that the order was given with.
    """
    target = _order(agent, request_id)
    if not changes:
        raise InvalidArgument("change_order: no change given", argument="changes")
    slots = _new_slots(agent, target, changes)
    said = "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in changes.items())
    return Reading("correction", said, target.operation, slots, refers_to=target.id)


def withdraw_order(agent: Agent, *, request_id: Text, words: str = "") -> Reading:
    """Withdraw an order that was given before: what waits is called off, what runs is stopped where possible.

    Args:
        request_id: The id of the order, as REQ-....
        words: The person's own words.
    """
    target = _order(agent, request_id)
    return Reading("withdrawal", words or f"withdraw {target.sentence}", refers_to=target.id)


def _new_slots(agent: Agent, target: Request, changes: Mapping[str, Any]) -> tuple[Slot, ...]:
    """Return the new values as slots of the order that they change."""
    operation = write_letter.__name__ if target.operation in (LETTER, "email_campaign") else target.operation
    if operation not in ORDERS:
        tool = agent.services.tools.tool(operation)
        if unknown := [one for one in changes if one not in tool.schema["properties"]]:
            known = ", ".join(name for name in tool.schema["properties"] if name != "agent_id")
            raise InvalidArgument(
                f"change_order: {operation} has no {unknown[0]!r}; it has {known}", argument="changes"
            )
        return tuple(Slot(name, value) for name, value in changes.items())
    before = arguments_of(target)
    reading = reading_of(agent, operation, {**before, **changes})
    kept = {one.name: one.value for one in target.slots}
    slots = tuple(one for one in reading.slots if kept.get(one.name) != one.value)
    if not slots:
        raise InvalidArgument("change_order: the order already has these values", argument="changes")
    return slots


def arguments_of(request: Request) -> dict[str, Any]:
    """Return the arguments of an order of the office, from its slots."""
    values = {one.name: one.value for one in request.slots}
    if request.operation in (LETTER, "email_campaign"):
        if "recipients" in values:
            values["select"] = values.pop("recipients")
        return {key: values[key] for key in ("select", "subject", "text", "draft") if key in values}
    if request.operation == "report_regularly":
        return {**dict(values.get("rhythm", {})), "figures": list(values.get("figures", ()))}
    if request.operation == "project":
        return {**values, "steps": [_step_arguments(one) for one in values.get("steps", ())]}
    return values


def _step_arguments(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step of a project as a model gives it."""
    kind, operation, slots = step.get("kind") or "work", str(step.get("operation", "")), dict(step.get("slots", {}))
    if operation in (LETTER, "email_campaign"):
        operation = write_letter.__name__
        slots = {("select" if name == "recipients" else name): value for name, value in slots.items()}
    is_call = kind == "operation"
    return {"text": step["text"], "kind": kind, "operation": operation, "arguments": slots if is_call else {}}


def _order(agent: Agent, request_id: str) -> Request:
    """Return an order by its id; that of the message that it came with means its only order."""
    orders = [one for one in agent.requests.all() if one.act in ("order", "standing") and one.operation != _WORK]
    meant = [one for one in orders if request_id in (one.id, one.data.get(_WORK))]
    if len(meant) == 1:
        return meant[0]
    listed = meant or [one for one in orders if one.status != "withdrawn"][-6:]
    known = "; ".join(f"{one.id}: {shorten(one.sentence, 60)}" for one in listed) or "none"
    raise InvalidArgument(f"no single order {request_id!r}; on record: {known}", argument="request_id")


# --- letters ------------------------------------------------------------------


def write_letter(
    agent: Agent,
    *,
    subject: Text,
    text: Text,
    to: list[Text] | None = None,
    select: dict[str, Any] | None = None,
    draft: bool = False,
) -> Reading:
    """Write a letter by e-mail to exactly these contacts, one letter each. It waits for approval where rules say so.

    Args:
        subject: What it is about.
        text: The whole letter. {{ name }}, {{ first_name }} and {{ company }} are filled in for each reader.
        to: The readers by name, address or id of their contacts.
        select: Or the readers by their records, as {"where": {"tags": {"all": ["wholesale", "north"]}}}, with order and
            limit as in records; {"where": {}} is everybody.
        draft: Only lay it down as a draft for the person to read; needed where it has [blanks].
    """
    chosen = recipients(agent, to, select)
    if all(mark in text for mark in _BLANK) and not draft:
        raise InvalidArgument("write_letter: the text has [blanks]; fill them, or make it a draft", argument="draft")
    slots = [Slot("recipients", chosen), Slot("subject", subject), Slot("text", text)]
    slots += [Slot("draft", True)] if draft else []
    said = f"{'Draft' if draft else 'Send'} the letter {subject!r}"
    return Reading("order", said, LETTER, tuple(slots))


def send_drafts(agent: Agent, *, letter: str = "") -> Reading:
    """Send a letter that was laid down as drafts, to exactly the readers of the drafts, once the person has read it.

    Args:
        letter: Its subject, or the id of its order, as REQ-....; needed where drafts of several letters wait.
    """
    waiting = find_draft_orders(agent)
    subjects = {one.id: str(one.data["letter"].get("subject", "")) for one in waiting}
    wanted = letter.strip().casefold()
    meant = [one for one in waiting if not wanted or wanted in (one.id.casefold(), subjects[one.id].casefold())]
    if len(meant) != 1:
        known = "; ".join(f"{name} {subject!r}" for name, subject in subjects.items())
        why = "no draft waits; use write_letter" if not waiting else f"name one of the letters that wait: {known}"
        raise InvalidArgument(f"send_drafts: {why}", argument="letter")
    return Reading("order", f"Send the drafts of {subjects[meant[0].id]!r}", LETTER, refers_to=meant[0].id)


def find_draft_orders(agent: Agent) -> tuple[Request, ...]:
    """Return the orders with letters in draft, oldest first, not yet sent by a later order."""
    waiting = dict[str, Request]()
    for one in agent.requests.all():
        if one.operation not in (LETTER, "email_campaign") or one.status not in ("done", "underway"):
            continue
        if one.data.get("tag") and any(check.section == "drafts" for check in one.checks):
            waiting[one.id] = one
        elif one.refers_to:
            waiting.pop(one.refers_to, None)
        elif waiting and not any(one.slot(name) for name in ("recipients", "to", "list", "text")):
            waiting.popitem()  # "send them" means the latest
    return tuple(waiting.values())


def _deadline(text: str) -> tuple[Slot, ...]:
    if not text:
        return ()
    parse_time(text, argument="deadline")
    return (Slot("deadline", text),)


def _acting(agent: Agent) -> Agent:
    return replace(agent, caller=Caller("agent", agent.id))


ORDERS: Mapping[str, OfficeTool[Reading]] = {
    one.name: one
    for one in (
        OfficeTool(remind),
        OfficeTool(report_regularly),
        OfficeTool(project),
        OfficeTool(task),
        OfficeTool(improve),
        OfficeTool(ask_colleagues),
        OfficeTool(delegate),
        OfficeTool(standing_rule),
        OfficeTool(change_order),
        OfficeTool(withdraw_order),
        OfficeTool(report_done),
        OfficeTool(write_letter, needs=LETTER),
        OfficeTool(send_drafts, needs=LETTER),
    )
}
"""The orders of the office by name."""
