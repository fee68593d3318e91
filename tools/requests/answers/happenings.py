"""Answer what was done, failed and decided in some days, from ledgers, goals and decisions.

answer_happenings(agent, request)       # "What went wrong today?", "What did everybody do?", "Summarise the week."
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.request import Claim, Request
from mabos.society.roles import STAKEHOLDER
from mabos.tools.people.stakeholder import all_decisions
from mabos.tools.requests.answers.periods import Period, day_label, periods_in
from mabos.tools.requests.answers.statement import Statement
from mabos.tools.requests.answers.synonyms import question_forms
from mabos.tools.requests.response import Say
from mabos.tools.requests.wording import day, format_count, join_words, quote_text, sentence
from mabos.tools.runtime.services import Agent
from mabos.workspace.ledger import LedgerEntry
from mabos.workspace.text import one_line, shorten

DEEDS: Mapping[str, Sequence[str]] = packaged_yaml("deeds.yaml")
"""Deeds and their objects for a company's most used operations; the costly and the outward ones first.

The words hold without a platform and without a mail server too.
"""
KINDS = ("call", "outcome", "awaiting", "perceive", "act", "learn", "model")
"""The kinds of entries that tell of deeds and failures."""
_WRONG, _DONE = (question_forms("in_happenings")[name] for name in ("wrong", "done"))
_SPANS = {"day": 1, "week": 7, "month": 30}
_MOST, _MOST_LINES, _SHOWN, _LONGEST = 1_000, 9, 6, 160


def answer_happenings(agent: Agent, request: Request) -> Say | None:
    """Return what happened, or went wrong, in the days that a question names; None for another question.

    The owner hears of the whole company, a colleague of the agent alone.
    """
    is_wrong, found = bool(_WRONG.search(request.sentence)), _DONE.search(request.sentence)
    if not is_wrong and found is None:
        return None
    today = agent.clock().date()
    span = _days(request.sentence, found["span"] if found else None, today)
    every = [agent] if request.sender != STAKEHOLDER else _colleagues(agent)
    entries = {one.id: _entries(one, span) for one in every}
    parts = [] if is_wrong else [("Done", [_deeds(one, entries[one.id]) for one in every])]
    parts.append(("Went wrong", [*_failures(entries), *_blocked(every)]))
    if not is_wrong:
        parts.append(("You answered", list(_answered(agent, every, span))))
        parts.append(("Waits for you", list(_waiting(agent, every))))
    days = day_label(span.first) if span.first == span.last else f"{day_label(span.first)} to {day_label(span.last)}"
    told = [(lead, [one for one in several if one]) for lead, several in parts]
    if not any(several for _, several in told):
        nothing = "nothing went wrong" if is_wrong else "nothing was done, and nothing went wrong"
        return Say(sentence(f"{days}: {nothing} according to the ledgers, and no goal is stuck"))
    lines = [line for lead, several in told for line in _lines(lead, several)]
    claims = tuple(claim for _, several in told for one in several for claim in one.claims)
    return Say("\n".join([f"{days}.", *lines]), claims)


def _lines(lead: str, told: Sequence[Statement]) -> Iterator[str]:
    if told:
        yield f"{lead}:"
        yield from (f"- {one.text}" for one in told[:_MOST_LINES])
    if len(told) > _MOST_LINES:
        yield f"- and {len(told) - _MOST_LINES} more"


def _days(text: str, unit: str | None, today: date) -> Period:
    named = periods_in(text, today)[0]
    if named and not unit:
        return named[0]
    return Period(today - timedelta(days=_SPANS[(unit or "week").casefold()] - 1), today, "")


def _colleagues(agent: Agent) -> list[Agent]:
    every = map(agent.services.agent, agent.services.agents())
    return [one for one in every if one.business_id == agent.business_id]


def _entries(agent: Agent, span: Period) -> list[LedgerEntry]:
    """Return an agent's entries in a span, the oldest first."""
    found = agent.services.ledger_index().entries(
        agents=[agent.id], kinds=KINDS, since=f"{span.first}T00:00:00.000Z", limit=_MOST, newest_first=True
    )
    return [one for one in reversed(found) if one.at[:10] <= str(span.last)]


