"""Workflows written in one line each, and what answers every wait of a running one."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from mabos.society.bpmn.document import read
from mabos.society.bpmn.engine.running import ProcessExecution
from mabos.society.bpmn.engine.state import ExecutionState
from mabos.society.bpmn.engine.tables import ModelTables, tables
from mabos.society.bpmn.model import WorkflowModel

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
_HEAD = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="D">'


def model_of(*nodes: str, flows: str, outside: str = "") -> WorkflowModel:
    """Return a process of elements written as XML, and flows written as `a>b a>c[x > 1]`."""
    said = []
    for number, flow in enumerate(flows.split(";") if flows else []):
        path, _, condition = flow.strip().partition("[")
        source, target = path.strip().split(">")
        expression = f"<conditionExpression>{condition.rstrip(']').replace('<', '&lt;')}</conditionExpression>"
        inner = expression if condition else ""
        ends = f'sourceRef="{source.strip()}" targetRef="{target.strip()}"'
        said.append(f'<sequenceFlow id="F{number}" {ends}>{inner}</sequenceFlow>')
    body = "".join(nodes) + "".join(said)
    return read(f'{_HEAD}{outside}<process id="P" isExecutable="true">{body}</process></definitions>'.encode()).model


def node(kind: str, node_id: str, inner: str = "", **attributes: str) -> str:
    """Return an element as XML."""
    said = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<{kind} id="{node_id}"{said}>{inner}</{kind}>'


def run_of(model: WorkflowModel, **variables: Any) -> ProcessExecution:
    """Return a workflow that was started at `NOW`."""
    made = ProcessExecution(tables(model), ExecutionState("W-1", variables=dict(variables)))
    made.begin(list(model.processes), NOW)
    return made


def at(run: ProcessExecution) -> dict[str, str]:
    """Return what waits where."""
    return {one.node: one.wait for one in run.state.tokens.values()}


def done(run: ProcessExecution, node_id: str, result: Mapping[str, Any] | None = None) -> None:
    """Complete the work at a node."""
    token = next(one for one in run.state.work() if one.node == node_id)
    run.complete(token.id, result or {}, NOW)


def path(run: ProcessExecution) -> list[str]:
    """Return the nodes that tokens came to, in order."""
    return [move.node for move in run.moves if move.kind == "came"]


def later(**span: float) -> datetime:
    """Return a moment after `NOW`."""
    return NOW + timedelta(**span)


def again(run: ProcessExecution, table: ModelTables | None = None) -> ProcessExecution:
    """Return the run as another process would go on with it, from what is kept."""
    return ProcessExecution(table or run.tables, ExecutionState.of(run.state.as_json()))
