"""Choose the records that answer a question: the agent's own work, or figures, facts and documents; or both.

A question about the agent's own work names a piece of it, points back at one, or names nothing but the agent and the
person who asks. All others are looked up in the records of the business. An empty result is reported as that, with the
places that were searched.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mabos.language.letters import LETTERS
from mabos.language.request import Request
from mabos.language.wordlists import order_form
from mabos.memory.stem import stem
from mabos.society.roles import STAKEHOLDER
from mabos.tools.knowledge.questions import REASON, reasoned_reply
from mabos.tools.requests.answers.abilities import what_it_can
from mabos.tools.requests.answers.colleague_answers import NOTHING
from mabos.tools.requests.answers.colleagues import answers_of, answers_since, not_answered, not_asked
from mabos.tools.requests.answers.conversation import (
    entries_claimed,
    points_at_subject,
    question_before,
    resolve_ordinal,
    spoken_of_last,
    whole_question,
)
from mabos.tools.requests.answers.costs import answer_price, cost_of, cost_of_kind, spending
from mabos.tools.requests.answers.day_counts import count_days
from mabos.tools.requests.answers.duties import describe_duty, duties, rules_in_force
from mabos.tools.requests.answers.entries import Entry, entries_of
from mabos.tools.requests.answers.happenings import answer_happenings
from mabos.tools.requests.answers.holdings import answer_holdings
from mabos.tools.requests.answers.knowledge_answers import (
    answer_from_records,
    asks_for_figure,
    finds_special,
    nothing_found,
)
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
from mabos.tools.requests.answers.overview import answer_overview, is_overview
from mabos.tools.requests.answers.periods import periods_in
from mabos.tools.requests.answers.query import answer_query, asking_words, names_kind, read_queries
from mabos.tools.requests.answers.question import proper_names
from mabos.tools.requests.answers.reasons import reasons_of, reasons_of_belief
from mabos.tools.requests.answers.sources import Library
from mabos.tools.requests.answers.state import deadline, first_due, is_in_hand, waiting, work_in_hand
from mabos.tools.requests.answers.statement import Statement, claims_of, together
from mabos.tools.requests.answers.synonyms import empty_words, question_forms, stems_of
from mabos.tools.requests.answers.topics import (
    Topic,
    halves,
    has_pronoun,
    how_many,
    is_about_doing,
    names_agent,
    refers_back,
    topics_of,
    wants_first,
)
from mabos.tools.requests.answers.work_items import (
    WorkItem,
    find,
    meaningful,
    names_something,
    overlap,
    step_of,
    work_items,
)
from mabos.tools.requests.readback import describe_draft
from mabos.tools.requests.response import Ask, Response, Say
from mabos.tools.requests.wording import day, format_count, quote_text
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time
from mabos.workspace.copies import replace
from mabos.workspace.currencies import MARKS, WORDS
from mabos.workspace.text import terms

_FORMS = question_forms("in_dispatch")
_NAMED = 0.5
"""The share of the words of a question that a piece of work has where the question names it."""
_SPOKEN_OF = 5
"""So many pieces of work of an answer are kept for a question that points back at them."""
_SHORT = 15
"""At most so many words are looked up where it is not clear that a sentence asks something: orders are longer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its sender and recipient, the agent's work, and the items it names or refers back to."""

    agent: Agent
    request: Request
    items: Sequence[WorkItem]
    named: Sequence[WorkItem]
    last: Sequence[WorkItem]

    @property
    def question(self) -> str:
        """The words of the question."""
        return self.request.sentence

    @property
    def meant(self) -> Sequence[WorkItem]:
        """The work that is meant: as many items as the question says, named ones before the last ones."""
        number = how_many(self.question)
        if self.named:
            return self.named[: max(number, 1)]
        is_back = refers_back(self.question) or (has_pronoun(self.question) and is_about_doing(self.question))
        return tuple(reversed(self.last[:number])) if is_back else ()


def answer_question(agent: Agent, request: Request) -> Say:
    """Return the answer to a question, from records read now; every part of it is answered."""
    earlier, library = _earlier(agent, request), Library(agent)
    is_of_missing = bool(earlier) and earlier[0].act == "question" and earlier[0].replied.startswith(NOTHING)
    if is_of_missing and _NEEDS.search(request.sentence) and refers_back(request.sentence):
        return nothing_found(agent, earlier[0], library)
    drafts = [one for one in earlier if one.status == "asking" and one.operation]
    for draft in drafts[:1] if _SAID_BY_ME.search(request.sentence) else ():
        return Say(describe_draft(draft), claims_of(draft, "question status", agent.now()))
    if request.operation == REASON and (solved := _answer_by_reasoning(agent, request, library)):
        return solved
    sentence = whole_question(request.sentence, earlier)

    def answer(text: str) -> Say:
        asked = replace(request, sentence=text)
        priced = answer_price(text, agent.clock()) or answer_happenings(agent, asked)
        return priced or _whole_answer(agent, asked, earlier, library)

    evidence = earlier[0].data.get("evidence", ()) if earlier else ()
    return count_days(sentence, agent.clock().date(), answer, evidence) or answer(sentence)


