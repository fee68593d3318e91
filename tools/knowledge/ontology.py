"""The vocabulary of the business: meanings of words, and the review of new words (S0 24, S3 8)."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument, Refused, UnknownId
from mabos.knowledge.ontology.model import BusinessRule, Concept, FactType, Kind
from mabos.knowledge.ontology.notation import local_name
from mabos.knowledge.ontology.proposals import TermProposal, TermProposals, follow_terms
from mabos.knowledge.ontology.review import merge, review, verdict
from mabos.knowledge.ontology.scaffold import scaffold
from mabos.knowledge.ontology.vocabulary import FOLDER, TermHit, Vocabulary, install, load
from mabos.mind.model import Proficiency
from mabos.society.business import read_agent
from mabos.society.messages import message
from mabos.tools.catalogue.declaration import Count, Text, Tool
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso

EVERYWHERE = "all"

Template = Literal["saas", "ecommerce", "consulting", "marketplace", "retail", "agency"]


def ontology_query(agent: Agent, *, domain: Text, query: Text, limit: Count = 10) -> dict[str, Any]:
    """Return what a word means in a domain: concepts with definitions, fact types and rules, best match first.

    Args:
        domain: A domain ontology, as saas or business-core; words it imports are found too. `all` asks every one.
        query: A label, a synonym, an id, or a few words.
        limit: How many terms at most.
    """
    vocabulary = load(_directory(agent))
    if domain != EVERYWHERE:
        vocabulary.ontology(domain)
    found = vocabulary.search(domain, query, limit)
    told = [_serialize_term(vocabulary, one) for one in found]
    text = "\n".join(_line(one) for one in told) or f"nothing in {domain} is called {query!r}"
    return {"domain": domain, "query": query, "results": told, "count": len(told), "text": text}


def ontology_propose_concept(
    agent: Agent,
    *,
    domain: Text,
    node_type: Kind,
    node_id: Text,
    label: Text,
    rationale: Text,
    proposed_by: str = "",
    comment: str = "",
    sbvr_designation: str = "",
    sbvr_definition: str = "",
    sbvr_synonyms: list[str] | None = None,
    parent_class: str = "",
    domain_class: str = "",
    range_: str = "",
) -> dict[str, Any]:
    """Propose a class or a property for a domain ontology, and return the proposal; nothing changes until it is merged.

    Args:
        domain: The ontology it belongs to, as ecommerce.
        node_type: What is proposed.
        node_id: Its qualified id, as ecommerce:DropshipFulfillment; PascalCase for classes, camelCase for properties.
        label: What people call it; for a property, the verb phrase.
        rationale: Why it is needed.
        proposed_by: The agent that proposes it; the caller if left out.
        comment: Anything a reviewer should know.
        sbvr_designation: Another term for it.
        sbvr_definition: What it means: its kind, and what sets it apart. Classes need one.
        sbvr_synonyms: Further words for it.
        parent_class: The class it is a kind of, by id or label. Classes need one.
        domain_class: The class whose property it is. Properties need one.
        range: The class, or the type of value as xsd:string, that a property leads to.
    """
    ontology = load(_directory(agent)).ontology(domain)
    if ontology.is_of_shapes:
        raise InvalidArgument(f"{domain!r} contains shapes, not terms; choose a domain ontology", argument="domain")
    if agent.caller.kind == "agent" and proposed_by not in ("", agent.id):
        raise Refused(f"{agent.id!r} may propose in its own name only; leave it out", argument="proposed_by")
    proposal = TermProposal(
        id=agent.ids.new("OP"),
        domain=domain,
        node_type=node_type,
        node_id=_qualify_id(node_id, domain, ontology.prefix),
        label=label.strip(),
        rationale=rationale,
        proposed_by=proposed_by or agent.id,
        proposed_at=iso(agent.clock()),
        parent_class=parent_class,
        domain_class=domain_class,
        range=range_,
        comment=comment,
        sbvr_designation=sbvr_designation,
        sbvr_definition=sbvr_definition,
        sbvr_synonyms=tuple(sbvr_synonyms or ()),
    )
    kept = _proposals(agent).add(proposal)
    return {**_serialize_proposal(kept), "text": f"Proposal {kept.id}: {kept.label} for {domain}, pending validation"}


def ontology_validate_proposal(agent: Agent, *, proposal_id: Text) -> dict[str, Any]:
    """Check a proposal for duplicates, naming, parent, definition and domain, and return whether it is valid.

    Args:
        proposal_id: The proposal.
    """
    book = _proposals(agent)
    proposal = book.proposal(proposal_id)
    if proposal.status == "approved":
        return {**_serialize_proposal(proposal), **proposal.validation_result, "text": f"{proposal_id} has been merged"}
    result = verdict(review(proposal, load(_directory(agent))))
    kept = book.change(
        proposal,
        lambda one: replace(
            one,
            status="pending" if result["valid"] else "rejected",
            validation_result={**result, "validated_at": iso(agent.clock()), "validated_by": agent.id},
        ),
    )
    said = "valid, waits for a reviewer" if result["valid"] else f"rejected: {'; '.join(result['errors'])}"
    return {**_serialize_proposal(kept), **result, "text": f"{proposal_id} is {said}"}


def ontology_merge_approved(
    agent: Agent, *, proposal_id: Text, reviewer: str = "", stakeholder_notes: str = ""
) -> dict[str, Any]:
    """Take a validated proposal into its ontology in the reviewer's name, and tell the Knowledge agent.

    Args:
        proposal_id: The proposal; one that was not validated is refused.
        reviewer: Who approves: the Knowledge agent, or a person. The caller if left out.
        stakeholder_notes: What the reviewer wants to be kept with it.
    """
    book = _proposals(agent)
    proposal = book.proposal(proposal_id)
    if proposal.status != "approved" and not proposal.is_staged:
        why = "was rejected" if proposal.status == "rejected" else "has not been validated"
        message_ = f"{proposal_id} {why}; call ontology_validate_proposal, and fix the faults it names"
        raise Refused(message_, argument="proposal_id")
    name = proposal.reviewer or _reviewer(agent, reviewer)
    node = merge(replace(proposal, reviewer=name), _directory(agent))
    kept = book.change(
        proposal,
        lambda one: replace(
            one,
            status="approved",
            reviewer=name,
            stakeholder_notes=one.stakeholder_notes or stakeholder_notes,
            merged_at=one.merged_at or iso(agent.clock()),
        ),
    )
    follow_terms(agent.services.index, book)
    agent.services.index.update()
    informed = _inform(agent, kept)
    told = {"node": node, "merged": True, "notified": informed}
    return {**_serialize_proposal(kept), **told, "text": f"{kept.node_id} is part of {kept.domain}, approved by {name}"}


def ontology_list_proposals(
    agent: Agent, *, domain: str = "", status: Literal["pending", "approved", "rejected", "all"] = "pending"
) -> dict[str, Any]:
    """Return the proposals that wait for validation or review, or those with another status, oldest first.

    Args:
        domain: Only those for one ontology; all if left out.
        status: Which ones.
    """
    if domain:
        load(_directory(agent)).ontology(domain)
    found = [one for one in _proposals(agent).all(domain) if status in ("all", one.status)]
    text = "\n".join(f"{one.id} {one.status}: {one.node_id} ({one.label}), by {one.proposed_by}" for one in found)
    return {
        "proposals": [_serialize_proposal(one) for one in found],
        "count": len(found),
        "text": text or "no proposals",
    }


def ontology_scaffold_domain(
    agent: Agent, *, template: Template, domain_name: Text, label: str = "", description: str = ""
) -> dict[str, Any]:
    """Write a whole domain ontology and its shapes from a template, and return what it holds.

    Args:
        template: The kind of business to begin with.
        domain_name: The name of the new domain and of its file: lower-case letters, digits, '-' and '_'.
        label: Its title; made from the name if left out.
        description: What it is about.
    """
    directory = _directory(agent)
    install(directory)
    made = scaffold(directory, template, domain_name, label=label, description=description).ontology
    relations = [fact for fact in made.fact_types if fact.kind == "object_property"]
    counts = {"classes": len(made.concepts), "object_properties": len(relations), "rules": len(made.rules)}
    said = f"{counts['classes']} classes, {counts['object_properties']} relations, {counts['rules']} rules"
    return {
        "domain": domain_name,
        "template": template,
        "path": f"{FOLDER}/{domain_name}.jsonld",
        "shapes_path": f"{FOLDER}/shapes-{domain_name}.jsonld",
        "concepts": [concept.label for concept in made.concepts],
        **counts,
        "text": f"{domain_name}: {said}, and shapes for them",
    }


def _directory(agent: Agent) -> Path:
    return agent.services.layout.root / FOLDER


def _proposals(agent: Agent) -> TermProposals:
    return TermProposals(_directory(agent), agent.services.sync)


def _qualify_id(node_id: str, domain: str, prefix: str) -> str:
    """Return an id with the prefix of its ontology where it has none, or the domain's name for one."""
    given, _, name = node_id.strip().rpartition(":")
    return f"{prefix}:{name}" if given in ("", domain) else f"{given}:{name}"


