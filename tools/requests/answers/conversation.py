"""Find the context of a question: the earlier question that it repeats, and the records mentioned last."""

import re
from collections.abc import Sequence

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.request import Claim, Request
from mabos.language.sentences import split, without_courtesy
from mabos.language.wordlists import order_form
from mabos.tools.requests.answers.entries import Entry
from mabos.tools.requests.answers.synonyms import question_forms
from mabos.tools.requests.answers.topics import how_many, topics_of
from mabos.tools.requests.answers.work_items import is_uncommon, meaningful, work_items
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import STOPWORDS

_FORMS = question_forms("in_conversation")
MOST_ENTRIES = 12
"""So many records of an answer are kept for a question that points back at them."""
_KEPT = frozenset({"series", "statements", "documents", "evidence", "items", "entries"})
"""The fields of its subject that an answer keeps; a question without any of them was not answered."""
_LEAD = _FORMS["lead"]
_REST = _FORMS["rest"]
_ALL_OPEN = "What waits for me, and what are you working on?"
_TWO = 2
_BACK = 4
"""So many requests back a question may point at a list, or at what it asks for once more."""
_LATELY = 12
"""So many requests back orders are counted, as "the first"."""
_ELLIPTIC = _FORMS["elliptic"]
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "other": 1}
_PLACED = re.compile(
    rf"\bthe (?P<place>{'|'.join(_PLACES)})(?: one| of (?:them|these|those|the \w+))?(?=\W*$|[?.,;]|['’]s|"
    r" (?:cost|come|say|go|need|have|has|get|wait|mean|is|was|will|does|do|run|start|about|stay|remain|stuck|out|open|"
    r"due|late|ready|finish|held)\w*\b)",
    re.IGNORECASE,
)
_AGAIN = _FORMS["again"]
_OTHER_SUM = order_form("answers_conversation.other_sum")
_SUM = re.compile(r"[$€£]?\d[\d,.]*\d|\d")
_POINTING = _FORMS["pointing"]


_CHAT = [(re.compile(said), whole) for said, whole in packaged_yaml("requests/chat_forms.yaml").items()]
"""Short forms and idioms, and what they stand for."""


_SPAN = re.compile(r"(?i)\b(?:day|week|month|quarter|year)\b")
_ONE_BEFORE = re.compile(r"(?i)\bthe (?:one|previous one) (?P<way>before|after)(?: (?:that|it))?\b")


def points_at_subject(question: str) -> bool:
    """Return whether a yes-or-no question is about the last subject, as "Is it for members only?"."""
    return bool(_POINTING.search(question))


_TASK = _FORMS["task"]


_PARENTHESIS = _FORMS["parenthesis"]
_OF_AGENT = re.compile(r"\byou(?:r|rs)?\b|\bme\b|\bmy\b", re.IGNORECASE)
_WHILE = re.compile(r",? (?:while|because|now that|seeing (?:as|that)|given that|so that) [^?.!]*", re.IGNORECASE)


def _bare(sentence: str) -> str:
    """Return a question without polite words and the verb that only asks for it: "work out how many ..."."""
    text = without_courtesy(sentence)
    found = _TASK.match(text)
    rest = text[found.end() :] if found else text
    if found is None or not meaningful(rest) or (found["after"] and text == sentence):
        return text
    return f"{rest.rstrip(' ?.!')} in total?" if found["sum"] else rest


def whole_question(sentence: str, earlier: Sequence[Request]) -> str:
    """Return a question in full: "And now?" repeats the previous one, "And 1,500?" with another number.

    `earlier` are the requests of the same sender, newest first. Words before the question ("ok,", "thanks.") go.
    """
    sentence = _PARENTHESIS.sub(" ", sentence)
    if topics_of(sentence) and _OF_AGENT.search(sentence):
        sentence = _WHILE.sub("", sentence)
    sentence = " ".join(_bare(_LEAD.sub("", one)) for one in split(sentence))
    for short, whole in _CHAT:
        sentence = short.sub(whole, sentence)
    sentence = re.sub(r"(?<![\w’'.-])[a-z]{3,6}(?![\w’'.-])", lambda word: _without_swap(word[0]), sentence)
    last = next((one for one in earlier if one.act in ("question", "order")), None)
    if last is None:
        return sentence
    if _AGAIN.search(sentence):
        return last.sentence if last.act == "question" else "What became of it?"
    if _REST.search(sentence):
        asked = [one.sentence for one in earlier[:_BACK] if one.act == "question"]
        return next((one for one in asked if {"waiting", "work"} & set(topics_of(one))), _ALL_OPEN)
    if (span := _SPAN.search(last.sentence)) and last.act == "question":
        sentence = _ONE_BEFORE.sub(rf"the {span[0].lower()} \g<way>", sentence)
    other = _OTHER_SUM.search(sentence)
    if other is not None and last.act == "question" and len(_SUM.findall(last.sentence)) == 1:
        return _SUM.sub(other["sum"], last.sentence)
    return sentence


def _without_swap(word: str) -> str:
    """Return the common word that a word is with two letters swapped, as "that" for "taht"; else the word."""
    if word in STOPWORDS or not is_uncommon(word):
        return word
    swaps = (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))
    return next((one for one in swaps if one in STOPWORDS), word)


