"""Reading people's plain words as requests, which are recorded before anything is done about them."""

from collections.abc import Iterable

from mabos.language.interpreter import Context, Vocabulary
from mabos.language.orders import order
from mabos.language.request import OPEN, Reading, Request
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.messages import PERSON
from mabos.society.contacts import Contact
from mabos.society.messages import Message
from mabos.tools.knowledge.questions import REASON, is_problem
from mabos.tools.requests.business_statements import business_readings
from mabos.tools.requests.catalogue import operations
from mabos.tools.requests.figure_statements import figure_readings
from mabos.tools.requests.handlers import interpreter_of
from mabos.tools.requests.readback import ACT
from mabos.tools.runtime.services import Agent
from mabos.tools.work.loop import works
from mabos.tools.work.session import WORK, is_work, parent_of
from mabos.workspace.copies import replace
from mabos.workspace.text import terms

REMEMBERED = 40
"""Requests of a conversation that an interpreter looks at, the newest."""
_FEW = 8
"""Words of a greeting at most."""
_ANSWERS = frozenset({
    "approved", "do", "fine", "go", "no", "not", "ok", "okay", "please", "right", "stop", "sure", "wait", "yes", "yep",
})  # fmt: skip
"""Words that may answer something, however short the message is."""
_CARRIED = ("ask_colleagues", "capped", "conditional", "delegate", "forwarded", "project", "remind", "report_regularly")
_STRUCTURED = ("handoff_id", "target", "subject", "predicate", "beliefs")


def understand(cycle: Cycle, message: Message) -> tuple[Request, ...]:
    """Return the requests of a message, read now or before; they are recorded on return.

    If a chat model works on messages, one request has the whole message, unless it is only a greeting or thanks;
    otherwise rules read it.
    """
    agent = cycle.agent
    known = tuple(one for one in agent.requests.all() if one.message_id == message.id)
    if known:
        return known
    if works(agent.services):
        if greeting := _greeting(agent, message):
            agent.requests.save(greeting)
            return (greeting,)
        made = (_request(agent, message, Reading("order", message.content, WORK), 1),)
        agent.requests.save(*made)
        return made
    return read_by_rules(cycle, message)


def _greeting(agent: Agent, message: Message) -> Request | None:
    """Return the request of a few words that ask for nothing, which takes no model; None where they may answer one."""
    words = terms(message.content)
    if message.sender != PERSON or not 0 < len(words) <= _FEW or "?" in message.content or _ANSWERS & set(words):
        return None
    if any(is_work(one) and one.status == "asking" for one in agent.requests.all()):
        return None
    readings = interpreter_of(agent.services).read(message.content, context(agent, message))
    is_talk = bool(readings) and all(one.act == "small_talk" for one in readings)
    return _request(agent, message, Reading("small_talk", message.content), 1) if is_talk else None


def read_by_rules(cycle: Cycle, message: Message) -> tuple[Request, ...]:
    """Return the recorded requests that rules read from a message; empty if a colleague requests no operation."""
    agent = cycle.agent
    readings: tuple[Reading, ...] = ()
    if message.performative == "QUERY" and message.sender != PERSON:
        readings = (Reading("question", message.content),)  # a colleague says by the performative what it wants
    elif message.sender == PERSON and is_problem(message.content):
        readings = (Reading("question", message.content, REASON),)  # its statements are premises, and no orders
    else:
        figures = figure_readings(agent, message.content) if message.sender == PERSON else ()
        readings = figures or interpreter_of(agent.services).read(message.content, context(agent, message))
        if message.sender == PERSON and all(one.act in ("report", "small_talk", "unclear") for one in readings):
            readings = business_readings(agent, message.content) or readings
    if message.sender != PERSON and not all(_is_known(agent, one) for one in readings):
        readings = (order(message.content, context(agent, message)),)  # a REQUEST is an order, whatever its words
    if message.sender != PERSON and not all(_is_known(agent, one) for one in readings):
        return ()  # what no operation does is weighed as a wish of a colleague, and planned for
    made = tuple(_request(agent, message, one, number) for number, one in enumerate(readings, start=1))
    agent.requests.save(*made, *_settle_requests(agent, readings))
    cycle.note(understood=[f"{one.id}: {one.act} {one.operation}".strip() for one in made])
    return made


