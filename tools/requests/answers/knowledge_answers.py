"""Answer questions about the business from its records: figures, facts, documents, and missing data.

    answer_from_records(agent, request, earlier, library)     # Say("Tickets: 6,240 in October 2026 (box-office.csv).")

The order is from the certain to the less certain: a document that the question names, figures, facts and stated lines,
tables, sentences of documents, colleagues' answers, assumptions of the role. None means that nothing bears on it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from mabos.language.request import Claim, Request
from mabos.society.documents import DocumentText
from mabos.tools.requests.answers.causes import ahead, answer_suspicion
from mabos.tools.requests.answers.colleague_answers import answer_colleagues
from mabos.tools.requests.answers.conversation import periods_of_both, series_of_both
from mabos.tools.requests.answers.day_counts import reached_by
from mabos.tools.requests.answers.days_ahead import answer_agenda, asks_agenda, price_ahead
from mabos.tools.requests.answers.figure_answers import (
    OF_SERIES,
    TOPICLESS,
    answer_from_causes,
    answer_named_figures,
    answer_similar_figures,
)
from mabos.tools.requests.answers.figures import Found, matching, together, with_periods
from mabos.tools.requests.answers.inquiry import (
    KINDS,
    Inquiry,
    chosen_source,
    evidence_again,
    evidence_given,
    evidence_of_kind,
    from_documents,
    is_turned,
    mails,
    named_document,
    planted_orders,
    said_about,
    settled_by_owner,
    unreadable,
    with_documents,
    with_name,
)
from mabos.tools.requests.answers.linked_rows import answer_linked, comes_after
from mabos.tools.requests.answers.lookup import RecordLines, better_told, look_up, share_told
from mabos.tools.requests.answers.offers import answer_alternatives, answer_offers
from mabos.tools.requests.answers.passages import (
    add_change,
    add_contradiction,
    add_notes,
    answer_passages,
    claim_of,
    has_kind,
    is_of_days_asked,
    quote,
)
from mabos.tools.requests.answers.periods import is_within, periods_in
from mabos.tools.requests.answers.question import Question, split
from mabos.tools.requests.answers.rosters import answer_rosters
from mabos.tools.requests.answers.row_selection import columns_named, is_of_days
from mabos.tools.requests.answers.sheets import sheets_of
from mabos.tools.requests.answers.sources import Library, Sources, nearness
from mabos.tools.requests.answers.stated import answer_comparison, answer_statements, words_of
from mabos.tools.requests.answers.synonyms import core, covering, likeness, question_forms
from mabos.tools.requests.answers.table_queries import Answered, answer_query
from mabos.tools.requests.answers.tables import answer_tables, answer_total, points_back, restate, runs_low
from mabos.tools.requests.answers.topics import has_pronoun, names_agent
from mabos.tools.requests.answers.wording import join_words
from mabos.tools.requests.answers.work_items import is_uncommon
from mabos.tools.requests.response import Say
from mabos.tools.runtime.services import Agent
from mabos.workspace.currencies import CODE, MARKS, WORDS
from mabos.workspace.dates import dates_in
from mabos.workspace.text import terms

_MONEY = re.compile(rf"(?:{MARKS}|\b(?:{CODE}))\s?\d|\d\s?(?:{WORDS})\b", re.IGNORECASE)
_DEPTH = 3


def answer_from_records(
    agent: Agent, request: Request, earlier: Sequence[Request], library: Library, *, is_sure: bool = False
) -> Say | None:
    """Return the answer to a question from current records; None if none is relevant.

    `earlier` are the sender's requests, newest first; a question may depend on the one before.
    """
    found = _answer_parts(agent, request.sentence, earlier, library, _DEPTH, is_sure=is_sure)
    if found is None:
        return None
    found = settled_by_owner(found, earlier) or found
    text = "\n".join(found.lines) if len(found.lines) > 2 else " ".join(found.lines)
    return Say(text, found.claims, data=found.about)


def asks_for_figure(agent: Agent, request: Request, library: Library) -> bool:
    """Return whether a question names a whole series, and neither the agent nor the person who asks."""
    if runs_low(request.sentence):
        return bool(library.sources.documents)
    sources = library.sources
    part = split(request.sentence, agent.clock().date(), names_of(sources))[0][0]
    if names_agent(part.text):
        return False
    series, left = matching(part, sources) if part.topic else ((), ())
    is_of_rows = part.periods and any(is_of_days(one, part) for one in sheets_of(sources.documents))
    return (bool(series) and not left) or bool(is_of_rows)


def finds_special(agent: Agent, request: Request, library: Library) -> bool:
    """Return whether a table answers what is missing, owed, in a state, or on a day, as a question asks."""
    part = split(request.sentence, agent.clock().date(), names_of(library.sources))[0][0]
    is_of_state = _OF_STATE.match(part.text) is not None
    if asks_agenda(part):
        return True
    if (asked := answer_query(part, sheets_of(library.sources.documents))) is None:
        return False
    is_told = asked.is_special or asked.is_value or (is_of_state and asked.is_narrow)
    return is_told and asked.share >= _SURELY


_SURELY, _WHOLLY = 0.8, 0.95
_OF_STATE = re.compile(r"(?i)\W*(?:which|what|how many) \w+(?: \w+)? (?:is|are|was|were|has|have) (?:\w+ ){0,2}\w+\W*$")
"""A question for the things in a state: "Which jobs are not paid?"."""


def names_of(sources: Sources) -> frozenset[str]:
    """Return the words that name a series, as written: "takings" is then not a form of "take"."""
    return frozenset(word for name in sources.series for word in terms(name.replace("_", " ")) if len(word) > 3)


def nothing_found(agent: Agent, request: Request, library: Library) -> Say:
    """Return that no record answers a question, with the search terms and places, and a request for the data."""
    sources, today = library.sources, agent.clock().date()
    parts, _ = split(request.sentence, today, names_of(sources))
    topics = [f'"{one}"' for one in (words_of(part) for part in parts) if one][:3]
    topic = f"on {join_words(topics)}" if topics else "that answers this"
    files = [one.file for one in sources.documents]
    places = ["figures", "facts", "documents" + _in_brackets(files), "requests", "plans"]
    unread = "".join(f" {one.file} {one.problem}." for one in sources.unreadable)
    aside = [
        file
        for file, text in sources.set_aside
        if any(covering(stem, core(text)) for part in parts for stem in part.topic)
    ]
    note = "".join(
        f" A passage of {file} speaks to the software that reads it, so I do not use what it says."
        for file in dict.fromkeys(aside)
    )
    when = "".join(f" of {one}" for one in dict.fromkeys(span.label for part in parts for span in part.periods))
    asked = f"Please tell me{f' that{when}' if when else ''}, or put a document with it into the inbox."
    return Say(f"I have no record {topic} in my {join_words(places)}.{unread}{note} {asked}")


def _in_brackets(names: Sequence[str], limit: int = 8) -> str:
    """Return names in brackets: the first few, and how many more there are."""
    more = len(names) - limit
    shown = ", ".join(names[:limit]) + (f" and {more} more" if more > 0 else "")
    return f" ({shown})" if names else ""


def _answer_parts(
    agent: Agent, text: str, earlier: Sequence[Request], library: Library, depth: int, *, is_sure: bool
) -> Found | None:
    today, sources = agent.clock().date(), library.sources
    before = next((one.sentence for one in earlier[:1] if one.data.get("rows")), "")
    text = (before and restate(text, before, sheets_of(sources.documents))) or text
    parts, told = split(text, today, names_of(sources))
    parts = (with_name(parts[0], told, sources), *parts[1:])
    months = [one for one in periods_in(told, today)[0] if not one.role and 5 < (one.last - one.first).days < 32]
    if len(months) == 1 and not any(one.periods for one in parts):  # "August was a flop. How many came?"
        parts = tuple(replace(one, periods=tuple(months)) for one in parts)
    about = _before(agent, parts, earlier, library, depth)
    catalogue = RecordLines(agent, sources)
    inquiry = with_documents(Inquiry(agent, sources, today, about, told=told), f"{told} {text}")
    if unread := unreadable(inquiry, f"{told} {text}"):
        return unread
    results: list[tuple[Question, Found | None]] = []
    for part in _complete_questions(parts, inquiry):
        if results and not results[-1][1] and part.leans and not part.topic:
            continue  # what they are is not on record: nothing is known of it
        found = _said_already(part, results) or _find_reached_day(inquiry, part) or _part(inquiry, part, catalogue)
        if found is None:
            found = look_up(catalogue, part, is_sure=is_sure)
            if found is None or found.about.get("is_nearest"):
                found = evidence_again(inquiry, part) or found
        elif _may_be_of_other(found) and not part.leans and not part.wants & OF_SERIES:
            found = better_told(catalogue, part, found) or found
        found = _with_missing_kinds(inquiry, part, found) if found else None
        results.append((part, found))
        if found:
            inquiry = replace(inquiry, about={**inquiry.about, **found.about, "wants": sorted(part.wants)})
    found = _together(results)
    return replace(found, about={**found.about, "wants": sorted(results[-1][0].wants)}) if found else None


def _with_missing_kinds(inquiry: Inquiry, part: Question, found: Found) -> Found:
    """Return an answer with that for each kind of value it lacks: "How many come, and on which day?"."""
    kinds = [one for one in KINDS if one in part.wants]
    files = found.about.get("documents")
    if len(kinds) < 2 or not isinstance(files, list):
        return found
    told = " ".join(str(claim.value) for claim in found.claims)
    lacking = [replace(part, topic=(), wants=frozenset({one})) for one in kinds]
    documents = [one for one in inquiry.sources.documents if one.file in files]
    more = [from_documents(inquiry, one, documents) for one in lacking if not has_kind(one, told)]
    return together([found, *filter(None, more)])


def _may_be_of_other(found: Found) -> bool:
    """Return whether an answer is one figure or rows, which a word of the question may have led to by itself."""
    is_rows = bool(found.about.get("rows")) and not found.about.get("is_computed")
    return len(found.about.get("series", ())) == 1 or is_rows


def _find_reached_day(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the day that follows from a notice or the like in the answer just given."""
    evidence = inquiry.about.get("evidence")
    found = reached_by(part.text, evidence, inquiry.today) if isinstance(evidence, list) else None
    return Found((found[0],), (found[1],), dict(inquiry.about)) if found else None


