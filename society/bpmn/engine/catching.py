"""Event delivery in a running workflow: waiting tokens, boundary events, event sub-processes, other pools."""

import re
from collections.abc import Iterator
from datetime import MAXYEAR, UTC, datetime, timedelta

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.society.bpmn.engine.expressions import holds
from mabos.society.bpmn.engine.state import Scope, Token
from mabos.society.bpmn.engine.tables import TokenMoves, start_of
from mabos.society.bpmn.model import EventDefinition, FlowNode
from mabos.workspace.clock import iso, parse_time


def expect(run: TokenMoves, token: Token, node: FlowNode) -> None:
    """Make a token wait for its node's event; a message that arrived earlier is taken at once."""
    if _took_mail(run, node):
        run.finish(token)
        return
    token.wait = next((kind for kind in ("message", "timer", "signal", "conditional") if node.has(kind)), "message")
    _set_timers(run, token, [node])


def _took_mail(run: TokenMoves, node: FlowNode) -> bool:
    """Return whether a message for a node has come before, after taking it: to the node itself, or by its name."""
    if node.type != "receiveTask" and not node.has("message"):
        return False
    names = [one.name for one in node.triggers if one.kind == "message"] or [node.name]
    came = next((one for one in (node.id, *filter(None, names)) if run.state.mail.get(one)), None)
    if came is not None:
        run.state.mail[came] -= 1
    return came is not None


def arm(run: TokenMoves, token: Token, node: FlowNode) -> None:
    """Set the timers of an activity's boundary events."""
    _set_timers(run, token, run.tables.model.boundaries.get(node.id, ()))


def arm_race(run: TokenMoves, token: Token) -> None:
    """Set the timers of an event-based gateway, which takes the first event; one may already have occurred."""
    targets = _list_race_targets(run, token)
    came = next((node for node in targets if _took_mail(run, node)), None)
    if came is None:
        _set_timers(run, token, targets)
    else:
        _happen(run, token, came)


def arm_scope(run: TokenMoves, scope: Scope) -> None:
    """Set the timers of the event sub-processes of a scope."""
    handlers = run.tables.handlers.get(scope.node, ())
    _set_timers(run, scope, [start_of(run.tables.model.members[one.id]) for one in handlers])


def _set_timers(
    run: TokenMoves, holder: Token | Scope, events: Iterator[FlowNode] | tuple[FlowNode, ...] | list[FlowNode]
) -> None:
    for node in events:
        for trigger in node.triggers:
            if trigger.kind != "timer" or run.at is None:
                continue
            try:
                holder.due[node.id] = iso(due(trigger, run.at))
            except InvalidArgument as error:
                if isinstance(holder, Token):
                    holder.why = error.message
                continue
            times = repetitions(trigger)
            if times != 1:
                holder.left[node.id] = -1 if times is None else times


def deliver_event(run: TokenMoves, kind: str, name: str) -> int:
    """Return how many tokens received a message (one) or signal (all) of this name; each continues."""
    heard = 0
    for holder, event in list(_listening(run, kind, name)):
        if _is_there(run, holder):
            heard += 1
            _happen(run, holder, event)
            if kind == "message":
                break
    return heard


def fire_due_events(run: TokenMoves, now: str) -> int:
    """Return how many timers are due and conditions hold; each token continues."""
    found = 0
    holders: list[Token | Scope] = [*run.state.tokens.values(), *run.state.scopes.values()]
    for holder in holders:
        for event_id, at in list(holder.due.items()):
            if at <= now and _is_there(run, holder) and event_id in holder.due:
                found += 1
                _rang(run, holder, run.tables.node(event_id))
    for holder, event in list(_listening(run, "conditional", "")):
        trigger = next(one for one in event.triggers if one.kind == "conditional")
        if _is_there(run, holder) and _is_true(run, trigger) and f"true {event.id}" not in holder.left:
            found += 1
            holder.left[f"true {event.id}"] = 1
            _happen(run, holder, event)
    return found


def _is_there(run: TokenMoves, holder: Token | Scope) -> bool:
    """Return whether the holder still exists: an event a moment ago may have stopped it."""
    return holder.id in (run.state.tokens if isinstance(holder, Token) else run.state.scopes)


def throw(run: TokenMoves, token: Token, node: FlowNode) -> None:
    """Perform an end event or throwing event, and move or remove its token."""
    for trigger in node.triggers:
        if trigger.kind == "terminate":
            _terminate(run, token)
            return
        if trigger.kind in ("error", "cancel"):
            run.tell("threw", token, trigger.name)
            error(run, token, trigger.name, f"{node.label} ended with the error {trigger.name!r}", kind=trigger.kind)
            return
        if trigger.kind == "link" and node.begins_link:
            _follow(run, token, trigger)
            return
        _say(run, token, node, trigger)
    run.leave(token)


