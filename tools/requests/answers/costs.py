"""Report the cost of work: committed by its records, spent as reported, and a period's total from the ledger."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from mabos.language.amounts import amounts_in
from mabos.language.request import Claim
from mabos.language.times import times_in
from mabos.society.campaigns import commitment
from mabos.tools.requests.answers.entries import KINDS, KindName, entries_of
from mabos.tools.requests.answers.periods import periods_in
from mabos.tools.requests.answers.query import RecordQuery, answer_query
from mabos.tools.requests.answers.statement import Statement, claims_of, claims_of_made, together
from mabos.tools.requests.answers.work_items import RecordWork, WorkItem
from mabos.tools.requests.outcome import describe_record
from mabos.tools.requests.response import Say
from mabos.tools.requests.wording import day, format_count, join_words, quote_text
from mabos.tools.runtime.budgets import spent_by
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time
from mabos.workspace.currencies import money
from mabos.workspace.ledger import LedgerEntry

_KINDS: tuple[KindName, ...] = ("campaigns", "work_packages")
_ENTRIES = 10_000
_NAMED = 5
_PRICED = ("campaigns", "work_packages", "letters", "content")


def cost_of(agent: Agent, items: Sequence[WorkItem]) -> Statement:
    """Return the cost of these pieces of work: committed by their records, and spent as far as reported."""
    return together(part for item in items for part in _of_item(agent, item))


_IF_ORDERED = re.compile(
    r"(?i)\b(?:would|were|if|suppose|supposing)\b|^\W*(?:and |so )?what (?:do|does)\b.*\bcome[s]? to\b"
)


def answer_price(question: str, now: datetime) -> Say | None:
    """Return what a rate comes to over a duration that a question names with it; None if it names none.

    "What would it come to, were it 95 dollars a week for 4 weeks?" asks before anything is ordered.
    """
    if not _IF_ORDERED.search(question):
        return None
    rates = [one for one in amounts_in(question) if one.per in ("hour", "day", "week", "month")]
    spans = [one for one in times_in(question, now) if one.kind == "duration"]
    if len(rates) != 1 or len(spans) != 1 or rates[0].per != spans[0].unit:
        return None
    rate, span = rates[0], spans[0]
    count = (
        format_count(int(span.count), span.unit) if span.count == int(span.count) else f"{span.count:g} {span.unit}s"
    )
    return Say(
        f"{money(rate.value)} a {span.unit} for {count}: {money(rate.value * span.count)}. I book nothing by that."
    )


def cost_of_kind(agent: Agent, question: str) -> Statement:
    """Return the total committed for a kind that a question names, as advertising; empty if it names none."""
    kind = next((KINDS[name] for name in _KINDS if KINDS[name].words.search(question)), None)
    if kind is None:
        return Statement()
    standing = tuple(one for one in entries_of(agent) if one.kind is kind and one.state == "open")
    if not standing:
        return Statement(f"No money is committed: no {kind.noun} on record still stands")
    return answer_query(RecordQuery(standing, ("cost",), is_sum=True, is_of_kind=True), agent.now())


def spending(agent: Agent, question: str) -> Statement:
    """Return the agent's commitments in the period of a question, or so far, grouped by purpose."""
    periods, _ = periods_in(question, agent.clock().date())
    entries = [one for one in _list_paid_calls(agent) if not periods or periods[0].holds(parse_time(one.at).date())]
    label = f"in the period {periods[0].label}" if periods else "so far"
    now = agent.now()
    if not entries:
        return Statement(f"I committed no money {label}: my ledger has no call that costs anything")
    total = spent_by(entries).action_usd
    parts = [Statement(f"I committed {money(total)} {label}", (Claim(f"ledger {agent.id}", "cost", total, now),))]
    for one in sorted(entries, key=lambda entry: -float(entry.body["cost"]))[:_NAMED]:
        arguments = one.body.get("arguments", {})
        name = str(arguments.get("name") or arguments.get("title") or arguments.get("subject") or "")
        what = f"{str(one.body['tool']).replace('_', ' ')}{f' {quote_text(name)}' if name else ''}"
        cost = float(one.body["cost"])
        parts.append(Statement(f"{money(cost)} on {day(one.at)}: {what}", (Claim(one.id, "cost", cost, one.at),)))
    if len(entries) > _NAMED:
        parts.append(Statement(f"{format_count(len(entries) - _NAMED, 'smaller amount')} not named here"))
    made = {str(one.body.get("result", {}).get("id")) for one in entries}
    gone = [one for one in entries_of(agent) if one.id in made and one.record.get("status") == "cancelled"]
    if gone:
        total -= sum(float(one.cells["cost"].order) for one in gone)
        told = join_words(f"{one.label} {one.cells['cost'].text} ({one.id})" for one in gone)
        claims = tuple(claim for one in gone for claim in one.claims(("cost",), now))
        parts.append(Statement(f"Cancelled since: {told}; {money(total)} still stands", claims))
    every = () if periods else [one.as_of(agent.clock()) for one in agent.services.decisions(agent.business_id).all()]
    own = [one for one in every if one.open and one.cost and one.from_agent == agent.id]
    if own:
        more = sum(one.cost for one in own)
        told = join_words(f"{quote_text(one.subject)}, {money(one.cost)} ({one.id})" for one in own[:_NAMED])
        claims = tuple(claim for one in own for claim in claims_of(one, "subject cost status", now))
        parts.append(Statement(f"Your decision is open on {told}; with it that would be {money(total + more)}", claims))
    return together(parts)


