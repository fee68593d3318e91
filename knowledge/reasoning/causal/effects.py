"""The effect of treatment on outcome in a causal model: observed and under intervention, and its derivation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import isnan
from typing import TYPE_CHECKING, Any, TypeAlias

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.causal.models import CausalModel
from mabos.knowledge.reasoning.kernels.graphs import CausalDiagram, NodeSet, adjustment_sets, front_doors
from mabos.knowledge.reasoning.kernels.identification import (
    Formula,
    Hedge,
    ShareFormula,
    back_door,
    front_door,
    identify_effect,
    worth,
)
from mabos.knowledge.reasoning.kernels.scm import Tables
from mabos.knowledge.reasoning.probabilistic.networks import Table
from mabos.knowledge.reasoning.result import AnswerClaim

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


LARGEST = 500
"""Variables of a graph of which counts are known."""
REDRAWN = 200
"""Number of bootstrap samples for the error of an estimate."""
LARGEST_REDRAWN = 2_000_000
"""Cells of all such draws together."""
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Estimand:
    """The formula that determines an effect from observations, and its criterion, or why there is none."""

    formula: Formula | None
    by: str
    hedge: Hedge | None = None


@dataclass
class Tabled:
    """A model with all tables known."""

    problem: CausalModel
    budget: Budget

    @cached_property
    def tables(self) -> Tables:
        """The tables as arrays."""
        import numpy as np

        variables = self.problem.variables
        sizes = {name: len(one.states) for name, one in variables.items()}
        return Tables(
            sizes,
            {
                name: (
                    one.parents,
                    np.reshape(np.array(one.table, dtype=float), [*(sizes[p] for p in one.parents), -1]),
                )
                for name, one in self.budget.each(variables.items())
            },
        )

    def seen(self, at: Mapping[str, str]) -> "Array | None":
        """Return the shares of the outcome's states, given these states of variables."""
        return _normalize_shares(self.tables.shares(self.problem.outcome, self.budget, given=self.at(at)))

    def taken(self) -> "Array":
        """Return the shares of the treatment's states in the selected cases."""
        found = _normalize_shares(self.tables.shares(self.problem.treatment, self.budget, given=self.at({})))
        return found if found is not None else self.tables.shares(self.problem.treatment, self.budget)

    def done(self, level: str, *, among: str | None = None, direct: str | None = None) -> "Array | None":
        """Return the shares of the outcome's states with the treatment set to `level`.

        `among` restricts to cases that actually had that state of the treatment; `direct` is the value that the arrow
        from treatment to outcome carries instead.
        """
        problem = self.problem
        carried: dict[tuple[str, str], int] = {}
        children = problem.graph().children()
        for name, state in {**problem.hold, problem.treatment: level}.items():
            for child in children[name]:
                carried[name, child] = self.place(name, state)
        if direct is not None and (problem.treatment, problem.outcome) in carried:
            carried[problem.treatment, problem.outcome] = self.place(problem.treatment, direct)
        given = self.at({} if among is None else {problem.treatment: among})
        return _normalize_shares(self.tables.shares(problem.outcome, self.budget, carried=carried, given=given))

    def share(self, at: Mapping[str, str]) -> float:
        """Return the share of the selected cases with these states."""
        whole, part = (self.tables.shares(self.problem.outcome, self.budget, given=self.at(one)) for one in ({}, at))
        return float(part.sum() / whole.sum()) if whole.sum() else 0.0

    def at(self, more: Mapping[str, str]) -> dict[str, int]:
        """Return the positions of the states of the selected cases."""
        return {name: self.place(name, state) for name, state in {**self.problem.within, **more}.items()}

    def place(self, name: str, state: str) -> int:
        """Return the position of a state."""
        return self.problem.variables[name].states.index(state)