def _say(run: TokenMoves, token: Token, node: FlowNode, trigger: EventDefinition) -> None:
    """Publish an event: a message to its pool, a signal to everybody, an escalation upwards."""
    run.tell("threw", token, trigger.name or trigger.kind)
    if trigger.kind == "message":
        send(run, token)
    elif trigger.kind == "signal":
        deliver_event(run, "signal", trigger.name or node.label)
    elif trigger.kind == "escalation":
        _escalate(run, token, trigger.name)
    elif trigger.kind == "compensate":
        _compensate(run, token, trigger)


def send(run: TokenMoves, token: Token) -> None:
    """Deliver the message of a token's node along its message flows: to a waiting token, or to start a process."""
    node = run.tables.node(token.node)
    for target_id in run.tables.messages.get(node.id, ()):
        target = run.tables.model.nodes.get(target_id)
        if target is None:
            continue
        waiting = next((one for one, event in _listening(run, "message", None) if event.id == target_id), None)
        if waiting is not None:
            _happen(run, waiting, target)
        elif target.type == "startEvent" and not target.scope.startswith(node.scope):
            run.open(target.scope, begun=[target])
        else:
            run.state.mail[target_id] = run.state.mail.get(target_id, 0) + 1


def error(run: TokenMoves, token: Token, code: str, why: str, *, kind: str = "error") -> None:
    """Continue at the nearest event that catches an error with this code; without one the whole workflow fails."""
    holder: Token | None = token
    while holder is not None:
        for event in run.tables.model.boundaries.get(holder.node, ()):
            if _catches(event, kind, code):
                _happen(run, holder, event)
                return
        scope = run.state.scopes.get(holder.scope)
        while scope is not None:
            for handler in run.tables.handlers.get(scope.node, ()):
                event = start_of(run.tables.model.members[handler.id])
                if _catches(event, kind, code):
                    _happen(run, scope, event)
                    return
            if scope.token:
                break
            scope = run.state.scopes.get(scope.parent)
        holder = None if scope is None else run.state.tokens.get(scope.token)
    run.state.tokens.clear()
    run.state.scopes.clear()
    run.state.status, run.state.outcome = "failed", why or code


def _catches(event: FlowNode, kind: str, code: str) -> bool:
    return any(one.kind == kind and (not one.name or one.name == code) for one in event.triggers)


def _escalate(run: TokenMoves, token: Token, code: str) -> None:
    scope = run.state.scopes.get(token.scope)
    while scope is not None:
        waiting = run.state.tokens.get(scope.token)
        if waiting is not None:
            for event in run.tables.model.boundaries.get(waiting.node, ()):
                if _catches(event, "escalation", code):
                    _happen(run, waiting, event)
                    return
        scope = run.state.scopes.get(scope.parent)


def _compensate(run: TokenMoves, token: Token, trigger: EventDefinition) -> None:
    """Begin the compensations of finished work, the latest first: of one activity, or of all."""
    model, scope = run.tables.model, token.scope
    for done in [one for one in reversed(run.state.undo) if trigger.ref in ("", one)]:
        run.state.undo.remove(done)
        for event in model.boundaries.get(done, ()):
            handlers = [link.target for link in model.links.values() if link.source == event.id]
            for handler in handlers:
                if handler in model.nodes:
                    run.put(handler, scope)


def _terminate(run: TokenMoves, token: Token) -> None:
    """End all other work in a token's scope, and inside."""
    scope = token.scope
    run.tell("terminated", token)
    for other in [one for one in run.state.tokens.values() if one.scope == scope]:
        run.take(other)
    for inner in [one.id for one in run.state.scopes.values() if one.parent == scope]:
        run.clear(inner)
    run.ended(scope)
    if run.state.status == "completed":
        run.state.status, run.state.outcome = "terminated", f"{run.tables.label(token.node)} ended everything"


def _follow(run: TokenMoves, token: Token, trigger: EventDefinition) -> None:
    node = run.tables.node(token.node)
    target = run.tables.links.get((node.scope, trigger.name))
    if target is None:
        run.trouble(token, f"the link {trigger.name!r} of {node.label!r} leads nowhere; name its other end alike")
        return
    token.node, token.via = target.id, ""
    run.leave(token)


def _listening(run: TokenMoves, kind: str, name: str | None) -> Iterator[tuple[Token | Scope, FlowNode]]:
    """Yield who waits for an event of a kind and name (None is any), with the event that then happens."""
    model = run.tables.model
    for token in run.state.tokens.values():
        if token.wait == "race":
            candidates = _list_race_targets(run, token)
        elif token.wait in ("message", "signal", "conditional", "timer"):
            candidates = [run.tables.node(token.node)]
        else:
            candidates = []
        if token.wait and not token.of:
            candidates += model.boundaries.get(token.node, ())
        yield from ((token, node) for node in candidates if _hears(node, kind, name))
    for scope in run.state.scopes.values():
        for handler in run.tables.handlers.get(scope.node, ()):
            event = start_of(model.members[handler.id])
            if _hears(event, kind, name):
                yield scope, event


