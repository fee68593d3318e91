"""Answer a question from the agent's own work: its requests, goals, decisions, records, rules and colleagues.

The topic of the question says which of them; see `topics`.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from mabos.language.request import Request
from mabos.language.wordlists import order_form
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.abilities import what_it_can
from mabos.tools.requests.answers.colleagues import answers_of, not_answered
from mabos.tools.requests.answers.costs import cost_of, cost_of_kind, spending
from mabos.tools.requests.answers.duties import duties, rules_in_force
from mabos.tools.requests.answers.entries import Entry, entries_of
from mabos.tools.requests.answers.holdings import holdings
from mabos.tools.requests.answers.knowledge_answers import answer_from_records
from mabos.tools.requests.answers.outcomes import (
    YES_OR_NO,
    deeds_of_kinds,
    kinds_of_deed,
    letter_of,
    on_record,
    orders_of,
    outcome_of,
    progress_of,
)
from mabos.tools.requests.answers.periods import periods_in
from mabos.tools.requests.answers.question import proper_names
from mabos.tools.requests.answers.reasons import reasons_of, reasons_of_belief
from mabos.tools.requests.answers.sources import Library
from mabos.tools.requests.answers.state import deadline, first_due, is_in_hand, waiting, work_in_hand
from mabos.tools.requests.answers.statement import Statement, together
from mabos.tools.requests.answers.synonyms import question_forms, stems_of
from mabos.tools.requests.answers.topics import (
    Topic,
    has_pronoun,
    how_many,
    is_about_doing,
    is_own,
    refers_back,
    sure_topic,
    topics_of,
    wants_first,
)
from mabos.tools.requests.answers.work_items import (
    WorkItem,
    find,
    find_by_name,
    meaningful,
    overlap,
    step_of,
    work_items,
)
from mabos.tools.requests.wording import day, format_count, quote_text
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time

_FORMS = question_forms("in_dispatch")
NAMED = 0.5
"""The share of the words of a question that a piece of work has where the question names it."""


_OF_ALL = ("work", "waiting", "ability", "rules", "duties", "orders", "booked", "colleagues")
"""Topics of questions that may name nothing of the work, in words of any kind: "what occupies you at present"."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its sender and recipient, the agent's work, and the items it names or refers back to.

    `aim` is its topic, if that is sure and it names nothing else; `others` are names in it that no work has.
    `follows_records` says that the question before was answered by figures, facts or documents.
    """

    agent: Agent
    request: Request
    items: Sequence[WorkItem]
    named: Sequence[WorkItem]
    last: Sequence[WorkItem]
    aim: str = ""
    others: Collection[str] = ()
    follows_records: bool = False

    @property
    def question(self) -> str:
        """The words of the question."""
        return self.request.sentence

    @property
    def names_nothing(self) -> bool:
        """Tells whether it asks for all work of its topic, or for what was spoken of."""
        return not self.named and (refers_back(self.question) or self.aim in _OF_ALL)

    @property
    def chosen_work(self) -> Sequence[WorkItem]:
        """The work that is meant: as many items as the question says, named ones before the last ones."""
        number = how_many(self.question)
        if self.named:
            return self.named[: max(number, 1)]
        is_back = self.names_nothing or (has_pronoun(self.question) and is_about_doing(self.question))
        return tuple(reversed(self.last[:number])) if is_back else ()


def about_own_work(asked: Asked) -> Statement:
    """Return the answer from the agent's own work; empty if a question is about something else."""
    said_so = topics_of(asked.question, by_form=True)
    by_form = bool(asked.others) and not asked.named
    for topic in said_so if by_form else topics_of(asked.question, asked.agent.services.embedder):
        found = _ANSWERS[topic](asked) if topic in _ANSWERS else Statement()
        is_doubtful = asked.follows_records and topic not in said_so and not found.claims
        if found and not is_doubtful:  # "Nothing waits for you" is no answer to a question about a document
            return found
    return Statement()


