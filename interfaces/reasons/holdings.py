"""A business's records as reasons: figures, questions to the owner, documents, and workflows.

For a workflow these are the nodes of a run, the run, and its file with the goals that it serves.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import MabosError
from mabos.interfaces.reasons.record import Record, texts
from mabos.society.drafts import FOLDER as DRAFTS
from mabos.society.drafts import drafts
from mabos.society.workflows import place
from mabos.workspace.currencies import money

if TYPE_CHECKING:
    from mabos.society.decisions import Decisions
    from mabos.society.metrics import Metrics
    from mabos.society.workflows import Workflow, WorkflowRun
    from mabos.tools.runtime.company import Business


def point_records(metrics: "Metrics") -> Iterator[Record]:
    """Yield the points of all series."""
    for name in metrics.names():
        for point in metrics.series(name):
            words = f"{point.name} was {point.value:.10g} {point.unit}".rstrip()
            yield Record(point.id, "figure", "", words, point.at, tuple(texts([point.source])))


def holding_records(business: "Business") -> Iterator[Record]:
    """Yield the records in a business's documents: work, people, advertising, prices, content, drafts of letters."""
    folder = f"businesses/{business.id}"
    held: Mapping[str, Iterable[Any]] = {
        "work package": business.workforce.packages.all(),
        "contractor": business.workforce.contractors.all(),
        "campaign": business.campaigns.all(),
        "product": business.pricing.products.all(),
        "price": business.pricing.prices.all(),
        "article": business.content.all(),
    }
    for kind, ones in held.items():
        for one in ones:
            named = getattr(one, "title", "") or getattr(one, "name", "")
            words = named or f"{money(one.monthly_usd)} a month for {one.segment}"
            status = f": {one.status}" if hasattr(one, "status") else ""
            by = getattr(one, "created_by", "")
            delivered = [past.id for past in one.history] if kind == "contractor" else []
            rests = (getattr(one, "goal_id", ""), delivered)
            at, file = getattr(one, "created_at", ""), f"{folder}/{one.path}" if kind == "article" else ""
            yield Record(one.id, kind, by, f"{words}{status}", at, tuple(texts(rests)), file=file)
    for draft in drafts(business.directory):
        to, file = ", ".join(draft["to"]), f"{folder}/{DRAFTS}/{draft['id']}.eml"
        yield Record(draft["id"], "letter", "", f"{draft['subject']}: a draft to {to}", "", (draft["key"],), file=file)
    for rule in business.instructions.all():
        lifted = f": lifted {rule.lifted_at[:16]}" if rule.lifted_at else ""
        words = f"{rule.sentence}{lifted}"
        yield Record(rule.id, "instruction", rule.created_by, words, rule.created_at, tuple(texts(rule.request_id)))


def decision_records(decisions: "Decisions") -> Iterator[Record]:
    """Yield the questions to the owner, with the answers."""
    for one in decisions.all():
        answer = f": {one.status} {one.resolved_at[:16]}".rstrip()
        if one.status == "modified":
            answer += ", to " + ", ".join(f"{name} {value}" for name, value in one.modifications.items())
        rests = tuple(texts([one.reasons, one.description]))
        yield Record(one.id, "decision", one.from_agent, f"{one.subject}{answer}", one.created_at, rests)


def workflow_records(business: "Business") -> Iterator[Record]:
    """Yield the workflows of a business, their runs, and the nodes that these reached."""
    files = {one.id: one for one in business.workflows.records.all()}
    for one in files.values():
        rests = (*one.goal_ids, one.id)
        words = f"{one.name}" + (f", deleted {one.deleted_at[:16]}" if one.deleted_at else "")
        # A person chose the id, which may be any word of the language: only the file's name names nothing else.
        yield Record(_file(one.id), "workflow", one.created_by, words, one.created_at, rests, name=one.id)
    for run in business.workflows.runs.all():
        workflow = files.get(run.workflow_id)
        yield _run(run, workflow)
        yield from _nodes(business, run)


def _run(run: "WorkflowRun", workflow: "Workflow | None") -> Record:
    named = run.workflow_id if workflow is None else workflow.name
    words = f"{named}: {run.status}" + (f", {run.outcome}" if run.outcome else "")
    # What it heard on its way is a reason for what it did after that.
    return Record(run.id, "run", run.started_by, words, run.started_at, (_file(run.workflow_id), *run.heard))


def _nodes(business: "Business", run: "WorkflowRun") -> Iterator[Record]:
    try:
        model = business.workflows.model_of(run)
    except MabosError:  # its copy is lost or damaged: what ran is on record all the same
        model = None
    for node_id in run.came_to:
        node = model.nodes.get(node_id) if model is not None else None
        lane = model.lanes.get(node.lane) if model is not None and node is not None else None
        words = node_id if node is None else f"{node.label} ({node.type})"
        words += f" of {lane.name}" if lane is not None and lane.name else ""
        yield Record(place(run.id, node_id), "node", "", words, "", (run.id,))


def _file(workflow_id: str) -> str:
    return f"{workflow_id}.bpmn"
