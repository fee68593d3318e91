"""The token game of one process or sub-process: all ways that tokens can take, whatever is decided.

A state is the number of tokens on each flow; a task takes no time, and every outcome of a decision is explored.
Sub-processes are single steps here and have their own games.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from mabos.society.bpmn.engine.tables import SOME, ModelTables, is_awaited
from mabos.society.bpmn.model import ACTIVITIES, FlowNode

STATES = 4000
"""At most this many states are looked at; more are told to be more."""
_WORK = 300_000
"""At most so many tokens are moved in all of them."""
_SUBSETS = 6
_DECIDING = frozenset({"exclusiveGateway", "eventBasedGateway"})
Marking = frozenset[tuple[str, int]]
"""The number of tokens on each flow; a flow without tokens is left out."""


@dataclass(frozen=True, slots=True)
class GameMove:
    """A move: the node, the decision taken there, and the resulting state."""

    node: str
    decided: str
    after: Marking


@dataclass(slots=True)
class Game:
    """The states reachable from the start, the moves between them, and whether some were left out."""

    scope: str
    beginnings: tuple[Marking, ...]
    moves: dict[Marking, tuple[GameMove, ...]] = field(default_factory=dict)
    first: dict[Marking, tuple[Marking, GameMove] | None] = field(default_factory=dict)
    is_cut: bool = False


def explore_states(table: ModelTables, scope: str) -> Game:
    """Return the game of a process or sub-process."""
    rules = _Rules(table, scope)
    game = Game(scope, tuple(dict.fromkeys(rules.beginnings())))
    left, work = deque(game.beginnings), 0
    game.first = dict.fromkeys(game.beginnings)
    while left:
        marking = left.popleft()
        if len(game.moves) >= STATES or work > _WORK:
            game.is_cut = True
            break
        found = dict[GameMove, None]()
        for step in rules.steps(marking):
            found[step] = None
            work += len(step.after) + 1
            if work > _WORK:
                game.is_cut = True
                break
        steps = tuple(found)
        game.moves[marking] = steps
        for step in steps:
            if step.after not in game.first:
                game.first[step.after] = (marking, step)
                if not any(count > 2 for _, count in step.after):  # more of the same shows nothing new
                    left.append(step.after)
    return game


class _Rules:
    """The rules by which tokens move in one scope. A start node has a flow of its own, named after it."""

    def __init__(self, table: ModelTables, scope: str) -> None:
        self.model = model = table.model
        self.table = table
        self.nodes = {node.id: node for node in model.members.get(scope, ()) if not node.by_event}
        starts = [node for node in self.nodes.values() if node.type == "startEvent"]
        self.starts = starts or [one for one in self.table.starts.get(scope, ()) if one.id in self.nodes]
        self.is_either = bool(starts) and scope in model.processes
        self.into = {node.id: node.incoming for node in self.nodes.values()}
        for node in self.starts:
            self.into[node.id] = (*node.incoming, node.id)
        self.source = {flow: node_id for node_id, flows in self.into.items() for flow in flows}

    def beginnings(self) -> Iterator[Marking]:
        """Yield the first states: each start event of a process by itself, all beginnings of anything else at once."""
        if self.is_either:
            yield from (frozenset({(node.id, 1)}) for node in self.starts)
        elif self.starts:
            yield frozenset((node.id, 1) for node in self.starts)

    def steps(self, marking: Marking) -> Iterator[GameMove]:
        """Yield every move that is possible in a state."""
        held = dict(marking)
        reached = {self.source[flow] for flow in held if flow in self.source}
        for node_id in sorted(reached):
            node = self.nodes[node_id]
            for left in self._consume_tokens(node, held):
                for made, decided in self._produce_tokens(node):
                    after = {} if made is None else dict(left)
                    for flow in made or ():
                        after[flow] = after.get(flow, 0) + 1
                    yield GameMove(node_id, decided, frozenset(after.items()))

    def _consume_tokens(self, node: FlowNode, held: Mapping[str, int]) -> Iterator[dict[str, int]]:
        """Yield the rest of a state after a node takes the tokens it needs."""
        flows = self.into[node.id]
        if node.type == "parallelGateway":
            if all(flow in held for flow in flows):
                yield _without(held, flows)
        elif node.type in SOME and len(flows) > 1:
            came = [flow for flow in flows if flow in held]
            others = {self.source[flow] for flow in held if flow in self.source and flow not in came}
            if not is_awaited(self.table.upstream[node.id], came, others):
                yield _without(held, came)
        else:
            yield from (_without(held, [flow]) for flow in flows if flow in held)

    def _produce_tokens(self, node: FlowNode) -> Iterator[tuple[tuple[str, ...] | None, str]]:
        """Yield the flows that get a token, with the decision; None means that everything ends."""
        flows = self.table.outgoing[node.id]
        ids = tuple(flow.id for flow in flows)
        kinds = {one.kind for one in node.triggers}
        if node.type == "endEvent" and kinds & {"terminate", "error", "cancel"}:
            yield None, node.label
            return
        if node.begins_link:
            yield from self._follow_link(node)
            return
        if node.type in _DECIDING and len(ids) > 1:
            yield from (((flow.id,), flow.name or self.model.nodes[flow.target].label) for flow in flows)
        elif (node.type in SOME or any(flow.conditional for flow in flows)) and len(ids) > 1:
            yield from self._some(node, ids)
        else:
            yield ids, ""
        for event in self.model.boundaries.get(node.id, ()) if node.type in ACTIVITIES else ():
            beside = tuple(flow.id for flow in self.table.outgoing[event.id])
            if beside:
                yield (beside if event.interrupting else (*ids, *beside)), event.label

    def _some(self, node: FlowNode, ids: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the ways in which some of several flows are taken: every way, or of very many flows each and all."""
        always = tuple(one for one in ids if not self.model.flows[one].conditional and node.type not in SOME)
        asked = tuple(one for one in ids if one not in always)
        sizes = range(len(asked) + 1) if len(asked) <= _SUBSETS else (1, len(asked))
        for size in sizes:
            for chosen in combinations(asked, size):
                if chosen or always:
                    taken = (*always, *chosen)
                    yield taken, " and ".join(self.model.flows[one].name or one for one in taken)

    def _follow_link(self, node: FlowNode) -> Iterator[tuple[tuple[str, ...], str]]:
        name = next(one.name for one in node.triggers if one.kind == "link")
        target = self.table.links.get((node.scope, name))
        if target is not None:
            yield tuple(flow.id for flow in self.table.outgoing[target.id]), name


def _without(held: Mapping[str, int], flows: Iterator[str] | list[str] | tuple[str, ...]) -> dict[str, int]:
    left = dict(held)
    for flow in flows:
        left[flow] -= 1
        if not left[flow]:
            del left[flow]
    return left
