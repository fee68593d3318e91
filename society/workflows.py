"""The workflows of a business: BPMN files in `workflows/` for any modelling tool, and their runs in `workflows.json`.

A run uses a copy of the file as of its start; the file may be changed meanwhile.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from mabos.configs.errors import MabosError, Unavailable, UnknownId
from mabos.society.bpmn.diagram.extending import redrawn
from mabos.society.bpmn.document import WorkflowDocument, read
from mabos.society.bpmn.engine.tables import ModelTables, tables
from mabos.society.bpmn.model import ACTIVITIES, WorkflowModel
from mabos.workspace.atomic import write_atomic
from mabos.workspace.locks import file_lock
from mabos.workspace.names import name as checked_name
from mabos.workspace.records import Document, declaration, record
from mabos.workspace.regular import content
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

RunStatus = Literal["running", "completed", "terminated", "failed", "cancelled"]
_DOCUMENT = Document("workflows.json", ("workflows", "runs"))


@record(_DOCUMENT, "workflows", noun="workflow")
@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow: its name, the goals it serves, and its latest run."""

    id: str
    name: str
    goal_ids: tuple[str, ...] = ()
    created_at: str = ""
    created_by: str = ""
    updated_at: str = ""
    run_id: str = ""
    deleted_at: str = ""


@record(_DOCUMENT, "runs", noun="run")
@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """A run: its tokens (`state`), the nodes reached, and its copy of the file.

    `asked` names the decision or work package that waits for a person, by the token's wait; `heard` the messages
    received.
    """

    id: str
    workflow_id: str
    status: RunStatus
    version: str
    state: Mapping[str, Any]
    came_to: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    heard: tuple[str, ...] = ()
    started_at: str = ""
    started_by: str = ""
    updated_at: str = ""
    ended_at: str = ""
    outcome: str = ""


def place(run_id: str, node_id: str) -> str:
    """Return the name of a run's node for use in reasons."""
    return f"{run_id}/{node_id}"