def resolve_question(agent: Agent, request: Request, pointed: Sequence[Entry] = ()) -> Asked:
    """Return a question with the work that it names, and its sender's last request, or the work `pointed` at."""
    is_owner = request.sender == STAKEHOLDER
    every = work_items(agent, "" if is_owner else request.sender)
    items = [one for one in every if one.request is None or one.request.id != request.id]
    orders = [one for one in items if one.request is not None and one.request.act == "order"]
    last = [one for one in orders if one.request is not None and one.request.sender == request.sender]
    before = next(iter(earlier_of(agent, request)), None)
    if before is not None and (before.act == "question" or before.data):
        # "Why did you start it?" after "What did the fair cost?"
        ids = [*before.data.get("items", ()), *(one.partition("/")[2] for one in before.data.get("entries", ()))]
        spoken_of = [one for one in items if not ids_of(one).isdisjoint(ids)]
        spoken_of.sort(key=lambda item: next(at for at, one in enumerate(ids) if one in ids_of(item)))
        last = [*spoken_of, *(one for one in last if one not in spoken_of)]
    chosen = [one for one in items if not ids_of(one).isdisjoint(entry.id for entry in pointed)]
    last = [*chosen, *(one for one in last if one not in chosen)]
    names = proper_names(request.sentence) - {word for one in agent.services.agents() for word in stems_of(one)}
    known = frozenset(word for item in items for word in stems_of(item.words))
    named = find(items, request.sentence, NAMED)
    others = names if names.isdisjoint(known) else frozenset[str]()
    if others:
        named = ()  # "What is Ada working on for clients?" is not about the work that has the other words
    aim = "" if others else sure_topic(request.sentence, agent.services.embedder)
    if not named and is_own(aim):
        named = find_by_name(items, request.sentence)
    follows = before is not None and is_about_records(before)
    return Asked(agent, request, items, named, last, aim, others, follows)


def is_about_records(earlier: Request) -> bool:
    """Return whether a request was a question that figures, facts or documents answered: that has kept its subject."""
    return earlier.act == "question" and bool(set(earlier.data) & {"series", "statements", "documents", "evidence"})


def earlier_of(agent: Agent, request: Request) -> list[Request]:
    """Return the earlier requests of the same sender, newest first."""
    return [one for one in reversed(agent.requests.all()) if one.sender == request.sender and one.id != request.id]


def ids_of(item: WorkItem) -> set[str]:
    """Return the ids of a piece of work, its decisions and the records it left."""
    return {item.key, *(one.id for one in item.decisions), *(one.id for one in item.made)}


_MY_TURN, _WAITED_FOR, _IN_ORDER = (_FORMS[name] for name in ("my_turn", "waited_for", "in_order"))


def _waiting(asked: Asked) -> Statement:
    if asked.named or asked.names_nothing or _MY_TURN.search(asked.question):
        return waiting(asked.agent, asked.request, asked.named)
    return Statement()


def _work(asked: Asked) -> Statement:
    if wants_first(asked.question) and not asked.named and (first := first_due(asked.agent, asked.request)):
        return first
    if asked.named:
        return progress_of(asked.agent, asked.named[0])
    return work_in_hand(asked.agent, asked.request) if asked.names_nothing else Statement()


def _why(asked: Asked) -> Statement:
    believed = reasons_of_belief(asked.agent, asked.question)
    return believed or together(reasons_of(asked.agent, one) for one in asked.chosen_work)


def _cost_of_step(asked: Asked) -> Statement:
    """Return that one step of a project has no cost on record, where a question names that step alone."""
    step = step_of(asked.named[0], asked.question)
    made = " ".join(f"{one.record.get('title', '')} {one.record.get('name', '')}" for one in asked.named[0].made)
    is_without = step is not None and not overlap(meaningful(asked.question), made)
    return Statement(f"No cost of {quote_text(step.description)} is on record") if step and is_without else Statement()


