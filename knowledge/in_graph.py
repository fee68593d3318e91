"""Knowledge as nodes and edges: facts and their subjects, rules, cases and reasoning (S0 section 12, S3 15).

A fact is a node with its provenance. Each subject is a separate node, with predicates as properties and relations. So a
question can lead from an account to its subscriptions to their churn (S3 15.5).
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from mabos.backends.graph.model import Edge, GraphPart, Node, Scalar, type_name
from mabos.backends.graph.records import build_owned_part, drop_empty, record_uid, tie
from mabos.configs.errors import InvalidArgument
from mabos.knowledge.model import LONGEST_NAME, TRUTH_VALUES, Fact, thing_uid
from mabos.knowledge.ontology.graph_schema import snake
from mabos.knowledge.reasoning.history import ReasoningEpisode
from mabos.knowledge.values import parse_quantity
from mabos.knowledge.wording import name_key

THING = "thing"
"""The type of what facts are about and nobody has classified."""
_CLASSES = frozenset(("is_a", "isa", "type", "instance_of", "rdf_type"))


def thing(facts: Iterable[Fact]) -> GraphPart:
    """Return the graph part of a subject, from the facts of all agents about it.

    `is_a` gives the type, a literal is a property, and a possible name of another thing is also a relation to it.
    Several names, and literals that are equally certain, are a list, newest first; less certain literals are left out.
    """
    ranked = sorted(facts, key=lambda fact: (fact.confidence, fact.updated_at or fact.created_at, fact.id))
    if not ranked:
        return GraphPart()
    subject = ranked[-1].subject
    kind, told = THING, dict[str, dict[Any, float]]()
    edges: dict[str, Edge] = {}
    for fact in ranked:
        predicate = snake(fact.predicate) or "related_to"
        if predicate in _CLASSES:
            kind = _type(fact.object)
        is_name, values = names_thing(fact.object), told.setdefault(predicate, {})
        for surpassed in [one for one, sure in values.items() if sure < fact.confidence]:
            del values[surpassed]
        values[_property(fact)] = 1.0 if is_name else fact.confidence
        if is_name:
            one = _relation(fact, predicate)
            edges[one.uid] = one
    several = {predicate: [*values][::-1] for predicate, values in told.items()}
    own = {predicate: values if len(values) > 1 else values[0] for predicate, values in several.items()}
    return GraphPart([Node(thing_uid(subject), kind, subject, "", own)], list(edges.values()))


def _property(fact: Fact) -> Scalar:
    """Return the object as a property: a day stays the day it is."""
    quantity = parse_quantity(fact.object)
    return fact.object.strip() if quantity is not None and quantity.unit == "date" else fact.value


def named_thing(name: str) -> GraphPart:
    """Return the node of a name that is only an object of facts; nothing without a name."""
    return GraphPart([Node(thing_uid(name), THING, name)] if name else [])


def episode_part(agent_id: str, collection: str, key: str, record: Any) -> GraphPart | None:  # noqa: ARG001  # one section
    """Return the graph part of a record in `reasoning.json`: the method and its result."""
    with suppress(TypeError):
        episode = ReasoningEpisode(**record)
        told = drop_empty(id=episode.id, status=episode.status, confidence=episode.confidence, right=episode.right)
        result = Node(record_uid(agent_id, episode.id), "reasoning_result", episode.summary, "", told)
        method = Node(f"method:{episode.method}", "reasoning_method", episode.method)
        rests = [tie("derived_from", result.uid, record_uid(agent_id, one)) for one in episode.evidence]
        made = tie("method_produces_result", method.uid, result.uid)
        return GraphPart([result, method], [*build_owned_part(agent_id, result).edges, made, *rests])
    return None


def _relation(fact: Fact, predicate: str) -> Edge:
    start, end = thing_uid(fact.subject), thing_uid(fact.object)
    kind = _type(predicate)
    told = {"confidence": fact.confidence, "source": fact.source}
    return Edge(
        f"{kind}:{start}>{end}",
        kind,
        start,
        end,
        drop_empty(**told),
        weight=fact.confidence,
        valid_from=fact.valid_from,
        valid_to=fact.valid_until,
    )


def _type(name: str) -> str:
    """Return a name as a type where it can be one, else the type of things unclassified."""
    plain = name.rpartition(":")[2].replace(" ", "_").replace("-", "_")
    with suppress(InvalidArgument):
        return type_name(plain)
    return THING


def is_thing(uid: str) -> bool:
    """Return whether this is the uid of a subject or object of facts."""
    return uid.startswith(thing_uid(""))


def names_thing(text: str) -> bool:
    """Return whether an object may be a name, and is not an amount, date or sentence."""
    return (
        bool(name_key(text))
        and len(text) <= LONGEST_NAME
        and parse_quantity(text) is None
        and (text.strip().lower() not in TRUTH_VALUES)
    )
