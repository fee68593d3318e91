"""Norms: what ought to be done, may be and must not be, what has been violated, and which norms conflict.

A norm is in force where its conditions hold, so a duty that follows from a violation (Chisholm 1963, Forrester 1984)
stands beside the one that was violated. Norms that cannot all be met give way by priority (Brewka's preferred
subtheories, 1989); those of equal priority are left in conflict. Formulas are judged in standard deontic logic, KD.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.formal import horn, modal
from mabos.knowledge.reasoning.formal.clauses import literal
from mabos.knowledge.reasoning.formal.duties import MOST_SETS, InForce, Standing, entailed_by, in_force, stand
from mabos.knowledge.reasoning.formal.formulas import told
from mabos.knowledge.reasoning.formal.modalities import DUTY
from mabos.knowledge.reasoning.formal.norms import Asked, Modality, Norms
from mabos.knowledge.reasoning.kernels.clauses import Closure, contradictions, derive, proof
from mabos.knowledge.reasoning.kernels.clauses import Literal as Ground
from mabos.knowledge.reasoning.kernels.formula import parse
from mabos.knowledge.reasoning.result import Claim, Result, Status, Step


@dataclass(frozen=True, slots=True)
class Applied:
    """A norm in force: what it demands or permits, and how that stands."""

    norm: str
    modality: Modality
    act: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Deontic:
    """The norms in force; what is still to be done, what was violated, which norms conflict; what doing all that is to
    be done entails; and of the act asked about whether it is as asked, None where norms conflict over it."""

    norms: tuple[Applied, ...]
    to_do: tuple[str, ...]
    violated: tuple[str, ...]
    conflicting: tuple[str, ...]
    entailed: tuple[str, ...]
    holds: bool | None = None


def estimate(problem: Norms) -> float:
    """Return the milliseconds this takes about."""
    if isinstance(problem.goal, str):
        return modal.cost(
            [parse(text, words=DUTY) for text in [problem.goal, *(one for _, one in told(problem.formulas))]]
        )
    return 0.3 + 0.05 * (len(problem.facts) + len(problem.rules)) + 0.05 * len(problem.norms) ** 2


def solve(problem: Norms, budget: Budget) -> Result[Deontic] | Result[modal.Validity]:
    """Return what the norms in force come to. Raises `OutOfTime`."""
    if isinstance(problem.goal, str):
        return _in_standard_logic(problem, problem.goal, budget)
    closure = Closure()
    derive(problem.stated, problem.clauses, budget, closure)
    torn = contradictions(closure)
    if torn:
        return _torn(torn, closure)
    found = in_force(problem.norms, closure, budget)
    standings, ideals = stand(found, problem, closure, budget)
    entailed = entailed_by(found, ideals, problem, closure, budget)
    result = _result(problem, found, standings, entailed, closure)
    if len(ideals) < MOST_SETS:
        return result
    capped = f"of the ways to meet the duties in conflict only {len(ideals)} were weighed"
    weighed = replace(result, assumptions=(*result.assumptions, capped))
    if problem.goal is None:
        return weighed
    return replace(weighed, status="unknown", answer=replace(result.answer, holds=None), claims=(), confidence=None)


def _in_standard_logic(problem: Norms, goal: str, budget: Budget) -> Result[modal.Validity]:
    said = told(problem.formulas)
    judged = modal.judge([parse(text, words=DUTY) for _, text in said], parse(goal, words=DUTY), "D", budget)
    valid = judged.answer.valid
    return Result(
        "deontic",
        judged.status,
        judged.answer,
        modal.summary(goal, "D", judged),
        claims=() if valid is None else (Claim(goal, "valid in D", valid),),
        confidence=None if valid is None else 1.0,
        confidence_kind="proof",
        evidence=tuple(label for label, _ in said if valid and not label.startswith("#")),
        trace=(*(Step(text, "premise", (), label) for label, text in said), *modal.steps(judged, "D")),
        witness=judged.answer.countermodel,
        assumptions=("standard deontic logic: nothing is both obligatory and forbidden", *modal.bounds(judged)),
    )


def _torn(torn: Sequence[Ground], closure: Closure) -> Result[Deontic]:
    steps = proof(closure, [torn[0], torn[0].opposite])
    return Result(
        "deontic",
        "inconsistent",
        Deontic((), (), (), (), ()),
        f"the facts contradict each other: {torn[0]} follows and is denied",
        confidence_kind="proof",
        evidence=tuple(dict.fromkeys(name for held in steps for name in horn.cited(held))),
        trace=tuple(map(horn.step, steps)),
    )


def _result(
    problem: Norms,
    found: Sequence[InForce],
    standings: Sequence[Standing],
    entailed: Sequence[Ground],
    closure: Closure,
) -> Result[Deontic]:
    def those(*wanted: Standing) -> list[InForce]:
        return [one for one, standing in zip(found, standings, strict=True) if standing in wanted]

    holds, deciding = None, list(found)
    if isinstance(problem.goal, Asked):
        holds, deciding = _asked(problem.goal, those("open", "fulfilled", "violated"), those("conflicting"), entailed)
    to_do = [str(one.demand) for one in those("open") if one.norm.modality != "permitted"]
    answer = Deontic(
        tuple(
            Applied(one.norm.id, one.norm.modality, str(one.act), how)
            for one, how in zip(found, standings, strict=True)
        ),
        tuple(dict.fromkeys(to_do)),
        tuple(dict.fromkeys(one.norm.id for one in those("violated"))),
        tuple(dict.fromkeys(one.norm.id for one in those("conflicting"))),
        tuple(map(str, entailed)),
        holds,
    )
    steps = proof(closure, dict.fromkeys(fact for one in deciding for fact in one.because))
    ids = [name for held in steps for name in horn.cited(held)] + [one.norm.id for one in deciding]
    because = min((closure.held[fact].confidence for one in deciding for fact in one.because), default=1.0)
    status: Status = "computed" if problem.goal is None else _STATUS[holds]
    return Result(
        "deontic",
        status,
        answer,
        _summary(problem, answer),
        claims=_claims(problem, answer),
        confidence=because if status in ("proved", "disproved") else None,
        confidence_kind="proof",
        evidence=tuple(dict.fromkeys(ids)),
        trace=(*map(horn.step, steps), *map(_step, found, standings)),
        witness={"norms": answer.norms},
        assumptions=("no other norms apply",) if problem.goal is not None else (),
    )


_STATUS: dict[bool | None, Status] = {True: "proved", False: "disproved", None: "unknown"}


def _asked(
    goal: Asked, standing: Sequence[InForce], conflicting: Sequence[InForce], entailed: Sequence[Ground]
) -> tuple[bool | None, list[InForce]]:
    """Return whether an act is as asked, and the norms that decide it."""
    act = literal(goal.act)
    wanted = act.opposite if goal.modality == "forbidden" else act
    permits = goal.modality == "permitted"
    named = {wanted, wanted.opposite}
    over = [one for one in conflicting if one.demand in named]
    duties = [one for one in standing if one.norm.modality != "permitted"]
    bars = [one for one in duties if one.demand == wanted.opposite]
    if permits:
        granted = [one for one in standing if one.demand == wanted]
        barred = bool(bars) or wanted.opposite in entailed
        return (True, granted) if not barred and not over else (None if over else False, over or bars)
    demanded = [one for one in duties if one.demand == wanted]
    if demanded or wanted in entailed:
        return True, demanded or duties
    return (None, over) if over else (False, bars)


def _step(one: InForce, standing: Standing) -> Step:
    uses = tuple(str(fact) for fact in one.because)
    return Step(f"{one.act} is {one.norm.modality}: {standing}", f"norm {one.norm.id}", uses, one.norm.id)


def _claims(problem: Norms, answer: Deontic) -> tuple[Claim, ...]:
    if not isinstance(problem.goal, Asked):
        return tuple(Claim(norm, "violated", True) for norm in answer.violated)
    if answer.holds is None:
        return ()
    return (Claim(str(literal(problem.goal.act)), problem.goal.modality, answer.holds),)


def _summary(problem: Norms, answer: Deontic) -> str:
    told_ = [f"to do: {', '.join(answer.to_do) or 'nothing'}"]
    told_ += [f"violated: {', '.join(answer.violated)}"] if answer.violated else []
    told_ += [f"in conflict: {', '.join(answer.conflicting)}"] if answer.conflicting else []
    if not isinstance(problem.goal, Asked):
        return "; ".join(told_)
    said = {True: "is", False: "is not", None: "is in dispute whether"}[answer.holds]
    act, modality = literal(problem.goal.act), problem.goal.modality
    asked = f"{said} {act} is {modality}" if answer.holds is None else f"{act} {said} {modality}"
    return "; ".join([asked.removeprefix("is "), *told_])
