"""Choose the records that answer a question: the agent's own work, or figures, facts and documents; or both.

A question about the agent's own work names a piece of it, points back at one, or names nothing but the agent and the
person who asks. All others are looked up in the records of the business. An empty result is reported as that, with the
places that were searched.
"""

import re
from collections.abc import Sequence

from mabos.language.letters import LETTERS
from mabos.language.request import Request
from mabos.memory.stem import stem
from mabos.society.roles import STAKEHOLDER
from mabos.tools.knowledge.questions import REASON, reasoned_reply
from mabos.tools.requests.answers.colleague_answers import NOTHING
from mabos.tools.requests.answers.colleagues import answers_of, answers_since, not_asked
from mabos.tools.requests.answers.conversation import (
    entries_claimed,
    points_at_subject,
    question_before,
    resolve_ordinal,
    spoken_of_last,
    whole_question,
)
from mabos.tools.requests.answers.costs import answer_price
from mabos.tools.requests.answers.day_counts import count_days
from mabos.tools.requests.answers.duties import describe_duty
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
    outcome_of,
)
from mabos.tools.requests.answers.overview import answer_overview, is_overview
from mabos.tools.requests.answers.own_work import (
    Asked,
    about_own_work,
    describe_letters,
    earlier_of,
    ids_of,
    is_about_records,
    resolve_question,
)
from mabos.tools.requests.answers.query import answer_query, asking_words, names_kind, read_queries
from mabos.tools.requests.answers.sources import Library
from mabos.tools.requests.answers.statement import Statement, claims_of, together
from mabos.tools.requests.answers.synonyms import empty_words, question_forms
from mabos.tools.requests.answers.topics import (
    halves,
    has_pronoun,
    how_many,
    is_certain,
    is_of_records,
    is_own,
    names_agent,
    refers_back,
    topics_of,
)
from mabos.tools.requests.answers.work_items import (
    meaningful,
    names_something,
    overlap,
    work_items,
)
from mabos.tools.requests.readback import describe_draft
from mabos.tools.requests.response import Ask, Response, Say
from mabos.tools.requests.wording import quote_text
from mabos.tools.runtime.services import Agent
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


def answer_question(agent: Agent, request: Request) -> Say:
    """Return the answer to a question, from records read now; every part of it is answered."""
    earlier, library = earlier_of(agent, request), Library(agent)
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
        items = resolve_question(agent, request).last[: how_many(sentence)]
        claimed = {one.record.rpartition("/")[2] for one in found.claims}
        rest = [one for one in items if claimed.isdisjoint(ids_of(one))]
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
    whole = resolve_question(agent, request, pointed)
    if _is_of_records(whole, earlier, library, last):
        known = _answer_from_knowledge(agent, request, earlier, library)
        is_nearest = known is not None and bool(known.data.get("is_nearest"))
        if known and not (is_nearest and about_own_work(whole)):
            return known
        if not known and not is_of_last and asks_for_figure(agent, request, library):
            return _nothing(agent, request, library)
    questions = [replace(request, sentence=part) for part in halves(request.sentence)] or [request]
    several = len(questions) > 1
    asked = [resolve_question(agent, one, pointed) for one in questions] if several else [whole]
    own = [(several and _from_entries(agent, one.question, last)) or about_own_work(one) for one in asked]
    is_of_one = several and not own[0] and all(has_pronoun(one.question) for one in asked[1:])
    is_denied = any(own) and not any(one.claims for one in own)  # "No money is committed", where a record has money
    if is_of_one or (is_denied and not is_certain(request.sentence, agent.services.embedder)):
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
    spoken_of = [item.key for one in asked for item in one.chosen_work]
    return replace(together(parts).say(), data={**data, **({"items": spoken_of[:_SPOKEN_OF]} if spoken_of else {})})


def _about_letter(agent: Agent, request: Request, earlier: Sequence[Request]) -> Say | None:
    """Return what the letter spoken of last says, and to whom, where a question asks for that; None for others."""
    if "letters" not in topics_of(request.sentence) or not earlier or is_about_records(earlier[0]):
        return None
    asked = [resolve_question(agent, replace(request, sentence=one)) for one in halves(request.sentence)]
    is_letter = all(one.last and one.last[0].request and one.last[0].request.operation in LETTERS for one in asked)
    told = together(describe_letters(one) for one in asked) if is_letter else Statement()
    return told.say() if told else None


def _from_records(agent: Agent, request: Request, earlier: Sequence[Request], library: Library) -> Say:
    found = _answer_from_knowledge(agent, request, earlier, library)
    if found is not None and not found.data.get("is_nearest"):
        return found
    last = _about_last(agent, request, earlier) if refers_back(request.sentence) else _state_of_named(agent, request)
    return last.say() if last else found or _nothing(agent, request, library)


def _state_of_named(agent: Agent, request: Request) -> Statement:
    """Return how the work stands that a question names, where its other words only ask for that; else nothing."""
    named = resolve_question(agent, request).named[:1]
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


def _is_of_records(asked: Asked, earlier: Sequence[Request], library: Library, last: Sequence[Entry]) -> bool:
    """Return whether records of the business come before own work.

    They do after a figure ("And why?"), where a figure is named, and where nothing of the agent or of earlier talk is.
    """
    agent, request, aim = asked.agent, asked.request, asked.aim
    is_about_you = names_agent(request.sentence) and (is_own(aim) or bool(topics_of(request.sentence)))
    if earlier and is_about_records(earlier[0]) and refers_back(request.sentence) and not is_about_you:
        return True
    if bool(last) and points_at_subject(request.sentence):
        return False
    if not is_about_you and finds_special(agent, request, library):
        return True
    is_bare = not last and not is_own(aim) and _names_record_alone(request.sentence)
    is_classified = not asked.named and is_of_records(request.sentence, agent.services.embedder)
    return asks_for_figure(agent, request, library) or is_bare or is_classified


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
    earlier, library = earlier_of(agent, request), Library(agent)
    if found := about_own_work(resolve_question(agent, request)):
        return found.say()
    is_named = names_something(request.sentence)  # one common word leads to anything
    return answer_from_records(agent, request, earlier, library, is_sure=True) if is_named else None


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