def _reviewer(agent: Agent, named: str) -> str:
    """Return who approves; raises `Refused` for an agent that is not the Knowledge agent."""
    if agent.caller.kind == "agent" and named not in ("", agent.id):
        raise Refused(f"{agent.id!r} may approve in its own name only; leave 'reviewer' out", argument="reviewer")
    name = named or agent.id
    is_agent = name in agent.services.agents()
    if is_agent and _role(agent, name) != "knowledge":
        if agent.caller.kind == "person" and not named:
            return "stakeholder"
        message_ = f"{name!r} is not the Knowledge agent; it or a person approves terms"
        raise Refused(message_, argument="reviewer")
    return name


def _role(agent: Agent, agent_id: str) -> str:
    try:
        return read_agent(agent.services.layout, agent_id).role
    except UnknownId:
        return ""


def _inform(agent: Agent, proposal: TermProposal) -> list[str]:
    """Notify Knowledge agents of new terms, once a proposal; return recipients."""
    told = []
    for other in agent.services.agents():
        if _role(agent, other) == "knowledge":
            text = f"{proposal.label} ({proposal.node_id}) is now part of the ontology {proposal.domain}."
            about = {"proposal_id": proposal.id, "node_id": proposal.node_id, "domain": proposal.domain}
            known = [one.metadata.get("proposal_id") for one in agent.services.inbox(other).messages()]
            if proposal.id not in known:
                agent.services.mail.deliver(
                    message(agent.id, other, "INFORM", text, ids=agent.ids, clock=agent.clock, metadata=about)
                )
            told.append(other)
    return told


