"""The one way to use a tool: validate, check identity, capability and governance, write the ledger, run it once."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from mabos.backends.chat import ForbiddenModelCall
from mabos.backends.metering import NOTHING, BudgetExhausted, Settle, Spent, reserved, within
from mabos.configs.errors import Damaged, MabosError, Refused, Unavailable, file_refused
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.gate.approval import AwaitingApproval, Permit, Request, permit, settled
from mabos.tools.gate.identity import allowed, identified
from mabos.tools.gate.performing import answer, perform, perform_once
from mabos.tools.runtime.budgets import GoalExhausted
from mabos.tools.runtime.effects import Effect
from mabos.tools.runtime.services import PERSON, Agent, Caller, Services
from mabos.tools.runtime.spending import one_at_a_time
from mabos.workspace.clock import iso
from mabos.workspace.ledger import LedgerEntry

LOG = logging.getLogger(__name__)
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a call: its result, or an error that says which argument is wrong and what to do.

    `decision_id` is set where a person must decide first, `repeated` where the result is that of an earlier call with
    the same effect key, and nothing ran.
    """

    result: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    message: str = ""
    argument: str | None = None
    decision_id: str = ""
    repeated: bool = False

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return not self.code

    @property
    def awaiting(self) -> bool:
        """Whether a person must decide first."""
        return self.code == AwaitingApproval.code

    @property
    def hindered(self) -> bool:
        """Whether a damaged file, a used-up budget or something that is down was in the way, not the call itself."""
        return self.code in {Damaged.code, Unavailable.code, BudgetExhausted.code}

    def required(self) -> Mapping[str, Any]:
        """Return the result; raises `MabosError` with the code and argument of the refusal where there is none."""
        if self.ok:
            return self.result
        error = MabosError(self.message, argument=self.argument)
        error.code = self.code
        raise error

    def as_json(self) -> dict[str, Any]:
        """Return `{"ok": true, "result": ...}` or `{"ok": false, "error": {"code", "message", "argument"}}`."""
        if self.ok:
            return {"ok": True, "result": dict(self.result)}
        error: dict[str, Any] = {"code": self.code, "message": self.message, "argument": self.argument}
        if self.decision_id:
            error["decision_id"] = self.decision_id
        return {"ok": False, "error": error}


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Who calls, for which agent, under which effect key, in which cycle, how sure and why."""

    caller: Caller = PERSON
    agent_id: str = ""
    key: str = ""
    cycle: str = ""
    confidence: float = 1.0
    because: Mapping[str, str] = field(default_factory=dict)


def call(
    services: Services,
    name: str,
    arguments: Mapping[str, Any],
    *,
    caller: Caller = PERSON,
    agent_id: str | None = None,
    key: str | None = None,
    cycle: str = "",
    confidence: float = 1.0,
    because: Mapping[str, str] = _NOTHING,
) -> Outcome:
    """Return what became of calling the tool `name`; never raises for what a caller, a model or a backend did wrong.

    With `key` the call has its effect once: a key that is done answers with the recorded result and runs nothing.
    `confidence` (0 to 1) is how sure the agent is of its plan, `because` the ids this call follows from (intention,
    plan, step); both reach governance and ledger.
    """
    how = Circumstances(caller, agent_id or "", key or "", cycle, confidence, because)
    try:
        return _performed(services, name, arguments, how)
    except ForbiddenModelCall:
        raise
    except AwaitingApproval as waiting:
        return Outcome(code=waiting.code, message=waiting.message, decision_id=waiting.decision.id)
    except MabosError as error:
        return Outcome(code=error.code, message=error.message, argument=error.argument)
    except OSError as error:
        return Outcome(code=Unavailable.code, message=f"{name}: {file_refused(error).message}")
    except Exception as error:  # a tool never raises at its caller, whatever is wrong inside it
        LOG.exception("%s failed", name)
        return Outcome(code="internal", message=f"{name} failed: {type(error).__name__}: {error}")


def _performed(services: Services, name: str, arguments: Mapping[str, Any], how: Circumstances) -> Outcome:
    tool = services.tools.tool(name)
    given, acting = identified(tool, arguments, how.caller, how.agent_id)
    values = tool.validated(given)
    if acting in ("", STAKEHOLDER):
        agent = services.seat(how.caller, cycle=how.cycle, key=how.key)
    else:
        agent = services.agent(acting, caller=how.caller, cycle=how.cycle, key=how.key)
    bound = services.allowances.of(agent.id, how.because.get("intention", ""), how.because.get("goal", ""))
    with within(*bound, refusal=partial(_exhausted, agent), whose=agent.id):
        return _used(tool, agent, values, how)


def _used(tool: Tool, agent: Agent, values: BaseModel, how: Circumstances) -> Outcome:
    allowed(agent, tool)
    if tool.only_reads(values):
        return Outcome(answer(tool, agent, values, how.because))
    admitted = _admitted(tool, agent, values, how)
    if isinstance(admitted, Outcome):
        return admitted
    try:
        if isinstance(admitted.begun, Effect):
            return Outcome(perform_once(admitted.request, values, admitted.begun, admitted.body))
        return Outcome(perform(admitted.request, values, admitted.begun.id))
    except Exception:
        admitted.settle(NOTHING)
        raise


@dataclass(frozen=True, slots=True)
class _Admitted:
    """A call that may run and is on record as begun; `settle` gives back what was reserved for it."""

    request: Request
    body: Mapping[str, Any]
    begun: Effect | LedgerEntry
    settle: Settle


def _admitted(tool: Tool, agent: Agent, values: BaseModel, how: Circumstances) -> _Admitted | Outcome:
    """Return the call with leave to run, or the outcome of an earlier one with its effect key."""
    given_all = values.model_dump(mode="json", by_alias=True)
    request = Request(tool, agent, given_all, tool.canonical(values), how.confidence, how.because)
    found = _begun(request, how.key)
    if found is not None and found.status == "done":
        return Outcome(found.result, repeated=True)
    settle: Settle = _nothing
    with one_at_a_time(agent.services.layout, agent.id, request.cost):
        if found is not None and found.status == "begun":
            leave = Permit(how.key)  # what was cut short has its leave and its reservation from the first time
        else:
            leave, settle = _asked(request, how), reserved(Spent(usd=request.cost, deeds=1))
        body = _entry(request, leave)
        try:
            return _Admitted(request, body, _announced(request, leave.key, body), settle)
        except Exception:
            settle(NOTHING)
            raise


def _nothing(_: Spent) -> None:
    """Give nothing back where nothing was reserved now."""


def _exhausted(agent: Agent, error: BudgetExhausted) -> None:
    """Tell of a budget that was used up outside any cycle; a goal's own is its agent's business."""
    if not isinstance(error, GoalExhausted):
        agent.services.allowances.tell(agent.id, error, cycle=agent.cycle)


def _begun(request: Request, key: str) -> Effect | None:
    """Return what is known of `key`; an effect that may not be repeated and has no known end is settled first."""
    found = request.agent.services.directory.effects(request.agent.id).find(key) if key else None
    if found is None:
        return None
    found.must_be_of(request.digest)
    if found.status == "begun" and not request.tool.idempotent:
        return settled(request, found) or found
    return found


def _asked(request: Request, how: Circumstances) -> Permit:
    agent = request.agent
    if request.tool.about is not None:
        request.told()  # what cannot be done as asked is not put before a person
    try:
        leave = permit(request, how.key)
    except AwaitingApproval as waiting:
        body = {"tool": request.tool.name, "decision": waiting.decision.id, "why": dict(how.because)}
        agent.services.note(agent, "awaiting", body)
        raise
    except Refused as refused:
        agent.services.note(agent, "refused", {"tool": request.tool.name, "why": refused.message})
        raise
    # A cut-short call under the key of a decision is settled like any other.
    found = _begun(request, leave.key) if leave.key != how.key else None
    if found is not None and found.status == "done":
        raise Refused(f"{request.tool.name}: what {leave.decision_id} allowed was done at {found.ended_at}")
    return leave


def _announced(request: Request, key: str, body: Mapping[str, Any]) -> Effect | LedgerEntry:
    """Write that the call begins before anything happens; from here on its cost counts as spent.

    A call with an effect key is on record by its effect, any other by its ledger entry.
    """
    agent = request.agent
    if not key:
        return agent.services.note(agent, "call", body)
    spends = bool(request.cost)
    effect = Effect(
        key,
        request.tool.name,
        request.digest,
        iso(agent.clock()),
        cost=request.cost,
        category=request.tool.category if spends else "",
        counterparty=request.counterparty if spends else "",
    )
    return agent.services.directory.effects(agent.id).begin(effect)


def _entry(request: Request, leave: Permit) -> dict[str, Any]:
    tool, agent = request.tool, request.agent
    body = {
        "tool": tool.name,
        "arguments": dict(request.canonical),
        "by": agent.caller.kind,
        "key": leave.key,
        "cost": request.cost,
        "category": tool.category,
        "counterparty": request.counterparty,
        "decision": leave.decision_id,
        "why": dict(request.because),
    }
    return {name: value for name, value in body.items() if value or name == "arguments"}
