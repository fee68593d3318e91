"""Reasoning: one tool for 35 methods, on problems that may refer to facts, beliefs, rules and cases (S0 section 25)."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.knowledge.case_records import as_record
from mabos.knowledge.model import Condition, Fact, Rule
from mabos.knowledge.reasoning.engine import Engine, Reasoned, ReasoningRequest, rank_methods
from mabos.knowledge.reasoning.methods import method as method_of
from mabos.knowledge.reasoning.premises import KnownPremise
from mabos.knowledge.reasoning.problem import Premise
from mabos.knowledge.reasoning.prose import formaliser, narrate_result
from mabos.knowledge.reasoning.result import plain
from mabos.knowledge.reasoning.router import NEUTRAL, SECONDS, Classification, Routing, printed_scores
from mabos.mind.model import Belief
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.knowledge.questions import reasoned_reply
from mabos.tools.runtime.services import Agent

if TYPE_CHECKING:
    from mabos.knowledge.reasoning.questions.answers import QuestionReply

MOST_SECONDS = 60.0
"""The longest a method is given in one call."""


def reason(
    agent: Agent,
    *,
    problem: str | dict[str, Any] = "",
    method: str = "",
    problem_classification: dict[str, str] | None = None,
    multi_method: bool = False,
    methods: list[str] | None = None,
    seconds: float | None = None,
    seed: int = 0,
    outcome: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Answer a question or a problem by a method of reasoning: the named one, the best for it, or several fused.

    Args:
        problem: A question in words, with its figures or about the agent's own; or an object with its `kind` and
            fields, where {"ref": ID} stands for what a fact, belief, rule or case says. With several methods, one
            object or one for each by method name. Words that no reader knows need a chat model. Left out, the kinds
            of problem that the method takes are shown, each with an example to send; with a classification and no
            method, the methods are ranked; with the method calibration or learning-to-reason, the agent's own answers
            that turned out right or wrong are the problem; with case-based, its own cases.
        method: The one method to use.
        problem_classification: uncertainty, complexity, domain, time_pressure, data_availability, stakes.
        multi_method: Run several methods and say where they agree.
        methods: Those to run; left out, the router's choice.
        seconds: The most for each method; left out, 2 if pressed, 0.2 if urgent, else a minute.
        seed: For the methods that draw at random.
        outcome: Instead of a problem: the `episode_id` of an earlier answer and whether it turned out `right`.
    """
    if outcome is not None:
        return _record_outcome(agent, outcome)
    classification = classification_of(problem_classification)
    problem = _read(problem) or _record(agent, method)
    if isinstance(problem, str) and problem.strip() and not methods and not multi_method:
        reply = reasoned_reply(agent, problem)
        if reply is not None and method in ("", reply.method) and (reply.answered or not agent.services.model.name):
            return record_reply(agent, reply, classification)
    if method == "case-based" and isinstance(problem, dict) and not problem.get("cases"):
        problem = {"kind": "cases", **problem, "cases": _own_cases(agent)}
    if not (problem or method or methods) and problem_classification is not None:
        return _rank_methods(classification)
    limit = _seconds(seconds, classification)
    request = ReasoningRequest(problem, method, tuple(methods or ()), multi_method, classification, limit, seed)
    return _report_results(agent, engine_of(agent).reason(request), request)


def _read(problem: str | dict[str, Any]) -> str | dict[str, Any]:
    """Return the problem; JSON text is parsed. Raises `InvalidArgument` for text that only begins like JSON."""
    if isinstance(problem, dict) or not problem.lstrip().startswith("{"):
        return problem
    try:
        told: dict[str, Any] = json.loads(problem)
    except (ValueError, RecursionError) as error:
        why = error if isinstance(error, json.JSONDecodeError) else "it is nested too deeply, or a number is too long"
        raise InvalidArgument(f"the problem begins like JSON but is not valid: {why}", argument="problem") from error
    return told


def record_reply(agent: Agent, reply: "QuestionReply", classification: Classification = NEUTRAL) -> dict[str, Any]:
    """Return the recorded reply to a question in words, its answer stored as an episode if there is one."""
    told: dict[str, Any] = {"text": reply.text, "answered": reply.answered, "method": reply.method}
    told |= {"reading": reply.reading, "answer": reply.answer, "confidence": reply.confidence}
    told |= {"changes": reply.changes, "missing": list(reply.missing), "unused": list(reply.unused)}
    if reply.result is not None:
        told["result"] = reply.result.as_json()
        if reply.answered:
            episode = agent.episodes.keep(reply.result, kind="question", domain=classification.domain)
            told["result"]["episode_id"] = episode.id
    else:
        told["result"] = {"status": "needs_structure", "method": reply.method, "answer": None, "summary": reply.text}
    return told


