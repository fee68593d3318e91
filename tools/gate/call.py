"""The one way to use a tool: validate, check identity, capability and governance, write the ledger, run it once."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from mabos.backends.chat import ForbiddenModelCall
from mabos.backends.metering import NOTHING, BudgetExhausted, Settle, Spent, reserve_allowances, within
from mabos.backends.tracing import tool_span
from mabos.configs.errors import Damaged, MabosError, Refused, Unavailable, file_refused
from mabos.knowledge.entities.sensitive import CONTACT, Screening, redact_all
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.gate.approval import AwaitingApproval, Permit, permit, settle_effect
from mabos.tools.gate.composing import Uncomposed, compose_text, with_known_text
from mabos.tools.gate.identity import check_capability, identify_agent
from mabos.tools.gate.initiative import Unfounded
from mabos.tools.gate.performing import BegunCall, answer, perform
from mabos.tools.gate.tool_call import ToolCall
from mabos.tools.runtime.activity import observer
from mabos.tools.runtime.budgets import GoalExhausted
from mabos.tools.runtime.effects import Effect
from mabos.tools.runtime.services import PERSON, Agent, Caller, Services
from mabos.tools.runtime.spending import one_at_a_time
from mabos.workspace.clock import iso
from mabos.workspace.currencies import speaking_in
from mabos.workspace.ledger import LedgerEntry

LOG = logging.getLogger(__name__)
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: its result, or an error that names the wrong argument and the remedy.

    `decision_id` is set if a person must decide first. `repeated` is set if the result comes from an earlier call with
    the same effect key and nothing ran.
    """

    result: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    message: str = ""
    argument: str | None = None
    decision_id: str = ""
    repeated: bool = False

    @property
    def ok(self) -> bool:
        """Return whether it was done."""
        return not self.code

    @property
    def awaiting(self) -> bool:
        """Return whether a person must decide first."""
        return self.code == AwaitingApproval.code

    @property
    def is_hindered(self) -> bool:
        """Return whether a damaged file, an exhausted budget or an unavailable service, not the call, was at fault."""
        return self.code in {Damaged.code, Unavailable.code, BudgetExhausted.code}

    def required(self) -> Mapping[str, Any]:
        """Return the result; raises `MabosError` with the code and argument of a refusal."""
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
    """Call the tool `name` and return the outcome; never raises for errors of the caller, a model or a backend.

    With `key` the call takes effect once: a repeated key returns the recorded result and runs nothing. `confidence` (0
    to 1) is the agent's confidence in its plan. `because` has the ids that this call follows from (intention, plan,
    step). Both reach governance and ledger.
    """
    who = agent_id or caller.agent_id
    span = tool_span(name, arguments, redact=redact_all, agent_id=who, cycle=cycle)
    with speaking_in(services.directory.currency_of(who)), span as end:
        outcome = _attempt_call(
            services, name, arguments, caller=caller, agent_id=agent_id, key=key or "", cycle=cycle,
            confidence=confidence, because=because,
        )  # fmt: skip
        end(outcome.code, outcome.message, outcome.decision_id)
        return outcome


def _attempt_call(
    services: Services,
    name: str,
    arguments: Mapping[str, Any],
    *,
    caller: Caller,
    agent_id: str | None,
    key: str,
    cycle: str,
    confidence: float,
    because: Mapping[str, str],
) -> Outcome:
    """Return the outcome of a call."""
    try:
        tool = services.tools.tool(name)
        given, acting = identify_agent(tool, arguments, caller, agent_id)
        values, notices = _screen_arguments(services, tool, given)
        if acting in ("", STAKEHOLDER):
            agent = services.seat(caller, cycle=cycle, key=key)
        else:
            agent = services.agent(acting, caller=caller, cycle=cycle, key=key)
        return _within_budgets(with_known_text(ToolCall(tool, agent, values, key, confidence, because, notices)))
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


def _screen_arguments(services: Services, tool: Tool, given: Mapping[str, Any]) -> tuple[BaseModel, tuple[str, ...]]:
    """Return valid arguments that are safe to write anywhere, the ledger included, and the findings in them."""
    values = tool.validate_arguments(given)
    if tool.sealed or tool.only_reads(values):
        return values, ()
    policy = services.settings.entities.sensitive
    screening = Screening("refuse" if tool.external and policy == "redact" else policy)  # no letter goes with holes
    reaching = replace(screening, keeps=CONTACT)  # they share their notices
    clean = {
        name: (reaching if name in tool.addresses else screening).value(value, name) for name, value in given.items()
    }
    return (tool.validate_arguments(clean) if screening.notices else values), tuple(screening.notices)


def _within_budgets(tool_call: ToolCall) -> Outcome:
    agent, because = tool_call.agent, tool_call.because
    binding = agent.services.allowances.of(agent.id, because.get("intention", ""), because.get("goal", ""))
    with within(*binding, refusal=partial(_tell_exhausted, agent), whose=agent.id):
        return _observe_call(tool_call)


def _observe_call(tool_call: ToolCall) -> Outcome:
    """Take a call through its states; the observer of the thread is notified of the end."""
    tell = observer()
    if tell is None:
        return _taken_through(tool_call)
    tool, because = tool_call.tool, tool_call.because
    heard: dict[str, Any] = {
        "status": "call",
        "tool": tool.name,
        "by": tool_call.agent.caller.agent_id,
        "because": dict(because),
    }
    heard |= {"reads": tool.only_reads(tool_call.values), "arguments": dict(tool_call.canonical)}
    try:
        outcome = _taken_through(tool_call)
    except AwaitingApproval as waiting:
        tell({**heard, "came": "waiting", "decision_id": waiting.decision.id, "did": waiting.decision.subject})
        raise
    except Unfounded:
        raise  # it is put off, and nothing was tried
    except MabosError as error:
        tell({**heard, "came": "failed", "message": error.message, "did": tool.summary.rstrip(".")})
        raise
    tell({**heard, "came": "done", "did": tool.summary.rstrip("."), "ref": reference(outcome.result)})
    return outcome


