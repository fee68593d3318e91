"""Calls of operations as OpenTelemetry spans and as tool runs of LangChain callbacks, including LangSmith's.

    with tool_span("email_send", {"to": "kim@acme.io"}, redact=redact_all, agent_id="cmo", cycle="C-1") as end:
        end("awaiting_approval", "the owner decides", "DEC-1")

Neither library is imported here: a program that wants spans sets one up; otherwise a call costs one look-up. Arguments
and messages are redacted and written only if there is a listener.
"""

import json
import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

LOG = logging.getLogger(__name__)
End = Callable[[str, str, str], None]
"""Told how a call ended: the code of its error or an empty text, its message, and the decision it waits for."""
WAITS = "awaiting_approval"
_LONGEST = 4_000  # characters of arguments


@contextmanager
def tool_span(
    name: str, arguments: Mapping[str, Any], *, redact: Callable[[dict[str, Any]], Any], agent_id: str, cycle: str
) -> Iterator[End]:
    """Trace one call; the yielded function ends the span."""
    ends = list[End]()
    with ExitStack() as spans:
        with _harmless():
            if _opentelemetry() or _callbacks():
                text = json.dumps(redact(dict(arguments)), ensure_ascii=False, default=str)[:_LONGEST]
                known = {"mabos.agent": agent_id, "mabos.cycle": cycle}
                if _opentelemetry():
                    ends.append(spans.enter_context(_span(name, text, known)))
                # A tool that LangChain calls is a run already; one that an agent calls in its cycle is not.
                if cycle and (manager := _callbacks()):
                    ends.append(_run(manager, name, text, known))

        def end(code: str, message: str, decision_id: str) -> None:
            for each in ends:
                with _harmless():
                    each(code, redact({"message": message})["message"], decision_id)

        yield end


@contextmanager
def _harmless() -> Iterator[None]:
    """Keep a fault of a tracing library from the call that is traced; it is logged."""
    try:
        yield
    except Exception:  # whatever somebody else's exporter or handler raises
        LOG.warning("a call could not be traced", exc_info=True)


def _opentelemetry() -> Any:
    """Return OpenTelemetry's `trace`, where the program uses it."""
    return sys.modules.get("opentelemetry.trace")


@contextmanager
def _span(name: str, arguments: str, known: Mapping[str, str]) -> Iterator[End]:
    """Open a span as OpenTelemetry's conventions for generative AI name it."""
    trace = _opentelemetry()
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": arguments,
        **{key: value for key, value in known.items() if value},
    }
    with trace.get_tracer("mabos").start_as_current_span(f"execute_tool {name}", attributes=attributes) as span:

        def end(code: str, message: str, decision_id: str) -> None:
            span.set_attribute("mabos.outcome", code or "done")
            if decision_id:
                span.set_attribute("mabos.decision", decision_id)
            if code and code != WAITS:
                span.set_attribute("error.type", code)
                span.set_status(trace.Status(trace.StatusCode.ERROR, message))

        yield end


def _callbacks() -> Any:
    """Return LangChain's callbacks of the graph that runs here, where there are any."""
    config = sys.modules.get("langchain_core.runnables.config")
    here = config.var_child_runnable_config.get() if config is not None else None
    if config is None or not here or not here.get("callbacks"):
        return None
    manager = config.get_callback_manager_for_config(here)
    return manager if manager.handlers else None


def _run(manager: Any, name: str, arguments: str, known: Mapping[str, str]) -> End:
    """Begin a tool run of LangChain's callbacks."""
    manager.add_metadata(dict(known))
    run = manager.on_tool_start({"name": name}, arguments, name=name)

    def end(code: str, message: str, decision_id: str) -> None:
        if code and code != WAITS:
            run.on_tool_error(RuntimeError(f"{code}: {message}"))
        else:
            run.on_tool_end(f"waits for {decision_id}" if code else "done", name=name)

    return end