_FROM_ME = order_form("answers_dispatch.from_me")


_IF_APPROVED = re.compile(r"\b(?:would|will)\b.*\b(?:with|including|on top|plus)\b", re.IGNORECASE)
_TOTAL = order_form("answers_dispatch.total")


def _cost(asked: Asked) -> Statement:
    requests = [one.request for one in asked.named if one.request is not None]
    # What a product costs its buyers is on record, and no spending of ours; a rule costs nothing.
    is_other = any("standing" in (one.act, one.status) or one.operation == "stripe_create_price" for one in requests)
    if is_other or _FROM_ME.search(asked.question):
        return Statement()  # what waits for the person
    is_named = any(one.request is not None or one.made for one in asked.named)
    if not asked.named and _IF_APPROVED.search(asked.question):
        return spending(asked.agent, "")
    if (not is_named or _TOTAL.search(asked.question)) and (of_kind := cost_of_kind(asked.agent, asked.question)):
        return of_kind
    if asked.named:
        return _cost_of_step(asked) or cost_of(asked.agent, asked.chosen_work)
    if has_pronoun(asked.question) and asked.names_nothing:
        finished = [one for one in asked.last if one.passed or one.made] or list(asked.last)
        return cost_of(asked.agent, finished[: how_many(asked.question)])
    return spending(asked.agent, asked.question) if asked.names_nothing else Statement()


def _ability(asked: Asked) -> Statement:
    pointed = asked.last[0] if asked.last and has_pronoun(asked.question) and asked.names_nothing else None
    if pointed is not None and any(one.open for one in pointed.decisions):
        return waiting(asked.agent, asked.request, [pointed])  # "Can you do it without me?"
    return what_it_can(asked.agent, asked.question, pointed)


def _colleagues(asked: Asked) -> Statement:
    if _WAITED_FOR.search(asked.question) and (missing := not_answered(asked.agent)):
        return missing
    found = answers_of(asked.agent, asked.question, how_many(asked.question))
    is_bare = not found and re.search(r"(?i)\bany (?:answers?|repl)|\bask\w* (?:any|some|no)", asked.question)
    return found or (Statement("I have asked no colleague anything that is on record") if is_bare else found)


def _rules(asked: Asked) -> Statement:
    if not _OF_RULES.search(asked.question):  # "the limit of our credit line" is on record, and no rule
        known = answer_from_records(asked.agent, asked.request, (), Library(asked.agent), is_sure=True)
        if known is not None:
            return Statement(known.text, known.claims)
        today = asked.agent.clock().date()
        if periods_in(asked.question, today)[0] or re.search(r"\bmonth\b|\bweek\b", asked.question):
            return Statement()  # "In which month did we pass the limit?" is about figures
    return rules_in_force(asked.agent, asked.question)


_OF_RULES = _FORMS["of_rules"]


def _duties(asked: Asked) -> Statement:
    none = Statement("No reminder or regular report of yours is on record")
    return together(duties(asked.agent, asked.request.sender)) or none


_LATE = _FORMS["late"]
_FINISHED = _FORMS["finished"]


def _delay(agent: Agent, items: Sequence[WorkItem], question: str) -> Statement:
    """Return whether work is past its deadline, and by how many days, where a question asks for that."""
    until = next((one for item in items[:1] if (one := deadline(item))), "")
    if not until or not _LATE.search(question):
        return Statement()
    days = (agent.clock().date() - parse_time(until).date()).days
    is_timely = re.search(r"\b(?:on|in) (?:time|schedule)\b", question, re.IGNORECASE) is not None
    word = ("Yes: " if (days > 0) != is_timely else "No: ") if YES_OR_NO.search(question) else ""
    how = f"was {day(until)}, {format_count(days, 'day')} ago" if days > 0 else f"is {day(until)}"
    return Statement(f"{word}the deadline {how}")


