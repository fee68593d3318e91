"""Running a call that has leave: its tool's answer as JSON, what came of it on record, and its effect once."""

from collections.abc import Mapping
from typing import Any

import orjson
from pydantic import BaseModel

from mabos.backends.metering import MeteredCall, within
from mabos.configs.errors import MabosError, Misuse
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.gate.approval import Request
from mabos.tools.runtime.effects import Effect
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import frozen_clock, iso, parse_time
from mabos.workspace.copies import replace
from mabos.workspace.ids import Ids

_SHOWN = 2_000
_LEAST, _MOST, _FLOATS, _DEEPEST = -(2**63), 2**64 - 1, 10**308, 200


def perform(request: Request, values: BaseModel, entry_id: str) -> dict[str, Any]:
    """Run a call without an effect key and write what came of it."""
    agent, services = request.agent, request.agent.services
    try:
        result = answer(request.tool, agent, values, request.because)
    except Exception as error:
        services.note(agent, "outcome", {"call": entry_id, "ok": False, "error": _said(error)})
        raise
    services.note(agent, "outcome", {"call": entry_id, "ok": True, "result": _shown(result)})
    return result


def perform_once(request: Request, values: BaseModel, effect: Effect, body: Mapping[str, Any]) -> dict[str, Any]:
    """Run a call with an effect key; its one ledger entry stands before the effect counts as done, so none is lost."""
    agent, services, effects = (
        request.agent,
        request.agent.services,
        request.agent.services.directory.effects(request.agent.id),
    )
    try:
        result = answer(request.tool, _bound(agent, effect), values, request.because)
    except Exception as error:
        services.note(agent, "call", {**body, "ok": False, "error": _said(error)})
        effects.failed(effect, _said(error), iso(agent.clock()), broke_off=not isinstance(error, Misuse))
        raise
    services.note(agent, "call", {**body, "ok": True, "result": _shown(result)})
    effects.done(effect, result, iso(agent.clock()))
    if not request.tool.idempotent:
        # What may not be repeated is known to be done before anything else is.
        services.sync.flush()
    return result


def _said(error: Exception) -> str:
    return error.message if isinstance(error, MabosError) else f"{type(error).__name__}: {error}"


def _bound(agent: Agent, effect: Effect) -> Agent:
    """Return the agent with the clock and ids of its effect: run again, it writes the same records."""
    clock = frozen_clock(parse_time(effect.begun_at))
    ids = Ids(clock, seed=effect.id)
    services, caller, cycle = agent.services, agent.caller, agent.cycle
    if agent.is_person:
        bound = services.seat(caller, clock=clock, ids=ids, cycle=cycle, key=effect.id)
    else:
        bound = services.agent(agent.id, caller=caller, clock=clock, ids=ids, cycle=cycle, key=effect.id)
    return replace(bound, is_again=True) if effect.is_again else bound


def answer(tool: Tool, agent: Agent, values: BaseModel, because: Mapping[str, str]) -> dict[str, Any]:
    """Return what the tool answers, as JSON; model calls it makes go into the agent's ledger."""

    def record(made: MeteredCall) -> None:
        body = made.entry | {"tool": tool.name}
        agent.services.note(agent, "model", body | ({"why": dict(because)} if because else {}))

    with within(report=record):
        return _plain(tool.run(agent, values))


def _plain(result: Mapping[str, Any]) -> dict[str, Any]:
    try:
        told = orjson.dumps(dict(result), default=_text_of, option=orjson.OPT_NON_STR_KEYS)
    except orjson.JSONEncodeError:  # what was done is done: one value that is no JSON must not make it a failure
        told = orjson.dumps(_clean(dict(result)), default=_text_of, option=orjson.OPT_NON_STR_KEYS)
    plain: dict[str, Any] = orjson.loads(told)
    return plain


def _clean(value: object, depth: int = 0) -> object:
    """Return a value without what JSON cannot hold: halves of characters, long numbers, and what is nested too deep."""
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


def _shown(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result as the ledger holds it: whole if it is short, else its short values."""
    if len(orjson.dumps(result)) <= _SHOWN:
        return result
    return {name: value for name, value in result.items() if len(orjson.dumps(value)) <= 200}