def _whole_answer(agent: Agent, request: Request, earlier: Sequence[Request], library: Library) -> Say:
    """Return the answer to a question in full, from the fields of named records or from anything else on record."""
    entries = entries_of(agent)
    sentence, last = resolve_ordinal(agent, request.sentence, earlier, entries)
    pointed = last if sentence != request.sentence else ()
    last = last or spoken_of_last(agent, earlier, entries, how_many(sentence))
    request = replace(request, sentence=sentence)
    is_figure = not names_kind(sentence) and asks_for_figure(agent, request, library)
    held = Statement() if is_figure or _POINTS_AT.search(sentence) else answer_holdings(sentence, entries, agent.now())
    before = question_before(sentence, earlier)
    found = held or (Statement() if is_figure else _from_entries(agent, sentence, last, before))
    if found and _ONE_OF.search(sentence):  # "Which of the two is booked?": and what of the other
        items = _resolve_question(agent, request).last[: how_many(sentence)]
        claimed = {one.record.rpartition("/")[2] for one in found.claims}
        rest = [one for one in items if claimed.isdisjoint(_ids(one))]
        if len(rest) < len(items):
            found = together([found, *(outcome_of(agent, [one], "") for one in rest)])
    known = _answer_from_knowledge(agent, request, earlier, library) if found and not (held or found.claims) else None
    if known is not None and known.claims and not known.data.get("is_nearest"):
        found = Statement()  # "Who plans the jobs?": no such record, but a document says it
    reply = found.say() if found else known or _answer_question(agent, request, earlier, library, last, pointed=pointed)
    keys = entries_claimed(reply.claims, entries)
    return replace(reply, data={**reply.data, "entries": keys}) if keys else reply


def _from_entries(agent: Agent, question: str, last: Sequence[Entry], before: str = "") -> Statement:
    """Return the fields of named records that a question asks for; empty if it asks for anything else.

    `before` is the question before, if this one is elliptic.
    """
    if _OF_OWN_WORK.search(question):
        return Statement()
    if both := _AND_IN_ALL.match(question):  # "What do the two cost a week, and what in all?"
        asked = (f"{both['what']} {both['week']}?", f"{both['what']} {both['all']}?")
        return together(_from_entries(agent, one, last, before) for one in asked)
    entries, today = entries_of(agent), agent.clock().date()
    queries = read_queries(question, entries, last, today)
    if not queries and before:
        queries = read_queries(f"{question.rstrip(' ?')} {asking_words(before)}", entries, last, today)
    return together(answer_query(one, agent.now()) for one in queries)


_AND_IN_ALL, _ONE_OF, _NEEDS, _POINTS_AT, _SAID_BY_ME = (
    _FORMS[name] for name in ("and_in_all", "one_of", "needs", "points_at", "said_by_me")
)
_ASKS_EVIDENCE = question_forms("in_inquiry")["asks_evidence"]
_OF_OWN_WORK = _FORMS["of_own_work"]
"""Questions about the work of the agent itself and about what it may decide: no record of a kind answers them."""