def _serialize_proposal(proposal: TermProposal) -> dict[str, Any]:
    return {"proposal_id": proposal.id, **proposal.as_json()}


def _serialize_term(vocabulary: Vocabulary, found: TermHit) -> dict[str, Any]:
    term = found.term
    told: dict[str, Any] = {"id": term.id, "label": term.label, "domain": term.ontology, "score": found.score}
    if isinstance(term, Concept):
        return told | {
            "kind": "class",
            "definition": term.definition,
            "synonyms": list(term.synonyms),
            "parents": list(term.parents),
            "ancestors": list(vocabulary.ancestors(term.id)),
            "children": list(vocabulary.children.get(term.id, ())),
            "fact_types": [one.verbalisation for one in vocabulary.fact_types_of(term.id)][:20],
        }
    if isinstance(term, BusinessRule):
        return told | {"kind": "rule", "statement": term.statement, "rule": dict(term.definition)}
    return told | _relation(term)


def _relation(fact: FactType) -> dict[str, Any]:
    return {
        "kind": fact.kind,
        "fact_type": fact.verbalisation,
        "definition": fact.definition,
        "inverse": fact.inverse,
        "domain_class": fact.subject,
        "range": fact.object,
        "roles": [one for one in (fact.subject_role, fact.object_role) if one],
    }


def _line(told: dict[str, Any]) -> str:
    said = told.get("fact_type") or told.get("definition") or told.get("statement")
    kind = f" [{local_name(told['parents'][0])}]" if told.get("parents") else ""
    return f"{told['label']} ({told['id']}){kind}: {said}"


_MODELLING: dict[str, Proficiency] = {"ontology": "competent"}

TOOLS = [
    Tool.of(ontology_query, module="Knowledge", writes=False),
    Tool.of(ontology_propose_concept, module="Ontology", writes=True),
    Tool.of(ontology_validate_proposal, module="Ontology", writes=True, skills=_MODELLING),
    Tool.of(ontology_merge_approved, module="Ontology", writes=True, skills=_MODELLING),
    Tool.of(ontology_list_proposals, module="Ontology", writes=False),
    Tool.of(ontology_scaffold_domain, module="Ontology", writes=True, skills=_MODELLING),
]
