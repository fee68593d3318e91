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
from mabos.society.quantities import read_amount
from mabos.tools.requests.answers.causes import ahead, answer_cause
from mabos.tools.requests.answers.colleague_answers import answer_colleagues
from mabos.tools.requests.answers.conversation import points_at_subject
from mabos.tools.requests.answers.day_counts import reached_by
from mabos.tools.requests.answers.figures import (
    Found,
    View,
    answer_figures,
    matching,
    qualifiers,
    series_named,
    together,
    with_periods,
)
from mabos.tools.requests.answers.inquiry import (
    Inquiry,
    chosen_source,
    evidence_given,
    from_documents,
    named_document,
    planted_orders,
    said_about,
    unreadable,
    with_documents,
)
from mabos.tools.requests.answers.linked_rows import answer_linked, comes_after
from mabos.tools.requests.answers.lookup import RecordLines, better_told, look_up, share_told
from mabos.tools.requests.answers.offers import answer_offers
from mabos.tools.requests.answers.parties import party_of
from mabos.tools.requests.answers.passages import (
    add_contradiction,
    answer_passages,
    claim_of,
    contradicted_figure,
    has_kind,
    quote,
)
from mabos.tools.requests.answers.question import Question, read_question, split
from mabos.tools.requests.answers.row_selection import is_of_days
from mabos.tools.requests.answers.sheets import sheets_of
from mabos.tools.requests.answers.sources import (
    Library,
    Series,
    Sources,
    cosines,
    is_plan,
    key,
    nearness,
)
from mabos.tools.requests.answers.stated import answer_comparison, answer_statements, words_of
from mabos.tools.requests.answers.synonyms import core, covering
from mabos.tools.requests.answers.tables import answer_tables, points_back, runs_low
from mabos.tools.requests.answers.targets import (
    Target,
    answer_targets,
    answer_times,
    bound_of,
    describe_target,
    targets_of,
)
from mabos.tools.requests.answers.wording import join_words, label, stated_value
from mabos.tools.requests.response import Say
from mabos.tools.runtime.services import Agent
from mabos.workspace.currencies import CODE, MARKS, WORDS
from mabos.workspace.dates import dates_in
from mabos.workspace.text import terms

_MONEY = re.compile(rf"(?:{MARKS}|\b(?:{CODE}))\s?\d|\d\s?(?:{WORDS})\b", re.IGNORECASE)
_YES_OR_NO = re.compile(r"^\W*(?:and |so |but )?(?:do|does|did|can|could|may|is|are|was|were|will)\b", re.IGNORECASE)
_NEAR_FIGURE = 0.5
"""The cosine of two names from which a figure is offered as the nearest to what was asked for."""
_NEAR_CAUSE = 0.45
"""The same where a cause is asked for: the answer names what it took the question for."""
_DEPTH = 3  # how many questions back one may lean
_TOPICLESS = frozenset(
    core(
        """stop end happen over done dearer cheaper more less much they else other there fixed fix repaired back normal
        solved again meet reach hit plan target aim goal"""
    )
)


def answer_from_records(
    agent: Agent, request: Request, earlier: Sequence[Request], library: Library, *, is_sure: bool = False
) -> Say | None:
    """Return the answer to a question from records, read now; None where nothing on record bears on it.

    `earlier` are the sender's requests, newest first: a question may lean on the one before.
    """
    found = _answer_parts(agent, request.sentence, earlier, library, _DEPTH, is_sure=is_sure)
    if found is None:
        return None
    text = "\n".join(found.lines) if len(found.lines) > 2 else " ".join(found.lines)
    return Say(text, found.claims, data=found.about)


_ABOUT_AGENT = re.compile(r"\b(?:you|your|yours|i|me|my|mine)\b|\bwaits? for\b|\bdecisions?\b", re.IGNORECASE)


def names_agent(text: str) -> bool:
    """Return whether a question speaks of the agent, of who asks, or of a decision."""
    return bool(_ABOUT_AGENT.search(text))


