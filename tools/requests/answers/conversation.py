"""What a question leans on: the question that it asks once more, and the records that were spoken of last."""

import re
from collections.abc import Sequence

from mabos.language.request import Claim, Request
from mabos.tools.requests.answers.entries import Entry
from mabos.tools.requests.answers.work_items import work_items
from mabos.tools.runtime.services import Agent

MOST_ENTRIES = 12
"""So many records of an answer are kept for a question that points back at them."""
_KEPT = frozenset({"series", "statements", "documents", "evidence", "items", "entries"})
"""What an answer keeps of its subject; a question without any of it was not answered."""
_AGAIN = re.compile(
    r"^\W*(?:(?:and|so|but|well|ok|okay),? )*(?:(?:is|are|has|have|did|does|do|was|were) )?"
    r"(?:(?:it|they|that|he|she) )?(?:now|today|by now|meanwhile|in the meantime)\W*$",
    re.IGNORECASE,
)
_OTHER_SUM = re.compile(
    r"^\W*(?:and|or|what about|how about|and what about)\W*(?P<sum>[$€£]?\d[\d,.]*\d|\d)\W*(?:dollars|usd)?\W*$", re.I
)
_SUM = re.compile(r"[$€£]?\d[\d,.]*\d|\d")
_POINTING = re.compile(
    r"^\W*(?:(?:and|so|but|well|ok|okay),? )*(?:is|are|was|were|does|do|has|have|will) (?:it|they|this|that|he|she)\b",
    re.I,
)


def points_at_subject(question: str) -> bool:
    """Return whether a question asks yes or no of what was spoken of before, as "Is it for members only?"."""
    return bool(_POINTING.search(question))


def whole_question(sentence: str, earlier: Sequence[Request]) -> str:
    """Return a question in full: "And now?" asks the one before once more, "And 1,500?" with another number.

    `earlier` are the requests of the same sender, newest first.
    """
    last = next((one for one in earlier if one.act in ("question", "order")), None)
    if last is None:
        return sentence
    if _AGAIN.search(sentence):
        return last.sentence if last.act == "question" else "What became of it?"
    other = _OTHER_SUM.search(sentence)
    if other is not None and last.act == "question" and len(_SUM.findall(last.sentence)) == 1:
        return _SUM.sub(other["sum"], last.sentence)
    return sentence


def spoken_of_last(agent: Agent, earlier: Sequence[Request], entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the records that the sender and the agent spoke of last, by an order or in an answer."""
    for one in earlier:
        if one.act == "question" and not _KEPT.isdisjoint(one.data):
            keys = list(map(str, one.data.get("entries", ())))
            return tuple(entry for key in keys for entry in entries if entry.key == key)
        if one.act in ("order", "correction", "answer"):
            ids = (one.id, one.refers_to)
            items = [item for item in work_items(agent, one.sender) if item.request and item.request.id in ids]
            found = {made.id for item in items for made in item.made}
            found |= {decision.id for item in items for decision in item.decisions if decision.open}
            found |= {str(made.record.get("mailing") or "") for item in items for made in item.made}
            if items:
                return tuple(entry for entry in entries if entry.id in found)
    return ()


def entries_claimed(claims: Sequence[Claim], entries: Sequence[Entry]) -> list[str]:
    """Return the keys of the records that an answer speaks of, in its order."""
    by_name = {name: one.key for one in entries for name in (one.key, one.id)}
    keys = [by_name[claim.record] for claim in claims if claim.record in by_name]
    return list(dict.fromkeys(keys))[:MOST_ENTRIES]