class Workflows:
    """The workflows of one business and their runs."""

    def __init__(self, directory: Path, records: View[Workflow], runs: View[WorkflowRun], sync: Sync) -> None:
        self.directory = directory
        self.records = records
        self.runs = runs
        self._sync = sync
        self._tables: dict[str, ModelTables] = {}

    def all(self) -> list[Workflow]:
        """Return the workflows that are not deleted."""
        return [one for one in self.records.all() if not one.deleted_at]

    def one(self, workflow_id: str) -> Workflow:
        """Return a workflow; raises `UnknownId`."""
        found = self.records.one(workflow_id)
        if found.deleted_at:
            raise UnknownId(f"workflow {workflow_id!r} was deleted", argument="workflow_id")
        return found

    def path(self, workflow_id: str) -> Path:
        """Return the path of a workflow's file."""
        stem = checked_name(workflow_id.lower(), kind="workflow id", argument="workflow_id")
        return self.directory / f"{stem}.bpmn"

    def document(self, workflow_id: str) -> WorkflowDocument:
        """Return the current file of a workflow; raises `UnknownId`, or `Damaged` with file and line."""
        return read(self._raw(workflow_id), f"workflows/{self.path(workflow_id).name}")

    def _raw(self, workflow_id: str) -> bytes:
        self.one(workflow_id)
        path = self.path(workflow_id)
        try:
            return content(path)
        except FileNotFoundError:
            message = f"the file of workflow {workflow_id!r} is gone ({path.name}); restore it, or delete the workflow"
            raise UnknownId(message, argument="workflow_id") from None

    def keep(self, workflow_id: str, document: WorkflowDocument) -> None:
        """Write the file of a workflow unchanged, durably."""
        write_atomic(self.path(workflow_id), document.xml(), durable=self._sync.durable)

    def alone(self) -> AbstractContextManager[None]:
        """Block other processes and threads from creating, editing, starting and deleting workflows meanwhile."""
        return file_lock(self.directory / ".lock")

    def edit(self, workflow_id: str, change: Callable[[WorkflowDocument], WorkflowDocument]) -> WorkflowDocument:
        """Change the file, draw and write it, and return it, under the lock.

        Raises `Unavailable` if a person saved it at the same time; that version is kept.
        """
        with self.alone():
            before = self._raw(workflow_id)
            document = read(before, f"workflows/{self.path(workflow_id).name}")
            after = redrawn(document, change(document))
            after.model  # noqa: B018  # what cannot be read again is not written
            if self._raw(workflow_id) != before:
                raise Unavailable(f"the file of workflow {workflow_id!r} was changed meanwhile; try again")
            self.keep(workflow_id, after)
        return after

    def remove(self, workflow_id: str) -> None:
        """Remove the file of a workflow; the copies used by runs are kept for explanations."""
        self.path(workflow_id).unlink(missing_ok=True)

    def version(self, document: WorkflowDocument) -> str:
        """Keep a copy of a file for runs, and return its name."""
        version = _version(document)
        path = self.directory / "versions" / f"{version}.bpmn"
        if not path.exists():
            write_atomic(path, document.xml(), durable=self._sync.durable)
        return version

    def departure(self, run: WorkflowRun) -> str:
        """Return in words how the file has changed since a run started; "" if it is the same."""
        try:
            now = _version(self.document(run.workflow_id))
        except MabosError as wrong:
            return f"{wrong.message}. This run continues with its own copy; another can start after the fix"
        return (
            "" if now == run.version else "its file was changed since; this run goes on as it began, the next as it is"
        )

    def model_of(self, run: WorkflowRun) -> WorkflowModel:
        """Return the model used by a run; raises as `tables_of` does."""
        return self.tables_of(run).model

    def tables_of(self, run: WorkflowRun) -> ModelTables:
        """Return the tables of a run, computed once; raises `Damaged` or `UnknownId` if its copy is unusable."""
        if run.version not in self._tables:
            self._tables[run.version] = tables(self.copy_of(run).model)
        return self._tables[run.version]

    def copy_of(self, run: WorkflowRun) -> WorkflowDocument:
        """Return the file as of a run's start; raises `Damaged` or `UnknownId` if the copy is unusable."""
        path = self.directory / "versions" / f"{checked_name(run.version, kind='version', argument='version')}.bpmn"
        try:
            raw = content(path)
        except FileNotFoundError:
            message = f"workflows/versions/{path.name} is gone, by which {run.id} runs; restore it"
            raise UnknownId(message, argument="workflow_id") from None
        return read(raw, f"workflows/versions/{path.name}")

    def running(self) -> list[WorkflowRun]:
        """Return the active runs, oldest first."""
        return [one for one in self.runs.all() if one.status == "running"]

    def serving(self, goal_id: str) -> dict[str, float]:
        """Return the progress of each workflow that serves a goal, by id; 0 for one that never ran."""
        found = {}
        for workflow in self.all():
            if goal_id in workflow.goal_ids:
                run = self.runs.find(workflow.run_id) if workflow.run_id else None
                found[workflow.id] = 0.0 if run is None else round(self.progress(run), 4)
        return found

    def progress(self, run: WorkflowRun) -> float:
        """Return a run's progress in [0, 1]: the share of activities done, and 1 at its end.

        Without a readable copy of the file, it is 0; `workflow_status` reports the fault.
        """
        if run.status in ("completed", "terminated"):
            return 1.0
        try:
            model = self.model_of(run)
        except MabosError:
            return 0.0
        waiting = {token["node"] for token in run.state.get("tokens", ())}
        steps = [node.id for node in model.nodes.values() if node.type in ACTIVITIES]
        done = [one for one in steps if one in run.came_to and one not in waiting]
        return min(0.99, len(done) / len(steps)) if steps else 0.0


def _version(document: WorkflowDocument) -> str:
    return sha256(document.xml()).hexdigest()[:16]


def open_workflows(directory: Path, sync: Sync) -> Workflows:
    """Return the workflows of the business in `directory`; nothing is created before the first one."""
    store = declaration(Workflow).open(directory, sync)
    return Workflows(directory / "workflows", View(store, Workflow), View(store, WorkflowRun), sync)