def _answer_question(
    agent: Agent,
    request: Request,
    earlier: Sequence[Request],
    library: Library,
    last: Sequence[Entry],
    *,
    pointed: Sequence[Entry] = (),
) -> Say:
    """Return the answer from the agent's own work, from figures, facts and documents, or from both.

    `last` are the records mentioned last, of which "it" speaks; `pointed` is the one of "the first".
    """
    overview = answer_overview(agent, request, library.sources) if is_overview(request.sentence) else None
    if told := overview or _about_letter(agent, request, earlier):
        return told
    is_of_last = bool(pointed) or (bool(last) and points_at_subject(request.sentence))
    if _is_of_records(agent, request, earlier, library, last):
        known = _answer_from_knowledge(agent, request, earlier, library)
        is_nearest = known is not None and bool(known.data.get("is_nearest"))
        if known and not (is_nearest and _about_own_work(_resolve_question(agent, request, pointed))):
            return known
        if not known and not is_of_last and asks_for_figure(agent, request, library):
            return _nothing(agent, request, library)
    questions = [replace(request, sentence=part) for part in halves(request.sentence)] or [request]
    asked = [_resolve_question(agent, one, pointed) for one in questions]
    several = len(questions) > 1
    own = [(several and _from_entries(agent, one.question, last)) or _about_own_work(one) for one in asked]
    if several and not own[0] and all(has_pronoun(one.question) for one in asked[1:]):
        known = _answer_from_knowledge(agent, request, earlier, library)
        if known is not None and known.claims and not known.data.get("is_nearest"):
            return known  # "Which case is the dearest, and when is it due?" has one subject
    if not any(own):
        spoken = [Statement(one.say(()), one.claims((), agent.now())) for one in last[:_SPOKEN_OF] if is_of_last]
        return together(spoken).say() if spoken else _from_records(agent, request, earlier, library)
    rest = [one for one, known in zip(questions, own, strict=True) if not known]
    answers = {one.sentence: _from_records(agent, one, earlier, library) for one in rest}
    parts = [
        known or Statement(answers[one.sentence].text, answers[one.sentence].claims)
        for one, known in zip(questions, own, strict=True)
    ]
    data = {name: value for one in answers.values() for name, value in one.data.items()}
    spoken_of = [item.key for one in asked for item in one.meant]
    return replace(together(parts).say(), data={**data, **({"items": spoken_of[:_SPOKEN_OF]} if spoken_of else {})})


def _about_letter(agent: Agent, request: Request, earlier: Sequence[Request]) -> Say | None:
    """Return what the letter spoken of last says, and to whom, where a question asks for that; None for others."""
    if "letters" not in topics_of(request.sentence) or not earlier or _is_about_records(earlier[0]):
        return None
    asked = [_resolve_question(agent, replace(request, sentence=one)) for one in halves(request.sentence)]
    is_letter = all(one.last and one.last[0].request and one.last[0].request.operation in LETTERS for one in asked)
    told = together(_letters(one) for one in asked) if is_letter else Statement()
    return told.say() if told else None


def _from_records(agent: Agent, request: Request, earlier: Sequence[Request], library: Library) -> Say:
    found = _answer_from_knowledge(agent, request, earlier, library)
    if found is not None and not found.data.get("is_nearest"):
        return found
    last = _about_last(agent, request, earlier) if refers_back(request.sentence) else _state_of_named(agent, request)
    return last.say() if last else found or _nothing(agent, request, library)


def _state_of_named(agent: Agent, request: Request) -> Statement:
    """Return how the work stands that a question names, where its other words only ask for that; else nothing."""
    named = _resolve_question(agent, request).named[:1]
    if not named:
        return Statement()
    words = meaningful(request.sentence)
    left = [one for one in words if not overlap((one,), named[0].words)]
    is_state = len(left) < len(words) and all(one in _OF_STATE or _DONE.match(one) for one in left)
    return outcome_of(agent, named, request.sentence) if is_state else Statement()


_OF_STATE = frozenset(map(stem, (*empty_words("of_records"), *terms("job package order campaign letter mail project"))))
_DONE = question_forms("doing")["done"]


def _about_last(agent: Agent, request: Request, earlier: Sequence[Request]) -> Statement:
    """Return what has come of the last message, for a question that names nothing: "Which day is that, then?"."""
    last = next((one for one in earlier if one.act != "small_talk"), None)
    if last is not None and _ASKS_EVIDENCE.search(request.sentence):
        return answers_of(agent, last.sentence if last.act == "question" else request.sentence, 1)
    if last is None or last.act == "question":
        return Statement()
    if fresh := answers_since(agent, last.created_at):
        return fresh
    if duty := describe_duty(last, agent.now()):
        return duty
    items = [one for one in work_items(agent, "" if request.sender == STAKEHOLDER else request.sender)
             if one.request is not None and last.id in (one.request.id, one.request.refers_to)]  # fmt: skip
    return outcome_of(agent, items, request.sentence) if items else Statement()


def _answer_from_knowledge(agent: Agent, request: Request, earlier: Sequence[Request], library: Library) -> Say | None:
    """Return the answer from records, else from a method of reasoning, else the nearest records.

    Of a time to come records have no value; a forecast is added to what they have.
    """
    found = answer_from_records(agent, request, earlier, library)
    if found is None or found.data.get("is_nearest"):
        return _answer_by_reasoning(agent, request, library) or found
    periods = found.data.get("periods")
    if isinstance(periods, list) and periods and all(first > agent.now() for first, *_ in periods):
        forecast = _answer_by_reasoning(agent, request, library, only_answers=True)
        return replace(found, text=f"{found.text}\n{forecast.text}") if forecast else found
    return found


