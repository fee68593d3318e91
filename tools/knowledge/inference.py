"""Inference: derive conclusions, prove a goal, explain an observation, answer a question (S0 section 22)."""

from collections.abc import Sequence
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.fact_index import as_record
from mabos.knowledge.facts import statement
from mabos.knowledge.inference.abduction import OpenQuestion, RuleHypothesis, hypotheses, next_question
from mabos.knowledge.inference.forward import Derivation, Inference, Outlook
from mabos.knowledge.inference.gaps import Partial
from mabos.knowledge.inference.proof import Gap, GoalVerdict, verdict
from mabos.knowledge.inference.question import answer, prover_of, read_pattern, vocabulary_of
from mabos.knowledge.model import Condition, Fact
from mabos.tools.catalogue.declaration import Count, Text, Tool
from mabos.tools.catalogue.naming import given_as
from mabos.tools.runtime.services import Agent

_TOLD = 1000  # facts that an answer lists; it always counts all of them


def inference_of(agent: Agent) -> Inference:
    """Return the agent's facts with its inference rules."""
    return Inference(agent.facts, agent.rules, max_derived=agent.services.settings.knowledge.inference_max_facts)


def infer_forward(
    agent: Agent,
    *,
    persist: bool = False,
    max_iterations: Count | None = None,
    assume: list[dict[str, Any]] | None = None,
    without: list[str] | None = None,
) -> dict[str, Any]:
    """Derive all that follows from the facts that hold now; what was derived and kept is then kept true.

    Args:
        persist: Keep the derived facts on record; they follow when facts, rules or time change.
        max_iterations: How many rules deep; the answer says whether that was enough (`converged`).
        assume: Facts to suppose, each with subject, predicate, object and confidence: what would change is told, and
            nothing is written.
        without: Ids of facts to suppose away, likewise.
    """
    inference = inference_of(agent)
    if assume or without:
        if persist:
            raise InvalidArgument("a hypothesis cannot be stored; leave persist out", argument="persist")
        assumed = [supposition(one) for one in assume or ()]
        with given_as("without"):
            return report_outlook(inference.what_if(assumed, without or ()))
    levels = max_iterations or agent.services.settings.knowledge.inference_max_iterations
    return report_derivation(inference.forward(persist=persist, max_levels=levels), persist)


def infer_backward(
    agent: Agent, *, goal_predicate: Text, goal_subject: str = "", goal_object: str = ""
) -> dict[str, Any]:
    """Prove that something follows, or name what would have to be known for it.

    Args:
        goal_predicate: The relation to prove.
        goal_subject: Of what; left out or a ?variable, of anything.
        goal_object: To what, likewise.
    """
    inference = inference_of(agent)
    goal = Condition(goal_predicate, goal_subject, goal_object)
    prover = prover_of(inference, max_answers=agent.services.settings.knowledge.inference_max_facts)
    return report_verdict(verdict(goal, inference.rules, prover))


def infer_abductive(agent: Agent, *, observation: Text | dict[str, Any], max_hypotheses: Count = 5) -> dict[str, Any]:
    """Rank what would explain an observation, and name the question that tells the explanations apart.

    Args:
        observation: As "subject predicate object", an object with these, or in words.
        max_hypotheses: The most explanations.
    """
    inference = inference_of(agent)
    pattern = read_pattern(observation, vocabulary_of(inference))
    found = hypotheses(pattern, inference.rules, prover_of(inference))
    told = found[:max_hypotheses]
    question = next_question(told)
    lines = [f"- {one.rule.id} {one.rule.name}: {one.score:.2f}{_lacking(one.partial)}" for one in told]
    lines += [f"Worth finding out next: {question.condition}"] if question else []
    return {
        "observation": _pattern(pattern),
        "hypotheses": [_hypothesis(one) for one in told],
        "count": len(told),
        "total": len(found),
        "next_question": _question(question),
        "text": "\n".join(lines) or f"No rule concludes {pattern.predicate}.",
    }


def knowledge_explain(agent: Agent, *, question: Text) -> dict[str, Any]:
    """Answer a question from facts and rules: what is held, what follows, what proves it, what would explain it.

    PROVEN is said only where a proof has every word of the question; what is held besides is named as no answer.

    Args:
        question: In words, or as subject, predicate and object.
    """
    own = (agent.business_id, agent.business.manifest.name, "company") if agent.business_id else (agent.id,)
    told = answer(question, inference_of(agent), own)
    proofs = [proof for one in told.verdicts for proof in one.proofs]
    return {
        "question": question,
        "status": told.status,
        "confidence": told.confidence,
        "facts": [as_record(agent.facts.fact(fact_id)) for fact_id in dict.fromkeys(_collect_fact_ids(proofs))],
        "backward": [report_verdict(one) for one in told.verdicts],
        "forward": [
            {"subject": s, "predicate": p, "object": o, "confidence": sure, "rule_id": rule_id}
            for (s, p, o), sure, rule_id in told.follows
        ],
        "abductive": [_hypothesis(one) for one in told.hypotheses],
        "next_question": _question(told.next_question),
        "text": "\n".join(told.lines()),
    }


