"""Every record of a workspace that can be a reason."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mabos.reasons.beliefs import Beliefs, fact_record
from mabos.reasons.making import calls_that_made, made_by, named_by, things
from mabos.reasons.record import Record, Records, texts
from mabos.reasons.workflows import workflow_records

if TYPE_CHECKING:
    from mind.history import History
    from society.metrics import Metrics
    from tools.agent import Agent
    from tools.services import Business, Services
    from workspace.ledger import Entry

    Books = Mapping[str, Sequence[Entry]]
    """The ledger of each agent, read once: a gathering looks into it in several ways."""

_EVERY = 1_000_000
_MAY_BE_NAMED = ("fact", "memory", "message")
"""What comes from the first action that names it at all: an inference tells its facts in a list."""
_MAY_BE_GIVEN = ("work package", "contractor")
"""What only calls make, perhaps under an id of the caller's: it comes from the first action that answers with it."""


def gathered(services: "Services") -> Records:
    """Return every decision, ledger entry, message, point of a series, thing made, and record of a mind, by id."""
    books = {agent_id: list(services.ledger.entries(agent_id)) for agent_id in services.ledger.agents()}
    calls = calls_that_made(books)
    made, named, answered = made_by(calls), named_by(calls), made_by(calls, given=True)
    beliefs = Beliefs(services, named)
    found: dict[str, list[Record]] = {}
    for one in _every(services, beliefs, books):
        source = named if one.kind in _MAY_BE_NAMED else answered if one.kind in _MAY_BE_GIVEN else made
        linked = replace(one, rests_on=(*one.rests_on, source[one.id])) if one.id in source else one
        found.setdefault(one.id, []).append(linked)
    for thing in things(calls):
        found.setdefault(thing.id, [thing])
    return Records((one for ones in found.values() for one in ones), beliefs)


def _every(services: "Services", beliefs: Beliefs, books: "Books") -> Iterator[Record]:
    for agent_id in services.agents():
        agent = services.agent(agent_id)
        history = beliefs.history(agent_id)
        yield from (beliefs.record(agent_id, one) for one in history.beliefs)
        yield from _mind(agent, history, books.get(agent_id, ()))
        yield from _experience(agent)
    for agent_id, entries in books.items():
        yield from _deeds(agent_id, entries)
    for business_id in services.businesses():
        business = services.business(business_id)
        yield from _points(business.metrics)
        yield from _holdings(business)
        yield from workflow_records(business)
    yield from _decisions(services, books)


def _mind(agent: "Agent", history: "History", entries: "Sequence[Entry]") -> Iterator[Record]:
    from mind.conditions import subjects
    from mind.model import Desire, Goal, Intention, Plan

    mind = agent.mind

    def record(item: Any, kind: str, words: str, at: str, *rests_on: Any, target: str = "") -> Record:
        measured_by = tuple(subjects(target)) if target else ()
        return Record(item.id, kind, agent.id, words, at, tuple(texts(rests_on)), measured_by)

    for desire in (*mind.desires, *history.gone(Desire)):
        asked = desire.id.removeprefix("D-")  # what a message asks for is wanted under the message's id
        because: tuple[Any, ...] = (desire.serves, desire.reason, desire.deps, asked)
        words = _aimed(desire.name, desire.target)
        yield record(desire, "desire", words, desire.created, *because, target=desire.target)
    lacking = _lacking(entries) if any(goal.status == "blocked" for goal in mind.goals) else {}
    for goal in (*mind.goals, *history.gone(Goal)):
        above = goal.parent_goal_id.rpartition("/")[2]  # a colleague's goal has its owner before the id
        entry, why_not = lacking.get(goal.id, ("", "")) if goal.status == "blocked" else ("", "")
        because = (goal.desire_id, above, goal.evidence, entry)
        words = _aimed(goal.description, goal.target) + (f": no plan fits: {why_not}" if why_not else "")
        yield record(goal, "goal", words, goal.created, *because, target=goal.target)
    for intention in (*mind.intentions, *history.gone(Intention)):
        words = f"{intention.description or 'to carry out ' + intention.plan_id}: {intention.status}"
        rests = (intention.goal_id, intention.plan_id, intention.decision_id, intention.evidence, intention.reason)
        yield record(intention, "intention", words, intention.started, *rests)
    choices = _choices(entries)
    for plan in (*mind.plans, *history.gone(Plan)):
        entry, passed_over = choices.get(plan.id, ("", ""))
        words = f"{plan.name} ({plan.source}, {plan.status})" + (f": {plan.strategy}" if plan.strategy else "")
        words += f"; passed over: {passed_over}" if passed_over else ""
        yield record(plan, "plan", words, plan.created, plan.goal_id, plan.strategy, plan.risks, plan.changes, entry)
    for learning in mind.learnings:
        yield record(learning, "lesson", learning.insight, learning.at, learning.context)
    for commitment in mind.commitments:
        words = f"to {commitment.counterparty}: {commitment.terms} ({commitment.status})"
        yield record(commitment, "commitment", words, "")


def _choices(entries: "Iterable[Entry]") -> dict[str, tuple[str, str]]:
    """Return for each plan the entry of its choice, and what spoke against the other plans that were looked at."""
    chosen = ((one.id, one.body) for one in entries if one.kind == "plan" and one.body.get("passed_over"))
    return {str(body.get("plan")): (entry, "; ".join(body["passed_over"])) for entry, body in chosen}


def _lacking(entries: "Iterable[Entry]") -> dict[str, tuple[str, str]]:
    """Return for each goal without a plan the entry that says so last, and what each plan lacked."""
    told = ((one.id, one.body.get("no_plan") or {}) for one in entries if one.kind == "plan")
    return {goal_id: (entry, "; ".join(why)) for entry, lacked in told for goal_id, why in lacked.items()}