def _is_of_records(
    agent: Agent, request: Request, earlier: Sequence[Request], library: Library, last: Sequence[Entry]
) -> bool:
    """Return whether records of the business come before own work.

    They do after a figure ("And why?"), where a figure is named, and where nothing of the agent or of earlier talk is.
    """
    is_about_you = names_agent(request.sentence) and bool(topics_of(request.sentence))
    if earlier and _is_about_records(earlier[0]) and refers_back(request.sentence) and not is_about_you:
        return True
    if bool(last) and points_at_subject(request.sentence):
        return False
    if not is_about_you and finds_special(agent, request, library):
        return True
    return asks_for_figure(agent, request, library) or (not last and _names_record_alone(request.sentence))


_OF_AGENT = re.compile(r"\b(?:you|your|yours|me|my|mine|i|myself)\b", re.IGNORECASE)


def _names_record_alone(question: str) -> bool:
    """Return whether a question says nothing of the agent, of who asks or of earlier talk, and common words alone."""
    is_of_agent = _OF_AGENT.search(question) or has_pronoun(question)
    return not is_of_agent and refers_back(question) and bool(meaningful(question))


def answer_unclear(agent: Agent, request: Request) -> Response:
    """Return the answer to a sentence that may be a question; else ask for clarification."""
    return answer_fragment(agent, request) or Ask(
        f"I do not understand what you want me to do: {quote_text(request.sentence)}. What should I do, and with what?"
    )


_TELLS_VALUE = re.compile(rf":\s*(?:{MARKS})?\s?\d|(?:{MARKS})\s?\d|\d\s?(?:%|(?:{WORDS})\b)", re.IGNORECASE)
"""A value that a person tells: the one on record is no answer to it."""


def answer_fragment(agent: Agent, request: Request) -> Say | None:
    """Return the records on a few words that may be a question; None if they name nothing."""
    if len(terms(request.sentence)) > _SHORT or _TELLS_VALUE.search(request.sentence):
        return None
    earlier, library = _earlier(agent, request), Library(agent)
    if found := _about_own_work(_resolve_question(agent, request)):
        return found.say()
    is_named = names_something(request.sentence)  # one common word leads to anything
    return answer_from_records(agent, request, earlier, library, is_sure=True) if is_named else None


def _earlier(agent: Agent, request: Request) -> list[Request]:
    """Return the earlier requests of the same sender, newest first."""
    return [one for one in reversed(agent.requests.all()) if one.sender == request.sender and one.id != request.id]


def _is_about_records(earlier: Request) -> bool:
    """Return whether a request was a question that figures, facts or documents answered: that has kept its subject."""
    return earlier.act == "question" and bool(set(earlier.data) & {"series", "statements", "documents", "evidence"})


def _about_own_work(asked: Asked) -> Statement:
    """Return the answer from the agent's own work; empty if a question is about something else."""
    for topic in topics_of(asked.question):
        found = _ANSWERS[topic](asked) if topic in _ANSWERS else Statement()
        if found:
            return found
    return Statement()


def _resolve_question(agent: Agent, request: Request, pointed: Sequence[Entry] = ()) -> Asked:
    """Return a question with the work that it names, and its sender's last request, or the work `pointed` at."""
    is_owner = request.sender == STAKEHOLDER
    every = work_items(agent, "" if is_owner else request.sender)
    items = [one for one in every if one.request is None or one.request.id != request.id]
    orders = [one for one in items if one.request is not None and one.request.act == "order"]
    last = [one for one in orders if one.request is not None and one.request.sender == request.sender]
    before = next(iter(_earlier(agent, request)), None)
    if before is not None and (before.act == "question" or before.data):
        # "Why did you start it?" after "What did the fair cost?"
        ids = [*before.data.get("items", ()), *(one.partition("/")[2] for one in before.data.get("entries", ()))]
        spoken_of = [one for one in items if not _ids(one).isdisjoint(ids)]
        spoken_of.sort(key=lambda item: next(at for at, one in enumerate(ids) if one in _ids(item)))
        last = [*spoken_of, *(one for one in last if one not in spoken_of)]
    chosen = [one for one in items if not _ids(one).isdisjoint(entry.id for entry in pointed)]
    last = [*chosen, *(one for one in last if one not in chosen)]
    names = proper_names(request.sentence) - {word for one in agent.services.agents() for word in stems_of(one)}
    known = frozenset(word for item in items for word in stems_of(item.words))
    named = find(items, request.sentence, _NAMED)
    if names and names.isdisjoint(known):
        named = ()  # "What is Ada working on for clients?" is not about the work that has the other words
    return Asked(agent, request, items, named, last)


