"""New people for the contacts: each address of a message with its name, its company and its tags.

"Two new ones for the contacts: Jo Hale, jo@hale.example, and Bea Lund, bea@lund.example. Tag both trial" is two orders,
both with the tag "trial".
"""

import re
from collections.abc import Iterator, Sequence

from mabos.language.frames import asks
from mabos.language.interpreter import Context
from mabos.language.request import Reading, Slot
from mabos.language.selectors import singular
from mabos.language.sentences import begins_with_verb, plain
from mabos.language.wordlists import order_form, word_lists

ENTER = "crm_create_contact"
_ADDRESS = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
_ENTERS, _OTHER = order_form("new_contacts.enters"), order_form("new_contacts.other")
_TAGGED, _KIND = order_form("new_contacts.tagged"), order_form("new_contacts.kind")
_ALL = re.compile(r"(?i)\b(?:both|all|each|them|these|those|everybody)\b")
_NAME = re.compile(
    r"(?<![\w@.])(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? )?[A-ZÀ-Þ][\w'’-]*"
    r"(?: (?:(?:de|van|von|der|den|da|la|le|di|&) )*[A-ZÀ-Þ][\w'’.-]*)*"
)
_OF = re.compile(r"(?i)(?:\b(?:from|of|at|with|for)|[,(–-])\s*(?:the )?$")
_BEHIND = re.compile(rf"[\s,(>)–-]*(?P<of>(?:of|from|at|with) (?:the )?)?(?P<who>{_NAME.pattern})")
_LEAD = order_form("new_contacts.lead")


def new_contacts(sentences: Sequence[str], context: Context) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """Return an order for each person whom a message adds to the contacts, and its other sentences."""
    before = next((one for one in context.earlier if one.act == "order"), None)
    for at, sentence in enumerate(sentences):
        after = sentences[at + 1] if at + 1 < len(sentences) else ""
        flat = plain(f"{sentence} {after}" if _PUT_THEM.match(after) else sentence)
        goes_on = before is not None and before.operation == ENTER and _ANOTHER.search(flat)
        if not _ADDRESS.search(sentence) or not (goes_on or _ENTERS.search(flat)) or _OTHER.search(flat) or asks(flat):
            continue
        end = at + (2 if _PUT_THEM.match(after) else 1)
        while end < len(sentences) and (_ADDRESS.search(sentences[end]) or _TAGGED.search(sentences[end])):
            end += 1
        text = " ".join(sentences[at:end])
        own, rest = next(
            ((text[: one.start()], text[one.end() :]) for one in _AND.finditer(text) if _orders(text[one.end() :])),
            (text, ""),
        )
        same = before.slot("tags", ()) if before is not None and goes_on and _SAME_TAG.search(flat) else ()
        return tuple(_people(own, same)), (*sentences[:at], *([rest] if rest else []), *sentences[end:])
    return (), tuple(sentences)


_ANOTHER = re.compile(r"\b(?:another|one more|also|and|same|too|as well)\b")
_SAME_TAG = re.compile(r"\bsame (?:\w+ )?(?:tags?|labels?|again|thing)\b")
_AND = re.compile(r"(?i),?\s+(?:and|then|and then)\s+(?:please |also )?")
_PUT_THEM = order_form("new_contacts.put_them")


def _orders(text: str) -> bool:
    """Return whether the rest of a sentence orders something else."""
    return begins_with_verb(text) and not _TAGGED.match(text) and not _PUT_THEM.match(text)


def _people(text: str, same: Sequence[str] = ()) -> Iterator[Reading]:
    """Yield an order for each address of a text; a tag belongs to the person before it, or to all of them."""
    places = [one.span() for one in _ADDRESS.finditer(text)]
    first, *parts = _ADDRESS.split(text)
    before = [first, *parts[:-1]]
    own = [_tags(one) for one in parts]
    shared = [*_tags(first), *same]
    if _ALL.search(parts[-1]) or not any(own[:-1]):
        shared, own[-1] = [*shared, *own[-1]], []
    taken = ""
    for at, (start, end) in enumerate(places):
        address = text[start:end].rstrip(".")
        name, company, taken = _who(before[at].removeprefix(taken), parts[at], is_last=at + 1 == len(places))
        chosen = list(dict.fromkeys([*own[at], *shared]))
        given = {"email": address, "name": name, "company": company}
        slots = [Slot(key, value, value) for key, value in given.items() if value]
        slots += [Slot("tags", chosen, text)] if chosen else []
        yield Reading("order", text, ENTER, tuple(slots), () if name else ("name",), confidence=0.9)


def _tags(text: str) -> list[str]:
    """Return the tags that words give: "tagged trial and vip", "as a new supplier"."""
    found = [re.split(r"\s*(?:,|&|\band\b)\s*", one["tags"]) for one in _TAGGED.finditer(text)]
    named = [tag.strip("'\"‘’“” .").lower() for tags in found for tag in tags]
    kinds = [singular(one["kind"].lower()) for one in _KIND.finditer(text)]
    return [one for one in (*named, *kinds) if one]


def _who(before: str, after: str, *, is_last: bool) -> tuple[str, str, str]:
    """Return the name and the company of an address, and the text behind it that gives one of them."""
    said = _LEAD.sub("", before)
    names = [one for one in _NAME.finditer(said) if one[0].lower() not in word_lists().openers]
    behind = _BEHIND.match(after)
    if not names:
        return (behind["who"].rstrip("."), "", behind[0]) if behind else ("", "", "")
    if len(names) > 1 and _OF.search(said[: names[1].start()]):
        return names[0][0], names[1][0].rstrip("."), ""
    is_company = behind is not None and (behind["of"] or is_last)
    return names[0][0], *((behind["who"].rstrip("."), behind[0]) if behind and is_company else ("", ""))
