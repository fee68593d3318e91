"""The built-in actions of procedural agents besides believing and achieving: send, wait, print, fail."""

from collections.abc import Iterable

from bench.agentspeak.agent import SPEECH, Agent, waited
from bench.agentspeak.program import Action, Intention
from mabos.configs.errors import Damaged
from mabos.mind.procedures.expressions import Broken, Numbering, building
from mabos.mind.procedures.reader import read_trigger
from mabos.mind.procedures.syntax import Kind
from mabos.mind.procedures.terms import Listing, Term, format_term

Given = tuple[Term, ...]


def _print(agent: Agent, _intention: Intention, given: Given) -> bool:
    agent.world.said(agent, " ".join(map(format_term, given)))
    return True


def _fail(_agent: Agent, _intention: Intention, _given: Given) -> bool:
    return False


def _send(agent: Agent, _intention: Intention, given: Given) -> bool:
    receivers, performative, term = _three(".send", given)
    names = receivers if type(receivers) is Listing else (receivers,)
    return _spoken(agent, [_name(one) for one in names], performative, term)


def _broadcast(agent: Agent, _intention: Intention, given: Given) -> bool:
    _, performative, term = _three(".broadcast", (None, *given))
    return _spoken(agent, agent.world.others(agent), performative, term)


def _three(name: str, given: Given) -> tuple[Term, Term, Term]:
    if len(given) != 3 or type(given[2]) is not tuple:
        raise Broken(f"{name} needs a receiver, a performative, and a belief or goal")
    return given


def _spoken(agent: Agent, receivers: Iterable[str], performative: Term, term: Term) -> bool:
    kind = _name(performative)
    if kind not in SPEECH:
        raise Broken(f"{kind!r} is not a performative; use {', '.join(SPEECH)}")
    return agent.world.send(agent, receivers, kind, term)


def _wait(agent: Agent, intention: Intention, given: Given) -> bool:
    event = next((one for one in given if isinstance(one, str)), None)
    span = next((one for one in given if isinstance(one, int | float)), None)
    if event is None and span is None:
        raise Broken(".wait needs milliseconds, an event, or both")
    intention.wait = waited(span, _event(event) if event else None, agent.world.now)
    return True


def _event(text: str) -> tuple[Kind, Term]:
    try:
        kind, shape = read_trigger(text)
    except Damaged as error:
        raise Broken(f"{text!r} is not an event: {error}") from None
    number = Numbering()
    build = building(shape, number)
    return kind, build([None] * len(number.slots))


def _name(term: Term) -> str:
    return term[0] if type(term) is tuple else str(term)


ACTIONS: dict[str, Action] = {
    ".print": _print, ".fail": _fail, ".send": _send, ".broadcast": _broadcast, ".wait": _wait,
}  # fmt: skip