_ELLIPTIC = question_forms("in_knowledge_answers")["elliptic"]
_SAME_TIME = re.compile(r"(?i)\b(?:the|that) same (?:time|period|span|days|weeks|months|years)\b")
_KEPT_WANTS = frozenset({"target", "compare", "trend", "best", "worst", "sum", "average"})


def _complete_questions(parts: Sequence[Question], inquiry: Inquiry) -> Sequence[Question]:
    """Return the questions with an elliptic one completed: "And for the members?" asks the same as the one before.

    If the last of several names the periods for all of them, each gets these.
    """
    wants = inquiry.about.get("wants")
    first, last = parts[0], parts[-1]
    is_same = _SAME_TIME.search(first.text) is not None
    if isinstance(wants, list) and first.topic and (is_same or (not first.wants and _ELLIPTIC.search(first.text))):
        kept = inquiry.about.get("periods") if is_same else []
        first = with_periods(first, kept) if isinstance(kept, list) else first
        parts = (replace(first, wants=first.wants | _KEPT_WANTS.intersection(wants)), *parts[1:])
    if len(parts) > 1 and last.periods and last.asks("compare"):
        return [
            one if one.periods or one.wants else replace(one, periods=last.periods, wants=last.wants) for one in parts
        ]
    return parts


def _said_already(part: Question, results: Sequence[tuple[Question, Found | None]]) -> Found | None:
    """Return the previous answer if it answers this question too: "and what do we pay for it?"."""
    before = results[-1][1] if results else None
    if before is None or not before.about.get("documents") or not part.leans or part.proper or len(part.topic) > 1:
        return None
    text = " ".join(before.lines)
    has_money = part.asks("amount") and _MONEY.search(text)
    has_day = part.asks("when") and any(one.day for one in dates_in(text))
    return before if has_money or has_day else None


