"""Answer loose questions about what is booked and ordered so far: "What's the lot come to?", "So what have I bought?".

    answer_holdings("What remains now, and for how much in all?", entries, now)

A question is read here only if each of its words asks for bookings or names one of them. Every record is told with all
of its terms, and several with their sum.
"""

from collections.abc import Sequence

from mabos.memory.stem import stem
from mabos.tools.requests.answers.entries import Entry
from mabos.tools.requests.answers.outcomes import YES_OR_NO
from mabos.tools.requests.answers.query import not_named
from mabos.tools.requests.answers.statement import Statement, together
from mabos.tools.requests.answers.synonyms import empty_words, question_forms
from mabos.tools.requests.answers.work_items import alike
from mabos.tools.requests.wording import format_count, join_words, quote_text
from mabos.workspace.currencies import money
from mabos.workspace.text import STOPWORDS, terms

_FORMS = question_forms("in_holdings")
_ASKS_DEAL, _ASKS_SUM, _NONE, _A_WEEK = (_FORMS[name] for name in ("deal", "sum", "none", "weekly"))
_KINDS = {"campaigns": _FORMS["campaigns"], "work_packages": _FORMS["work_packages"]}
"""What each kind of record is said to be: booked, or ordered."""
_KNOWN = frozenset(map(stem, empty_words("of_holdings")))
_MOST = 8


def answer_holdings(question: str, entries: Sequence[Entry], now: str) -> Statement:
    """Return the open bookings and orders that a question asks for, with their sum; empty if it asks for others."""
    is_sum = bool(_ASKS_SUM.search(question))
    if not is_sum and not _ASKS_DEAL.search(question):
        return Statement()
    words = [word for word in terms(question) if word not in STOPWORDS and stem(word) not in _KNOWN and len(word) > 1]
    if words and is_sum:
        return _of_named(question, _kept_entries(entries), [stem(word) for word in words], now)
    return Statement() if words else holdings(question, entries, now)


def holdings(question: str, entries: Sequence[Entry], now: str) -> Statement:
    """Return all open bookings and orders, those of one kind where a question names only that, with their sum."""
    current = [one for one in _kept_entries(entries) if one.state == "open"]
    kinds = [name for name, said in _KINDS.items() if said.search(question)]
    meant = [one for one in current if one.kind.name in kinds] if len(kinds) == 1 else current
    waits = [one for one in entries if one.kind.name == "decisions" and {"weekly", "cost"} & set(one.cells)]
    asked = Statement()
    if waits:
        told = join_words(f"{quote_text(str(one.record['subject']))} ({one.id})" for one in waits[:_MOST])
        asked = Statement(f"It waits for your decision: {told}", tuple(c for one in waits for c in one.claims((), now)))
    is_asked = bool(YES_OR_NO.search(question)) or bool(_NONE.search(question))
    if not meant:
        noun = "campaign is booked" if kinds == ["campaigns"] else "work package is ordered"
        none = f"No {noun}" if len(kinds) == 1 else "Nothing is booked or ordered: no campaign or work package is open"
        lead = Statement(f"{'Right. ' if _NONE.search(question) else 'No. ' if is_asked else ''}{none}")
        return together([lead, *([_tell(current, question, now)] if current else []), asked])
    word = "No. " if _NONE.search(question) else "Yes. " if is_asked else ""
    listed = _tell(meant, question, now)
    return together([Statement(f"{word}{listed.text}", listed.claims), asked])


def _kept_entries(entries: Sequence[Entry]) -> list[Entry]:
    return [one for one in entries if one.kind.name in _KINDS]


def _of_named(question: str, held: Sequence[Entry], wanted: Sequence[str], now: str) -> Statement:
    """Return the records whose names have a word of a question, with their sum; empty if they are not several."""
    own = {one.key: [stem(word) for word in terms(one.name)] for one in held}
    named = [one for one in held if any(alike(word, part) for word in wanted for part in own[one.key])]
    live = [one for one in named if one.state == "open"] or named
    is_whole = all(any(alike(word, part) for one in live for part in own[one.key]) for word in wanted)
    return _tell(live, question, now) if is_whole and len(live) > 1 else Statement()


def _tell(entries: Sequence[Entry], question: str, now: str) -> Statement:
    """Return records with all of their terms, and the sum of several."""
    parts = [Statement(one.say(()), one.claims((), now)) for one in entries[:_MOST]]
    parts.append(not_named(len(entries) - _MOST, "record"))
    if len(entries) > 1:
        sums = [one.cells["cost"].order for one in entries if "cost" in one.cells]
        known = [one for one in sums if isinstance(one, float)]
        lacking = (
            f"; {format_count(len(entries) - len(known), 'record')} without a sum" if len(known) < len(entries) else ""
        )
        weekly = [one.cells["weekly"].order for one in entries if "weekly" in one.cells]
        per = f", {money(sum(float(one) for one in weekly))} a week" if weekly and _A_WEEK.search(question) else ""
        parts.append(Statement(f"{money(sum(known))} altogether{per}{lacking}"))
    return together(parts)
