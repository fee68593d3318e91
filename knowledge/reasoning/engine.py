"""The entry point to all methods: a method by name, the best by classification, or several fused.

A problem is a mapping with its `kind`, or prose. Prose is passed to `formalise`, a chat model behind a function;
without one, the answer names the required structure and never guesses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mabos.configs.errors import InvalidArgument, UnknownId, unknown
from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.fusion import Fusion, fuse_results
from mabos.knowledge.reasoning.methods import METHODS, ReasoningMethod, kinds, method, schema, solver, taking
from mabos.knowledge.reasoning.premises import KnownPremise, Resolve, resolve_payload
from mabos.knowledge.reasoning.problem import ReasoningProblem
from mabos.knowledge.reasoning.result import MethodResult
from mabos.knowledge.reasoning.router import (
    NEUTRAL,
    SECONDS,
    Classification,
    MethodCandidate,
    Routing,
    candidates,
    route,
)

Payload = Mapping[str, Any]
Formalise = Callable[[str, Sequence[type[ReasoningProblem]]], Payload | None]
"""From prose and the schemas it may be put into to a problem, or None where that cannot be done."""
PORTFOLIO = 3
"""The methods that are run where several are asked for and none is named."""
COMMON = ("decision", "choice", "hypotheses", "horn", "fault_tree", "ballots")
"""The kinds of problem that are shown to whoever named no method."""


@dataclass(frozen=True, slots=True)
class ReasoningRequest:
    """A problem (a mapping with its kind, one by method name, or prose), and how to solve it.

    `method` runs that one; `several` runs the `methods`, or the router's portfolio, and fuses their results; otherwise
    the router chooses. `seconds` is the time for each method; None derives it from the time pressure.
    """

    problem: str | Payload
    method: str = ""
    methods: tuple[str, ...] = ()
    several: bool = False
    classification: Classification = NEUTRAL
    seconds: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ProblemForm:
    """One kind of problem: its purpose, its methods, and a complete, valid example."""

    kind: str
    purpose: str
    methods: tuple[str, ...]
    example: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Needed:
    """The required form of a problem: the requested forms, and the other kinds with purpose and method."""

    forms: tuple[ProblemForm, ...]
    others: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reasoned:
    """The outcome of a request: the results, the ranking of the router, and the fusion of several results."""

    results: tuple[MethodResult[Any], ...]
    routing: Routing | None = None
    fusion: Fusion | None = None

    @property
    def result(self) -> MethodResult[Any]:
        """The only result, or the first of several."""
        return self.results[0]


_Posed = tuple[ReasoningProblem, tuple[str, ...], float]
"""A problem with its premises put in, their ids, and the seconds that reading it took."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The methods over one agent's knowledge.

    `resolve` returns the content of an id, `reliability` a method's success rate (0 to 1 or None), `formalise` turns
    prose into a problem if a model is available.
    """

    resolve: Resolve
    reliability: Callable[[ReasoningMethod], float | None] = lambda _method: None
    formalise: Formalise | None = None

    def reason(self, request: ReasoningRequest) -> Reasoned:
        """Return the answers of the methods. Raises `InvalidArgument` or `UnknownId` for an invalid problem."""
        formal = self.formal(request)
        if formal is None:
            return Reasoned((needs_structure(resolve_methods(request), self._lacking(request)),))
        methods, routing, posed = self._choose_methods(formal)
        if routing is None or posed is None:
            results = tuple(self._answer(one, self._pose(own(formal.problem, one), one), formal) for one in methods)
        else:
            results, routing = self._willing(routing, posed, formal)
        if not is_several(formal):
            return Reasoned(results, routing)
        return Reasoned(
            results,
            routing,
            fuse_results(results, {one.method: self.reliability(method(one.method)) for one in results}),
        )

    def _willing(
        self, routing: Routing, posed: _Posed, request: ReasoningRequest
    ) -> tuple[tuple[MethodResult[Any], ...], Routing]:
        """Return the answers of the routed methods, and the routing without those that refused.

        The next method replaces one that refuses. Raises the first refusal if all refuse.
        """
        answers: dict[str, MethodResult[Any]] = {}
        refusals: list[InvalidArgument] = []
        while routing.ranked:
            wanted = _select_ranked(routing, request)
            one = next((one for one in wanted if one.name not in answers), None)
            if one is None:
                return tuple(answers[each.name] for each in wanted), routing
            try:
                answers[one.name] = self._answer(one, posed, request)
            except InvalidArgument as refusal:
                refusals.append(refusal)
                routing = routing.without(one, refusal.message)
        raise refusals[0]

    def formal(self, request: ReasoningRequest) -> ReasoningRequest | None:
        """Return the request with its prose turned into a problem, or None if that fails."""
        if _is_empty(request.problem):
            return None
        if not isinstance(request.problem, str):
            return request
        if self.formalise is None:
            return None
        methods = resolve_methods(request)
        if len(methods) < 2:
            problem = self.formalise(request.problem, [schema(kind) for kind in kinds(methods or METHODS)])
            return None if problem is None else replace(request, problem=problem)
        forms = {one.name: self.formalise(request.problem, [schema(kind) for kind in one.kinds]) for one in methods}
        put = {name: form for name, form in forms.items() if form is not None}
        return replace(request, problem=put, method="", methods=tuple(put), several=True) if put else None

    def _lacking(self, request: ReasoningRequest) -> str:
        """Return why there is no problem to answer."""
        if _is_empty(request.problem):
            return "no problem was given"
        if self.formalise is None:
            return "prose needs a chat model to become a problem, and none is at hand"
        return (
            "the chat model did not make a problem of this prose: it did not answer, or not in a form that can be used"
        )

    def choose(self, request: ReasoningRequest) -> tuple[tuple[ReasoningMethod, ...], Routing | None]:
        """Return the methods to run, named or chosen by the router, and the router's ranking."""
        methods, routing, _ = self._choose_methods(request)
        return methods, routing

    def _choose_methods(
        self, request: ReasoningRequest
    ) -> tuple[tuple[ReasoningMethod, ...], Routing | None, _Posed | None]:
        """Return the methods to run, how they were ranked, and the problem where it had to be read for that."""
        chosen = resolve_methods(request)
        if chosen:
            return chosen, None, None
        routing, posed = self._routing(request, request.problem)
        return _select_ranked(routing, request), routing, posed

    def _answer(self, one: ReasoningMethod, posed: _Posed, request: ReasoningRequest) -> MethodResult[Any]:
        """Return a method's answer to a problem, within its time."""
        problem, cited, spent = posed
        seconds = request.seconds if request.seconds is not None else SECONDS[request.classification.time_pressure]
        budget = Budget(seconds, seed=request.seed, spent=spent)
        solve = solver(one)
        if lacking := solve.misfit(problem):
            raise InvalidArgument(f"{one.name} cannot be used here: {lacking}", argument="method")
        try:
            result = solve.solve(problem, budget)
        except OutOfTime as late:
            result = MethodResult("timeout", None, late.message, method=one.name, soundness=one.soundness)
        except OverflowError as error:
            msg = f"a figure of {one.name} became larger than a number can be; scale the problem's numbers down"
            raise InvalidArgument(msg, argument="problem") from error
        return replace(result.citing(cited), cost_ms=round(budget.spent_ms, 3))

    def _routing(self, request: ReasoningRequest, payload: str | Payload) -> tuple[Routing, _Posed]:
        """Return the methods that can answer this problem, best first, and the problem as they will see it.

        Raises `InvalidArgument` if none can.
        """
        if isinstance(payload, str) or "kind" not in payload:
            msg = f"a problem has a kind, one of {', '.join(kinds())}; or name the method"
            raise InvalidArgument(msg, argument="problem.kind")
        takers = taking(str(payload["kind"]))
        posed = self._pose(payload, takers[0])
        problem = posed[0]
        open_to, rejected = [], []
        for one in takers:
            solve = solver(one)
            lacking = solve.misfit(problem)
            if lacking:
                rejected.append((one.name, lacking))
            else:
                open_to.append(MethodCandidate(one, solve.estimate(problem)))
        if not open_to:
            reasons = "; ".join(f"{name}: {why}" for name, why in rejected)
            msg = f"no method can answer this {problem.kind} as it stands: {reasons}"
            raise InvalidArgument(msg, argument="problem")
        ranked = route(
            request.classification, open_to, rejected=rejected, reliability=self.reliability, one_problem=True
        )
        return ranked, posed

    def _pose(self, payload: Payload, one: ReasoningMethod) -> _Posed:
        """Return the problem as a method takes it; a method of one kind need not be given it."""
        clock, takes = Budget(), one.kinds
        kind = str(payload.get("kind", takes[0] if len(takes) == 1 else ""))
        if kind not in takes:
            if not kind:
                msg = f"{one.name} takes several kinds of problem: say with `kind` which it is, {' or '.join(takes)}"
                raise InvalidArgument(msg, argument="problem.kind")
            if kind not in kinds():
                raise unknown("kind of problem", kind, takes, argument="problem.kind")
            raise InvalidArgument(f"{one.name} takes {' or '.join(takes)}, not {kind}", argument="problem.kind")
        filled, cited = resolve_payload({**payload, "kind": kind}, self.resolve)
        problem = schema(kind).of(filled)
        return problem, cited, clock.spent_ms / 1000