def _together(results: Sequence[tuple[Question, Found | None]]) -> Found | None:
    """Return the answers to all parts; a part without one is named, so that nothing is passed over."""
    known = [found for _, found in results if found]
    if not known:
        return None
    missing = '"{}": I find nothing on this in figures, facts or documents; please tell me, if you know it.'
    lines = [found or Found((missing.format(topic),)) for part, found in results if found or (topic := words_of(part))]
    return together(lines)


def _before(
    agent: Agent, parts: Sequence[Question], earlier: Sequence[Request], library: Library, depth: int
) -> dict[str, object]:
    """Return the subject of the previous question, if this one refers to it."""
    first = parts[0]
    asked = [one for one in earlier if one.act == "question" or one.data]
    while len(asked) > 1 and not asked[0].data:  # what nothing answered is passed over
        asked = asked[1:]
    if not asked or not depth or not (first.leans or not first.topic or first.asks("choose")):
        return {}
    kept = {
        name: value
        for name, value in asked[0].data.items()
        if name in ("series", "periods", "conflict", "documents", "evidence", "around", "wants", "rows")
    }
    if kept:  # a figure asked for after the cause leaves the evidence for that as it is
        names = kept.get("series")
        alike = (one.data for one in asked[1:_DEPTH] if names and one.data.get("series") == names)
        cause = next((data for data in alike if data.get("around")), {})
        kept |= periods_of_both(asked) | series_of_both(first.text, asked)
        spans = [one.data.get("periods") or [] for one in asked[:2] if names and one.data.get("series") == names]
        if first.asks("compare") and not first.periods and [len(one) for one in spans] == [1, 1]:
            kept["periods"] = sorted([*spans[0], *spans[1]])  # "In July? And in July last year? How many more is it?"
        return {**{name: cause[name] for name in ("evidence", "around") if name in cause}, **kept}
    found = _answer_parts(agent, asked[0].sentence, asked[1:], library, depth - 1, is_sure=False)
    return dict(found.about) if found else {}


