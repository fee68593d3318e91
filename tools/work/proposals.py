"""A model's proposals to an agent, and their outcomes: refused, carried out, and measured.

A repeated proposal has the same id, so a refused one is not repeated.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal

import orjson

from mabos.language.request import Check
from mabos.workspace.records import Document, record

ProposalKind = Literal["desire", "plan", "lesson", "playbook", "question"]
ProposalStatus = Literal["asked", "refused", "taken", "failed", "confirmed", "missed", "contradicted"]
JUDGED: tuple[ProposalStatus, ...] = ("confirmed", "missed", "contradicted")
"""The result of a plan whose figures were measured afterwards."""


@record(
    Document("proposals.json", ("proposals",)),
    "proposals",
    noun="proposal",
    optional=("reason", "plan_id", "expects", "before", "undo", "days", "decision_id", "evidence", "checks"),
)
@dataclass(frozen=True, slots=True)
class ModelProposal:
    """One proposal of a model (`agents/<id>/proposals.json`).

    `about` is the goal of a plan, or the name of the proposed item; `words` describe it. `expects` are directions of
    figures as `churn_rate lower`, `before` their values when the plan was chosen, and `days` how long they take to
    show. `undo` are calls that revert the plan's changes. `checks` are the acceptance checks of a plan, `evidence` the
    beliefs still to be asked about.
    """

    id: str
    kind: ProposalKind
    about: str
    words: str
    status: ProposalStatus
    reason: str = ""
    plan_id: str = ""
    expects: tuple[str, ...] = ()
    before: Mapping[str, float] = field(default_factory=dict)
    undo: tuple[Mapping[str, Any], ...] = ()
    days: int = 0
    decision_id: str = ""
    evidence: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    created_at: str = ""
    updated_at: str = ""


def proposal_id(kind: ProposalKind, *said: object) -> str:
    """Return the id of a proposal, equal for equal content.

    >>> proposal_id("desire", "Paint the shop") == proposal_id("desire", "Paint the shop")
    True
    """
    content = orjson.dumps([kind, *said], option=orjson.OPT_SORT_KEYS, default=str)
    return f"PROP-{blake2b(content, digest_size=6).hexdigest()}"


def came_of_plan(proposal: ModelProposal) -> str:
    """Return an earlier plan and its outcome in words for a model."""
    expected = f" It expected {', '.join(proposal.expects)}." if proposal.expects else ""
    why = proposal.reason.rstrip(".")
    named = f"{proposal.plan_id}, " if proposal.plan_id else ""
    end = f"It was {proposal.status}{': ' * bool(why)}{why}" if proposal.status != "taken" else f"Not judged yet. {why}"
    return f"- {named}{proposal.created_at[:10]}: {proposal.words}.{expected} {end.rstrip(' .')}."


def success_rate(proposals: Iterable[ModelProposal], prior: float, weight: float) -> float:
    """Return the share of a model's plans that succeeded; `prior` counts as `weight` plans."""
    judged = [one for one in proposals if one.kind == "plan" and one.status in (*JUDGED, "failed")]
    good = sum(one.status == "confirmed" for one in judged)
    return (prior * weight + good) / (weight + len(judged))
