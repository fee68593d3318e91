"""The moves of a workflow's tokens: from node to node, through splits and joins, into and out of sub-processes.

Every operation moves all tokens until each waits; `moves` lists the events for a journal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mabos.configs.errors import InvalidArgument, unknown
from mabos.society.bpmn.engine import catching
from mabos.society.bpmn.engine.expressions import holds, value_of
from mabos.society.bpmn.engine.state import OUTSIDE, ExecutionState, Scope, Token
from mabos.society.bpmn.engine.tables import SOME, THROWING, WORK, ModelTables, choose_flows, is_awaited
from mabos.society.bpmn.model import ACTIVITIES, CONTAINERS, FlowNode, SequenceFlow
from mabos.workspace.clock import iso

_MOST_MOVES = 100_000  # of one operation: more is a loop that waits for nothing
_MOST_TURNS = 1000
_WAITED = ("message", "timer", "signal", "conditional")


@dataclass(frozen=True, slots=True)
class TokenMove:
    """An event of a run: a token's arrival at a `node`, or the event in `kind`."""

    kind: str
    node: str
    token: int = 0
    note: str = ""


class ProcessExecution:
    """A running workflow: its tables and its state, which the operations change."""

    def __init__(self, tables: ModelTables, state: ExecutionState) -> None:
        self.tables = tables
        self.state = state
        self.moves: list[TokenMove] = []
        self.now = ""
        self.at: datetime | None = None
        self._ready: deque[int] = deque()
        self._again: deque[int] = deque()  # whose activity begins once more: each turn by itself, however many

    def begin(self, processes: Sequence[str], now: datetime, *, start: str = "") -> None:
        """Start processes of the model; `start` is the start event, if not the plain one."""
        for process in processes:
            if process not in self.tables.model.processes:
                raise unknown("process", process, self.tables.model.processes, argument="process")
        self._clock(now)
        self.state.started = self.now
        for process in processes:
            begun = [self.tables.node(start)] if start and self.tables.node(start).scope == process else None
            self.open(process, begun=begun)
        self._go()

    def complete(self, token_id: int, result: Mapping[str, Any], now: datetime) -> None:
        """Accept the result of a task, or the help for a stuck token, and continue; `result` sets variables.

        Raises `UnknownId` for a token that is not waiting.
        """
        token = self._find_open_work(token_id)
        self._clock(now)
        self.state.variables.update(result)
        self.tell("done", token)
        self.finish(token)
        self._go()

    def choose(self, token_id: int, flow_id: str, now: datetime) -> None:
        """Send a token stuck at a branching along the chosen flow."""
        token = self._find_open_work(token_id)
        flow = next((one for one in self.tables.outgoing[token.node] if one.id == flow_id), None)
        if flow is None:
            raise unknown("flow", flow_id, [one.id for one in self.tables.outgoing[token.node]], argument="flow_id")
        self._clock(now)
        token.wait, token.why = "", ""
        self._send(token, [flow])
        self._go()

    def fail(self, token_id: int, code: str, why: str, now: datetime) -> None:
        """Accept a failure: an error event that catches `code` continues, else the whole workflow fails."""
        token = self._find_open_work(token_id)
        self._clock(now)
        self.tell("failed", token, why)
        catching.error(self, token, code, why)
        self._go()

    def tell_of(self, kind: str, name: str, now: datetime, values: Mapping[str, Any] | None = None) -> int:
        """Return how many tokens received a `message` (the first that waits) or `signal` (all) of this name."""
        self._clock(now)
        heard = catching.deliver_event(self, kind, name)
        if heard:
            self.state.variables.update(values or {})
        self._go()
        return heard

    def keep_mail(self, name: str) -> None:
        """Keep a message that no token waits for yet; the first to wait for it takes it."""
        self.state.mail[name] = self.state.mail.get(name, 0) + 1

    def tick(self, now: datetime) -> int:
        """Return how many timers and conditions have become true, and continue from them."""
        self._clock(now)
        fired = 0
        while found := catching.fire_due_events(self, self.now):
            fired += found
            self._go()
        return fired

    def open(self, node_id: str, *, token: int = 0, parent: int = 0, begun: Sequence[FlowNode] | None = None) -> None:
        """Start a process or sub-process, with a token at each of its start nodes."""
        scope = Scope(self.state.number(), node_id, token, parent)
        self.state.scopes[scope.id] = scope
        catching.arm_scope(self, scope)
        starts = self.tables.starts.get(node_id, ()) if begun is None else begun
        if token == 0 and starts and starts[0].type == "startEvent":
            starts = starts[:1]  # every other start event of a process begins another run of it
        for node in starts:
            self.put(node.id, scope.id)
        if not starts:
            self.ended(scope.id)

    def put(self, node_id: str, scope: int, *, via: str = "", of: int = 0, turn: int = 0) -> Token:
        """Return a new token about to arrive at a node."""
        token = Token(self.state.number(), node_id, scope, via=via, of=of, turn=turn)
        self.state.tokens[token.id] = token
        self._ready.append(token.id)
        return token

    def take(self, token: Token) -> None:
        """Remove a token with everything that runs for it; its scope may end as a result."""
        self.cancel_work(token)
        self.state.tokens.pop(token.id, None)

    def cancel_work(self, token: Token) -> None:
        """Stop a token's running work: its repetitions and its sub-processes."""
        for other in [one for one in self.state.tokens.values() if one.of == token.id]:
            self.take(other)
        for scope in [one.id for one in self.state.scopes.values() if one.token == token.id]:
            self.clear(scope)
        token.due, token.left, token.wait, token.why = {}, {}, "", ""

    def clear(self, scope: int) -> None:
        """Stop a scope and everything inside it."""
        gone = set(self.state.within(scope))
        for token in [one for one in self.state.tokens.values() if one.scope in gone]:
            self.state.tokens.pop(token.id, None)
        for one in gone:
            self.state.scopes.pop(one, None)

    def tell(self, kind: str, token: Token, note: str = "") -> None:
        """Record an event at a token."""
        self.moves.append(TokenMove(kind, token.node, token.id, note))

    def note(self, kind: str, node: FlowNode) -> None:
        """Record an event at a node without a token."""
        self.moves.append(TokenMove(kind, node.id, note=node.label))

    def trouble(self, token: Token, why: str) -> None:
        """Make a token wait for help."""
        token.wait, token.why = "trouble", why
        token.visit += 1
        self.tell("trouble", token, why)

    def leave(self, token: Token) -> None:
        """Move a token on along the flows to take."""
        node, flows = self.tables.node(token.node), self.tables.outgoing[token.node]
        token.due, token.left, token.wait, token.why = {}, {}, "", ""
        try:
            taken = choose_flows(node, flows, self.state.variables)
        except InvalidArgument as error:
            self.trouble(token, error.message)
            return
        if flows and not taken:
            self.trouble(token, f"no condition of the flows from {node.label!r} holds, and none of them is the default")
            return
        self._send(token, taken)

    def ended(self, scope_id: int) -> None:
        """End an empty scope, and continue with the token that waited for it."""
        scope = self.state.scopes.get(scope_id)
        if scope is None or any(one.scope == scope_id for one in self.state.tokens.values()):
            return
        if any(one.parent == scope_id for one in self.state.scopes.values()):
            return
        del self.state.scopes[scope_id]
        waiting = self.state.tokens.get(scope.token)
        if waiting is not None:
            self.finish(waiting)
        elif scope.parent:  # an event sub-process that ran beside what it belongs to
            self.ended(scope.parent)
        elif not self.state.scopes and self.state.status == "running":
            self.state.status, self.state.outcome = "completed", self.state.outcome or "every path has ended"

    def finish(self, token: Token) -> None:
        """Continue after one execution of an activity: with its next repetition, or from it."""
        node, loop = self.tables.node(token.node), self.tables.node(token.node).loop
        token.wait, token.why = "", ""
        if node.type == "sendTask":
            catching.send(self, token)
        if token.of:
            self._finish_repetition(token, node)
            return
        if loop is not None and loop.kind == "standard" and loop.condition and token.turn < _MOST_TURNS:
            try:
                again = holds(loop.condition, self.state.variables)
            except InvalidArgument as error:
                self.trouble(token, error.message)
                return
            if again:
                token.turn += 1
                self._again.append(token.id)
                return
        if any(event.has("compensate") for event in self.tables.model.boundaries.get(node.id, ())):
            self.state.undo.append(node.id)
        self.leave(token)

    def _clock(self, now: datetime) -> None:
        if self.state.status != "running":
            raise InvalidArgument(f"the workflow is {self.state.status}: {self.state.outcome}", argument="instance_id")
        self.at, self.now = now, iso(now)

    def _find_open_work(self, token_id: int) -> Token:
        token = self.state.tokens.get(token_id)
        if token is None or (token.wait not in OUTSIDE and token.wait != "trouble"):
            known = [str(one.id) for one in [*self.state.work(), *self.state.troubles()]]
            raise unknown("open work", str(token_id), known, argument="token_id")
        return token

    def _go(self) -> None:
        """Move every token until all wait."""
        moved = 0
        while self.state.status == "running":
            while self._again or self._ready:
                is_again = bool(self._again)
                token = self.state.tokens.get((self._again or self._ready).popleft())
                if token is None or token.wait:
                    continue
                moved += 1
                if moved > _MOST_MOVES:
                    self.trouble(token, "it goes round without ever waiting; a loop needs something that ends it")
                    return
                (self._begin_again if is_again else self._arrive)(token, self.tables.node(token.node))
            if not self._join_inclusive():
                return
        self._ready.clear()
        self._again.clear()

    def _begin_again(self, token: Token, node: FlowNode) -> None:
        """Begin an activity once more: its next turn, or one of its repetitions."""
        if token.of:
            self.state.variables["loopCounter"] = token.turn
        self._work(token, node)

    def _arrive(self, token: Token, node: FlowNode) -> None:
        token.since = self.now
        token.visit += 1
        self.tell("came", token)
        if node.type in ACTIVITIES:
            catching.arm(self, token, node)
            self._enter(token, node)
        elif node.type in THROWING:
            catching.throw(self, token, node)
        elif node.type == "parallelGateway" and len(node.incoming) > 1:
            self._join(token, node)
        elif node.type in SOME and len(node.incoming) > 1:
            token.wait = "join"
        elif node.type == "eventBasedGateway":
            token.wait = "race"
            catching.arm_race(self, token)
        elif node.type == "intermediateCatchEvent" and node.has(*_WAITED):
            catching.expect(self, token, node)
        else:
            self.leave(token)

    def _join(self, token: Token, node: FlowNode) -> None:
        """Let a token wait at a parallel gateway until there is one from each flow."""
        token.wait = "join"
        here = [one for one in self.state.tokens.values() if one.node == node.id and one.scope == token.scope]
        first = {one.via: one for one in reversed(here) if one.wait == "join"}
        if not all(flow in first for flow in node.incoming):
            return
        for flow in node.incoming:
            if first[flow] is not token:
                self.state.tokens.pop(first[flow].id)
        self.leave(token)

    def _join_inclusive(self) -> bool:
        """Let an inclusive gateway go on if no token can still reach one of its empty flows; return whether one did."""
        for token in [one for one in self.state.tokens.values() if one.wait == "join"]:
            upstream = self.tables.upstream.get(token.node)
            if upstream is None:
                continue
            inside = [one for one in self.state.tokens.values() if one.scope == token.scope]
            waiting = [one for one in inside if one.node == token.node and one.wait == "join"]
            used = {one.via: one for one in reversed(waiting)}
            if is_awaited(upstream, used, (one.node for one in inside if one not in waiting)):
                continue
            for one in used.values():
                if one is not token:
                    self.state.tokens.pop(one.id)
            self.leave(token)
            return True
        return False

    def _enter(self, token: Token, node: FlowNode) -> None:
        """Begin an activity: once, or its repetitions."""
        if node.loop is None or node.loop.kind == "standard":
            self._work(token, node)
            return
        try:
            count = self._count(node)
        except InvalidArgument as error:
            self.trouble(token, error.message)
            return
        token.wait, token.turn = "several", count
        if not count:
            self.leave(token)
            return
        for turn in range(count if node.loop.kind == "parallel" else 1):
            self._repeat(token, turn + 1)  # all are there before the first begins, which may be over at once

    def _count(self, node: FlowNode) -> int:
        """Return how often an activity is done; raises `InvalidArgument` where nothing says it."""
        loop = node.loop
        told = loop.count or loop.collection if loop is not None else ""
        if not told:
            raise InvalidArgument(f"{node.label!r} has no number of repetitions; give it a loopCardinality")
        value = value_of(told, self.state.variables)
        count = value if isinstance(value, int) else len(value) if isinstance(value, Sequence | Mapping) else -1
        if not 0 <= count <= _MOST_TURNS:
            raise InvalidArgument(f"{node.label!r} has {value!r} repetitions; expected 0 to {_MOST_TURNS:,}")
        return count

    def _repeat(self, token: Token, turn: int) -> None:
        child = Token(self.state.number(), token.node, token.scope, of=token.id, turn=turn, since=self.now)
        self.state.tokens[child.id] = child
        self._again.append(child.id)

    def _work(self, token: Token, node: FlowNode) -> None:
        """Let a token wait for the work of an activity."""
        if node.type in CONTAINERS:
            token.wait = "scope"
            self.open(node.id, token=token.id, parent=token.scope)
        elif node.type == "callActivity" and node.calls in self.tables.model.processes:
            if self._runs_around(token, node.calls):
                self.trouble(token, f"{node.label!r} calls the process {node.calls!r}, inside which it runs already")
                return
            token.wait = "scope"
            self.open(node.calls, token=token.id, parent=token.scope)
        elif node.type == "callActivity":
            token.wait, token.why = "call", node.calls
        elif node.type == "receiveTask":
            catching.expect(self, token, node)
        else:
            token.wait = WORK[node.type]  # type: ignore[assignment]  # the table holds nothing else

    def _runs_around(self, token: Token, process: str) -> bool:
        scope = self.state.scopes.get(token.scope)
        while scope is not None and scope.node != process:
            scope = self.state.scopes.get(scope.parent)
        return scope is not None

    def _finish_repetition(self, child: Token, node: FlowNode) -> None:
        """Take in that one repetition of several is done."""
        whole = self.state.tokens[child.of]
        self.state.tokens.pop(child.id)
        loop = node.loop
        others = [one for one in self.state.tokens.values() if one.of == whole.id]
        try:
            is_over = bool(loop and loop.condition) and holds(loop.condition if loop else "", self.state.variables)
        except InvalidArgument as error:
            self.trouble(whole, error.message)
            return
        if loop is not None and loop.kind == "sequential" and child.turn < whole.turn and not is_over:
            self._repeat(whole, child.turn + 1)
        elif is_over or not others:
            self.cancel_work(whole)
            self.leave(whole)

    def _send(self, token: Token, flows: Iterable[SequenceFlow]) -> None:
        """Move a token along the first of some flows, and new ones along the others; without any it is gone."""
        first = True
        for flow in flows:
            if first:
                token.node, token.via, token.of, token.turn = flow.target, flow.id, 0, 0
                self._ready.append(token.id)
                first = False
            else:
                self.put(flow.target, token.scope, via=flow.id)
        if first:
            self.state.tokens.pop(token.id, None)
            self.ended(token.scope)