def asks_for_figure(agent: Agent, request: Request, library: Library) -> bool:
    """Return whether a question names a series whole, and neither the agent nor the person who asks."""
    if runs_low(request.sentence):
        return bool(library.sources.documents)
    if names_agent(request.sentence):
        return False
    sources = library.sources
    part = read_question(request.sentence, agent.clock().date(), names_of(sources))
    series, left = matching(part, sources) if part.topic else ((), ())
    is_of_rows = part.periods and any(is_of_days(one, part) for one in sheets_of(sources.documents))
    return (bool(series) and not left) or bool(is_of_rows)


def names_of(sources: Sources) -> frozenset[str]:
    """Return the words that name a series, as they are written there: "takings" is no form of "take" then."""
    return frozenset(word for name in sources.series for word in terms(name.replace("_", " ")) if len(word) > 3)


def nothing_found(agent: Agent, request: Request, library: Library) -> Say:
    """Return that no record answers a question, with the search terms and places, and ask for the data."""
    sources = library.sources
    today = agent.clock().date()
    parts, _ = split(request.sentence, today, names_of(sources))
    topics = [f'"{one}"' for one in (words_of(part) for part in parts) if one][:3]
    topic = f"on {join_words(topics)}" if topics else "that answers this"
    periods = join_words(list(dict.fromkeys(period.label for part in parts for period in part.periods)))
    places = ["the figures" + _in_brackets([label(name) for name in sources.series]), "my facts"]
    places.append("the documents of the inbox" + _in_brackets([one.file for one in sources.documents]))
    unread = "".join(f" {one.file} {one.problem}." for one in sources.unreadable)
    wanted = f"I have no record {topic}" + (f" for {periods}" if periods else "")
    aside = [
        file
        for file, text in sources.set_aside
        if any(covering(stem, core(text)) for part in parts for stem in part.topic)
    ]
    note = "".join(
        f" A passage of {file} speaks to the software that reads it, so I do not use what it says."
        for file in dict.fromkeys(aside)
    )
    asked = "Please tell me, or drop a document with it into the inbox."
    return Say(f"{wanted}. I looked in {join_words(places)}.{unread}{note} {asked}")


def _in_brackets(names: Sequence[str], limit: int = 8) -> str:
    """Return names in brackets: the first few, and how many more there are."""
    more = len(names) - limit
    shown = ", ".join(names[:limit]) + (f" and {more} more" if more > 0 else "")
    return f" ({shown})" if names else " (none)"


def _answer_parts(
    agent: Agent, text: str, earlier: Sequence[Request], library: Library, depth: int, *, is_sure: bool
) -> Found | None:
    today, sources = agent.clock().date(), library.sources
    parts, told = split(text, today, names_of(sources))
    before = _before(agent, parts, earlier, library, depth)
    catalogue = RecordLines(agent, sources)
    inquiry = with_documents(Inquiry(agent, sources, today, before, told=told), f"{told} {text}")
    if unread := unreadable(inquiry, f"{told} {text}"):
        return unread
    results: list[tuple[Question, Found | None]] = []
    for part in _complete_questions(parts, inquiry):
        found = _said_already(part, results) or _find_reached_day(inquiry, part) or _part(inquiry, part, catalogue)
        if found is None:
            found = look_up(catalogue, part, is_sure=is_sure)
        elif _may_be_of_other(found) and not part.leans and not part.wants & _OF_SERIES:
            found = better_told(catalogue, part, found) or found
        results.append((part, found))
        if found:
            inquiry = replace(inquiry, about={**inquiry.about, **found.about, "wants": sorted(part.wants)})
    found = _together(results)
    return replace(found, about={**found.about, "wants": sorted(results[-1][0].wants)}) if found else None


def _may_be_of_other(found: Found) -> bool:
    """Return whether an answer is one figure or rows, which a word of the question may have led to by itself."""
    return len(found.about.get("series", ())) == 1 or bool(found.about.get("rows"))


