"""Define the query of each named question to a graph; columns are as `goal.name`, a node of the path and a property.

The multi-hop questions of S0 section 12 and S3 section 15.5 are here, and others like them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mabos.backends.graph.model import DEEPEST, EVERYTHING, Direction, Edge, GraphView, Node, NodeCondition
from mabos.backends.graph.patterns import GraphPattern, Hop, PatternSpot, match
from mabos.backends.graph.search import shortest_path, traverse
from mabos.backends.graph.tier import Readable
from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.knowledge.ontology.graph_schema import GraphSchema
from mabos.workspace.clock import parse_time

Row = dict[str, Any]

_EVERY = 100_000
_OPEN = ("pending", "active", "blocked")


@dataclass(frozen=True, slots=True)
class Asked:
    """The asker of a question, its business and the time; `schema` gives the subclasses of each class."""

    graph: Readable
    now: datetime
    schema: GraphSchema
    view: GraphView = EVERYTHING

    def find(self, text: str, *types: str) -> tuple[NodeCondition, ...]:
        """Return the conditions for nodes that match `text`: by uid, else by id, else by part of the name."""
        if not text:
            return ()
        if self.graph.fetch([text], self.view):
            return (NodeCondition("uid", "=", text),)
        by_id = NodeCondition("id", "=", text)
        return (
            (by_id,)
            if self.graph.find(types, [by_id], self.view, limit=1)
            else (NodeCondition("name", "contains", text),)
        )

    def node(self, text: str, argument: str) -> Node:
        """Return the one node whose uid, id or name is `text`, of several the thing of facts; raises `UnknownId`."""
        found = self.graph.fetch([text], self.view)
        for name in ("id", "name"):
            found = found or self.graph.find((), [NodeCondition(name, "=", text)], self.view, limit=9)
        things = [node for node in found if node.type == "thing"]
        if len(one := things if len(found) > 1 else found) == 1:
            return one[0]
        if found:
            several = ", ".join(node.uid for node in found)
            raise InvalidArgument(
                f"several nodes are called {text!r}; name one by its uid, as {several}", argument="parameters"
            )
        raise UnknownId(
            f"no node {text!r} in the graph; give its uid, id or name in {argument!r}", argument="parameters"
        )

    def kinds(self, name: str) -> tuple[str, ...]:
        """Return a class and its subclasses, by their names as node types."""
        below = [labels[0] for labels in self.schema.labels.values() if name in labels]
        return tuple(dict.fromkeys([name, *sorted(below)]))

    def match(self, *spots: PatternSpot | Hop, returns: str, order: str = "", is_counted: bool = False) -> list[Row]:
        """Return the rows of a pattern, in the order of its hops; columns and order are words separated by spaces."""
        asked = GraphPattern(
            tuple(one for one in spots if isinstance(one, PatternSpot)),
            tuple(one for one in spots if isinstance(one, Hop)),
            tuple(returns.split()),
            is_counted=is_counted,
            order=tuple(order.split()),
            limit=_EVERY,
        )
        return match(self.graph, asked, self.view)


def belief_to_plan(asked: Asked, belief: str, min_certainty: float) -> list[Row]:
    """Trace beliefs over the goals that they support to the plans that those require."""
    sure = NodeCondition("certainty", ">=", min_certainty)
    return asked.match(
        PatternSpot("belief", ("belief",), (sure, *asked.find(belief, "belief"))),
        Hop(("belief_supports_goal",)),
        PatternSpot("goal", ("goal",)),
        Hop(("goal_requires_plan",)),
        PatternSpot("plan", ("plan",)),
        returns="belief.uid belief.name belief.certainty goal.uid goal.name goal.progress "
        "plan.uid plan.name plan.status",
    )


def goals_behind(asked: Asked, level: str, agent: str) -> list[Row]:
    """Goals of all agents that have come less far than their time has, the furthest behind first."""
    rows = asked.match(
        PatternSpot("agent", ("agent",), asked.find(agent, "agent")),
        Hop(("agent_owns",)),
        PatternSpot(
            "goal", ("goal",), (NodeCondition("hierarchy_level", "=", level), NodeCondition("status", "in", _OPEN))
        ),
        returns="agent.name goal.uid goal.name goal.target goal.status goal.progress goal.created_at goal.deadline",
    )
    told = [row | standing for row in rows if (standing := _standing(row, asked.now))["behind_by"] > 0]
    return sorted(told, key=lambda row: (-row["behind_by"], row["goal.uid"]))


def _standing(row: Row, now: datetime) -> Row:
    """Return how far a goal should be, in percent: as much as has passed of its time."""
    due, begun = row["goal.deadline"], row["goal.created_at"]
    expected = 0.0
    if due:
        end, start = parse_time(due), parse_time(begun or due)
        whole, passed = (end - start).total_seconds(), (now - start).total_seconds()
        expected = 100.0 if now >= end else 100 * max(passed, 0.0) / whole if whole > 0 else 0.0
    behind = expected - (row["goal.progress"] or 0.0)
    return {"expected": round(expected, 1), "behind_by": round(behind, 1), "is_overdue": expected >= 100}


def accounts_at_risk(asked: Asked, min_churn: float) -> list[Row]:
    """Return contacts of strategic accounts whose subscription may be cancelled."""
    return asked.match(
        PatternSpot("subscription", asked.kinds("Subscription"), (NodeCondition("churn_probability", ">", min_churn),)),
        Hop(("subscriber",)),
        PatternSpot("account", asked.kinds("Customer"), (NodeCondition("is_strategic_account", "=", value=True),)),
        Hop(("account",), "in"),
        PatternSpot("contact", asked.kinds("Contact")),
        returns="contact.email contact.name account.name subscription.name subscription.churn_probability",
        order="-subscription.churn_probability",
    )


def typed_relations(asked: Asked, relation: str, subject_class: str, object_class: str) -> list[Row]:
    """Return the relations between things, and whether both are of the classes that the ontologies require."""
    rows = list[Row]()
    for kind, one, other in sorted(set(_roles(asked, relation, subject_class, object_class))):
        found = asked.match(
            PatternSpot("subject"),
            Hop((kind,)),
            PatternSpot("object"),
            returns="subject.uid subject.name subject.type object.uid object.name object.type",
        )
        may, might = asked.kinds(one), asked.kinds(other)
        for row in found:
            wrong = [
                f"{row[f'{end}.name']} is {row[f'{end}.type']}, not {wanted}"
                for end, wanted, kinds in (("subject", one, may), ("object", other, might))
                if row[f"{end}.type"] not in kinds
            ]
            rows.append({"relation": kind, **row, "is_valid": not wrong, "why": "; ".join(wrong)})
    return rows


def _roles(asked: Asked, relation: str, subject_class: str, object_class: str) -> Iterator[tuple[str, str, str]]:
    """Yield relation, class of the subject and class of the object: as given, else as the ontologies have them."""
    if relation and subject_class and object_class:
        yield relation, subject_class, object_class
        return
    for one in asked.schema.relationships.values():
        kind = one.type.lower()
        if relation in ("", kind) and kind not in asked.schema.relations:
            yield kind, subject_class or one.subject, object_class or one.object


def conflict_impact(asked: Asked, belief: str) -> list[Row]:
    """Return goals that rest on contradictory beliefs, and all goals that those serve."""
    flagged = (NodeCondition("status", "=", "flagged"), *asked.find(belief, "belief"))
    rows = list[Row]()
    for one in asked.graph.find(["belief"], flagged, asked.view, limit=_EVERY):
        affected = traverse(
            asked.graph,
            [one.uid],
            direction="out",
            edge_types=("belief_supports_goal", "goal_serves_goal"),
            node_types=("goal",),
            depth=DEEPEST,
            view=asked.view,
        )
        about = {"belief.uid": one.uid, "belief.name": one.name, "belief.certainty": one.properties.get("certainty")}
        rows += [
            about
            | {f"goal.{name}": hit.node.properties.get(name) for name in ("hierarchy_level", "status", "progress")}
            | {"goal.uid": hit.node.uid, "goal.name": hit.node.name, "hops": hit.depth, "path": _way(hit.path)}
            for hit in affected.hits
        ]
    return rows


def decision_outcomes(asked: Asked, decision: str) -> list[Row]:
    """Return the goals that the owner's decisions affect, and their status."""
    return asked.match(
        PatternSpot("decision", ("decision",), asked.find(decision, "decision")),
        Hop(("decision_resolves_goal",)),
        PatternSpot("goal", ("goal",)),
        returns="decision.uid decision.name decision.status decision.resolution goal.uid goal.name goal.status "
        "goal.progress",
    )


