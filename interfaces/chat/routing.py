"""Routing of a message that names no agent: the right agent, and the reason in a sentence.

choose(services, "Start a search campaign for 90 dollars a week")   # cmo: "the CMO has ad_campaign_create"
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mabos.configs.errors import MabosError, UnknownId
from mabos.interfaces.chat.record import last_partner
from mabos.language.request import Reading
from mabos.nodes.perception.understanding import context
from mabos.society.business import read_agent
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER, role_named
from mabos.tools.gate.identity import check_capability
from mabos.tools.requests.answers.topics import refers_back
from mabos.tools.requests.colleagues import title
from mabos.tools.requests.handlers import interpreter_of
from mabos.tools.runtime.services import Caller, Services
from mabos.tools.work.briefing.relevant import stems
from mabos.workspace.clock import iso
from mabos.workspace.text import terms

_NAMED: Final = re.compile(r"^\s*(?:@(?P<at>[\w-]+)[,:]?|(?P<to>[\w-]+)[,:])\s+(?P<text>\S.*)$", re.DOTALL)
_NEW: Final = ("order", "question", "standing")
_GENERAL: Final = stems(
    "good know work working today new time week month tell please prepare make morning company thing news need want "
    "our all can do use best keep everybody"
)
"""Words that say nothing about whose work a message is."""
_SURE: Final = 0.5
"""From which confidence a message is something new, and no answer to what was said last."""


@dataclass(frozen=True, slots=True)
class Addressee:
    """The recipient of a message, the reason, and the message without the name in front."""

    agent_id: str
    because: str
    text: str


def choose(services: Services, text: str, business_id: str = "") -> Addressee:
    """Return the agent to answer a message to the company; raises `UnknownId` if none can."""
    business = services.business(business_id)
    seats = dict(business.manifest.agents)
    if not seats:
        raise UnknownId(f"{business.id!r} has no agents", argument="business_id")
    named = _NAMED.match(text)
    if named is not None:
        name = (named["at"] or named["to"]).casefold()
        agent_id = seats.get(name, name)
        if agent_id in seats.values():
            return Addressee(agent_id, "you named it", named["text"])
        if named["at"]:
            raise UnknownId(f"{business.id!r} has no agent {name!r}; there are {', '.join(seats)}", argument="agent_id")
    first = seats.get("ceo") or next(iter(seats.values()))
    last = last_partner(services, list(seats.values()))
    partner = first if last is None else last.to if last.is_mine else last.sender
    readings = _readings(services, partner, text)  # "make it 500" is a correction to the one who was asked last
    is_to_partner = "you" in terms(text)[:4] or refers_back(text)
    if last is not None and (is_to_partner or not _is_new(readings, asked=last.performative == "QUERY")):
        return Addressee(partner, f"it goes on with what {_title(services, partner)} and you said last", text)
    found = _by_content(services, list(seats.values()), readings, text) if _has_content(services, readings) else None
    return found or Addressee(first, f"{_title(services, first)} answers what is nobody's own", text)


def _has_content(services: Services, readings: Sequence[Reading]) -> bool:
    """Return whether a message is about some work, so that its words say whose it is."""
    known = services.tools.names
    return any(one.act == "question" or one.operation == "task" or one.operation in known for one in readings)


def _readings(services: Services, agent_id: str, text: str) -> Sequence[Reading]:
    agent = services.agent(agent_id)
    message = Message("MSG-unsent", STAKEHOLDER, agent_id, "REQUEST", text, iso(services.clock()))
    return interpreter_of(services).read(text, context(agent, message))


def _is_new(readings: Sequence[Reading], *, asked: bool) -> bool:
    """Return whether a message starts something new; text without operation may be an answer if `asked` for."""
    return any(
        one.act in _NEW and one.confidence >= _SURE and not (asked and one.operation == "task") for one in readings
    )


def _by_content(services: Services, agents: list[str], readings: Sequence[Reading], text: str) -> Addressee | None:
    """Return the agent who has the operation, else whose work the words match; None without a clear match."""
    operation = next((one.operation for one in readings if one.operation in services.tools.names), "")
    able = [one for one in agents if _may_use(services, one, operation)] if operation else agents
    words = (stems(text) - _GENERAL) | stems(operation.replace("_", " "))
    scored = {one: _score(services, one, operation, words) for one in able}
    best = max(scored, key=lambda one: (scored[one], -agents.index(one)), default="")
    if not best or (scored[best] <= 0 and len(able) != 1):
        return None
    who = _title(services, best)
    because = f"{who} has {operation}" if operation else f"it is about the work of {who}"
    return Addressee(best, because, text)


def _score(services: Services, agent_id: str, operation: str, words: frozenset[str]) -> float:
    """Return how much a message is an agent's: words of its role, figures it watches, the rank of the operation."""
    seat, persona = read_agent(services.layout, agent_id), services.agent(agent_id).mind.persona
    duties = " ".join([seat.role, seat.title, *persona.responsibilities, *persona.expertise])
    watched = stems(" ".join(one.replace("_", " ") for one in seat.watches))
    score = len(words & stems(duties)) + 0.5 * len(words & watched)
    try:
        own = list(role_named(seat.role).capabilities.tools)
    except MabosError:
        own = list(seat.tools)
    if operation in own:
        score += 1 - own.index(operation) / (len(own) + 1)
    return score


def _may_use(services: Services, agent_id: str, operation: str) -> bool:
    try:
        check_capability(services.agent(agent_id, caller=Caller("agent", agent_id)), services.tools.tool(operation))
    except MabosError:
        return False
    return True


def _title(services: Services, agent_id: str) -> str:
    return title(services.agent(agent_id), agent_id)
