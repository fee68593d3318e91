"""Reconcile a new statement with existing ones: supersede, merge, or flag for deliberation (S2).

Relations are compared by subject and relation alone: functional ones supersede, others are added. The property
`predicate` distinguishes relations of one type: RELATES_TO with `{"predicate": "headquartered_in"}`. Insights and
decisions are compared by their conclusions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from mabos.backends.graph.model import Node
from mabos.knowledge.entities.conclusions import Conclusion, ConclusionConflict, compare
from mabos.knowledge.entities.contradiction import RelationClaim, RelationConflict, settle
from mabos.knowledge.entities.lines import InvalidateLine, Line, RelationLine
from mabos.knowledge.entities.model import Relation
from mabos.knowledge.entities.sensitive import Policy
from mabos.workspace.text import query_terms

_TELLING = 2
"""Words that a conclusion has at least, to be compared with others."""


@dataclass(frozen=True, slots=True)
class MemoryRules:
    """The rules by which a memory treats new statements.

    `sensitive`: personal data and secrets are stored and reported (`flag`), replaced by their kind (`redact`) or
    `refuse`d. `functional` are relation types or predicates with one object at a time for a subject. With `merge_alike`
    an insight or a decision is merged into another one with the same conclusion.
    """

    sensitive: Policy = "redact"
    functional: frozenset[str] = frozenset()
    merge_alike: bool = True


RULES = MemoryRules()


def predicate(relation: Relation | RelationLine) -> str:
    """Return the name that distinguishes a relation: its predicate, or its type."""
    type_ = relation.type if isinstance(relation, Relation) else relation.relation_type
    return str(relation.properties.get("predicate") or type_)


def settle_relation(
    line: RelationLine, others: Iterable[Relation], rules: MemoryRules, now: str
) -> tuple[list[Line], tuple[RelationConflict, ...], str]:
    """Return the lines to write for a new relation (`line`), its conflicts, and the id of the resulting relation."""
    claim = RelationClaim(line.id, line.from_id, predicate(line), line.to_id, line.valid_from or now, line.valid_to)
    result = settle(claim, map(_claim, others), is_functional=claim.relation in rules.functional)
    lines: list[Line] = []
    said = next((one.existing.id for one in result.conflicts if one.action == "merge"), line.id)
    for one in result.changed:
        if one.id == line.id:
            line.valid_to, line.superseded_by = one.valid_to, one.superseded_by
            lines.append(line)
        else:
            end = InvalidateLine(target=one.id, kind="relation", valid_to=one.valid_to, superseded_by=one.superseded_by)
            lines.append(end)
    return lines, result.conflicts, said


def rivals(relations: Sequence[Relation], rules: MemoryRules, now: str) -> list[RelationConflict]:
    """Return the conflicts of functional relations that hold now and are undecided."""
    claims = [_claim(one) for one in relations if predicate(one) in rules.functional]
    held = [one for one in claims if one.holds(now)]
    return [
        RelationConflict(one, other, "flag", f"{one.relation} has one object at a time")
        for one, other in combinations(held, 2)
        if (one.subject, one.relation) == (other.subject, other.relation) and one.object != other.object
    ]


def disagreements(said: Conclusion, type_: str, others: Iterable[Node]) -> list[ConclusionConflict]:
    """Return those of `others` of that type that conclude the same as a new insight or decision, or otherwise."""
    if len(query_terms(said.question or said.text)) < _TELLING:
        return []
    nodes = [node for node in others if node.type == type_]
    known = [conclusion(one.uid, type_, one.properties["label"], one.properties["properties"]) for one in nodes]
    return compare(said, [one for one in known if one is not None])


def conclusion(entity_id: str, type_: str, label: str, properties: Mapping[str, Any]) -> Conclusion | None:
    """Return the conclusion of an entity, or None if it is neither an insight nor a decision."""
    if type_ == "Insight":
        return Conclusion(entity_id, str(properties.get("key_learning") or label))
    if type_ == "Decision" and properties.get("chosen"):
        return Conclusion(entity_id, str(properties["chosen"]), str(properties.get("question", "")))
    return None


def _claim(one: Relation) -> RelationClaim:
    return RelationClaim(
        one.id, one.from_id, predicate(one), one.to_id, one.valid_from, one.valid_to, one.superseded_by
    )