def reference(result: Mapping[str, Any]) -> str:
    """Return the id of the record that a call created, from the first field named as an id, or an empty text."""
    for name, value in result.items():
        if (
            (name.endswith("_id") or name == "id")
            and isinstance(value, str)
            and name not in ("business_id", "agent_id")
        ):
            return value
    return ""


def _tell_exhausted(agent: Agent, error: BudgetExhausted) -> None:
    """Tell of a budget that was used up outside any cycle; a goal's own is its agent's business."""
    if not isinstance(error, GoalExhausted):
        agent.services.allowances.tell(agent.id, error, cycle=agent.cycle)


def _taken_through(tool_call: ToolCall) -> Outcome:
    """Take a call through its states, and return how it ended.

    It is allowed. One that only reads is answered. Any other is repeated, where its key is done already, or permitted,
    begun and performed.
    """
    check_capability(tool_call.agent, tool_call.tool)
    if tool_call.tool.only_reads(tool_call.values):
        return Outcome(answer(tool_call, tool_call.agent))
    earlier = _earlier(tool_call, tool_call.key)
    if earlier is not None and earlier.status == "done":
        return Outcome(earlier.result, repeated=True)
    try:
        begun = _begin(tool_call, is_resumed=earlier is not None and earlier.status == "begun")
    except Uncomposed:  # written outside the lock of what the business spends
        begun = _begin(compose_text(tool_call), is_resumed=False)
    try:
        return Outcome(perform(begun))
    except Exception:
        begun.settle(NOTHING)
        raise


def _earlier(tool_call: ToolCall, key: str) -> Effect | None:
    """Return the known effect of `key`; an unrepeatable effect of unknown outcome is settled first."""
    agent = tool_call.agent
    found = agent.services.directory.effects(agent.id).find(key) if key else None
    if found is None:
        return None
    found.must_be_of(tool_call.digest)
    if found.status == "begun" and not tool_call.tool.idempotent:
        return settle_effect(tool_call, found) or found
    return found


def _begin(tool_call: ToolCall, *, is_resumed: bool) -> BegunCall:
    """Return the call, permitted and on record as begun; one that is resumed was permitted the first time."""
    agent = tool_call.agent
    settle: Settle = _nothing
    with one_at_a_time(agent.services.layout, agent.business_id or agent.id, tool_call.cost):
        if is_resumed:
            leave = Permit(tool_call.key)
        else:
            leave, settle = _obtain_permit(tool_call), reserve_allowances(Spent(action_usd=tool_call.cost, deeds=1))
        entry = _entry(tool_call, leave)
        try:
            return BegunCall(tool_call, entry, _record_start(tool_call, leave.key, entry), settle)
        except Exception:
            settle(NOTHING)
            raise


def _nothing(_: Spent) -> None:
    """Give nothing back where nothing was reserved now."""


def _obtain_permit(tool_call: ToolCall) -> Permit:
    """Return leave to run; that a person must decide first, or has rejected it, is on the ledger when it is raised."""
    agent, tool = tool_call.agent, tool_call.tool
    if tool.about is not None:
        tool_call.told()  # what cannot be done as asked is not put before a person
    try:
        leave = permit(tool_call, tool_call.key)
    except AwaitingApproval as waiting:
        body = {"tool": tool.name, "decision": waiting.decision.id, "why": dict(tool_call.because)}
        agent.services.note(agent, "awaiting", body)
        raise
    except Unfounded:
        raise  # nothing was begun, and the intention that is put off says why
    except Refused as refused:
        agent.services.note(agent, "refused", {"tool": tool.name, "why": refused.message})
        raise
    # A cut-short call under the key of a decision is settled like any other.
    found = _earlier(tool_call, leave.key) if leave.key != tool_call.key else None
    if found is not None and found.status == "done":
        raise Refused(f"{tool.name}: the call that {leave.decision_id} allowed was completed at {found.ended_at}")
    return leave


def _record_start(tool_call: ToolCall, key: str, entry: Mapping[str, Any]) -> Effect | LedgerEntry:
    """Write that the call begins before anything happens; from here on its cost counts as spent.

    A call with an effect key is on record by its effect, any other by its ledger entry.
    """
    agent, tool = tool_call.agent, tool_call.tool
    if not key:
        return agent.services.note(agent, "call", entry)
    spends = bool(tool_call.cost)
    effect = Effect(
        key,
        tool.name,
        tool_call.digest,
        iso(agent.clock()),
        cost=tool_call.cost,
        category=tool.category if spends else "",
        counterparty=tool_call.counterparty if spends else "",
    )
    return agent.services.directory.effects(agent.id).begin(effect)


def _entry(tool_call: ToolCall, leave: Permit) -> dict[str, Any]:
    body = {
        "tool": tool_call.tool.name,
        "arguments": dict(tool_call.canonical),
        "by": tool_call.agent.caller.kind,
        "key": leave.key,
        "cost": tool_call.cost,
        "category": tool_call.tool.category,
        "counterparty": tool_call.counterparty,
        "decision": leave.decision_id,
        "digest": tool_call.digest if leave.decision_id else "",  # the ledger may have less than was allowed
        "figure": leave.figure,
        "why": dict(tool_call.because),
    }
    return {name: value for name, value in body.items() if value or name == "arguments"}
