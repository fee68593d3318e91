"""Cases: store an episode, and find similar ones (S0 section 23)."""

from typing import Any

from mabos.knowledge.case_records import as_record
from mabos.knowledge.cases import Similar
from mabos.tools.catalogue.declaration import Count, OwnId, Tool
from mabos.tools.runtime.services import Agent


def cbr_retrieve(
    agent: Agent,
    *,
    beliefs: list[str] | dict[str, Any],
    desires: list[str] | dict[str, Any],
    max_results: Count = 5,
    include_negative: bool = False,
) -> dict[str, Any]:
    """Find the past cases most like the present: 60 % by beliefs, 40 % by desires.

    Args:
        beliefs: What is believed now: ids, or ids with values, which are then compared.
        desires: What is wanted now, likewise.
        max_results: The most cases.
        include_negative: Also cases that ended badly; very similar ones are warned of in any case.
    """
    found = agent.cases.retrieve(beliefs, desires, max_results, include_negative)
    risks = agent.cases.risks(beliefs, desires)
    lines = [f"- {one.case.id} ({one.score:.2f}, {one.case.outcome}): {_summary(one)}" for one in found]
    lines += [f"- Warning: {one.case.id} ended in {one.case.outcome} in a like situation" for one in risks]
    return {
        "cases": [_serialize_match(one) for one in found],
        "count": len(found),
        "warnings": [_serialize_match(one) for one in risks],
        "text": "\n".join(lines) or "No case is like this.",
    }


def cbr_store(
    agent: Agent,
    *,
    situation: dict[str, Any],
    solution: dict[str, Any],
    outcome: dict[str, Any] | str | bool,
    case_id: OwnId = "",
) -> dict[str, Any]:
    """Keep an episode as a case; the very same episode is kept once.

    Args:
        situation: `beliefs` and `desires`, as ids or ids with values, and a `context` in words.
        solution: The `plan_id` and `actions` taken, and whatever tells what was done.
        outcome: success, open, partial_failure or failure, or an object with that as `status` and with measures.
        case_id: An id of your own; made if left out.
    """
    case = agent.cases.store(situation, solution, outcome, case_id=case_id)
    return {
        "case_id": case.id,
        "success": case.success,
        "case": as_record(case),
        "text": f"Case {case.id}: {case.outcome}",
    }


def _serialize_match(one: Similar) -> dict[str, Any]:
    scores = {
        "score": round(one.score, 6),
        "belief_score": round(one.beliefs, 6),
        "desire_score": round(one.desires, 6),
    }
    return {"case_id": one.case.id, **scores, "negative": one.case.negative, **as_record(one.case)}


def _summary(one: Similar) -> str:
    told = one.case.solution.get("plan_summary") or one.case.context or one.case.solution.get("plan_id") or ""
    return str(told)


TOOLS = [Tool.of(cbr_retrieve, module="Cases", writes=False), Tool.of(cbr_store, module="Cases", writes=True)]
