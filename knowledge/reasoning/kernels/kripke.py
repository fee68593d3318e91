"""Modal logics: satisfiability of a formula at some world of a frame of the logic, with a model.

Decided by elimination (Pratt 1979; Blackburn, de Rijke, Venema, Modal Logic, 6.8). Take every truth assignment of
letters and boxes that the frame allows. Remove each with a false box but no witness for it; the rest is a model. With
too many boxes and letters for that, models of a few worlds are searched.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, NamedTuple

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.kernels.circuit import Circuit, Node
from mabos.knowledge.reasoning.kernels.formula import Atom, Formula, JoinedFormula

Logic = Literal["K", "D", "T", "B", "K4", "KB4", "K45", "KD45", "S4", "S5"]
Property = Literal["serial", "reflexive", "symmetric", "transitive", "euclidean"]
FRAMES: Mapping[Logic, frozenset[Property]] = {
    "K": frozenset(),
    "D": frozenset({"serial"}),
    "T": frozenset({"reflexive"}),
    "B": frozenset({"reflexive", "symmetric"}),
    "K4": frozenset({"transitive"}),
    "KB4": frozenset({"symmetric", "transitive"}),
    "K45": frozenset({"transitive", "euclidean"}),
    "KD45": frozenset({"serial", "transitive", "euclidean"}),
    "S4": frozenset({"reflexive", "transitive"}),
    "S5": frozenset({"reflexive", "symmetric", "transitive"}),
}
MOST_BITS = 12
"""Letters and boxes that elimination takes: it looks at two to the power of them."""


@dataclass(frozen=True, slots=True)
class Model:
    """Worlds with their true letters, and the accessibility relation; the first satisfies the formulas."""

    worlds: tuple[tuple[str, tuple[str, ...]], ...]
    sees: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Satisfaction:
    """A model, or its absence, or, if undecided, the number of worlds up to which there is none."""

    model: Model | None
    decided: bool = True
    worlds: int = 0


def satisfy(formulas: Sequence[Formula], logic: Logic, budget: Budget, *, worlds: int = 4) -> Satisfaction:
    """Return whether the formulas can all be true at one world. Raises `OutOfTime`."""
    closure = _Closure()
    roots = [closure.read(reduce_to_box(one)) for one in formulas]
    if len(closure.bits) <= MOST_BITS:
        return Satisfaction(_eliminate_worlds(roots, closure, FRAMES[logic], budget))
    for count in range(1, worlds + 1):
        model = _search_model([reduce_to_box(one) for one in formulas], FRAMES[logic], count, budget)
        if model is not None:
            return Satisfaction(model)
    return Satisfaction(None, decided=False, worlds=worlds)


def size(formulas: Sequence[Formula]) -> int:
    """Return the number of letters and boxes in formulas."""
    closure = _Closure()
    for one in formulas:
        closure.read(reduce_to_box(one))
    return len(closure.bits)


def reduce_to_box(formula: Formula) -> Formula:
    """Return a formula of letters, not, and, or and box alone."""
    match formula:
        case Atom(terms=()):
            return formula
        case JoinedFormula(op="not" | "and" | "or" | "box", parts=parts):
            return JoinedFormula(formula.op, tuple(map(reduce_to_box, parts)))
        case JoinedFormula(op="diamond", parts=(part,)):
            return JoinedFormula("not", (JoinedFormula("box", (JoinedFormula("not", (reduce_to_box(part),)),)),))
        case JoinedFormula(op="implies", parts=(left, right)):
            return JoinedFormula("or", (JoinedFormula("not", (reduce_to_box(left),)), reduce_to_box(right)))
        case JoinedFormula(op="iff" | "xor", parts=(left, right)):
            one, other = reduce_to_box(left), reduce_to_box(right)
            alike = (
                JoinedFormula("and", (one, other)),
                JoinedFormula("and", (JoinedFormula("not", (one,)), JoinedFormula("not", (other,)))),
            )
            return (
                JoinedFormula("or", alike)
                if formula.op == "iff"
                else JoinedFormula("not", (JoinedFormula("or", alike),))
            )
    msg = f"{formula} is not of propositional modal logic: letters have no terms and nothing is quantified"
    raise InvalidArgument(msg, argument="problem")


@dataclass(slots=True)
class _Closure:
    """The letters and boxes of some formulas, each a bit of a type."""

    bits: dict[Formula, int] = field(default_factory=dict)

    def read(self, formula: Formula) -> Formula:
        """Note the letters and boxes of a formula, and return it."""
        if isinstance(formula, JoinedFormula):
            for part in formula.parts:
                self.read(part)
        if isinstance(formula, Atom) or (isinstance(formula, JoinedFormula) and formula.op == "box"):
            self.bits.setdefault(formula, len(self.bits))
        return formula

    def true(self, formula: Formula, kind: int) -> bool:
        """Return whether a formula is true in a type."""
        match formula:
            case JoinedFormula(op="not", parts=(part,)):
                return not self.true(part, kind)
            case JoinedFormula(op="and", parts=parts):
                return all(self.true(part, kind) for part in parts)
            case JoinedFormula(op="or", parts=parts):
                return any(self.true(part, kind) for part in parts)
        return bool(kind >> self.bits[formula] & 1)


class _Profile(NamedTuple):
    """All that others can tell of a type: which boxes are true in it, and of which boxes what is inside is."""

    boxes: int
    inside: int


def _eliminate_worlds(
    roots: Sequence[Formula], closure: _Closure, frame: frozenset[Property], budget: Budget
) -> Model | None:
    """Return a model by elimination, or None, which proves that none exists."""
    boxes = [one for one in closure.bits if isinstance(one, JoinedFormula)]
    kinds: dict[_Profile, int] = {}
    at_root: dict[_Profile, int] = {}
    for kind in range(1 << len(closure.bits)):
        budget.check()
        profile = _Profile(
            sum(1 << n for n, box in enumerate(boxes) if closure.true(box, kind)),
            sum(1 << n for n, box in enumerate(boxes) if closure.true(box.parts[0], kind)),
        )
        if "reflexive" in frame and profile.boxes & ~profile.inside:
            continue
        kinds.setdefault(profile, kind)
        if profile not in at_root and all(closure.true(one, kind) for one in roots):
            at_root[profile] = kind
    left = _stable(list(kinds), len(boxes), frame, budget)
    start = next((profile for profile in left if profile in at_root), None)
    return None if start is None else _unfold_model(start, left, {**kinds, start: at_root[start]}, closure, frame)


def _stable(profiles: list[_Profile], boxes: int, frame: frozenset[Property], budget: Budget) -> list[_Profile]:
    """Return the profiles that remain when those that lack a world they need are thrown out, again and again."""
    every = (1 << boxes) - 1
    left = profiles
    while True:
        shown = _Shown(left, boxes, frame, budget)
        kept = [one for one in left if not (every & ~one.boxes | ("serial" in frame) << boxes) & ~shown.by(one)]
        if len(kept) == len(left):
            return left
        left = kept


class _Shown:
    """Which boxes the worlds that a profile may see show to be false, as bits; one more bit if it sees any."""

    def __init__(self, among: Sequence[_Profile], boxes: int, frame: frozenset[Property], budget: Budget) -> None:
        self._frame, self._any, self._budget = frame, 1 << boxes, budget
        self._alike = "euclidean" in frame or {"symmetric", "transitive"} <= frame
        self._among: dict[int, list[_Profile]] = {}
        for one in among:
            self._among.setdefault(one.boxes if self._alike else 0, []).append(one)
        self._found: dict[_Profile, int] = {}

    def by(self, one: _Profile) -> int:
        """Return the bits shown to a profile; in frames without symmetry they depend on its boxes alone."""
        key = one if "symmetric" in self._frame else _Profile(one.boxes, 0)
        if key not in self._found:
            self._budget.check()
            shown = 0
            for other in self._among.get(one.boxes if self._alike else 0, ()):
                if _may_see(one, other, self._frame):
                    shown |= self._any | (self._any - 1) & ~other.inside
            self._found[key] = shown
        return self._found[key]


def _needs(one: _Profile, boxes: int, frame: frozenset[Property]) -> list[int | None]:
    """Return the boxes that are false, each of which needs a world, and None where some world is needed anyway."""
    false: list[int | None] = [number for number in range(boxes) if not one.boxes >> number & 1]
    return false or ([None] if "serial" in frame else [])


def _shows(one: _Profile, number: int | None, among: Iterable[_Profile], frame: frozenset[Property]) -> _Profile | None:
    """Return a profile that this one may see and in which the content of the box is false."""
    return next(
        (
            other
            for other in among
            if (number is None or not other.inside >> number & 1) and _may_see(one, other, frame)
        ),
        None,
    )


def _may_see(one: _Profile, other: _Profile, frame: frozenset[Property]) -> bool:
    """Return whether the frame lets one see the other: the content of its boxes holds there, and its consequences."""
    if one.boxes & ~other.inside:
        return False
    if "transitive" in frame and one.boxes & ~other.boxes:
        return False
    if "euclidean" in frame and one.boxes != other.boxes:
        return False
    if "symmetric" in frame:
        return not other.boxes & ~one.inside and not ("transitive" in frame and other.boxes & ~one.boxes)
    return True


def _unfold_model(
    start: _Profile,
    left: Sequence[_Profile],
    kinds: Mapping[_Profile, int],
    closure: _Closure,
    frame: frozenset[Property],
) -> Model:
    """Return the model of the start and of the worlds that are needed from there."""
    boxes = sum(isinstance(one, JoinedFormula) for one in closure.bits)
    chosen = [start]
    for one in chosen:  # which grows as it is walked
        for number in _needs(one, boxes, frame):
            if _shows(one, number, chosen, frame) is None:
                shown = _shows(one, number, left, frame)
                chosen += [shown] if shown is not None else []
    letters = sorted(one.predicate for one in closure.bits if isinstance(one, Atom))
    worlds = [
        (f"w{number}", tuple(one for one in letters if closure.true(Atom(one), kinds[profile])))
        for number, profile in enumerate(chosen)
    ]
    sees = [
        (f"w{a}", f"w{b}")
        for (a, one), (b, other) in product(enumerate(chosen), repeat=2)
        if _may_see(one, other, frame)
    ]
    return Model(tuple(worlds), tuple(sees))


def _search_model(formulas: Sequence[Formula], frame: frozenset[Property], count: int, budget: Budget) -> Model | None:
    """Return a model with this number of worlds, or None."""
    circuit = Circuit[tuple[str, ...]]()
    names = [f"w{number}" for number in range(count)]
    memo: dict[tuple[Formula, str], Node] = {}

    def sees(one: str, other: str) -> Node:
        return circuit.atom(("sees", one, other))

    def at(world: str, formula: Formula) -> Node:
        budget.check()
        if (formula, world) not in memo:
            memo[formula, world] = build_node(world, formula)
        return memo[formula, world]

    def build_node(world: str, formula: Formula) -> Node:
        match formula:
            case JoinedFormula(op="not", parts=(part,)):
                return circuit.negate_node(at(world, part))
            case JoinedFormula(op="box", parts=(part,)):
                return circuit.all(circuit.any([circuit.negate_node(sees(world, o)), at(o, part)]) for o in names)
            case JoinedFormula(op="and" | "or" as op, parts=parts):
                nodes = [at(world, part) for part in parts]
                return circuit.all(nodes) if op == "and" else circuit.any(nodes)
        return circuit.atom(("true", world, str(formula)))

    rules = [
        circuit.any([*(circuit.negate_node(sees(*one)) for one in body), sees(*head)])
        for body, head in _list_frame_rules(names, frame)
    ]
    rules += [circuit.any(sees(one, other) for other in names) for one in names if "serial" in frame]
    found = circuit.satisfied([*rules, *(at("w0", one) for one in formulas)], budget)
    if found is None:
        return None
    worlds = tuple((name, tuple(sorted(key[2] for key in found if key[:2] == ("true", name)))) for name in names)
    return Model(worlds, tuple(sorted((key[1], key[2]) for key in found if key[0] == "sees")))


_Pair = tuple[str, str]


def _list_frame_rules(names: Sequence[str], frame: frozenset[Property]) -> list[tuple[tuple[_Pair, ...], _Pair]]:
    """Return the pairs that the frame requires if it has others."""
    rules: list[tuple[tuple[_Pair, ...], _Pair]] = []
    if "reflexive" in frame:
        rules += [((), (one, one)) for one in names]
    if "symmetric" in frame:
        rules += [(((one, other),), (other, one)) for one, other in product(names, repeat=2)]
    for one, other, third in product(names, repeat=3):
        if "transitive" in frame:
            rules.append((((one, other), (other, third)), (one, third)))
        if "euclidean" in frame:
            rules.append((((one, other), (one, third)), (other, third)))
    return rules