def _hears(node: FlowNode, kind: str, name: str | None) -> bool:
    if node.type == "receiveTask":
        return kind == "message" and name in (None, node.name, node.id)
    found = [one for one in node.triggers if one.kind == kind]
    return bool(found) and (
        name is None or kind == "conditional" or name in (node.name, node.id, *(one.name for one in found))
    )


def _list_race_targets(run: TokenMoves, token: Token) -> list[FlowNode]:
    return [run.tables.node(flow.target) for flow in run.tables.outgoing[token.node]]


def _rang(run: TokenMoves, holder: Token | Scope, event: FlowNode) -> None:
    """Let a timer fire; one that repeats is set again."""
    left = holder.left.get(event.id, 1)
    del holder.due[event.id]
    is_interrupting = event.interrupting or (isinstance(holder, Token) and holder.node == event.id)
    if left != 1 and not is_interrupting:
        _set_timers(run, holder, [event])
        if left > 1:
            holder.left[event.id] = left - 1
    _happen(run, holder, event)


def _happen(run: TokenMoves, holder: Token | Scope, event: FlowNode) -> None:
    """Go on from an event that happened, where it was waited for."""
    if isinstance(holder, Scope):
        _begin_handler(run, holder, event)
        return
    run.tell("happened", holder, event.label)
    if event.attached_to:
        if event.interrupting:
            holder = run.state.tokens.get(holder.of, holder)  # of an activity's repetitions all are over by it
            run.cancel_work(holder)
            holder.node = event.id
            run.leave(holder)
        else:
            beside = Token(run.state.number(), event.id, holder.scope, since=run.now)
            run.state.tokens[beside.id] = beside
            run.leave(beside)
        return
    holder.node = event.id
    run.finish(holder)


def _begin_handler(run: TokenMoves, scope: Scope, event: FlowNode) -> None:
    """Begin an event sub-process; an interrupting one in place of everything else in its scope."""
    run.note("happened", event)
    if event.interrupting:
        for token in [one for one in run.state.tokens.values() if one.scope == scope.id]:
            run.take(token)
        for inner in [one.id for one in run.state.scopes.values() if one.parent == scope.id]:
            run.clear(inner)
        scope.due, scope.left = {}, {}
    run.open(event.scope, parent=scope.id, begun=[event])


def _is_true(run: TokenMoves, trigger: EventDefinition) -> bool:
    try:
        return holds(trigger.when, run.state.variables)
    except InvalidArgument:
        return False


_DURATION = re.compile(
    r"P(?:(?P<years>\d+)Y)?(?:(?P<months>\d+)M)?(?:(?P<weeks>\d+(?:\.\d+)?)W)?(?:(?P<days>\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?"
)
_COUNT = re.compile(r"\d{1,9}")
_LONGEST = 100  # characters of a duration; more digits are no number that a calendar knows
_SHORTEST = timedelta(seconds=1)


def due(trigger: EventDefinition, now: datetime) -> datetime:
    """Return when a timer that starts `now` is due; raises `InvalidArgument` if it defines no time."""
    text = trigger.when.strip()
    if text.startswith("R"):
        text = text.partition("/")[2]
    if text.startswith("P"):
        return after(text, now)
    try:
        return parse_time(text).astimezone(UTC)
    except MabosError:
        message = f"{trigger.when!r} is not a date, duration or cycle; write it as 2026-03-01, PT2H or R3/P1D"
        raise InvalidArgument(message) from None


def repetitions(trigger: EventDefinition) -> int | None:
    """Return how often a timer fires: once, a number of times, or (None) forever."""
    if not trigger.when.strip().startswith("R"):
        return 1
    number = trigger.when.strip()[1:].partition("/")[0]
    return int(number) if _COUNT.fullmatch(number) else None


def after(duration: str, now: datetime) -> datetime:
    """Return `now` plus an ISO 8601 duration; months and years are calendar ones."""
    found = _DURATION.fullmatch(duration.strip())
    if found is None or len(duration) > _LONGEST or not any(found.groupdict().values()):
        raise InvalidArgument(f"{duration[:_LONGEST]!r} is not a duration; write it as P3D, PT2H or P1M")
    parts = {name: float(value) for name, value in found.groupdict(default="0").items()}
    months = now.year * 12 + now.month - 1 + int(parts.pop("years")) * 12 + int(parts.pop("months"))
    year, month = divmod(months, 12)
    if year > MAXYEAR:
        raise InvalidArgument(f"{duration!r} ends beyond the year {MAXYEAR}")
    day = min(now.day, _days(year, month + 1))
    try:
        return max(now.replace(year=year, month=month + 1, day=day) + timedelta(**parts), now + _SHORTEST)
    except OverflowError:
        raise InvalidArgument(f"{duration!r} ends beyond the year {MAXYEAR}") from None


def _days(year: int, month: int) -> int:
    from calendar import monthrange

    return monthrange(year, month)[1]
