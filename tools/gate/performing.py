"""Execution of a permitted call: the tool's answer as JSON, the recorded outcome, and a single effect."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import BaseModel

from mabos.backends.metering import MeteredCall, Settle, within
from mabos.configs.errors import MabosError, Misuse
from mabos.tools.gate.tool_call import ToolCall
from mabos.tools.runtime.effects import Effect
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import frozen_clock, iso, parse_time
from mabos.workspace.copies import replace
from mabos.workspace.ids import Ids
from mabos.workspace.ledger import LedgerEntry

_SHOWN = 2_000
_LEAST, _MOST, _FLOATS, _DEEPEST = -(2**63), 2**64 - 1, 10**308, 200


@dataclass(frozen=True, slots=True)
class BegunCall:
    """A permitted call recorded as begun: by its key's effect, else by its ledger entry.

    `entry` is the body of its ledger entry; `settle` releases the amount reserved for it.
    """

    call: ToolCall
    entry: Mapping[str, Any]
    record: Effect | LedgerEntry
    settle: Settle


def perform(begun: BegunCall) -> dict[str, Any]:
    """Run a call, record its outcome, and return its result; with an effect key it takes effect once."""
    if isinstance(begun.record, Effect):
        return _performed_once(begun.call, begun.entry, begun.record)
    call, entry_id, services = begun.call, begun.record.id, begun.call.agent.services
    try:
        result = answer(call, call.agent)
    except Exception as error:
        services.note(call.agent, "outcome", {"call": entry_id, "ok": False, "error": _describe_error(error)})
        raise
    services.note(call.agent, "outcome", {"call": entry_id, "ok": True, "result": _trim_result(result)})
    return result


def _performed_once(call: ToolCall, entry: Mapping[str, Any], effect: Effect) -> dict[str, Any]:
    """Run a call with an effect key; its one ledger entry is written before the effect counts as done."""
    agent, services = call.agent, call.agent.services
    effects = services.directory.effects(agent.id)
    try:
        result = answer(call, _bind_agent(agent, effect))
    except Exception as error:
        services.note(agent, "call", {**entry, "ok": False, "error": _describe_error(error)})
        effects.failed(effect, _describe_error(error), iso(agent.clock()), broke_off=not isinstance(error, Misuse))
        raise
    services.note(agent, "call", {**entry, "ok": True, "result": _trim_result(result)})
    effects.done(effect, result, iso(agent.clock()))
    if not call.tool.idempotent:
        # What may not be repeated is known to be done before anything else is.
        services.sync.flush()
    return result


def _describe_error(error: Exception) -> str:
    return error.message if isinstance(error, MabosError) else f"{type(error).__name__}: {error}"


def _bind_agent(agent: Agent, effect: Effect) -> Agent:
    """Return the agent with the clock and ids of its effect: run again, it writes the same records."""
    clock = frozen_clock(parse_time(effect.begun_at))
    ids = Ids(clock, seed=effect.id)
    services, caller, cycle = agent.services, agent.caller, agent.cycle
    if agent.is_person:
        bound = services.seat(caller, clock=clock, ids=ids, cycle=cycle, key=effect.id)
    else:
        bound = services.agent(agent.id, caller=caller, clock=clock, ids=ids, cycle=cycle, key=effect.id)
    return replace(bound, is_again=True) if effect.is_again else bound


def answer(call: ToolCall, agent: Agent) -> dict[str, Any]:
    """Return the tool's answer to `agent` as JSON; its model calls go into the agent's ledger."""

    def record(made: MeteredCall) -> None:
        body = made.entry | {"tool": call.tool.name}
        agent.services.note(agent, "model", body | ({"why": dict(call.because)} if call.because else {}))

    with within(report=record):
        result = _plain(call.tool.run(agent, call.values))
    return result | ({"notices": [*call.notices, *result.get("notices", ())]} if call.notices else {})


def _plain(result: Mapping[str, Any]) -> dict[str, Any]:
    try:
        told = orjson.dumps(dict(result), default=_text_of, option=orjson.OPT_NON_STR_KEYS)
    except orjson.JSONEncodeError:  # what was done is done: one value that is no JSON must not make it a failure
        told = orjson.dumps(_clean(dict(result)), default=_text_of, option=orjson.OPT_NON_STR_KEYS)
    plain: dict[str, Any] = orjson.loads(told)
    return plain


def _clean(value: object, depth: int = 0) -> object:
    """Return a value without parts that JSON cannot hold: lone surrogates, long numbers, and too deep nesting."""
    if depth > _DEEPEST:
        return "..."
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, int) and not _LEAST <= value <= _MOST:
        return float(value) if abs(value) < _FLOATS else hex(value)
    if isinstance(value, BaseModel):
        return _clean(value.model_dump(), depth)
    if isinstance(value, Mapping):
        return {_clean(name): _clean(one, depth + 1) for name, one in value.items()}
    return [_clean(one, depth + 1) for one in value] if isinstance(value, list | tuple | set | frozenset) else value


def _text_of(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)


def _trim_result(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result as the ledger holds it: whole if it is short, else its short values."""
    if len(orjson.dumps(result)) <= _SHOWN:
        return result
    return {name: value for name, value in result.items() if len(orjson.dumps(value)) <= 200}