def ownership(asked: Asked, agent: str, kind: str) -> list[Row]:
    """List owners and possessions."""
    return asked.match(
        PatternSpot("agent", ("agent",), asked.find(agent, "agent")),
        Hop(("agent_owns",)),
        PatternSpot("owned", (kind,) if kind else ()),
        returns="agent.name owned.type owned.uid owned.name",
    )


def holdings(asked: Asked, agent: str) -> list[Row]:
    """Return the amounts of each kind by agent."""
    return asked.match(
        PatternSpot("agent", ("agent",), asked.find(agent, "agent")),
        Hop(("agent_owns",)),
        PatternSpot("owned"),
        returns="agent.name owned.type",
        order="-count agent.name owned.type",
        is_counted=True,
    )


def goal_tree(asked: Asked, agent: str) -> list[Row]:
    """Return all goals with the desire behind each and the goal it serves, the higher levels first."""
    owned = asked.match(
        PatternSpot("agent", ("agent",), asked.find(agent, "agent")),
        Hop(("agent_owns",)),
        PatternSpot("goal", ("goal",)),
        returns="goal.hierarchy_level agent.name goal.uid goal.name goal.status goal.progress goal.target",
    )
    uids = [row["goal.uid"] for row in owned]
    above = _names(asked, uids, "out", "goal_serves_goal")
    wished = _names(asked, uids, "in", "desire_motivates_goal")
    rows = [
        row | {"desire": wished.get(uid, ""), "serves": above.get(uid, "")}
        for uid, row in zip(uids, owned, strict=True)
    ]
    levels = ("strategic", "tactical", "operational")
    return sorted(rows, key=lambda row: (levels.index(row["goal.hierarchy_level"]), row["goal.uid"]))