@dataclass
class Counted:
    """A model with counts of observed cases: shares come from the cases, effects from formulas."""

    problem: CausalModel
    counts: Table
    budget: Budget

    @cached_property
    def graph(self) -> CausalDiagram:
        """Return the graph of the observed variables."""
        return self.problem.seen(self.budget)

    @cached_property
    def axis(self) -> dict[str, int]:
        """The axis of each variable; the first axis is that of draws."""
        return {name: number + 1 for number, name in enumerate(self.counts.over)}

    @cached_property
    def joint(self) -> "Array":
        """Return the observed shares, followed, for whole counts, by those of resampled counts."""
        import numpy as np

        counts = np.array(self.counts.values, dtype=float)
        rows = [counts / counts.sum()]
        total = round(counts.sum())
        if self.is_sample and len(counts) * REDRAWN <= LARGEST_REDRAWN:
            draws = np.random.Generator(np.random.Philox(self.budget.seed)).multinomial(total, rows[0], REDRAWN)
            rows += list(draws / total)
        sizes = [len(self.problem.variables[name].states) for name in self.axis]
        return np.reshape(np.array(rows), [len(rows), *sizes])

    @cached_property
    def is_sample(self) -> bool:
        """Return whether the counts are whole numbers of more than one case rather than shares."""
        values = self.counts.values
        return sum(values) > 1 + 1e-6 and all(float(one).is_integer() for one in values)

    @cached_property
    def estimand(self) -> Estimand:
        """Return the formula of the effect: by adjustment if possible, else by mediators, else by the general rules."""
        problem = self.problem
        cause, effect = problem.treatment, problem.outcome
        if not problem.hold and not problem.within:
            return estimand(self.graph, cause, effect, self.budget)
        causes = frozenset([cause, *problem.hold])
        return _build_estimand(
            identify_effect(self.graph, causes, frozenset([effect]), self.budget, frozenset(problem.within))
        )

    def seen(self, at: Mapping[str, str]) -> "Array | None":
        """Return the shares of the outcome's states, given these states of variables; None without observations."""
        states = {**self.problem.within, **at}
        return _reject_undefined(self.values(ShareFormula((self.problem.outcome,), tuple(states)), states)[0])

    def share(self, at: Mapping[str, str]) -> float:
        """Return the share of the selected cases with these states."""
        found = worth(ShareFormula(tuple(at), tuple(self.problem.within)), self.joint[:1], self.axis, self.budget)
        return float(found[self._where({**self.problem.within, **at}, found, "")].ravel()[0])

    def taken(self) -> "Array":
        """Return the shares of the treatment's states in the selected cases."""
        formula = ShareFormula((self.problem.treatment,), tuple(self.problem.within))
        shares: Array = self.values(formula, self.problem.within, self.problem.treatment)[0]
        return shares

    def done(self, level: str, *, among: str | None = None, direct: str | None = None) -> "Array | None":
        """Return the shares of the outcome's states with the treatment set to `level`; None if undetermined."""
        if direct is not None and direct != level:
            return None
        if among is not None:
            return self._done_among(level, among)
        drawn = self.resampled_shares(level)
        return None if drawn is None else _reject_undefined(drawn[0])

    def resampled_shares(self, level: str) -> "Array | None":
        """Return the same for every draw, one row each."""
        if self.estimand.formula is None:
            return None
        problem = self.problem
        return self.values(self.estimand.formula, {**problem.within, **problem.hold, problem.treatment: level})

    def _done_among(self, level: str, among: str) -> "Array | None":
        """Return the outcome at `level` among those who had the treatment `among`."""
        problem, shares = self.problem, self.taken()
        states = problem.variables[problem.treatment].states
        if level == among:
            return self.seen({problem.treatment: among})
        overall, same = self.done(level), self.seen({problem.treatment: level})
        mine, theirs = (float(shares[states.index(one)]) for one in (among, level))
        if overall is None or same is None or problem.hold or len(states) > 2 or not mine:
            return None
        rest: Array = (overall - theirs * same) / mine
        return rest

    def as_tables(self) -> "Tabled | None":
        """Return a model with the observed shares as tables; None if causes or cases are missing."""
        if self.graph.confounded:
            return None
        variables = {}
        for name, parents in self.graph.parents.items():
            states = [self.problem.variables[one].states for one in parents]
            rows = [self._row(name, dict(zip(parents, cell, strict=True))) for cell in product(*states)]
            if None in rows:
                return None
            variables[name] = {"states": self.problem.variables[name].states, "parents": parents, "table": rows}
        kept = {"variables": variables, "counts": None, "confounded": ()}
        told = {**self.problem.model_dump(exclude_none=True), **kept}
        return Tabled(CausalModel.model_validate(told), self.budget)

    def _row(self, name: str, at: Mapping[str, str]) -> list[float] | None:
        shares = _reject_undefined(self.values(ShareFormula((name,), tuple(at)), at, name)[0])
        return None if shares is None else shares.tolist()

    def values(self, formula: Formula, at: Mapping[str, str], target: str = "") -> "Array":
        """Return the value of a formula at these states, a row for every draw, a column for each state of a variable
        (default: the outcome).
        """
        found = worth(formula, self.joint, self.axis, self.budget)
        rows: Array = found[self._where(at, found, target or self.problem.outcome)]
        return rows

    def _where(self, at: Mapping[str, str], found: "Array", target: str) -> tuple[Any, ...]:
        where: list[Any] = [slice(None)] * found.ndim
        for name, place in self.axis.items():
            if name != target:
                state = self.problem.variables[name].states.index(at[name]) if name in at else 0
                where[place] = state if found.shape[place] > 1 else 0
        return tuple(where)