def _deeds(agent: Agent, entries: Sequence[LedgerEntry]) -> Statement:
    """Return an agent's completed actions by kind, with the names of what they were done to."""
    failed = {str(one.body.get("call")) for one in entries if one.kind == "outcome" and one.body.get("ok") is False}
    calls = [
        one
        for one in entries
        if one.kind == "call" and one.body.get("ok") is not False and one.id not in failed
        if one.body.get("arguments", {}).get("to") != STAKEHOLDER  # replies are in the conversation
    ]
    kinds = Counter(tool for one in calls if (tool := str(one.body.get("tool", ""))) in DEEDS)
    said = [_deed(tool, [one for one in calls if one.body.get("tool") == tool]) for tool in DEEDS if kinds[tool]]
    more = len(calls) - kinds.total()
    said += [f"{format_count(more, 'other call')}"] if more and said else []
    claims = tuple(Claim(one.id, "tool", one.body["tool"], one.at) for one in calls if one.body.get("tool") in DEEDS)
    return Statement(f"{agent.id.upper()}: {join_words(said)}", claims) if said else Statement()


def _deed(tool: str, calls: Sequence[LedgerEntry]) -> str:
    verb, noun = DEEDS[tool]
    given = (one.body.get("arguments", {}) for one in calls)
    names = list(dict.fromkeys(name for one in given if (name := one.get("name") or one.get("title"))))
    named = f" ({join_words([quote_text(str(one)) for one in names[:3]])})" if 0 < len(names) <= 3 else ""
    return f"{verb} {format_count(len(calls), noun)}{named}"


def _failures(entries: Mapping[str, Sequence[LedgerEntry]]) -> Iterator[Statement]:
    """Yield what failed, the newest first; the same failure of an agent comes once."""
    found: dict[tuple[str, str], Statement] = {}
    for agent_id, own in entries.items():
        tools = {one.id: str(one.body.get("tool", "")) for one in own if one.kind == "call"}
        for one in reversed(own):
            tool = tools.get(str(one.body.get("call")), str(one.body.get("tool", ""))).replace("_", " ")
            for why in failures_of(one):
                said = shorten(one_line(f"{tool} failed: {why}" if tool else why), _LONGEST, mark=" …", at_word=True)
                claims = (Claim(one.id, "failure", why, one.at),)
                told = Statement(f"{agent_id.upper()}: {said} ({day(one.at)})", claims)
                found.setdefault((agent_id, re.sub(r"\d+", "", said)), told)
    yield from list(found.values())[:_SHOWN]
    if len(found) > _SHOWN:
        yield Statement(f"{len(found) - _SHOWN} more failures are in the ledger")


def failures_of(entry: LedgerEntry) -> Iterator[str]:
    """Yield the failures in an entry of the ledger, in words."""
    body = entry.body
    if entry.kind in ("call", "outcome"):
        yield from (str(body.get("error") or "no reason is on record") for _ in range(body.get("ok") is False))
    elif entry.kind == "model":
        yield from (f"The chat model did not answer: {one}" for one in (body.get("error"),) if one)
    elif entry.kind == "perceive":
        yield from (f"Could not read {one}" for one in body.get("unreadable", ()))
    else:
        yield from (str(one) for one in (body.get("failure"), *body.get("failures", ())) if one)


def _blocked(agents: Sequence[Agent]) -> Iterator[Statement]:
    """Yield each agent's goals that are stuck now."""
    for agent in agents:
        stuck = [one for one in agent.mind.goals if one.status == "blocked"]
        if stuck:
            names = join_words([quote_text(one.description) for one in stuck[:3]])
            more = f" and {len(stuck) - 3} more" if len(stuck) > 3 else ""
            claims = tuple(Claim(one.id, "status", one.status, one.updated) for one in stuck)
            yield Statement(f"{agent.id.upper()} is stuck with {names}{more}", claims)


def _answered(agent: Agent, agents: Sequence[Agent], span: Period) -> Iterator[Statement]:
    for one in all_decisions(agent.services):
        is_within = one.resolved_at and str(span.first) <= one.resolved_at[:10] <= str(span.last)
        if is_within and not one.open and any(one.from_agent == each.id for each in agents):
            claims = (Claim(one.id, "status", one.status, one.resolved_at),)
            yield Statement(f"{one.status}: {one.subject} ({one.id})", claims)


def _waiting(agent: Agent, agents: Sequence[Agent]) -> Iterator[Statement]:
    for one in all_decisions(agent.services):
        if one.open and any(one.from_agent == each.id for each in agents):
            yield Statement(f"{one.subject} ({one.id})", (Claim(one.id, "status", one.status, agent.now()),))