def supposition(given: dict[str, Any]) -> Fact:
    """Return a supposed fact; raises `InvalidArgument` for `assume`."""
    try:
        said = {name: str(given[name]) for name in ("subject", "predicate", "object")}
        return statement(**said, confidence=float(given.get("confidence", 1.0)), source="supposition")
    except (KeyError, TypeError, ValueError) as error:
        message = f"{given!r} is not a hypothesis ({error}); give subject, predicate, object and a confidence"
        raise InvalidArgument(message, argument="assume") from None
    except InvalidArgument as error:
        raise InvalidArgument(error.message, argument="assume") from None


def report_derivation(found: Derivation, persist: bool) -> dict[str, Any]:
    """Return the report of a forward run."""
    lines = [f"- {fact} ({fact.confidence:.4g}, by {fact.rule_id})" for fact in found.new[:50]]
    if not found.converged:
        lines.append(f"More follows: {found.reason}. Call again, or with a larger max_iterations.")
    return {
        "derived": [as_record(fact) for fact in found.new[:_TOLD]],
        "count": len(found.new),
        "updated": [as_record(fact) for fact in found.updated[:_TOLD]],
        "dropped": [fact.id for fact in found.dropped],
        "iterations": found.levels,
        "converged": found.converged,
        "reason": found.reason,
        "persisted": persist,
        "text": "\n".join(lines) or "Nothing new follows.",
    }


def report_outlook(outlook: Outlook) -> dict[str, Any]:
    """Return the report of a supposition."""
    changes = []
    for shift in outlook.shifts:
        subject, predicate, object_ = shift.triple
        kind = "appears" if not shift.before else "vanishes" if not shift.after else "changes"
        told = {"subject": subject, "predicate": predicate, "object": object_, "change": kind}
        changes.append({**told, "before": shift.before, "after": shift.after, "rule_id": shift.rule_id})
    lines = [
        f"- {' '.join(shift.triple)}: {shift.before:.4g} -> {shift.after:.4g}"
        + (f" (by {shift.rule_id})" if shift.rule_id else "")
        for shift in outlook.shifts
    ]
    return {
        "changes": changes,
        "derived": [one for one in changes if one["change"] == "appears" and one["rule_id"]],
        "count": len(changes),
        "converged": outlook.converged,
        "reason": outlook.reason,
        "persisted": False,
        "text": "\n".join(lines) or outlook.reason or "Nothing would change.",
    }


def report_verdict(found: GoalVerdict) -> dict[str, Any]:
    """Return the report of a proof, or of its absence."""
    lines = [f"{found.goal}: {found.status}"]
    lines += [line for proof in found.proofs for line in proof.lines(1)]
    lines += [f"  - not known: {gap.condition}" for gap in found.gaps]
    return {
        "goal": _pattern(found.goal),
        "status": found.status,
        "proven": found.status == "PROVEN",
        "confidence": found.proofs[0].answer.confidence if found.proofs else 0.0,
        "proofs": [proof.as_json() for proof in found.proofs],
        "supporting_facts": list(dict.fromkeys(_collect_fact_ids(found.proofs))),
        "rules": [_partial(one) for one in found.partials],
        "knowledge_gaps": [_gap(one) for one in found.gaps],
        "complete": found.is_complete,
        "text": "\n".join(lines),
    }


def _collect_fact_ids(proofs: Sequence[Any]) -> list[str]:
    found: list[str] = []
    waiting = list(proofs)
    while waiting:
        proof = waiting.pop(0)
        found += [proof.answer.fact_id] if proof.answer.fact_id else []
        waiting += proof.supports
    return found


def _hypothesis(one: RuleHypothesis) -> dict[str, Any]:
    scores = {"score": one.score, "prior": one.prior, "likelihood": one.likelihood, "posterior": one.posterior}
    return {**_partial(one.partial), **{name: round(value, 6) for name, value in scores.items()}}


def _partial(one: Partial) -> dict[str, Any]:
    return {
        "rule_id": one.rule.id,
        "name": one.rule.name,
        "bindings": dict(one.bindings),
        "satisfied": [
            {**_pattern(condition), "confidence": found.confidence, "fact_id": found.fact_id}
            for condition, found in one.satisfied
        ],
        "missing": [_pattern(condition) for condition in one.missing],
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {**_pattern(gap.condition), "wanted_by": list(gap.wanted_by), "derivable_by": list(gap.derivable_by)}


def _question(question: OpenQuestion | None) -> dict[str, Any] | None:
    if question is None:
        return None
    return {
        **_pattern(question.condition),
        "decides": list(question.decides),
        "others": list(question.others),
        "text": f"Is it so that {question.condition}?",
    }


def _pattern(condition: Condition) -> dict[str, Any]:
    fields = {"subject": condition.subject, "predicate": condition.predicate, "object": condition.object}
    return fields if condition.operator == "eq" else {**fields, "operator": condition.operator}


def _lacking(partial: Partial) -> str:
    return f"; not known: {', '.join(map(str, partial.missing))}" if partial.missing else ""


TOOLS = [
    Tool.of(infer_forward, module="Inference", writes=True),
    Tool.of(infer_backward, module="Inference", writes=False),
    Tool.of(infer_abductive, module="Inference", writes=False),
    Tool.of(knowledge_explain, module="Inference", writes=False),
]