def _of_item(agent: Agent, item: WorkItem) -> Iterator[Statement]:
    now = agent.now()
    made = [one for one in item.made if one.section in _PRICED]
    for one in made:
        yield Statement(describe_record(one.section, one.record), claims_of_made(one, now))
        yield _describe_spending(one)
    if made:
        return
    name = quote_text(item.title)
    decision = max(item.decisions, key=lambda one: one.created_at, default=None)
    if decision is not None and decision.cost:
        state = "waits for your decision" if decision.open else f"you {decision.status} it"
        claims = claims_of(decision, "subject cost status", now)
        if decision.performed_at:
            yield Statement(f"{quote_text(decision.subject)} costs {money(decision.cost)} ({decision.id})", claims)
        else:
            text = f"Nothing so far: {quote_text(decision.subject)} would cost {money(decision.cost)}, and {state}"
            yield Statement(text, claims)
        return
    if decision is not None and any(one.get("impact") for one in decision.options):
        told = join_words(
            f"{quote_text(str(one.get('label', '')))} {one.get('impact', '')}".strip() for one in decision.options
        )
        yield Statement(f"Nothing so far. The options of {name}: {told}", claims_of(decision, "options status", now))
        return
    budgets = [step.cost for step in item.steps if step.cost]
    if budgets:
        yield Statement(f"Nothing so far. The steps of {name} are planned with {money(sum(budgets))}")
    else:
        yield Statement(f"No cost is on record for {name}")


def _describe_spending(made: RecordWork) -> Statement:
    """Return the part of a commitment that was spent, as its channel reported it."""
    if made.section != "campaigns":
        return Statement()
    total = commitment(float(made.record["weekly_budget_usd"]), int(made.record["weeks"]))
    spent = float(made.record.get("spent_usd") or 0.0)
    if not spent:
        return Statement(f"{money(total)} is committed, and no spending is reported yet")
    return Statement(f"{money(spent)} of {money(total)} is reported as spent")


def _list_paid_calls(agent: Agent) -> Iterator[LedgerEntry]:
    """Yield the calls of the agent that cost money and did not fail, each once."""
    index = agent.services.ledger_index()
    entries = index.entries(agents=[agent.id], kinds=["call", "outcome"], limit=_ENTRIES)
    failed = {str(one.body.get("call")) for one in entries if one.kind == "outcome" and not one.body.get("ok")}
    found: dict[str, LedgerEntry] = {}
    for one in entries:
        if one.kind == "call" and one.body.get("cost") and one.body.get("ok") is not False and one.id not in failed:
            found[str(one.body.get("key") or one.id)] = one
    yield from found.values()