def _settle_requests(agent: Agent, readings: Iterable[Reading]) -> tuple[Request, ...]:
    """Return, as answered, the mails and conditions that were asked about and that these readings settle."""
    named = {one.refers_to for one in readings if one.act != "answer" and one.refers_to}
    asked = [one for one in agent.requests.all() if one.id in named and one.status == "asking"]
    settled = [one for one in asked if one.operation in ("conditional", "forwarded", "wish")]
    return tuple(replace(one, status="answered") for one in settled)


def _is_known(agent: Agent, reading: Reading) -> bool:
    """Return whether a colleague's sentence is a question, or an order that an operation carries out."""
    if reading.act == "question":
        return True
    is_called = reading.operation in agent.services.tools.names or reading.operation in _CARRIED
    return reading.act == "order" and is_called and reading.confidence >= ACT


def is_plain(agent: Agent, message: Message) -> bool:
    """Return whether a message is read by its words: a person's, or a colleague's without structure."""
    if message.performative not in ("REQUEST", "QUERY"):
        return False
    if any(message.metadata.get(name) for name in _STRUCTURED) or message.protocol == "contract-net":
        return False
    return message.sender == PERSON or message.sender in agent.services.agents()


def context(agent: Agent, message: Message) -> Context:
    """Return the context of a message."""
    own = [one for one in agent.requests.all() if one.sender == message.sender and not is_work(one)]
    earlier = tuple(reversed(own))[:REMEMBERED]
    colleagues = agent.business.manifest.agents if agent.business_id else {}
    return Context(
        now=agent.clock(),
        operations=operations(agent.services),
        colleagues={name: role for role, name in colleagues.items() if name != agent.id},
        vocabulary=_vocabulary(agent),
        earlier=earlier,
        is_person=message.sender == PERSON,
    )


def due(cycle: Cycle) -> tuple[str, ...]:
    """Return the requests that can advance now; checks one file if there are none.

    A work session handles its own orders, except duties, which are due on their day.
    """
    now = cycle.now()
    return tuple(
        one.id
        for one in cycle.agent.requests.all()
        if one.status in OPEN
        and one.status != "asking"
        and (one.status == "standing" or not parent_of(one))
        and (one.status != "standing" or "" < one.wanted_by <= now)
    )


def _request(agent: Agent, message: Message, reading: Reading, number: int) -> Request:
    suffix = message.id.removeprefix("MSG-") + (f"-{number}" if number > 1 else "")
    now = agent.now()
    return Request(
        id=f"REQ-{suffix}",
        message_id=message.id,
        sender=message.sender,
        act=reading.act,
        sentence=reading.sentence,
        operation=reading.operation,
        slots=reading.slots,
        missing=reading.missing,
        refers_to=reading.refers_to,
        confidence=reading.confidence,
        created_at=now,
        updated_at=now,
    )


def _vocabulary(agent: Agent) -> Vocabulary:
    """Return the words of the records of a business: names, tags, segments, companies, and its figures."""
    if not agent.business_id:
        return Vocabulary()
    business = agent.business
    contacts = business.customers.contacts.all()
    names: dict[str, str] = {}
    _name(names, "contacts", ((one.name or one.email, one.id) for one in contacts))
    _name(names, "campaigns", ((one.name, one.id) for one in business.campaigns.all()))
    _name(names, "work_packages", ((one.title, one.id) for one in business.workforce.packages.all()))
    _name(names, "contractors", ((one.name, one.id) for one in business.workforce.contractors.all()))
    _name(names, "products", ((one.name, one.id) for one in business.pricing.products.all()))
    return Vocabulary(
        metrics=tuple(dict.fromkeys((*business.metrics.names(), *(one.predicate for one in agent.facts.query())))),
        tags=_distinct(tag for one in contacts for tag in one.tags),
        segments=_distinct(one.segment for one in contacts),
        companies=_distinct(one.company for one in contacts),
        names=names,
        fields=_fields(agent, contacts),
    )


def _fields(agent: Agent, contacts: Iterable[Contact]) -> dict[str, tuple[str, ...]]:
    """Return the values of the contacts' own fields, and the standings there are, for selectors."""
    standings, found = agent.business.customers.standings(), dict[str, list[str]](standing=[])
    for contact in contacts:
        for name, value in (*contact.fields.items(), ("source", contact.source), ("title", contact.title)):
            found.setdefault(name, []).append(value)
        found["standing"].append(standings.get(contact.id, "lead"))
    return {name: _distinct(values) for name, values in found.items()}


def _name(names: dict[str, str], section: str, found: Iterable[tuple[str, str]]) -> None:
    names.update({name: f"{section}/{key}" for name, key in found if name})


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in values if one))