def rank_methods(classification: Classification) -> Routing:
    """Return all methods ranked for a problem known only by its classification."""
    return route(classification, candidates())


def no_premises(name: str) -> KnownPremise:
    """Resolve nothing, for self-contained problems. Raises `UnknownId`."""
    raise UnknownId(f"{name!r} refers to an agent's knowledge, but no agent is given", argument="ref")


def resolve_methods(request: ReasoningRequest) -> tuple[ReasoningMethod, ...]:
    """Return the methods in a request. Raises `UnknownId`."""
    names = (request.method, *request.methods) if request.method else request.methods
    return tuple(method(name) for name in dict.fromkeys(names))


def is_several(request: ReasoningRequest) -> bool:
    """Return whether several results are to be fused."""
    return request.several or len(resolve_methods(request)) > 1


def _select_ranked(routing: Routing, request: ReasoningRequest) -> tuple[ReasoningMethod, ...]:
    """Return the methods to run of those that were ranked."""
    if not is_several(request):
        return (routing.ranked[0].method,)
    return routing.portfolio(PORTFOLIO, sound=request.classification.stakes == "high")


def own(payload: str | Payload, one: ReasoningMethod) -> Payload:
    """Return the problem for one method, if the payload has one per method name."""
    mine = payload if isinstance(payload, str) or "kind" in payload else payload.get(one.name, payload)
    if not isinstance(mine, Mapping):
        msg = f"the problem for {one.name} is an object with its kind and fields"
        raise InvalidArgument(msg, argument=f"problem.{one.name}")
    return mine


