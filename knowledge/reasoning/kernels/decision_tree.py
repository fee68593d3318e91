"""Decision trees: split on the most informative attribute, recursively (Quinlan 1986, 1993).

Words split into their values, numbers at a threshold. Of the splits with at least average information gain, the one
with the highest gain ratio wins. So an attribute with a unique value per row does not win. A split is pruned unless it
is expected to err less than a leaf.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log2

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels.shares import entropy, wilson

DEEPEST = 30
"""Splits on one way from the root to a leaf."""
FEWEST = 2
"""Rows that at least two branches of a split have: what was seen once is no rule."""
UPPER_QUARTILE = 0.6745
"""The normal deviate above which a quarter lies: how doubtful an error rate is taken when splits are taken back."""

Value = str | float | bool
Row = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Split:
    """A test at a node: a word's value, or whether a number exceeds the threshold."""

    attribute: str
    threshold: float | None = None

    def branch(self, row: Row) -> Value:
        """Return the branch for a row."""
        value = row[self.attribute]
        return value if self.threshold is None else float(value) > self.threshold


@dataclass(frozen=True, slots=True)
class ClassTree:
    """Rows by class, and their further split, absent in a leaf. `cut` means that time ran out before splitting."""

    counts: Mapping[str, int]
    split: Split | None = None
    branches: Mapping[Value, "ClassTree"] = field(default_factory=dict)
    cut: bool = False

    @property
    def value(self) -> str:
        """The majority class; ties go to the first by name."""
        return min(self.counts, key=lambda one: (-self.counts[one], one))

    @property
    def is_cut(self) -> bool:
        """Return whether time ran out somewhere in it."""
        return self.cut or any(one.is_cut for one in self.branches.values())

    def leaves(
        self, path: tuple[tuple[Split, Value], ...] = ()
    ) -> "Iterator[tuple[tuple[tuple[Split, Value], ...], ClassTree]]":
        """Yield each leaf with its branches."""
        if self.split is None:
            yield path, self
        else:
            for value, branch in self.branches.items():
                yield from branch.leaves((*path, (self.split, value)))

    def shares(self, row: Row, strength: float, prior: Mapping[str, float]) -> dict[str, float]:
        """Return the probability of each class for a row; a missing value is averaged over the rows seen.

        Each node's shares are shrunk towards its parent's, as by `strength` more rows (Cestnik 1990).
        """
        total = sum(self.counts.values())
        mine = {
            name: (self.counts.get(name, 0) + strength * share) / (total + strength) for name, share in prior.items()
        }
        if self.split is None:
            return mine
        if self.split.attribute in row:
            branch = self.branches.get(self.split.branch(row))
            return mine if branch is None else branch.shares(row, strength, mine)
        mixed: dict[str, float] = dict.fromkeys(prior, 0.0)
        for branch in self.branches.values():
            weight = sum(branch.counts.values()) / total
            for name, share in branch.shares(row, strength, mine).items():
                mixed[name] += weight * share
        return mixed

    def plain(self) -> dict[str, object]:
        """Return it as nested mappings for people."""
        if self.split is None:
            return {"class": self.value, "rows": dict(self.counts)}
        told = {describe_branch(self.split, value): branch.plain() for value, branch in self.branches.items()}
        return {"on": self.split.attribute, "rows": dict(self.counts), "branches": told}


def describe_branch(split: Split, value: Value) -> str:
    """Return a branch as text."""
    if split.threshold is None:
        return f"{split.attribute} = {value}"
    return f"{split.attribute} {'>' if value else '<='} {split.threshold:g}"


def grow_tree(rows: Sequence[Row], classes: Sequence[str], attributes: Sequence[str], budget: Budget) -> ClassTree:
    """Return the tree of rows and their classes; on timeout, the part grown so far."""
    numeric = frozenset(name for name in attributes if all(isinstance(row[name], float) for row in rows))
    return _prune_tree(_Growing(rows, classes, numeric, budget).tree(list(range(len(rows))), tuple(attributes), 0))