def source(problem: CausalModel, budget: Budget) -> Tabled | Counted:
    """Return the model's data for queries."""
    if problem.counts is None:
        return Tabled(problem, budget)
    at_most(len(problem.variables), LARGEST, "variables", argument="variables")
    return Counted(problem, problem.counts, budget)


def estimand(graph: CausalDiagram, cause: str, effect: str, budget: Budget) -> Estimand:
    """Return how an effect is determined from observations of all nodes of a graph."""
    sets, _ = adjustment_sets(graph, cause, effect, budget)
    through = [] if sets else front_doors(graph, cause, effect, budget)[0]
    return best_of(graph, (cause, effect), sets, through, budget)


def best_of(
    graph: CausalDiagram, of: tuple[str, str], sets: Sequence[NodeSet], through: Sequence[NodeSet], budget: Budget
) -> Estimand:
    """Return the formula for a cause and its effect by the first of the sets to adjust for, else of the mediators, else
    by the general rules."""
    cause, effect = of
    if sets:
        return Estimand(back_door([cause], [effect], sorted(sets[0])), "back-door")
    if through:
        return Estimand(front_door(cause, effect, sorted(through[0])), "front-door")
    return _build_estimand(identify_effect(graph, frozenset([cause]), frozenset([effect]), budget))


def _build_estimand(found: Formula | Hedge) -> Estimand:
    return Estimand(None, "hedge", found) if isinstance(found, Hedge) else Estimand(found, "identification")


def _normalize_shares(shares: "Array") -> "Array | None":
    total = shares.sum()
    return shares / total if total > 0 else None


def _reject_undefined(shares: "Array") -> "Array | None":
    return None if any(isnan(one) for one in shares.tolist()) else shares


def interval(model: Tabled | Counted, event: int) -> Interval | None:
    """Return the middle 95 % of the effect over resampled counts; None without a sample."""
    import numpy as np

    if not isinstance(model, Counted) or len(model.joint) == 1:
        return None
    with_, without = (model.resampled_shares(level) for level in model.problem.levels)
    if with_ is None or without is None:
        return None
    gaps = (with_ - without)[1:, event]
    gaps = gaps[~np.isnan(gaps)]
    if len(gaps) < REDRAWN // 2:
        return None
    low, high = np.quantile(gaps, [0.025, 0.975]).tolist()
    return low, high


SAME = 1e-9
"""An effect smaller than this is none."""


def model_estimate(problem: CausalModel) -> float:
    """Return about how many milliseconds a few questions to a model take."""
    cells = len(problem.counts.values) if problem.counts else 0
    return 1.0 + 0.2 * len(problem.variables) + 0.05 * cells


def is_trial_alone(problem: CausalModel) -> bool:
    """Return whether only the outcome of a trial is known."""
    return problem.counts is None and not problem.variables[problem.outcome].table


def difference(pair: tuple[float | None, float | None]) -> float | None:
    """Return by how much the first of two probabilities exceeds the second."""
    return None if pair[0] is None or pair[1] is None else pair[0] - pair[1]


def is_sample(model: Tabled | Counted) -> bool:
    """Return whether the shares come from a sample of cases."""
    return isinstance(model, Counted) and model.is_sample


def assumptions(problem: CausalModel, model: Tabled | Counted) -> tuple[str, ...]:
    """Return the assumptions of an effect."""
    said = ["the arrows are right, and what they leave out does not matter"]
    if is_sample(model):
        said.append("the cases are a fair sample")
    if problem.unseen:
        said.append(f"nothing is known of {', '.join(problem.unseen)}")
    return tuple(said)


def effect_claims(problem: CausalModel, effect: float | None) -> tuple[AnswerClaim, ...]:
    """Return the claims about the effect that all methods of this category share."""
    if effect is None:
        return ()
    subject = f"{problem.treatment} -> {problem.outcome}"
    word = "none" if abs(effect) <= SAME else "raises" if effect > 0 else "lowers"
    return AnswerClaim(subject, "effect", word), AnswerClaim(subject, "average effect", round(effect, 6) + 0.0)