def needs_structure(methods: Sequence[ReasoningMethod], lacking: str) -> MethodResult[Needed]:
    """Return the required forms of a problem, for these methods or by default for the commonest questions."""
    wanted = kinds(methods) if methods else COMMON
    forms = tuple(_form(kind, methods or taking(kind)) for kind in wanted)
    others = {} if methods else {kind: _in_short(kind) for kind in kinds() if kind not in wanted}
    more = "; for others, name a method" if others else ""
    summary = f"{lacking}; send an object of kind {' or '.join(wanted)}, like the example of each{more}"
    name = methods[0].name if len(methods) == 1 else ""
    return MethodResult("needs_structure", Needed(forms, others), summary, method=name, soundness=1)


def _form(kind: str, methods: Sequence[ReasoningMethod]) -> ProblemForm:
    takers = tuple(one.name for one in methods if kind in one.kinds)
    return ProblemForm(kind, _purpose(kind), takers, schema(kind).example)


def _purpose(kind: str) -> str:
    """Return the purpose of a kind of problem, from its schema."""
    return " ".join((schema(kind).__doc__ or "").split())


def _in_short(kind: str) -> str:
    first = _purpose(kind).partition(". ")[0].removesuffix(".")
    return f"{first} ({', '.join(one.name for one in taking(kind))})"


def _is_empty(problem: str | Payload) -> bool:
    return not (problem.strip() if isinstance(problem, str) else problem)