@dataclass(frozen=True, slots=True)
class _Growing:
    """The rows a tree is grown from, their classes, and which attributes are numbers."""

    rows: Sequence[Row]
    classes: Sequence[str]
    numeric: frozenset[str]
    budget: Budget

    def tree(self, places: list[int], attributes: tuple[str, ...], depth: int) -> ClassTree:
        """Return the tree of the rows at these places."""
        counts = dict(sorted(Counter(self.classes[place] for place in places).items()))
        if len(counts) == 1 or depth == DEEPEST:
            return ClassTree(counts)
        try:
            split = self._best(places, attributes)
        except OutOfTime:
            return ClassTree(counts, cut=True)
        if split is None:
            return ClassTree(counts)
        groups: dict[Value, list[int]] = {}
        for place in places:
            groups.setdefault(split.branch(self.rows[place]), []).append(place)
        left = attributes if split.threshold is not None else tuple(one for one in attributes if one != split.attribute)
        ordered = sorted(groups, key=lambda one: (str(type(one)), one))
        return ClassTree(counts, split, {value: self.tree(groups[value], left, depth + 1) for value in ordered})

    def _best(self, places: list[int], attributes: tuple[str, ...]) -> Split | None:
        """Return the split of largest gain ratio among those of average gain at least; of equals the first one's."""
        before = entropy(Counter(self.classes[place] for place in places).values())
        tried: list[tuple[float, float, Split]] = []
        for name in attributes:
            self.budget.check()
            found = self._threshold(name, places) if name in self.numeric else self._values(name, places)
            if found is not None:
                split, sizes, after = found
                tried.append((round(before - after / len(places), 12), entropy(sizes), split))
        if not tried:
            return None
        average = sum(gain for gain, _, _ in tried) / len(tried) - 1e-12
        return max((one for one in tried if one[0] >= average), key=lambda one: round(one[0] / one[1], 12))[2]

    def _values(self, name: str, places: list[int]) -> tuple[Split, list[int], float] | None:
        """Return the split by the values of a word, the sizes of its branches and the entropy it leaves."""
        groups: dict[Value, Counter[str]] = {}
        for place in places:
            groups.setdefault(self.rows[place][name], Counter())[self.classes[place]] += 1
        sizes = [sum(one.values()) for one in groups.values()]
        if sum(size >= FEWEST for size in sizes) < 2:
            return None
        after = sum(size * entropy(one.values()) for size, one in zip(sizes, groups.values(), strict=True))
        return Split(name), sizes, after

    def _threshold(self, name: str, places: list[int]) -> tuple[Split, list[int], float] | None:
        """Return the cut of a number that leaves the least entropy, midway between two values, or None."""
        ordered = sorted((float(self.rows[place][name]), self.classes[place]) for place in places)
        below: Counter[str] = Counter()
        above = Counter(named for _, named in ordered)
        best: tuple[float, int] | None = None
        for left, ((value, named), (following, _)) in enumerate(pairwise(ordered), 1):
            below[named] += 1
            above[named] -= 1
            if value == following or not FEWEST <= left <= len(ordered) - FEWEST:
                continue
            after = left * entropy(below.values()) + (len(ordered) - left) * entropy(above.values())
            if best is None or after < best[0] - 1e-9:
                best = (after, left)
        if best is None:
            return None
        after, left = best
        low, high = ordered[left - 1][0], ordered[left][0]
        middle = low / 2 + high / 2
        return Split(name, middle if low <= middle < high else low), [left, len(ordered) - left], after


STRENGTHS = (1.0, 4.0, 16.0, 64.0, 1e9)
"""The weight, in rows, of the shares above; with the last value only the shares of all rows count."""
FOLDS = 5
FEW = 30
"""Rows below which held-out ones are too few to choose by."""
MOST_CHECKED = 1_000
"""Rows by which the strength is chosen."""


def earned_strength(rows: Sequence[Row], classes: Sequence[str], attributes: Sequence[str], budget: Budget) -> float:
    """Return the strength that best predicts each fifth of the rows from trees of the others.

    For few rows, or on timeout, it is the strength of one row.
    """
    step = -(-len(rows) // MOST_CHECKED)
    rows, classes = rows[::step], classes[::step]
    if len(rows) < FEW:
        return STRENGTHS[0]
    names = sorted(set(classes))
    prior = dict.fromkeys(names, 1 / len(names))
    losses = dict.fromkeys(STRENGTHS, 0.0)
    try:
        for fold in range(FOLDS):
            places = [place for place in range(len(rows)) if place % FOLDS != fold]
            tree = grow_tree([rows[one] for one in places], [classes[one] for one in places], attributes, budget)
            for place in budget.each(range(fold, len(rows), FOLDS)):
                for strength in STRENGTHS:
                    share = tree.shares(rows[place], strength, _root(tree, prior))[classes[place]]
                    losses[strength] -= log2(max(share, 1e-12))
    except OutOfTime:
        return STRENGTHS[0]
    return min(STRENGTHS, key=lambda one: (round(losses[one], 9), -one))


def _root(tree: ClassTree, prior: Mapping[str, float]) -> dict[str, float]:
    """Return the shares of all rows, drawn towards `prior` as by one row."""
    total = sum(tree.counts.values())
    return {name: (tree.counts.get(name, 0) + share) / (total + 1) for name, share in prior.items()}


def earned_shares(tree: ClassTree, row: Row, strength: float) -> dict[str, float]:
    """Return the probability of each class in a row's leaf, shrunk towards the shares of all rows."""
    names = list(tree.counts)
    return tree.shares(row, strength, _root(tree, dict.fromkeys(names, 1 / len(names))))


def _prune_tree(tree: ClassTree) -> ClassTree:
    """Return the tree without the splits that are not expected to err less than a leaf in their place."""
    if tree.split is None:
        return tree
    kept = ClassTree(
        tree.counts, tree.split, {value: _prune_tree(one) for value, one in tree.branches.items()}, tree.cut
    )
    leaf = ClassTree(tree.counts, cut=tree.is_cut)
    return (
        leaf if _pessimistic_errors(leaf) <= sum(_pessimistic_errors(one) for _, one in kept.leaves()) + 1e-9 else kept
    )


def _pessimistic_errors(leaf: ClassTree) -> float:
    """Return the pessimistic estimate of a leaf's errors, from its rows."""
    total = sum(leaf.counts.values())
    return total * wilson(total - leaf.counts[leaf.value], total, UPPER_QUARTILE)[1]