def _names(asked: Asked, uids: list[str], direction: Direction, kind: str) -> dict[str, str]:
    return {step.origin: step.node.name for step in asked.graph.expand(uids, direction, [kind], asked.view)}


def connection(asked: Asked, start: str, end: str, depth: int) -> list[Row]:
    """The shortest way between two nodes, whatever the direction of the edges."""
    ends = [asked.node(start, "start").uid, asked.node(end, "end").uid]
    found = shortest_path(asked.graph, ends[0], ends[1], depth=depth, view=asked.view)
    if found is None:
        return []
    hops = zip(found.nodes, found.edges, found.nodes[1:], strict=False)
    return [
        {"from": one.uid, "from.name": one.name, "relation": edge.type, "to": other.uid, "to.name": other.name,
         "is_forward": edge.start == one.uid}
        for one, edge, other in hops
    ]  # fmt: skip


def surroundings(asked: Asked, node: str, depth: int, relation: str, kind: str) -> list[Row]:
    """Return the neighbours of a node, nearest first, each with its path."""
    found = traverse(
        asked.graph,
        [asked.node(node, "node").uid],
        edge_types=(relation,) if relation else (),
        node_types=(kind,) if kind else (),
        direction="both",
        depth=depth,
        view=asked.view,
    )
    return [
        {"uid": hit.node.uid, "type": hit.node.type, "name": hit.node.name, "hops": hit.depth, "path": _way(hit.path)}
        for hit in found.hits
    ]


def _way(path: tuple[Edge, ...]) -> str:
    return " > ".join(edge.type for edge in path)