def _own_cases(agent: Agent) -> list[dict[str, str]]:
    """Return references to an agent's cases with a known outcome. Raises `InvalidArgument` if there are none."""
    ended = [{"ref": one.id} for one in agent.cases.all() if one.outcome != "open"]
    if not ended:
        raise InvalidArgument(f"{agent.id} has no case that has ended; give `cases`", argument="problem.cases")
    return ended


def _record_outcome(agent: Agent, outcome: dict[str, Any]) -> dict[str, Any]:
    """Note whether an earlier answer was right, and return how reliable its method is by now."""
    match outcome:
        case {"episode_id": str(episode_id), "right": bool(right)} if len(outcome) == 2:
            episode = agent.episodes.settle(episode_id, right=right)
        case _:
            raise InvalidArgument("outcome must be an object with episode_id and right (a boolean)", argument="outcome")
    reliability = agent.episodes.reliability(method_of(episode.method))
    known = "too few outcomes to say" if reliability is None else f"right {reliability:.2f} of the time"
    return {
        "episode": plain(episode),
        "reliability": reliability,
        "text": f"{episode.id} was {'right' if right else 'wrong'}; {episode.method}: {known}",
    }


def engine_of(agent: Agent) -> Engine:
    """Return the methods over this agent's knowledge, weighted by their results so far."""
    formalise = formaliser(agent.services.model)
    return Engine(lambda name: find_premise(agent, name), agent.episodes.reliability, formalise)


def find_premise(agent: Agent, name: str) -> KnownPremise:
    """Return the content of an id of this agent. Raises `UnknownId`.

    Each kind is looked up without its own error: with many facts, finding the nearest id takes longer than reasoning.
    """
    facts = agent.facts.index()
    with facts.lock:
        fact = facts.facts.get(name)
    if fact is not None:
        return _of_fact(fact)
    for belief in agent.mind.beliefs:
        if belief.id == name:
            return _of_belief(agent.id, belief)
    for rule in agent.rules.select():
        if rule.id == name:
            return KnownPremise(_as_clause(rule), rule.confidence_factor)
    for case in agent.cases.all():
        if case.id == name:
            return KnownPremise(as_record(case))
    raise UnknownId(f"{agent.id} has no fact, belief, rule or case {name!r}", argument="ref")


def _of_fact(fact: Fact) -> KnownPremise:
    said = Premise(
        id=fact.id, subject=fact.subject, predicate=fact.predicate, object=fact.object, confidence=fact.confidence
    )
    return KnownPremise(said, fact.confidence)


def _of_belief(agent_id: str, belief: Belief) -> KnownPremise:
    said = Premise(
        id=belief.id,
        subject=belief.subject or agent_id,
        predicate=belief.predicate or "believes",
        object=belief.value or belief.statement,
        confidence=belief.certainty,
    )
    return KnownPremise(said, belief.certainty)


def _as_clause(rule: Rule) -> dict[str, Any]:
    """Return a rule as problems of logic write it."""
    if rule.conclusion is None:
        msg = f"rule {rule.id} is a {rule.type} and concludes nothing; only inference rules are premises"
        raise InvalidArgument(msg, argument="ref")
    return {
        "id": rule.id,
        "if": _as_clause_body(rule.conditions),
        "then": [rule.conclusion.predicate, rule.conclusion.subject, rule.conclusion.object],
        "factor": rule.confidence_factor,
    }


def _as_clause_body(conditions: Sequence[Condition]) -> list[Any]:
    """Return conditions as literals; one with an operator becomes a comparison of the value found."""
    body: list[Any] = []
    for number, one in enumerate(conditions):
        found = one.object if one.operator == "eq" else f"?value{number}"
        body.append([one.predicate, one.subject or f"?subject{number}", found or f"?object{number}"])
        if one.operator != "eq":
            body.append({"compare": [found, one.operator, one.object]})
    return body