def question_before(sentence: str, earlier: Sequence[Request]) -> str:
    """Return the question before an elliptic one, as "And the crane?"; "" for any other."""
    last = next(iter(earlier), None)
    return last.sentence if last is not None and last.act == "question" and _ELLIPTIC.search(sentence) else ""


def resolve_ordinal(
    agent: Agent, sentence: str, earlier: Sequence[Request], entries: Sequence[Entry]
) -> tuple[str, tuple[Entry, ...]]:
    """Return a question for "the second" as one for "it", with that record; else none.

    It is the second in a reply's list, else of the latest orders.
    """
    found = _PLACED.search(sentence)
    if found is None:
        return sentence, ()
    lists = [told for one in earlier[:_BACK] if len(told := _told_in(one, entries)) > 1]
    if not lists:
        orders = [one for one in reversed(earlier[:_LATELY]) if one.act == "order"]
        given = tuple(one for order in orders for one in _left_by(agent, order, (order.id,), entries)[:1])
        lists = [given] if len(given) > 1 else []
    if not lists:
        return sentence, ()
    place = found["place"].lower()
    at, last = _PLACES[place], lists[0]
    if place == "other" and len(earlier) > 1 and len(one := _told_in(earlier[0], entries)) == 1 and one[0] in last:
        at = 1 - last.index(one[0])  # the one that the question before was not about
    if at >= len(last) or (place == "other" and len(last) > 2):
        return sentence, ()
    return f"{sentence[: found.start()]}it{sentence[found.end() :]}", (last[at],)


def _told_in(request: Request, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the records that the answer to a question named, in its order."""
    keys = list(map(str, request.data.get("entries", ()))) if request.act == "question" else []
    return tuple(entry for key in keys for entry in entries if entry.key == key)


def spoken_of_last(
    agent: Agent, earlier: Sequence[Request], entries: Sequence[Entry], number: int = 1
) -> tuple[Entry, ...]:
    """Return the records in the latest order or answer between the sender and the agent.

    Where a question means a `number` of them, as "the two", those of several questions are taken together.
    """
    told = {entry.key: entry for one in earlier[:_BACK] for entry in _told_in(one, entries)}
    for one in earlier:
        if one.act == "question" and not _KEPT.isdisjoint(one.data):
            last = _told_in(one, entries) or _left_by(agent, one, one.data.get("items", ()), entries)
            if last and len(last) < number <= len(told):
                return tuple(list(told.values())[:number][::-1])
            if not last or len(last) >= number:
                return last
            continue  # "the two" are of the orders before
        if one.act in ("order", "correction", "answer"):
            ids = [one.id, one.refers_to]
            if number > 1:  # "the two" of one message
                ids += [other.id for other in earlier if other.message_id == one.message_id]
            if any(item.key in ids for item in work_items(agent, one.sender)):
                last = _left_by(agent, one, ids, entries)
                alike = [other.id for other in earlier if other.act == "order" and other.operation == one.operation]
                for other in alike if len(last) < number else ():  # "the two" of two messages
                    ids.append(other)
                    if len(last := _left_by(agent, one, ids, entries)) >= number:
                        break
                if last or number == 1:
                    return last
    return ()


def _left_by(agent: Agent, request: Request, keys: Sequence[str], entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the records that pieces of work left, and the open decisions about them."""
    items = [item for item in work_items(agent, request.sender) if item.key in keys] if keys else []
    found = {made.id for item in items for made in item.made}
    found |= {decision.id for item in items for decision in item.decisions if decision.open}
    found |= {str(made.record.get("mailing") or "") for item in items for made in item.made}
    left = tuple(entry for entry in entries if entry.id in found)
    live = {(one.kind.name, one.name) for one in left if one.state == "open"}
    return tuple(one for one in left if one.state == "open" or (one.kind.name, one.name) not in live)


def periods_of_both(asked: Sequence[Request]) -> dict[str, object]:
    """Return both periods of one figure that two questions of a message name: "In August? And in July?"."""
    told = [one.data for one in asked[:2] if one.message_id == asked[0].message_id and one.data.get("series")]
    spans = [span for one in told for span in one.get("periods", ())]
    is_one = len(told) == len(spans) == 2 and told[0]["series"] == told[1]["series"]
    return {"periods": sorted(spans)} if is_one else {}


def series_of_both(text: str, asked: Sequence[Request]) -> dict[str, object]:
    """Return the two figures of two earlier questions, if a third refers to "the two"."""
    if how_many(text) != _TWO:
        return {}
    told = [one.data["series"] for one in asked[:_BACK] if isinstance(one.data.get("series"), list)]
    names = list(dict.fromkeys(name for several in told for name in several))
    return {"series": names[:_TWO]} if len(names) >= _TWO and len(told[0]) == 1 else {}


def entries_claimed(claims: Sequence[Claim], entries: Sequence[Entry]) -> list[str]:
    """Return the keys of the records in an answer, in its order."""
    by_name = {name: one.key for one in entries for name in (one.key, one.id)}
    keys = [by_name[claim.record] for claim in claims if claim.record in by_name]
    return list(dict.fromkeys(keys))[:MOST_ENTRIES]