def _find_reached_day(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the day that follows from a notice or the like in the answer just given."""
    evidence = inquiry.about.get("evidence")
    found = reached_by(part.text, evidence, inquiry.today) if isinstance(evidence, list) else None
    return Found((found[0],), (found[1],), dict(inquiry.about)) if found else None


_ELLIPTIC = re.compile(
    r"^\W*(?:and|or|so|what about|how about)\b(?: (?:for|in|on|the|our|of|about|with|at))*(?: [\w'’-]+){1,3}\W*$", re.I
)
_OF_SERIES = frozenset({"cause", "compare", "target", "trend", "sum", "average", "best", "worst", "ratio"})
"""What only a figure has: no other record is looked for then."""
_KEPT_WANTS = frozenset({"target", "compare", "trend", "best", "worst", "sum", "average"})


def _complete_questions(parts: Sequence[Question], inquiry: Inquiry) -> Sequence[Question]:
    """Return the questions with an elliptic one completed: "And for the members?" asks the same as the one before.

    If the last of several names the periods for all of them, each gets these.
    """
    wants = inquiry.about.get("wants")
    first, last = parts[0], parts[-1]
    if isinstance(wants, list) and not first.wants and first.topic and _ELLIPTIC.search(first.text):
        parts = (replace(first, wants=_KEPT_WANTS.intersection(wants)), *parts[1:])
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
    asked = [one for one in earlier if one.act == "question" or (one.act == "unclear" and one.data)]
    while len(asked) > 1 and not asked[0].data:  # what nothing answered is passed over
        asked = asked[1:]
    if not asked or not depth or not (first.leans or not first.topic or first.asks("choose")):
        return {}
    kept = {
        name: value
        for name, value in asked[0].data.items()
        if name in ("series", "periods", "conflict", "documents", "evidence", "wants", "rows")
    }
    if kept:
        return kept
    found = _answer_parts(agent, asked[0].sentence, asked[1:], library, depth - 1, is_sure=False)
    return dict(found.about) if found else {}


_Step = Callable[[Inquiry, Question], Found | None]


def _part(inquiry: Inquiry, part: Question, catalogue: RecordLines) -> Found | None:
    """Return the answer to one question: from what it points at, else the one that covers most of its words.

    Of the other answers the surest source comes first; a later one replaces it only if it covers much more of the
    question, or has the kind of thing that is asked for where the first has not.
    """
    pointed: tuple[_Step, ...] = (
        chosen_source,
        evidence_given,
        planted_orders,
        said_about,
        named_document,
        _after_rows,
        _of_rows,
        _cause,
    )
    if found := next((found for step in pointed if (found := step(inquiry, part))), None):
        return found
    steps: tuple[_Step, ...] = (
        _of_limits,
        _answer_from_tables,
        _offers,
        _lasting,
        _figures,
        _answer_from_statements,
        _tables,
        _linked_rows,
        _ahead,
        _earlier_document,
        _passages,
        _documents_of_party,
        _colleagues,
        _answer_from_assumptions,
    )
    is_rated = bool(part.topic) and not part.leans and not part.wants & _OF_SERIES
    best: tuple[float, Found] | None = None
    for step in steps:
        found = step(inquiry, part)
        if found is None:
            continue
        if not is_rated or step is _of_limits:
            return found
        rating = share_told(catalogue, part, found) + (_OF_KIND if has_kind(part, " ".join(found.lines)) else 0.0)
        if best is None or rating > best[0] + _BETTER:
            best = (rating, found)
        if best[0] >= _WHOLE:
            break
    return best[1] if best else None


_OF_KIND = 0.3  # what it adds to an answer's share of the words that it has the kind of thing asked for
_BETTER = 0.15  # by how much a later answer must be better
_WHOLE = 1.1  # from here no other answer can be much better


def _lasting(inquiry: Inquiry, part: Question) -> Found | None:
    """Return how long something lasts as a document says it: "How long is a lesson?" asks for no number of lessons."""
    is_span = part.asks("duration") and part.topic and not part.periods and not part.asks("cause", "trend", "compare")
    return answer_passages(part, inquiry.sources.documents) if is_span and "long" in part.text.lower() else None


def _offers(inquiry: Inquiry, part: Question) -> Found | None:
    files = inquiry.about.get("documents")
    return answer_offers(part, inquiry.sources.documents, files if isinstance(files, list) else [])


def _leaning(inquiry: Inquiry, part: Question) -> Question:
    """Return a question with the periods of the one before, where it compares, names none, or one before."""
    kept = inquiry.about.get("periods")
    if part.asks("best", "worst"):
        return part  # "Which week was the best?" looks at all of them
    if isinstance(kept, list) and (part.asks("compare") or all(one.back for one in part.periods)):
        return with_periods(part, kept)
    return part


def _cause(inquiry: Inquiry, part: Question) -> Found | None:
    if not part.asks("cause"):
        return None
    series, _ = matching(part, inquiry.sources)
    series = series or _inherit_series(inquiry, part)
    found = answer_cause(part, series, inquiry.sources, inquiry.today) if series or part.topic else None
    if found is not None or series or not (near := _nearest_series(inquiry, part, _NEAR_CAUSE)):
        return found
    found = answer_cause(part, near, inquiry.sources, inquiry.today)
    note = f"I take this as a question about {label(near[0].name).lower()}."
    return replace(found, lines=(note, *found.lines)) if found else None


def _nearest_series(inquiry: Inquiry, part: Question, minimum: float = _NEAR_FIGURE) -> tuple[Series, ...]:
    """Return the series whose name is nearest in meaning to a question, if any is near enough."""
    series = tuple(inquiry.sources.series.values())
    near = cosines(inquiry.agent, words_of(part), [label(one.name).lower() for one in series])
    best = max(range(len(near)), key=near.__getitem__, default=None)
    return (series[best],) if best is not None and near[best] >= minimum else ()


def _inherit_series(inquiry: Inquiry, part: Question, *, is_bound: bool = False) -> tuple[Series, ...]:
    """Return the series of the question before, where this one names no topic of its own, or a bound for it."""
    names = inquiry.about.get("series")
    leans = not part.topic or set(part.topic) <= _TOPICLESS or (is_bound and not part.proper)
    return series_named(names, inquiry.sources) if isinstance(names, list) and leans else ()


def _figures(inquiry: Inquiry, part: Question) -> Found | None:
    bound = bound_of(part, inquiry.told)
    is_of_last = points_at_subject(part.text) and not bound and not part.asks("target", "compare", "trend")
    series, left = ((), part.topic) if is_of_last else matching(part, inquiry.sources)  # "Is it for members only?"
    if not series:
        inherited = _all_meant(inquiry, part) or _inherit_series(inquiry, part, is_bound=bound is not None)
        if not inherited or (part.asks("when", "who") and not part.asks("best", "worst")):
            return None
        series = inherited
    part = _leaning(inquiry, part)
    aims = [] if len(series) != 1 else targets_of(inquiry.agent, series[0], inquiry.sources, series[0].points[-1].day)
    times = answer_times(part, series, inquiry.today, aims)
    if times or part.asks("target") or bound is not None:
        return times or _verdict_on_targets(inquiry, part, series, left, bound)
    party = party_of(part.text)
    narrowed = (*qualifiers(part, left, series), *(stem for stem in (party.stems if party else ()) if stem in left))
    is_elsewhere = part.asks("when", "who") and not part.asks("best", "worst")
    if (left or is_elsewhere) and (better := _more_exact(inquiry, part, left)):
        return better
    if is_elsewhere or (narrowed and _YES_OR_NO.match(part.text)):
        return None  # "Do we deliver on Sundays?" is no question for a figure
    found = answer_figures(part, series, inquiry.sources, inquiry.today)
    if found and len(found.claims) == 1:
        found = _check_against_facts(inquiry, part, found, series[0])
    if found and len(found.claims) == 1 and not part.asks("when"):
        found = _with_target(inquiry, found, series[0])
    if found and narrowed:
        words = [word for word in re.findall(r"[\w'’-]+", part.text) if set(core(word)) & set(narrowed)]
        note = f'I have no figure for "{" ".join(dict.fromkeys(words))}" itself; this is the whole.'
        return replace(found, lines=(note, *found.lines))
    return found


def _with_target(inquiry: Inquiry, found: Found, series: Series) -> Found:
    """Return the answer of one value with the target for it, where one is on record."""
    day = date.fromisoformat(found.claims[0].as_of)
    point = next((one for one in series.points if one.day == day), None)
    targets = targets_of(inquiry.agent, series, inquiry.sources, day)[:1] if point and not point.is_disputed else ()
    said = [describe_target(point, one) for one in targets if point]
    claims = [Claim(one.record, "target", one.words) for one in targets if one.record]
    return replace(found, lines=(*found.lines, *said), claims=(*found.claims, *claims)) if said else found


def _verdict_on_targets(
    inquiry: Inquiry, part: Question, series: Sequence[Series], left: Sequence[str], bound: Target | None
) -> Found | None:
    """Return whether figures reach their targets; no verdict where the question names a figure that is not there."""
    found = answer_targets(inquiry.agent, part, series, inquiry.sources, inquiry.today, bound=bound)
    words = [one for one in re.findall(r"[\w'’-]+", part.text) if set(core(one)) & set(left)]
    if found is None or not words or found.lines[0] not in ("Yes.", "No."):
        return found
    note = f'I have no figure for "{" ".join(dict.fromkeys(words))}".'
    return replace(found, lines=(*found.lines[1:], note))


_WHAT_CHANGED = re.compile(
    r"\bwhat(?:['’]s| is| has| have)? (?:else )?(?:has |is )?(?:changed|different|new)\b", re.IGNORECASE
)
_TARGETS = re.compile(r"\b(?:targets|aims|goals|marks|objectives|budgets|quotas)\b", re.IGNORECASE)
_MOST_SERIES = 6


def _all_meant(inquiry: Inquiry, part: Question) -> tuple[Series, ...]:
    """Return the series of a question for all of them: those with targets, or those of the file spoken of before."""
    every = tuple(inquiry.sources.series.values())
    if part.topic:
        return ()
    names = inquiry.about.get("series")
    if _WHAT_CHANGED.search(part.text):
        known = series_named(names, inquiry.sources) if isinstance(names, list) else every
        files = {value.source for one in known for value in one.points[-1].values}
        return tuple(one for one in every if files & {value.source for value in one.points[-1].values})[:_MOST_SERIES]
    is_of_all = not isinstance(names, list) or _TARGETS.search(part.text)
    if part.asks("target") and is_of_all and not points_back(part.text):
        found = [one for one in every if targets_of(inquiry.agent, one, inquiry.sources, inquiry.today)]
        return tuple(found[:_MOST_SERIES])
    return ()


def _check_against_facts(inquiry: Inquiry, part: Question, found: Found, series: Series) -> Found:
    """Return a single figure, together with a fact or a sentence that says otherwise for the same month."""
    claim = found.claims[0]
    day = date.fromisoformat(claim.as_of)
    facts = [
        one
        for one in inquiry.sources.statements
        if one.record.startswith("fact ")
        and key(one.name) in (series.name, f"{series.name}_usd")
        and not one.owner
        and one.as_of[:7] == claim.as_of[:7]
        and (amount := read_amount(one.value)) is not None
        and float(amount.value) != claim.value
    ]
    if facts:
        other = facts[0]
        view = View(series, inquiry.today)
        said = f"The sources differ. A fact on record says {stated_value(other.name, other.value)} ({other.source})."
        conflict = [["the series", view.say(claim.value), claim.as_of], [other.source, other.value, other.as_of]]
        lines = (said, *found.lines, "I do not choose between them; which is right?")
        claims = (*found.claims, Claim(other.record, other.name, other.value, other.as_of))
        return Found(lines, claims, {**found.about, "conflict": conflict})
    documents = [one for one in inquiry.sources.documents if one.name not in claim.record]
    return contradicted_figure(found, part, documents, day)


def _more_exact(inquiry: Inquiry, part: Question, left: Sequence[str]) -> Found | None:
    """Return the row, fact or sentence that covers the whole topic where a series covers a part of it."""
    documents = inquiry.sources.documents
    if any(stem in part.proper for stem in left) and (found := answer_tables(part, documents)):
        return found
    told = [one for one in documents if not is_plan(one)]  # a sentence of a plan is no figure
    return answer_statements(part, inquiry.sources, must=left) or answer_passages(part, told)


def _answer_from_tables(inquiry: Inquiry, part: Question) -> Found | None:
    """Return a list's answer to "which", "who" and "how many", before a figure or a line that shares a word."""
    if re.search(r"\b(?:which|who|whose|list|name|how many)\b", part.text, re.I):
        return answer_tables(part, inquiry.sources.documents, kept=inquiry.about.get("rows"))
    return None


def _after_rows(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the row after those that were told: "And the one after that?"."""
    rows = inquiry.about.get("rows")
    return answer_linked(part, inquiry.sources.documents, rows) if rows and comes_after(part) else None


def _of_rows(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the answer from the rows mentioned before: "And what do they come to?"."""
    rows = inquiry.about.get("rows")
    is_of_rows = rows and not part.proper and (points_back(part.text) or (part.leans and not part.topic))
    return answer_tables(part, inquiry.sources.documents, kept=rows) if is_of_rows else None


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


def _tables(inquiry: Inquiry, part: Question) -> Found | None:
    return answer_tables(part, inquiry.sources.documents, kept=inquiry.about.get("rows"))


def _of_limits(inquiry: Inquiry, part: Question) -> Found | None:
    return answer_linked(part, inquiry.sources.documents, is_by_limit=True)


def _linked_rows(inquiry: Inquiry, part: Question) -> Found | None:
    return answer_linked(part, inquiry.sources.documents, inquiry.about.get("rows"))


def _documents_of_party(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the answer of the documents of whoever a question names, as the sender of a mail or in a title."""
    documents = [
        one
        for one in inquiry.sources.documents
        if not one.tables and part.proper & {*core(one.title), *core(one.sender), *core(one.file.rpartition(".")[0])}
    ]
    names = frozenset(stem for one in documents for text in (one.title, one.sender, one.file) for stem in core(text))
    names |= part.proper & {stem for one in documents for passage in one.passages for stem in core(passage.text)}
    if not documents or len(documents) > _FEW_DOCUMENTS:
        return None
    near = nearness(inquiry.agent, part.text, documents)
    return answer_passages(part, documents, known=names, is_named=True, nearness=near)


_FEW_DOCUMENTS = 2
_ENDS = re.compile(r"\b(?:stop|end|over|last|done|fixed|back|normal|clear|again|until|till)\w*\b", re.IGNORECASE)


def _ahead(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the days ahead in the evidence that was given before: "When does it stop?"."""
    evidence = inquiry.about.get("evidence")
    is_of_end = isinstance(evidence, list) and _ENDS.search(part.text) and set(part.topic) <= _TOPICLESS
    if not part.asks("when") or not isinstance(evidence, list) or not is_of_end:
        return None
    found = list(ahead(evidence, inquiry.sources, inquiry.today))
    if not found:
        return None
    lines = ("No day for its end is on record. What the notes date ahead:", *(quote(*one) for one in found[:3]))
    claims = tuple(claim_of(passage, document) for passage, document in found[:3])
    return Found(lines, claims, {"evidence": evidence})


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