def _progress(asked: Asked) -> Statement:
    if asked.named or any(is_in_hand(one) for one in asked.chosen_work):
        late = _delay(asked.agent, asked.chosen_work, asked.question)
        if not late and _FINISHED.search(asked.question) and is_in_hand(asked.chosen_work[0]):
            late = Statement("Not finished yet")
        return together([late, *(progress_of(asked.agent, one) for one in asked.chosen_work)])
    last = next((one for one in asked.last if one.request is not None and one.request.operation == "project"), None)
    if last is not None and last is asked.last[0] and _IN_ORDER.search(asked.question):
        return progress_of(asked.agent, last)
    return work_in_hand(asked.agent, asked.request) if asked.names_nothing else Statement()


def _has_colleague_as_subject(asked: Asked) -> bool:
    """Return whether a question is about a colleague's action: "Did the CFO write something about it?"."""
    agent = asked.agent
    names = [one for one in agent.services.agents() if one != agent.id] if agent.business_id else []
    names += [agent.business.manifest.role_of(one) for one in names]
    form = "|".join(map(re.escape, filter(None, names)))
    return bool(form) and bool(re.search(rf"(?i)\b(?:did|has|have|was)\s+(?:the |our )?(?:{form})\b", asked.question))


def _outcome(asked: Asked) -> Statement:
    if _has_colleague_as_subject(asked):
        return Statement()  # what a colleague wrote is on record as a message
    if not asked.named and (kinds := kinds_of_deed(asked.question)):
        return deeds_of_kinds(asked.agent, kinds, asked.question)
    is_open_question = not YES_OR_NO.search(asked.question)
    if is_open_question and not asked.named and asked.names_nothing and not has_pronoun(asked.question):
        periods, _ = periods_in(asked.question, asked.agent.clock().date())
        dated = [one for one in asked.items if one.at]
        items = [one for one in dated if periods[0].holds(parse_time(one.at).date())] if periods else asked.items
        return on_record(asked.agent, items)
    if asked.chosen_work:
        return outcome_of(asked.agent, asked.chosen_work, asked.question)
    return work_in_hand(asked.agent, asked.request) if asked.names_nothing else Statement()


def describe_letters(asked: Asked) -> Statement:
    """Return what the letter meant says, and to whom it goes, as a question asks; empty for other work."""
    is_back = asked.names_nothing or has_pronoun(asked.question)
    items = (asked.named or (asked.last if is_back else ()))[:1]
    return next((said for one in items if (said := letter_of(asked.agent, one, asked.question))), Statement())


def _orders(asked: Asked) -> Statement:
    if asked.named:
        return reasons_of(asked.agent, asked.named[0])
    return orders_of(asked.agent, asked.last)


def _holdings(asked: Asked) -> Statement:
    return holdings(asked.question, entries_of(asked.agent), asked.agent.now())


def _identity(asked: Asked) -> Statement:
    agent, persona = asked.agent, asked.agent.mind.persona
    company = f" of {agent.business.profile.name}" if agent.business_id and agent.business.profile.name else ""
    duties = f" I answer for: {'; '.join(persona.responsibilities)}." if persona.responsibilities else ""
    return Statement(f"I am {persona.title or agent.id}{company}.{duties}")


def _moment(asked: Asked) -> Statement:
    return Statement(f"It is {(now := asked.agent.clock()):%A}, {now.day} {now:%B %Y}, {now:%H:%M} UTC")


_ANSWERS: Mapping[Topic, Callable[[Asked], Statement]] = {
    "identity": _identity,
    "moment": _moment,
    "letters": describe_letters,
    "waiting": _waiting,
    "work": _work,
    "why": _why,
    "cost": _cost,
    "ability": _ability,
    "colleagues": _colleagues,
    "rules": _rules,
    "orders": _orders,
    "booked": _holdings,
    "duties": _duties,
    "progress": _progress,
    "outcome": _outcome,
}