def _ids(item: WorkItem) -> set[str]:
    """Return the ids of a piece of work, its decisions and the records it left."""
    return {item.key, *(one.id for one in item.decisions), *(one.id for one in item.made)}


_MY_TURN, _WAITED_FOR, _IN_ORDER = (_FORMS[name] for name in ("my_turn", "waited_for", "in_order"))


def _waiting(asked: Asked) -> Statement:
    if asked.named or refers_back(asked.question) or _MY_TURN.search(asked.question):
        return waiting(asked.agent, asked.request, asked.named)
    return Statement()


def _work(asked: Asked) -> Statement:
    if wants_first(asked.question) and not asked.named and (first := first_due(asked.agent, asked.request)):
        return first
    if asked.named:
        return progress_of(asked.agent, asked.named[0])
    return work_in_hand(asked.agent, asked.request) if refers_back(asked.question) else Statement()


def _why(asked: Asked) -> Statement:
    believed = reasons_of_belief(asked.agent, asked.question)
    return believed or together(reasons_of(asked.agent, one) for one in asked.meant)


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
        return _cost_of_step(asked) or cost_of(asked.agent, asked.meant)
    if has_pronoun(asked.question) and refers_back(asked.question):
        finished = [one for one in asked.last if one.passed or one.made] or list(asked.last)
        return cost_of(asked.agent, finished[: how_many(asked.question)])
    return spending(asked.agent, asked.question) if refers_back(asked.question) else Statement()


def _ability(asked: Asked) -> Statement:
    pointed = asked.last[0] if asked.last and has_pronoun(asked.question) and refers_back(asked.question) else None
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
    if asked.named or any(is_in_hand(one) for one in asked.meant):
        late = _delay(asked.agent, asked.meant, asked.question)
        if not late and _FINISHED.search(asked.question) and is_in_hand(asked.meant[0]):
            late = Statement("Not finished yet")
        return together([late, *(progress_of(asked.agent, one) for one in asked.meant)])
    last = next((one for one in asked.last if one.request is not None and one.request.operation == "project"), None)
    if last is not None and last is asked.last[0] and _IN_ORDER.search(asked.question):
        return progress_of(asked.agent, last)
    return work_in_hand(asked.agent, asked.request) if refers_back(asked.question) else Statement()


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
    if is_open_question and not asked.named and refers_back(asked.question) and not has_pronoun(asked.question):
        periods, _ = periods_in(asked.question, asked.agent.clock().date())
        dated = [one for one in asked.items if one.at]
        items = [one for one in dated if periods[0].holds(parse_time(one.at).date())] if periods else asked.items
        return on_record(asked.agent, items)
    if asked.meant:
        return outcome_of(asked.agent, asked.meant, asked.question)
    return work_in_hand(asked.agent, asked.request) if refers_back(asked.question) else Statement()


def _letters(asked: Asked) -> Statement:
    is_back = refers_back(asked.question) or has_pronoun(asked.question)
    items = (asked.named or (asked.last if is_back else ()))[:1]
    return next((said for one in items if (said := letter_of(asked.agent, one, asked.question))), Statement())


def _orders(asked: Asked) -> Statement:
    return orders_of(asked.agent, asked.last)


def _nothing(agent: Agent, request: Request, library: Library) -> Say:
    """Return that nothing was found, with the places that were searched: the business's records and the own work."""
    if "colleagues" in topics_of(request.sentence) and (unasked := not_asked(agent, request.sentence)):
        return together([unasked]).say()
    return nothing_found(agent, request, library)


def _answer_by_reasoning(agent: Agent, request: Request, library: Library, *, only_answers: bool = False) -> Say | None:
    """Return a reasoning method's answer to the whole message, or to the question alone; None if none applies.

    A refusal that says what is missing is returned too, unless `only_answers`.
    """
    message = agent.inbox.find(request.message_id)
    for text in dict.fromkeys((message.content if message is not None else request.sentence, request.sentence)):
        reply = reasoned_reply(agent, text, library.sources)
        if reply is not None and (reply.answered or (not only_answers and (reply.missing or reply.unused))):
            return Say(reply.text)
    return None


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
    "letters": _letters,
    "waiting": _waiting,
    "work": _work,
    "why": _why,
    "cost": _cost,
    "ability": _ability,
    "colleagues": _colleagues,
    "rules": _rules,
    "orders": _orders,
    "duties": _duties,
    "progress": _progress,
    "outcome": _outcome,
}
