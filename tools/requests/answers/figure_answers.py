"""Answer questions from figures: from the series named in a question, or the one with the most similar name.

answer_named_figures(inquiry, read_question("How are the fares?", today))
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from mabos.language.request import Claim
from mabos.society.quantities import read_amount, spellings_of
from mabos.tools.requests.answers.causes import answer_cause
from mabos.tools.requests.answers.conversation import points_at_subject
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
from mabos.tools.requests.answers.inquiry import Inquiry
from mabos.tools.requests.answers.passages import answer_passages, contradicted_figure
from mabos.tools.requests.answers.question import Question, party_of
from mabos.tools.requests.answers.sources import Series, cosines, is_plan, key
from mabos.tools.requests.answers.stated import answer_statements, words_of
from mabos.tools.requests.answers.synonyms import core, empty_words, likeness, question_forms, question_words, stems_of
from mabos.tools.requests.answers.tables import answer_tables, points_back
from mabos.tools.requests.answers.targets import (
    Target,
    answer_targets,
    answer_times,
    bound_of,
    describe_target,
    targets_of,
    unmeasured_targets,
)
from mabos.tools.requests.answers.wording import label, sentence, stated_value
from mabos.tools.requests.answers.work_items import is_uncommon
from mabos.workspace.currencies import SIGNS
from mabos.workspace.text import STOPWORDS, terms

_FORMS = question_forms("in_figure_answers")
_NEAR_FIGURE = 0.5
_SAME = 0.6
"""The likeness of a name from which a figure is the one that a question asks for, and no neighbour of it."""
"""The cosine of two names from which a figure is offered as the nearest to what was asked for."""
_NEAR_CAUSE = 0.45
"""The same where a cause is asked for: the answer names what it took the question for."""
TOPICLESS = frozenset(core(question_words()["of_follow_ups"]))
_WHICH = re.compile(r"\bwhich (?!of\b|ones?\b|way\b)(\w+)", re.IGNORECASE)
_OF_TIME = frozenset(
    stem for word in terms("day week month quarter year date time period figure value") for stem in stems_of(word)
)
_ONE_OF = re.compile(r"\b(?:one|each) of (?:those|these|the|our)\b|\beach of them\b", re.IGNORECASE)
_YES_OR_NO = re.compile(r"^\W*(?:and |so |but )?(?:do|does|did|can|could|may|is|are|was|were|will)\b", re.IGNORECASE)
_ALIKE = 0.45  # how much of a name and of a question must be alike, on average
_LEAST_ALIKE = 0.25  # the same of each of the two
_WHAT_CHANGED = _FORMS["what_changed"]
_OF_NEWS = frozenset(stem for word in empty_words("of_news") for stem in stems_of(word))
_TARGETS = _FORMS["targets"]
_MOST_SERIES = 6
_NO_PART = re.compile(r"total|price|average|mean|balance|cash|bank|profit|margin|budget|plan|target|_per_|rate")
"""Names of figures that are no parts of a sum."""
OF_SERIES = frozenset({"cause", "compare", "target", "trend", "sum", "average", "best", "worst", "ratio"})
"""Wants that only a figure answers; no other record is searched then."""


def _leaning(inquiry: Inquiry, part: Question, views: Sequence[View]) -> Question:
    """Return a question with the periods of the one before, where it compares, names none, or one before."""
    kept = inquiry.about.get("periods")
    if part.asks("best", "worst"):
        return part  # "Which week was the best?" looks at all of them
    is_news = bool(_WHAT_CHANGED.search(part.text))  # the newest values against those before them
    if is_news and not any(one.within(part.periods) for one in views):
        return replace(part, periods=())  # a month that has just begun has no values
    if isinstance(kept, list) and not is_news and (part.asks("compare") or all(one.back for one in part.periods)):
        return with_periods(part, kept)
    return part


def answer_from_causes(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the possible causes of a change in the named figure, or in the one nearest in meaning."""
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