def classification_of(given: dict[str, str] | None) -> Classification:
    """Return the caller's classification; raises `InvalidArgument` with the faulty field."""
    if given is None:
        return NEUTRAL
    try:
        return Classification.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(("problem_classification", *map(str, first["loc"])))
        raise InvalidArgument(f"{place}: {first['msg']}", argument=place) from error


def _seconds(given: float | None, classification: Classification) -> float:
    """Return the time for each method; raises `InvalidArgument` for more than a call may take."""
    if given is None:
        return SECONDS[classification.time_pressure] or MOST_SECONDS
    if not 0 < given <= MOST_SECONDS:
        raise InvalidArgument(
            f"seconds must be above 0 and at most {MOST_SECONDS:g}, not {given:g}", argument="seconds"
        )
    return given


def _record(agent: Agent, method: str) -> dict[str, Any]:
    """Return the agent's own record as a problem, for the methods that judge it; raises `InvalidArgument` if empty."""
    if method not in ("calibration", "learning-to-reason"):
        return {}
    settled = [one for one in agent.episodes.all() if one.right is not None]
    forecasts = agent.episodes.forecasts()
    if not (forecasts if method == "calibration" else settled):
        msg = f"no answer of {agent.id} has turned out right or wrong yet: say so with `outcome`, or give a problem"
        raise InvalidArgument(msg, argument="problem")
    if method == "calibration":
        return {"kind": "forecasts", "forecasts": [[sure, float(right)] for sure, right in forecasts]}
    told = [{"method": one.method, "right": one.right, "circumstances": one.domain} for one in settled]
    return {"kind": "outcomes", "outcomes": told}


def _rank_methods(classification: Classification) -> dict[str, Any]:
    """Return the methods ranked for a classification alone, with the scores of the formula as it is printed."""
    routing = rank_methods(classification)
    lines = [f"{place}. {one.method.name} ({one.score:.2f})" for place, one in enumerate(routing.ranked[:5], 1)]
    return {"ranking": ranking(routing), "printed_scores": printed_scores(classification), "text": "\n".join(lines)}


def ranking(routing: Routing) -> list[dict[str, Any]]:
    """Return the methods of a routing, best first, each with the parts of its score."""
    return [
        {
            "method": one.method.name,
            "score": round(one.score, 6),
            "parts": {name: round(worth, 6) for name, worth in one.parts},
            "estimated_ms": round(one.cost_ms, 3),
        }
        for one in routing.ranked
    ]


def list_rejections(routing: Routing) -> list[dict[str, str]]:
    """Return the methods that cannot run, each with the reason."""
    return [{"method": name, "reason": why} for name, why in routing.rejected]


def _report_results(agent: Agent, reasoned: Reasoned, request: ReasoningRequest) -> dict[str, Any]:
    """Return the result, with each answer kept as an episode so that its outcome can be reported later."""
    results = []
    for result in reasoned.results:
        told = result.as_json()
        if result.method and result.status != "needs_structure":
            kind = str(request.problem.get("kind", "")) if isinstance(request.problem, dict) else "prose"
            episode = agent.episodes.keep(result, kind=kind, domain=request.classification.domain)
            told["episode_id"] = episode.id
        results.append(told)
    answered: dict[str, Any] = {"result": results[0], "text": _text(reasoned)}
    if len(results) > 1:
        answered["results"] = results
    if reasoned.routing is not None:
        answered["ranking"] = ranking(reasoned.routing)
        answered["rejected"] = list_rejections(reasoned.routing)
    is_solved = reasoned.result.status not in ("needs_structure", "timeout")
    prose = request.problem if isinstance(request.problem, str) and is_solved else ""
    if prose and (words := narrate_result(agent.services.model, prose, reasoned.result)):
        answered["told"] = words
    if reasoned.fusion is not None:
        answered["fusion"] = plain(reasoned.fusion)
    return answered


def _text(reasoned: Reasoned) -> str:
    """Return a line for each method, and their joint result."""
    lines = [f"{one.method or 'reason'}: {one.status}: {one.summary}" for one in reasoned.results]
    if reasoned.fusion is not None and reasoned.fusion.verdicts:
        verdict = reasoned.fusion.verdicts[0]
        said = "nothing prevails" if verdict.answer is None else str(verdict.answer)
        sure = "" if verdict.confidence is None else f", {verdict.confidence:.0%} sure"
        lines.append(f"together ({verdict.question}): {said}, because {verdict.basis}{sure}")
    return "\n".join(lines)


TOOLS = [Tool.of(reason, module="Reasoning", writes=True)]