_Step = Callable[[Inquiry, Question], Found | None]


_AGE = frozenset(core("age"))
_OF_PRICE = re.compile(r"(?i)\b(?:pay|pays|paid|costs?|prices?|charged?|charges|fees?|rent|rate|usd|eur|gbp)\b")
_OF_AGE = re.compile(r"\b(?:age[sd]?|old|born|birth\w*)\b|\b\d+ years\b", re.IGNORECASE)


def _part(inquiry: Inquiry, part: Question, catalogue: RecordLines) -> Found | None:
    """Return the answer to one question; None for rows without the average or price that is asked for."""
    found = _best_answer(inquiry, part, catalogue)
    found = price_ahead(inquiry, part, found)
    if found and is_turned(part.text, found):
        return None
    found = add_change(found, part, inquiry.sources.documents) if found else None
    found = add_notes(found, part, inquiry.sources.documents) if found else None
    if found and part.asks("average") and found.about.get("rows") and "average" not in " ".join(found.lines).lower():
        return None  # rows are no average
    told = " ".join(found.lines) if found else ""
    is_of_other = found is not None and _AGE & set(part.topic) and not _OF_AGE.search(told)
    is_priced = (
        not part.asks("amount") or not _OF_PRICE.search(part.text) or _MONEY.search(told) or _OF_PRICE.search(told)
    )
    is_listed = found is not None and bool(found.about.get("rows") or found.about.get("statements"))
    return None if is_of_other or (is_listed and not is_priced) else found


_HOW_MANY = re.compile(r"(?i)\bhow many (?P<what>\w+(?: \w+)?) (?:do|did|are|were|have|has|had|was)\b")


