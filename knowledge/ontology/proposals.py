"""Proposed terms awaiting review: `ontologies/proposals/{domain}-proposals.json` (S0 section 24).

book = TermProposals(workspace / "ontologies", sync)
book.add(proposal)
book.change(proposal, lambda found: replace(found, status="rejected"))
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mabos.configs.errors import unknown
from mabos.knowledge.ontology.model import Kind
from mabos.workspace.documents import json_document
from mabos.workspace.indexer import TextIndex, TextRow
from mabos.workspace.records import declaration, record
from mabos.workspace.store import Collections, Op, Put, Store
from mabos.workspace.sync import Sync

Status = Literal["pending", "approved", "rejected"]
SECTION = "proposals"
KIND = "ontology_term"
"""The kind under which merged terms stand in the index."""
_SUFFIX = "-proposals"
_CONTENT = ("domain", "node_type", "node_id", "label", "parent_class", "domain_class", "range", "sbvr_definition")


@record(
    "ontologies/proposals/*-proposals.json",
    SECTION,
    noun="proposal",
    optional=(
        "parent_class",
        "domain_class",
        "range",
        "comment",
        "sbvr_designation",
        "sbvr_definition",
        "sbvr_synonyms",
        "validation_result",
        "reviewer",
        "stakeholder_notes",
        "merged_at",
    ),
)
@dataclass(frozen=True, slots=True)
class TermProposal:
    """A proposed term, the reason for it, and its status; the fields of S0 section 24.

    `validation_result` is empty until validation; `reviewer` is who accepted it.
    """

    id: str
    domain: str
    node_type: Kind
    node_id: str
    label: str
    rationale: str
    proposed_by: str
    proposed_at: str
    parent_class: str = ""
    domain_class: str = ""
    range: str = ""
    comment: str = ""
    sbvr_designation: str = ""
    sbvr_definition: str = ""
    sbvr_synonyms: tuple[str, ...] = ()
    status: Status = "pending"
    validation_result: Mapping[str, Any] = field(default_factory=dict)
    reviewer: str = ""
    stakeholder_notes: str = ""
    merged_at: str = ""

    @property
    def is_staged(self) -> bool:
        """Return whether it has passed validation and waits for a reviewer."""
        return self.status == "pending" and bool(self.validation_result.get("valid"))

    def as_json(self) -> dict[str, Any]:
        """Return the proposal as stored in the file; empty optional fields are left out."""
        return PROPOSALS.write(self)


PROPOSALS = declaration(TermProposal)


class TermProposals:
    """The proposals for all ontologies in a folder; several processes may use it concurrently."""

    def __init__(self, directory: Path, sync: Sync) -> None:
        self.folder = directory / "proposals"
        self._sync = sync

    def store(self, domain: str) -> Store:
        """Return the document of one domain; it is created with the first proposal."""
        return json_document(self.folder / f"{domain}{_SUFFIX}.json", [SECTION], sync=self._sync)

    def domains(self) -> list[str]:
        """Return the domains with proposals."""
        found = [path.name.split(".")[0] for path in self.folder.glob(f"*{_SUFFIX}*.json*") if path.is_file()]
        return sorted({name.removesuffix(_SUFFIX) for name in found})

    def add(self, proposal: TermProposal) -> TermProposal:
        """Store a proposal and return it; an equal pending one is returned instead."""
        kept = [proposal]

        def decide(collections: Collections) -> list[Op]:
            known = [PROPOSALS.read(key, record) for key, record in collections.get(SECTION, {}).items()]
            same = next((one for one in known if one.status == "pending" and _content(one) == _content(proposal)), None)
            kept[:] = [same or proposal]
            return [] if same else [Put(SECTION, proposal.id, proposal.as_json())]

        with self.store(proposal.domain) as store:
            store.commit(decide)
        return kept[0]

    def all(self, domain: str = "") -> list[TermProposal]:
        """Return the proposals for a domain, or all, oldest first."""
        found = []
        for name in [domain] if domain else self.domains():
            found += [PROPOSALS.read(key, record) for key, record in self.store(name).read().get(SECTION, {}).items()]
        return sorted(found, key=lambda one: (one.proposed_at, one.id))

    def proposal(self, proposal_id: str) -> TermProposal:
        """Return one proposal; raises `UnknownId`."""
        found = {one.id: one for one in self.all()}
        if proposal_id not in found:
            raise unknown("proposal", proposal_id, found, argument="proposal_id")
        return found[proposal_id]

    def change(self, proposal: TermProposal, decide: Callable[[TermProposal], TermProposal]) -> TermProposal:
        """Replace a proposal by the result of `decide` on its stored version, and return it."""
        made: list[TermProposal] = []

        def put(collections: Collections) -> list[Op]:
            found = PROPOSALS.read(proposal.id, collections[SECTION][proposal.id])
            made[:] = [decide(found)]
            return [Put(SECTION, proposal.id, made[0].as_json())] if made[0] != found else []

        with self.store(proposal.domain) as store:
            store.commit(put)
        return made[0]


def follow_terms(index: TextIndex, book: TermProposals) -> None:
    """Make `index` follow the merged terms of every domain: search finds them, and each outbox gets them once."""
    for domain in book.domains():
        index.follow(f"ontologies/{domain}", book.store(domain), _row)


def _row(_collection: str, key: str, record: Any) -> TextRow | None:
    if not isinstance(record, dict) or record.get("status") != "approved":
        return None
    proposal = PROPOSALS.read(key, record)
    text = " ".join([proposal.label, *proposal.sbvr_synonyms, proposal.sbvr_definition])
    return TextRow(KIND, proposal.node_id, "", text, (proposal.domain,))


def _content(proposal: TermProposal) -> tuple[Any, ...]:
    return tuple(getattr(proposal, name) for name in _CONTENT)


__all__ = ["KIND", "Status", "TermProposal", "TermProposals", "follow_terms"]