def _aimed(words: str, target: str) -> str:
    return f"{words} ({target})" if target and target not in words else words


def _experience(agent: "Agent") -> Iterator[Record]:
    for message in agent.inbox.messages():
        words = f"{message.performative} from {message.sender}: {message.content}"
        yield Record(message.id, "message", agent.id, words, message.timestamp, tuple(texts([message.reply_to])))
    yield from _memories(agent)
    for case in agent.cases.all():
        reason = case.results.get("reason")
        words = f"{case.context or case.id}: {case.outcome}" + (f", {reason}" if reason else "")
        rests = tuple(texts([case.beliefs, case.desires, case.solution]))
        yield Record(case.id, "case", agent.id, words, case.stored_at, rests)
    index = agent.facts.index()
    given_up = {fact.id: fact for fact in sorted(index.history.values(), key=lambda one: one.recorded_until)}
    yield from (fact_record(agent.id, fact) for fact in {**given_up, **index.facts}.values())
    for episode in agent.episodes.all():
        words = f"{episode.method}: {episode.summary}"
        yield Record(episode.id, "reasoning", agent.id, words, episode.at, tuple(texts([episode.evidence])))
    for rule in agent.rules.select():
        yield Record(rule.id, "rule", agent.id, f"{rule.name}: {rule.description}", rule.created_at)


def _memories(agent: "Agent") -> Iterator[Record]:
    """Yield what is remembered, and what has left the stores and stands in the daily logs alone."""
    from memory import daily

    kept = set()
    for item in agent.memory.recent(_EVERY):
        kept.add(item.id)
        rests = tuple(texts([item.evidence, item.derived_from, item.source]))
        yield Record(item.id, "memory", agent.id, item.content, item.created_at, rests)
    folder = agent.memory.directory / "memory"
    for day in daily.days(folder):
        for entry in daily.entries(folder, day):
            if entry.id and entry.id not in kept:
                kept.add(entry.id)
                yield Record(entry.id, "memory", agent.id, entry.content, f"{day}T{entry.time}")


def _deeds(agent_id: str, entries: Iterable["Entry"]) -> Iterator[Record]:
    """Yield the entries of a ledger, and each cycle with what was done in it."""
    cycles: dict[str, list[Entry]] = {}
    for entry in entries:
        yield _entry(entry)
        if entry.cycle:
            cycles.setdefault(entry.cycle, []).append(entry)
    for cycle, told in cycles.items():
        done = tuple(entry.id for entry in told if entry.kind in ("call", "awaiting"))
        yield Record(cycle, "cycle", agent_id, f"{len(done)} actions", told[0].at, done)


def _entry(entry: "Entry") -> Record:
    kind = "action" if entry.kind == "call" else f"entry '{entry.kind}'"
    named = {name: value for name, value in entry.body.items() if name not in ("arguments", "result")}
    return Record(entry.id, kind, entry.agent, _told(entry), entry.at, tuple(texts(named)))


def _told(entry: "Entry") -> str:
    body = entry.body
    if "arguments" in body:
        arguments = ", ".join(f"{name}={value}" for name, value in (body.get("arguments") or {}).items())
        return f"{body['tool']}({arguments})"
    return ", ".join(
        f"{name}: {value if isinstance(value, str | int | float) else '…'}" for name, value in body.items()
    )


def _points(metrics: "Metrics") -> Iterator[Record]:
    for name in metrics.names():
        for point in metrics.series(name):
            words = f"{point.name} was {point.value:g} {point.unit}".rstrip()
            yield Record(point.id, "figure", "", words, point.at, tuple(texts([point.source])))


def _holdings(business: "Business") -> Iterator[Record]:
    """Yield what the business has in its documents: work, people, advertising, prices, content."""
    held: Mapping[str, Iterable[Any]] = {
        "work package": business.workforce.packages.all(),
        "contractor": business.workforce.contractors.all(),
        "campaign": business.campaigns.all(),
        "product": business.pricing.products.all(),
        "price": business.pricing.prices.all(),
        "article": business.content.all(),
    }
    for kind, ones in held.items():
        for one in ones:
            named = getattr(one, "title", "") or getattr(one, "name", "")
            words = named or f"${one.monthly_usd:,.2f} a month for {one.segment}"
            status = f": {one.status}" if hasattr(one, "status") else ""
            by = getattr(one, "created_by", "")
            delivered = [past.id for past in one.history] if kind == "contractor" else []
            rests = (getattr(one, "goal_id", ""), delivered)
            yield Record(one.id, kind, by, f"{words}{status}", getattr(one, "created_at", ""), tuple(texts(rests)))


def _decisions(services: "Services", books: "Books") -> Iterator[Record]:
    asked = _what_asked(books)
    for business_id in services.businesses():
        for one in services.business(business_id).decisions.all():
            answer = f": {one.status} {one.resolved_at[:16]}".rstrip()
            if one.status == "modified":
                answer += ", to " + ", ".join(f"{name} {value}" for name, value in one.modifications.items())
            rests = tuple(texts([asked.get(one.id, ()), one.reasons, one.description]))
            yield Record(one.id, "decision", one.from_agent, f"{one.subject}{answer}", one.created_at, rests)


def _what_asked(books: "Books") -> dict[str, list[str]]:
    """Return what each decision was asked for: the intention, plan and step its ledger entry names."""
    found: dict[str, list[str]] = {}
    for entry in (one for entries in books.values() for one in entries):
        if entry.kind == "awaiting" and entry.body.get("decision"):
            found.setdefault(str(entry.body["decision"]), []).extend(texts(entry.body.get("why", {})))
    return found