def _best_answer(inquiry: Inquiry, part: Question, catalogue: RecordLines) -> Found | None:
    """Return the answer to one question: from what it points at, else the one that covers most of its words.

    Of the other answers the surest source comes first; a later one replaces it only if it covers much more of the
    question, or has the kind of thing that is asked for where the first has not.
    """
    pointed: tuple[_Step, ...] = (
        answer_rosters,
        answer_agenda,
        mails,
        _contacts_of_rows,
        chosen_source,
        answer_suspicion,
        evidence_given,
        planted_orders,
        said_about,
        _alternatives,
        named_document,
        _after_rows,
        _of_rows,
        answer_from_causes,
    )
    asked = answer_query(part, sheets_of(inquiry.sources.documents), inquiry.about.get("rows"))
    if asked is not None and (asked.is_special or asked.is_value) and asked.share >= _SURELY:
        return asked.found
    if found := next((found for step in pointed if (found := step(inquiry, part))), None):
        return found
    if limited := answer_linked(part, inquiry.sources.documents):
        return limited
    steps: tuple[_Step, ...] = (
        _answer_from_tables,
        _offers,
        _lasting,
        answer_named_figures,
        _answer_from_statements,
        lambda inquiry, part: answer_tables(part, inquiry.sources.documents, kept=inquiry.about.get("rows")),
        answer_similar_figures,
        _ahead,
        _earlier_document,
        evidence_of_kind,
        _passages,
        _documents_of_party,
        _colleagues,
        _answer_from_assumptions,
    )
    is_rated = bool(part.topic) and not part.leans and not part.wants & OF_SERIES
    best: tuple[float, Found] | None = None
    for step in (*([_earlier_document] if _is_of_last(inquiry, part) else []), *steps):
        found = step(inquiry, part)
        if found is None:
            continue
        if not is_rated:
            return _better(part, asked, found, share_told(catalogue, part, found))
        rating = share_told(catalogue, part, found) + (_OF_KIND if has_kind(part, " ".join(found.lines)) else 0.0)
        rating += _OF_TIME if _is_of_time(found, part) else 0.0
        if best is None or rating > best[0] + _BETTER:
            best = (rating, found)
        if best[0] >= _WHOLE + (_OF_TIME if part.periods else 0.0):
            break
    return _better(part, asked, *(reversed(best) if best else (None, 0.0)))


def _is_of_last(inquiry: Inquiry, part: Question) -> bool:
    """Return whether a question has "it" or "they" for what the document said that was quoted before."""
    return part.leans and has_pronoun(part.text) and not part.proper and not inquiry.about.get("series")


def _better(part: Question, asked: Answered | None, found: Found | None, rating: float) -> Found | None:
    """Return the answer of a table read word by word instead of the one found, where it explains more of a question."""
    if asked is None or (found and found.lines[0].startswith(("Yes", "No."))):
        return found
    if found is None or asked.is_special:
        return asked.found
    own, rows = asked.found.about["rows"], found.about.get("rows")
    if rows and (rows["file"], rows["sheet"]) == (own["file"], own["sheet"]):
        told = " ".join(found.lines).casefold()
        is_whole = asked.is_narrow and asked.share >= _WHOLLY and part.asks("count")
        is_better = asked.is_value or is_whole or _tells_more(asked, told, own["rows"], rows["rows"])
    elif found.about.get("series") and not (asked.is_computed and asked.is_value):
        is_better = False
    else:
        own_rating = asked.share + (_OF_KIND if asked.is_computed else 0.0) + (_OF_TIME if part.periods else 0.0)
        is_better = own_rating > rating + _BETTER
    return asked.found if is_better else found


def _tells_more(asked: Answered, told: str, own: Sequence[int], rows: Sequence[int]) -> bool:
    """Return whether an answer of the same sheet has cells that are asked for, or fewer rows."""
    if rows == own:
        return any(one.casefold() not in told for one in asked.cells)
    return set(own) < set(rows) and asked.is_narrow


def _is_of_time(found: Found, part: Question) -> bool:
    """Return whether an answer is a figure of the time that is asked for, or names a day of it."""
    if not found.about.get("series"):
        return is_of_days_asked(part, " ".join(str(one.value) for one in found.claims))
    days = [date.fromisoformat(one.as_of) for one in found.claims if one.as_of]
    return bool(part.periods) and bool(days) and all(is_within(day, part.periods) for day in days)


