"""Acceptance checks: a goal from a request is reached when they pass on the records, and not before."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mabos.language.request import Check, Request
from mabos.tools.requests.records import Section, matches, section
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check, and the records that match it."""

    check: Check
    passed: bool
    found: Section


def judge(agent: Agent, checks: tuple[Check, ...]) -> tuple[Verdict, ...]:
    """Return the current verdict on each check."""
    return tuple(_judge_check(agent, check) for check in checks)


def judge_order(agent: Agent, order: Request) -> tuple[Verdict, ...]:
    """Return the current verdicts on an order; for a completed one only its own records count, with any later values.

    Its checks passed once. A later budget does not make it fail.
    """
    checks = order.checks if order.status != "done" else tuple(_by_identity(one) for one in order.checks)
    return judge(agent, checks)


def _by_identity(check: Check) -> Check:
    identity = {name: value for name, value in check.where.items() if name in ("made_by", "id")}
    return replace(check, where=identity) if identity and check.section != "effects" else check


def is_accepted(agent: Agent, checks: tuple[Check, ...]) -> bool:
    """Return whether checks exist and all of them pass; without checks nothing counts as done."""
    return bool(checks) and all(one.passed for one in judge(agent, checks))


def _made_by(agent: Agent, plan_id: str) -> frozenset[str]:
    """Return every id that the calls of a plan returned: a record with the same values made by others is not its."""
    effects = agent.services.directory.effects(agent.id).all()
    results = (one.result for one in effects if one.status == "done" and one.id.startswith(f"{plan_id}/"))
    return frozenset(str(value) for result in results for value in _values(result))


def _values(result: Any) -> Iterator[str]:
    if isinstance(result, str):
        yield result
    elif isinstance(result, Mapping):
        for one in result.values():
            yield from _values(one)
    elif isinstance(result, list | tuple):
        for one in result:
            yield from _values(one)


def _judge_check(agent: Agent, check: Check) -> Verdict:
    where = dict(check.where)
    made = _made_by(agent, str(where.pop("made_by"))) if "made_by" in where else None
    every = [one for one in section(agent, check.section) if matches(one, where)]
    found = every if made is None else [one for one in every if str(one.get("id", "")) in made]
    enough = len(found) >= check.minimum and (check.maximum is None or len(found) <= check.maximum)
    return Verdict(check, enough, found)
