"""Acceptance checks: a goal that follows from a request is reached when they pass on records, and not before."""

from dataclasses import dataclass

from mabos.language.request import Check
from mabos.tools.requests.records import Section, matches, section
from mabos.tools.runtime.services import Agent


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a check passes, and the records that match it."""

    check: Check
    passed: bool
    found: Section


def judge(agent: Agent, checks: tuple[Check, ...]) -> tuple[Verdict, ...]:
    """Return what the records say of each check, now."""
    return tuple(_judged(agent, check) for check in checks)


def accepted(agent: Agent, checks: tuple[Check, ...]) -> bool:
    """Return whether there are checks and all of them pass: nothing is done because nothing was checked."""
    return bool(checks) and all(one.passed for one in judge(agent, checks))


def _judged(agent: Agent, check: Check) -> Verdict:
    found = [one for one in section(agent, check.section) if matches(one, check.where)]
    enough = len(found) >= check.minimum and (check.maximum is None or len(found) <= check.maximum)
    return Verdict(check, enough, found)