_OF_TIME = 0.3
_OF_KIND = 0.3  # what it adds to an answer's share of the words that it has the kind of thing asked for
_BETTER = 0.15  # by how much a later answer must be better
_WHOLE = 1.1  # from here no other answer can be much better


def _lasting(inquiry: Inquiry, part: Question) -> Found | None:
    """Return how long something lasts as a document says it: "How long is a lesson?" asks for no number of lessons."""
    is_span = part.asks("duration") and part.topic and not part.periods and not part.asks("cause", "trend", "compare")
    return answer_passages(part, inquiry.sources.documents) if is_span and "long" in part.text.lower() else None


def _offers(inquiry: Inquiry, part: Question) -> Found | None:
    if part.periods and part.asks("sum", "average", "best", "worst"):
        return None  # offers have no months
    return answer_offers(part, inquiry.sources.documents, inquiry.about)


def _alternatives(inquiry: Inquiry, part: Question) -> Found | None:
    files, every = inquiry.about.get("documents"), inquiry.sources.documents
    last = [one for one in every if isinstance(files, list) and one.file in files]
    return answer_alternatives(part, inquiry.named or last or (every if part.topic else ()), inquiry.known)


def _answer_from_tables(inquiry: Inquiry, part: Question) -> Found | None:
    """Return a list's answer to "which", "who" and "how many", before a figure or a line that shares a word."""
    if total := answer_total(part, inquiry.sources.documents):
        return total
    counted = _HOW_MANY.search(part.text)
    if counted and counted["what"].lower().replace(" ", "_") in inquiry.sources.series:
        return None  # "How many members do we have?" is no question for a list of prices
    if re.search(r"\b(?:which|who|whose|list|name|how many)\b", part.text, re.I):
        return answer_tables(part, inquiry.sources.documents, kept=inquiry.about.get("rows"))
    return None


_OF_CONTACT = question_forms("in_knowledge_answers")["of_contact"]


_CONTACT_WORDS = frozenset(core("email mail address adress phone telephone number e"))


