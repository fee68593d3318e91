"""Permanent rules and duties: standing instructions, reminders and regular reports on record."""

from collections.abc import Iterator

from mabos.language.amounts import amounts_in
from mabos.language.request import Claim, Request
from mabos.society.instructions import describe_limit
from mabos.tools.requests.answers.statement import Statement, claims_of, together
from mabos.tools.requests.duties import describe_rhythm
from mabos.tools.requests.wording import day, join_words, quote_text
from mabos.tools.runtime.services import Agent
from mabos.workspace.currencies import money

_SUM_FROM = 10
"""Numbers below are no sums of money, where no currency stands with them."""


def rules_in_force(agent: Agent, question: str) -> Statement:
    """Return the standing instructions for every agent of the business, in their original words.

    A sum in the question is compared with the owner's threshold.
    """
    rules = [one for one in agent.business.instructions.all() if one.is_in_force] if agent.business_id else []
    threshold = _threshold(agent, question)
    if not rules:
        return together([Statement("No standing instruction is in force"), threshold])
    now, lines = agent.now(), list[Statement]()
    for one in rules:
        limit = f": {said}" if (said := describe_limit(one)) else ""
        text = f"{quote_text(one.sentence)} since {day(one.created_at)} ({one.id}){limit}"
        lines.append(Statement(text, claims_of(one, "sentence", now)))
    return together([Statement("These rules are in force for every agent:"), *lines, threshold])


def _threshold(agent: Agent, question: str) -> Statement:
    """Return from which cost on the owner is asked, whatever else holds."""
    if not agent.business_id:
        return Statement()
    limit = agent.services.directory.profile(agent.business_id).approval_threshold_usd
    text = f"Whatever costs more than {money(limit)} is put before you first"
    for one in (
        known for known in amounts_in(question) if known.kind in ("money", "count") and known.value >= _SUM_FROM
    ):
        asked = "more, so I ask you first" if one.value > limit else "not more than that"
        text += f"; {money(one.value)} is {asked}"
    return Statement(text, (Claim("stakeholder profile", "approval_threshold_usd", limit, agent.now()),))


def duties(agent: Agent, sender: str) -> Iterator[Statement]:
    """Yield the reminders and regular reports that a person asked for, the next one first."""
    for one in open_duties(agent, sender):
        if told := describe_duty(one, agent.now()):
            yield told


def open_duties(agent: Agent, sender: str) -> list[Request]:
    """Return a sender's requests for future reminders and regular reports, the next one first."""
    every = [one for one in agent.requests.all() if one.status == "standing" and one.sender == sender]
    kept = [one for one in every if one.operation in ("remind", "report_regularly")]
    return sorted(kept, key=lambda known: known.wanted_by or "9999")


def describe_duty(request: Request, now: str) -> Statement:
    """Return the current reminder or regular report of a request; empty for any other request."""
    claims, is_on = claims_of(request, "sentence wanted_by status", now), request.status == "standing"
    if request.operation == "remind" and request.act == "order":
        about = str(request.slot("text", request.sentence)).rstrip(".")
        when = day(str(request.slot("date", request.wanted_by)))
        return Statement(
            f"{'I will remind you' if is_on else 'The reminder was for'}{' on' * is_on} {when}: {about}", claims
        )
    if request.operation == "report_regularly" and is_on:
        following = f", next on {day(request.wanted_by)}" if request.wanted_by else ""
        figures = join_words(tuple(map(str, request.slot("figures", ()))))
        return Statement(f"I report {figures} {describe_rhythm(request.slot('rhythm', {}))}{following}", claims)
    return Statement()