def answer_similar_figures(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the answer from the figure with the name most like the words of a question; the answer names it."""
    is_of_other = part.asks("who", "cause") or (part.asks("when") and not part.asks("best", "worst"))
    if not (part.wants & OF_SERIES or part.periods or part.asks("count", "amount")) or is_of_other:
        return None
    rated = [(_share_alike(one.name, part), one) for one in inquiry.sources.series.values()]
    best = max((share for share, _ in rated), default=0.0)
    series = [one for share, one in rated if share == best] if best >= _ALIKE else []
    is_of_series = part.wants & OF_SERIES or part.asks("count")
    near = tuple(series) if len(series) == 1 else _nearest_series(inquiry, part) if is_of_series else ()
    told = inquiry.about.get("series")
    if not near or (isinstance(told, list) and near[0].name in told):
        return None
    if part.asks("count") and View(near[0], inquiry.today).unit in SIGNS:
        return None  # a number of things is no sum of money
    found = _tell_figures(inquiry, part, near, ())
    if found is None or best >= _SAME:
        return found
    note = f"I have no figure of that name. The nearest is {label(near[0].name).lower()}."
    return replace(found, lines=(note, *found.lines))


def _share_alike(name: str, part: Question) -> float:
    """Return how much of a name and of a question's topic are words that mean the same or belong together."""
    own = core(name)
    if not part.topic or any(all(likeness(one, stem) < 0.5 for stem in own) for one in part.proper & set(part.topic)):
        return 0.0
    asked = sum(max(likeness(one, stem) for stem in own) for one in part.topic) / len(part.topic)
    named = sum(max(likeness(one, stem) for one in part.topic) for stem in own) / len(own)
    return min(1.0, (asked + named) / 2) if asked >= _LEAST_ALIKE and named >= _LEAST_ALIKE else 0.0


def _inherit_series(inquiry: Inquiry, part: Question, *, is_bound: bool = False) -> tuple[Series, ...]:
    """Return the series of the question before, where this one names no topic of its own, or a bound for it."""
    names = inquiry.about.get("series")
    leans = not part.topic or set(part.topic) <= TOPICLESS or (is_bound and not part.proper)
    return series_named(names, inquiry.sources) if isinstance(names, list) and leans else ()


def answer_named_figures(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the answer from the figures that a question, or the previous question, names."""
    bound = bound_of(part, inquiry.told)
    is_of_last = points_at_subject(part.text) and not bound and not part.asks("target", "compare", "trend")
    series, left = ((), part.topic) if is_of_last else matching(part, inquiry.sources)  # "Is it for members only?"
    if part.asks("count") and not re.search(r"\b(?:dollars|euros|pounds|much)\b", part.text, re.IGNORECASE):
        series = tuple(one for one in series if View(one, inquiry.today).unit not in SIGNS)  # a number of things
    is_of_all = part.asks("target") and _TARGETS.search(part.text) and not part.topic and not points_back(part.text)
    if not series and is_of_all:
        return _tell_targets(inquiry, part)
    if not series:
        inherited = _all_meant(inquiry, part) or _inherit_series(inquiry, part, is_bound=bound is not None)
        is_elsewhere = part.asks("when", "who") and not part.asks("best", "worst")
        is_of_cause = inquiry.about.get("around") and not part.wants and not part.periods
        if not inherited or is_elsewhere or is_of_cause:  # "And what is being done about it?" is in the notes
            return None
        series, left = inherited, ()
    return _tell_figures(inquiry, part, series, left)


def _tell_targets(inquiry: Inquiry, part: Question) -> Found | None:
    """Return all targets, those of figures without a value last."""
    measured = _all_meant(inquiry, part)
    said = [_tell_figures(inquiry, part, measured, ())] if measured else []
    for one in unmeasured_targets(inquiry.agent, inquiry.sources.series):
        line = sentence(f"{one.words}; no value is on record ({one.source})")
        said.append(Found((line,), (Claim(one.record, "target", one.words),)))
    return together(filter(None, said)) if any(said) else None


def _tell_figures(inquiry: Inquiry, part: Question, series: Sequence[Series], left: Sequence[str]) -> Found | None:
    """Return the answer of these series, with their targets; `left` are the words that they do not explain."""
    bound = bound_of(part, inquiry.told)
    part = _leaning(inquiry, part, [View(one, inquiry.today) for one in series])
    aims = [] if len(series) != 1 else targets_of(inquiry.agent, series[0], inquiry.sources, series[0].points[-1].day)
    times = answer_times(part, series, inquiry.today, aims)
    if times or part.asks("target") or bound is not None:
        return times or _verdict_on_targets(inquiry, part, series, left, bound)
    party = party_of(part.text)
    narrowed = (*qualifiers(part, left, series), *(stem for stem in (party.stems if party else ()) if stem in left))
    is_elsewhere = part.asks("when", "who") and not part.asks("best", "worst")
    is_of_many = part.periods and part.asks("sum", "average", "best", "worst")
    if (left or is_elsewhere) and not is_of_many and (better := _more_exact(inquiry, part, left)):
        return better
    if is_elsewhere or _is_of_thing(part, series) or (narrowed and _YES_OR_NO.match(part.text)):
        return None  # "Do we deliver on Sundays?" is no question for a figure
    limited = [series[0].name] if aims and aims[0].operator.startswith("<") else []
    found = answer_figures(part, series, inquiry.sources, inquiry.today, limited)
    if found and len(found.claims) == 1:
        found = _check_against_facts(inquiry, part, found, series[0])
    is_known = found is not None and not found.lines[0].startswith("I have no value")
    if found and is_known and len(found.claims) == 1 and not part.asks("when"):
        found = _with_target(inquiry, found, series[0])
    is_named = any(set(core(it)) <= set(part.stems) for one in series for it in (one.name, *spellings_of(one.name)))
    if found and not is_named and (narrowed or (not is_known and any(map(is_uncommon, left)))):
        return None  # "What do we pay the plumber?" is no question for the payroll
    if found and narrowed:
        words = [word for word in re.findall(r"[\w'’-]+", part.text) if set(core(word)) & set(narrowed)]
        note = f'I have no figure for "{" ".join(dict.fromkeys(words))}" itself; this is the whole.'
        return replace(found, lines=(note, *found.lines))
    return found


def _is_of_thing(part: Question, series: Sequence[Series]) -> bool:
    """Return whether a question is about things that a figure counts together: "Which product makes the most?"."""
    if _ONE_OF.search(part.text) and not part.asks("count"):
        return True  # "What does one of those guests leave with us?"
    which = _WHICH.search(part.text)
    own = _OF_TIME.union(*(core(one.name) for one in series))
    nouns = stems_of(which[1].lower()) if which and which[1].lower() not in STOPWORDS else ()
    if len(series) == 1:
        return not _OF_TIME.issuperset(nouns)  # one series has days, and no casks to choose from
    return bool(nouns) and not any(likeness(noun, stem) >= _ALIKE for noun in nouns for stem in own)


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
    asked = question_forms("wants")["target"].search(part.text)
    of_target = set(core(asked[0])) if asked else set()
    words = [one for one in re.findall(r"[\w'’-]+", part.text) if set(core(one)) & set(left) - of_target]
    if found is None or not words or found.lines[0] not in ("Yes.", "No."):
        return found
    note = f'I have no figure for "{" ".join(dict.fromkeys(words))}".'
    return replace(found, lines=(*found.lines[1:], note))


def _all_meant(inquiry: Inquiry, part: Question) -> tuple[Series, ...]:
    """Return the series of a question for all of them: those with targets, or those of the file spoken of before."""
    every = tuple(inquiry.sources.series.values())
    if set(part.topic) - (_OF_NEWS if _WHAT_CHANGED.search(part.text) else set()):
        return ()
    names = inquiry.about.get("series")
    if _WHAT_CHANGED.search(part.text):
        known = series_named(names, inquiry.sources) if isinstance(names, list) else every
        files = {value.source for one in known for value in one.points[-1].values}
        return tuple(one for one in every if files & {value.source for value in one.points[-1].values})[:_MOST_SERIES]
    if part.asks("sum") and not part.asks("target"):  # "What did we take in October altogether?"
        homes = [one.points[-1].values[0].source for one in every]
        alike = [one for one in every
                 if View(one, inquiry.today).unit in SIGNS and not _NO_PART.search(one.name)]  # fmt: skip
        return tuple(alike) if len(set(homes)) == 1 and 1 < len(alike) <= _MOST_SERIES else ()
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