def _contacts_of_rows(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the address of whom a row names: "the e-mail of the person who rents plot P3"."""
    asks = _OF_CONTACT.search(part.text)
    owners = {one.owner for one in inquiry.sources.statements if one.owner}
    if asks is None or any(set(core(one)) <= part.proper for one in owners):
        return None
    sheets, kept = sheets_of(inquiry.sources.documents), inquiry.about.get("rows")
    topic = tuple(one for one in part.topic if one not in _CONTACT_WORDS)
    asked = answer_query(replace(part, topic=topic), sheets, kept) if topic else None
    rows = kept if kept and points_back(part.text) else asked.found.about["rows"] if asked else None
    sheet = next((one for one in sheets if isinstance(rows, dict) and rows["file"] == one.document.file), None)
    if sheet is None or not isinstance(rows, dict) or len(rows["rows"]) > _FEW_DOCUMENTS + 1:
        return None
    named = [at for at in columns_named(sheet, part) if at in sheet.people] or list(sheet.people)
    chosen = [sheet.table.rows[at] for at in rows["rows"]]
    people = [row[at] for row in chosen for at in named[:1] if at < len(row)]
    if not people:
        return None
    field, short, name = ("email", "e-mail", "e-mail address") if asks["mail"] else ("phone", "phone", "phone number")
    found = [one for one in inquiry.sources.statements if one.owner in people and one.name.startswith(field)]
    without = set(people) - {one.owner for one in found}
    told = [f"{one.owner}: {short} {one.value}." for one in found]
    told += [f"I have no {name} of {one} on record." for one in dict.fromkeys(people) if one in without]
    claims = tuple(Claim(one.record, one.name, one.value) for one in found)
    return Found(tuple(told), claims, {"rows": rows, "documents": [sheet.document.file], "is_computed": True})


def _after_rows(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the row after those that were told: "And the one after that?"."""
    rows = inquiry.about.get("rows")
    return answer_linked(part, inquiry.sources.documents, rows) if rows and comes_after(part) else None


def _of_rows(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the answer from the rows mentioned before: "And what do they come to?"."""
    rows = inquiry.about.get("rows")
    is_of_rows = rows and not part.proper and (points_back(part.text) or (part.leans and not part.topic))
    if not is_of_rows or not _is_on(part, inquiry.sources.documents, rows):
        return None
    return answer_tables(part, inquiry.sources.documents, kept=rows)


def _is_on(part: Question, documents: Sequence[DocumentText], rows: object) -> bool:
    """Return whether a table of an earlier answer has a word of a question, where that has uncommon words."""
    words = [one for one in part.topic if is_uncommon(one)]
    file = rows.get("file") if isinstance(rows, dict) else ""
    tables = [table for one in documents if one.file == file for table in one.tables]
    known = [stem for table in tables for cells in (table.header, *table.rows) for cell in cells for stem in core(cell)]
    return all(covering(one, known) or any(likeness(one, stem) >= 0.5 for stem in known) for one in words)


def _answer_from_statements(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the answer of facts and stated lines, and the sentence of another document that contradicts them."""
    if compared := answer_comparison(part, inquiry.sources):
        return compared
    found = answer_statements(part, inquiry.sources)
    if found is None or found.about.get("conflict") or len(found.lines) > 1:
        return found
    files = found.about.get("documents")
    others = [one for one in inquiry.sources.documents if not isinstance(files, list) or one.file not in files]
    return add_contradiction(found, part, others)


def _documents_of_party(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the answer of the documents of whoever a question names, as the sender of a mail or in a title."""
    documents = [
        one
        for one in inquiry.sources.documents
        if not one.tables and part.proper & {*core(f"{one.title} {one.sender} {one.file.rpartition('.')[0]}")}
    ]
    names = frozenset(stem for one in documents for text in (one.title, one.sender, one.file) for stem in core(text))
    names |= part.proper & {stem for one in documents for passage in one.passages for stem in core(passage.text)}
    if not documents or len(documents) > _FEW_DOCUMENTS:
        return None
    near = nearness(inquiry.agent, part.text, documents)
    return answer_passages(part, documents, known=names, is_named=True, nearness=near)


_FEW_DOCUMENTS = 2
_ENDS = question_forms("in_knowledge_answers")["ends"]


def _ahead(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the days ahead in the evidence that was given before: "When does it stop?"."""
    evidence = inquiry.about.get("evidence")
    is_of_end = isinstance(evidence, list) and _ENDS.search(part.text) and set(part.topic) <= TOPICLESS
    if not part.asks("when") or not isinstance(evidence, list) or not is_of_end:
        return None
    found = ahead(evidence, inquiry.sources, inquiry.today)
    if not found:
        return None
    lines = ("No day for its end is on record. What the notes date ahead:", *(quote(*one) for one in found[:3]))
    claims = tuple(claim_of(passage, document) for passage, document in found[:3])
    return Found(lines, claims, {"evidence": [*([one.file, said.text] for said, one in found[:3]), *evidence]})


def _earlier_document(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the answer of the document that the previous question was about."""
    files = inquiry.about.get("documents")
    if not isinstance(files, list):
        return None
    documents = [one for one in inquiry.sources.documents if one.file in files]
    return from_documents(inquiry, part, documents) if documents else None


def _passages(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the sentence that covers the topic, or is near in meaning; and one that contradicts it."""
    if not part.topic:
        return None
    documents = inquiry.sources.documents
    found = answer_passages(part, documents)
    if found is None:
        return None
    files = found.about["documents"]
    return add_contradiction(found, part, [one for one in documents if one.file not in files])


def _answer_from_assumptions(inquiry: Inquiry, part: Question) -> Found | None:
    return answer_statements(part, inquiry.sources, assumptions=True)


def _colleagues(inquiry: Inquiry, part: Question) -> Found | None:
    """Return colleagues' answers on the topic, newest first, each with its sender and day."""
    return answer_colleagues(inquiry.agent, part)
