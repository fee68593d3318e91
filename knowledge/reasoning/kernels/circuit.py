"""Conditions over Boolean atoms, shared if equal, and their satisfying assignments by answer sets."""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels import asp

MOST = 250_000
"""Nodes of a circuit."""
YES, NO = 0, 1
Node: TypeAlias = int
_Key: TypeAlias = tuple[str, tuple[int, ...]]

_RULES = """
{true(N)} :- atom(N).
true(N) :- all(N), true(M) : part(N,_,M).
true(N) :- any(N), part(N,_,M), true(M).
true(N) :- not_(N), part(N,_,M), not true(M).
true(N) :- count(N,L,U), L #count { I : part(N,I,M), true(M) } U.
:- root(N), not true(N).
:- group(G), not 1 { true(M) : member(G,M) } 1.
shown(N) :- watched(N), true(N).
"""


Key = TypeVar("Key", bound=Hashable)


@dataclass(slots=True)
class Circuit(Generic[Key]):
    """Numbered nodes, shared if equal. `YES` and `NO` are the first two."""

    _nodes: list[_Key] = field(default_factory=lambda: [("all", ()), ("any", ())])
    _numbers: dict[_Key, Node] = field(default_factory=lambda: {("all", ()): YES, ("any", ()): NO})
    _atoms: dict[Key, Node] = field(default_factory=dict)
    groups: list[tuple[Node, ...]] = field(default_factory=list)
    """Atoms of which exactly one is true."""

    @property
    def size(self) -> int:
        """Return the number of nodes."""
        return len(self._nodes)

    def atom(self, key: Key) -> Node:
        """Return the node of an atom, the same for the same key."""
        if key not in self._atoms:
            self._atoms[key] = len(self._nodes)
            self._nodes.append(("atom", ()))
            at_most(len(self._nodes), MOST, "ground conditions", argument="problem")
        return self._atoms[key]

    def all(self, nodes: Iterable[Node]) -> Node:
        """Return the conjunction."""
        return self._join_nodes("all", nodes, YES, NO)

    def any(self, nodes: Iterable[Node]) -> Node:
        """Return the disjunction."""
        return self._join_nodes("any", nodes, NO, YES)

    def negate_node(self, node: Node) -> Node:
        """Return the negation."""
        op, parts = self._nodes[node]
        if node in (YES, NO):
            return 1 - node
        return parts[0] if op == "not_" else self._node("not_", (node,))

    def between(self, nodes: Sequence[Node], least: int, most: int) -> Node:
        """Return that between `least` and `most` of the nodes hold, counting repetitions."""
        sure = sum(node == YES for node in nodes)
        open_ = [node for node in nodes if node not in (YES, NO)]
        least, most = max(0, least - sure), min(len(open_), most - sure)
        if least > most:
            return NO
        if least == 0 and most == len(open_):
            return YES
        return self._node("count", (least, most, *sorted(open_)))

    def _join_nodes(self, op: str, nodes: Iterable[Node], neutral: Node, decisive: Node) -> Node:
        parts = set(nodes) - {neutral}
        if decisive in parts:
            return decisive
        if not parts:
            return neutral
        return parts.pop() if len(parts) == 1 else self._node(op, tuple(sorted(parts)))

    def _node(self, op: str, parts: tuple[int, ...]) -> Node:
        number = self._numbers.get((op, parts))
        if number is None:
            number = self._numbers[op, parts] = len(self._nodes)
            self._nodes.append((op, parts))
            at_most(len(self._nodes), MOST, "ground conditions", argument="problem")
        return number

    def program(self, roots: Iterable[Node], watched: Collection[Node]) -> asp.AnswerSetProgram:
        """Return the answer sets in which all roots hold; models show the watched nodes that hold."""
        roots = list(roots)
        facts: list[asp.Atom] = [("root", (node,)) for node in roots]
        facts += [("watched", (node,)) for node in watched]
        for number, group in enumerate(self.groups):
            facts += [("group", (number,)), *(("member", (number, node)) for node in group)]
        waiting = [*roots, *watched, *(node for group in self.groups for node in group)]
        seen = set(waiting)
        for node in waiting:  # which grows as it is walked
            op, parts = self._nodes[node]
            bounds, inner = (parts[:2], parts[2:]) if op == "count" else ((), parts)
            facts.append((op, (node, *bounds)))
            facts += [("part", (node, place, part)) for place, part in enumerate(inner)]
            waiting += [part for part in dict.fromkeys(inner) if part not in seen]
            seen.update(inner)
        return asp.AnswerSetProgram(_RULES, list(dict.fromkeys(facts)), (("shown", 1),))

    def satisfied(self, roots: Iterable[Node], budget: Budget) -> frozenset[Key] | None:
        """Return the true atoms of a satisfying assignment of all roots, or None."""
        keys = {node: key for key, node in self._atoms.items()}
        model = asp.satisfiable(self.program(roots, keys), budget)
        return None if model is None else frozenset(keys[_number(one)] for one in model)

    def consequences(
        self, roots: Iterable[Node], watched: Collection[Node], which: asp.Consequences, budget: Budget
    ) -> frozenset[Node] | None:
        """Return the watched nodes that hold in some (brave) or all (cautious) satisfying assignments."""
        model = asp.consequences(self.program(roots, watched), which, budget)
        return None if model is None else frozenset(_number(one) for one in model)


def _number(atom: asp.Atom) -> Node:
    return int(str(atom[1][0]))
