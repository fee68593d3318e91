"""Selectors over contacts: the people for a letter, a tag or a campaign, in people's words.

selector_in("our ten largest customers", vocabulary).value
    # {"records": "contacts", "where": {"standing": "customer"}, "order": "-won_usd", "limit": 10}

A word inside the noun phrase that no record explains makes a selection partial: it is in `unexplained`, and the
selection must not be used as if the word were not there.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mabos.language.amounts import amounts_in
from mabos.language.interpreter import Vocabulary
from mabos.language.times import times_in
from mabos.language.wordlists import order_form, order_words
from mabos.workspace.text import terms

_STANDINGS = {
    "customer": "customer", "client": "customer", "buyer": "customer", "prospect": "prospect", "lead": "lead",
    "enquiry": "lead", "inquiry": "lead",
}  # fmt: skip
_EVERYBODY = (
    "everybody", "everyone", "anybody", "anyone", "all", "contact", "people", "person", "folk", "those", "list",
)  # fmt: skip
_PEOPLE = (
    "member", "subscriber", "supplier", "vendor", "guest", "patient", "regular", "tenant", "parent", "student", "pupil",
    "landlord", "partner", "volunteer", "donor", "sponsor", "visitor", "owner", "resident", "reader", "user", "teacher",
    "wholesaler", "retailer", "shop", "firm", "company", "account", "neighbour", "neighbor", "applicant", "attendee",
    "participant", "investor", "creditor", "debtor", "business", "school", "restaurant", "hotel", "household", "family",
)  # fmt: skip
_DETERMINERS = order_words("selectors.determiners")
_FILLER = order_words("selectors.filler")
_ORDERS = {
    "-won_usd": "largest biggest best top leading highest-spending valuable important main key greatest strongest",
    "won_usd": "smallest lowest least-valuable",
    "created_at": "oldest longest longest-standing earliest first",
    "-created_at": "newest latest recent youngest last",
}
_ORDER_OF = {word: order for order, words in _ORDERS.items() for word in words.split()}
_STOP = order_words("selectors.stop")
_EXCEPT = (
    r"(?:but|and|only) (?:nothing|none|not a word|no (?:letter|mail|copy|note)|not)(?= (?:to|for)\b)|"
    r"but(?: for| not)?(?! (?:do|don|please|only|let|it|i|we|they|he|she|make|keep|also)\b)|except(?: for)?|"
    r"excluding|apart from|other than|but not|bar|minus|without|save for|not"
)
_PLACE = r"in|from|at|of|near|around|based in|living in|out in|over in"
_RELATIVE = order_form("selectors.relative")
_CONDITION = re.compile(r"\s+(?:with(?:out)?|over|under|above|below|within|near|since|added|owing|worth|not yet|due)\b")
_WITH_LETTER = order_form("selectors.with_letter")
_CLAUSE_END = order_form("selectors.clause_end")
_TITLE = re.compile(r"^(?:the|our|mr|mrs|ms|dr)\.?\s+", re.IGNORECASE)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_REPLIED = order_form("selectors.replied")
_KINDS = {"repl": "replied", "answ": "replied", "resp": "replied", "open": "opened", "clic": "clicked", "met": "met"}
_SPENT = order_form("selectors.spent")
_JOINED = order_form("selectors.joined")


@dataclass(frozen=True, slots=True)
class ContactSelection:
    """A selector over contacts with its words; usable only if `unexplained` is empty."""

    value: Mapping[str, Any]
    words: str
    start: int
    end: int
    unexplained: tuple[str, ...] = ()


@dataclass(slots=True)
class SelectionDraft:
    """A selection under construction."""

    wanted: dict[str, list[str]] = field(default_factory=dict)
    barred: dict[str, list[str]] = field(default_factory=dict)
    conditions: dict[str, Any] = field(default_factory=dict)
    order: str = ""
    limit: int = 0
    unexplained: list[str] = field(default_factory=list)

    def value(self) -> dict[str, Any]:
        """Return the selector."""
        where: dict[str, Any] = dict(self.conditions)
        for name, values in self.wanted.items():
            where[name] = values[0] if len(values) == 1 else {"all": values}
        for name, values in self.barred.items():
            test: Any = values[0] if len(values) == 1 else {"in": values}
            known = where.get(name)
            where[name] = {"not": test} | (
                {} if known is None else known if isinstance(known, dict) else {"in": [known]}
            )
        value: dict[str, Any] = {"records": "contacts", "where": where}
        if self.order:
            value["order"] = self.order
        if self.limit:
            value["limit" if self.order else "exactly"] = self.limit
        return value


def selector_in(text: str, vocabulary: Vocabulary, now: datetime | None = None) -> ContactSelection | None:
    """Return the first selection of contacts that a text names, or None.

    With `now`, conditions on days ("who joined this year") are also read.
    """
    if address := _ADDRESS.search(text):
        value = {"records": "contacts", "where": {"email": address[0].lower()}}
        return ContactSelection(value, address[0], address.start(), address.end())
    names = known_names(vocabulary)
    if tagged := _select_tagged(text, vocabulary):
        return tagged
    heads = list(_heads(text, names))
    named = _named_person(text, names)
    if not heads or (named and named.start < heads[0].start()):
        return named
    head = heads[0]
    for after in heads[1:]:
        if text[head.end() : after.start()] != " ":
            break
        head = after  # "hotel customers": the first noun says which of the second
    return _selection(text, head, names, now)


# --- tags that are named as such ----------------------------------------------

_TAG = order_form("selectors.tag")
_OTHER_TAG = order_form("selectors.other_tag")
_NARROWED = order_form("selectors.narrowed")
_NOBODY_ELSE = re.compile(r"(?i)['\"”’]?\)?,?\s*(?:and|but)(?: to| for)? (?:no ?one|nobody|not|only|them|none)\b")
_BEFORE_TAG = order_form("selectors.before_tag")
_COUNTED = re.compile(
    rf"(?i)\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|half|some|most|first|last|{'|'.join(_ORDER_OF)})\b"
)


def _select_tagged(text: str, vocabulary: Vocabulary) -> ContactSelection | None:
    """Return the contacts of a tag that a text names as one; None where it narrows them further."""
    known = {_key(tag): tag for tag in vocabulary.tags}
    for match in _TAG.finditer(text):
        found = _known_tag(match["tag"], known)
        if not found:
            if match["quote"] and "tagged" in match[0].lower():
                words = re.split(r"['\"”’]", match["tag"])[0].strip()
                start = match.start("tag")
                return ContactSelection(
                    {"records": "contacts", "where": {}}, words, start, start + len(words), (words,)
                )
            continue
        tags, end = [found[0]], match.start("tag") + found[1]
        while more := _OTHER_TAG.match(text, end):
            other = _known_tag(text[more.end() :], known)
            if not other or _NOBODY_ELSE.match(text, end):
                break
            tags.append(other[0])
            end = more.end() + other[1]
        before = _BEFORE_TAG.search(text[: match.start()])
        start = before.start("it") if before else match.start()
        noun = re.search(r"([A-Za-z][\w'’-]*)\s*$", text[: match.start()])
        is_narrower = noun is not None and _key(noun[1]) in known  # "our owners tagged christmas": both tags
        if is_narrower or _NARROWED.match(text, end) or (before and _COUNTED.search(before["it"])):
            return None
        where = {"tags": tags[0] if len(tags) == 1 else {"in": tags}}
        return ContactSelection({"records": "contacts", "where": where}, text[start:end].strip(" ,"), start, end)
    return None


def tag_named(text: str, vocabulary: Vocabulary) -> str:
    """Return the one tag on record that a text names as a tag, or "" if it names none or several."""
    known = {_key(tag): tag for tag in vocabulary.tags}
    found = {one[0] for match in _TAG.finditer(text) if (one := _known_tag(match["tag"], known))}
    return found.pop() if len(found) == 1 else ""


def _known_tag(words: str, known: Mapping[str, str]) -> tuple[str, int] | None:
    """Return the longest tag on record that words begin with, and the length of these words."""
    for match in reversed(list(re.finditer(r"[\w&-]+", words[:60]))):
        key = _key(words[: match.end()])
        if key in known and not re.search(r"[.,;:!?'\"”’)]", words[: match.end()]):
            return known[key], match.end()
    return None


# --- the names that records give ----------------------------------------------


def known_names(vocabulary: Vocabulary) -> dict[str, tuple[str, str]]:
    """Return the field and the value of each name that selects contacts, by its key (see `_key`)."""
    named: dict[str, tuple[str, str]] = {}
    people = [_TITLE.sub("", name) for name, place in vocabulary.names.items() if place.startswith("contact")]
    surnames = [_key(name.split()[-1]) for name in people if name]
    for name, place in vocabulary.names.items():
        if place.startswith("contact"):
            bare = _TITLE.sub("", name)
            named[_key(bare)] = ("name", name)
            if bare and surnames.count(_key(bare.split()[-1])) == 1:
                named.setdefault(_key(bare.split()[-1]), ("name", name))
    for field_name, values in vocabulary.fields.items():
        if field_name != "standing":
            named |= {_key(value): (field_name, value) for value in values}
    if standings := vocabulary.fields.get("standing"):
        named["standings known"] = ("", " ".join(standings))
    named |= {_key(one): ("company", one) for one in vocabulary.companies}
    named |= {_key(one): ("segment", one) for one in vocabulary.segments}
    named |= {_key(one): ("tags", one) for one in vocabulary.tags}
    named.pop("", None)
    return named


def _key(name: str) -> str:
    """Return a name as it is compared: words in lower case, the last one without its plural."""
    words = re.findall(r"[^\W_]+", name.casefold().replace("’", "'").replace("&", " and "))
    return " ".join([*words[:-1], singular(words[-1])]) if words else ""


def singular(word: str) -> str:
    """Return a noun without its plural ending, in lower case.

    >>> singular("enquiries"), singular("Customers"), singular("glass")
    ('enquiry', 'customer', 'glass')
    """
    low = word.lower()
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes")):
        return low[:-2]
    return low[:-1] if low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 3 else low


def look_up(words: str, names: Mapping[str, tuple[str, str]]) -> tuple[str, str] | None:
    """Return the field and value of words: "the north", "Marlow & Sons"; "northern" has none."""
    return names.get(_key(_TITLE.sub("", words.strip(" ,.").strip())))


def _named_person(text: str, names: Mapping[str, tuple[str, str]]) -> ContactSelection | None:
    """Return the selection of one contact or firm by its name as records have it."""
    low = text.lower()
    found: list[tuple[int, str, str]] = []
    for key, (field_name, value) in names.items():
        spelled = value.lower()
        at = low.find(spelled) if field_name in ("name", "company") and len(key) > 2 else -1
        if at < 0 and field_name == "name" and _TITLE.match(value):
            spelled = _TITLE.sub("", spelled)
            at = low.find(spelled)
        if (
            at >= 0
            and re.fullmatch(r"(?:^|.*\W)", text[:at], re.DOTALL)
            and not re.match(r"\w", text[at + len(spelled) :])
        ):
            found.append((at, text[at : at + len(spelled)], key))
    if not found:
        return _by_first_name(text, names)
    at, words, key = min(found, key=lambda one: (one[0], -len(one[1])))
    end, field_name, values = at + len(words), names[key][0], [names[key][1]]
    while joined := re.match(r",? and (?:to )?|, ", text[end:]):  # "tell Ada Lovelace and Tom Reed"
        start = end + joined.end()
        after = [one for one in found if one[0] == start and names[one[2]][0] == field_name]
        if not after:
            break
        longest = max(after, key=lambda one: len(one[1]))
        end, values = start + len(longest[1]), [*values, names[longest[2]][1]]
    where = {field_name: values[0] if len(values) == 1 else {"in": values}}
    return ContactSelection({"records": "contacts", "where": where}, text[at:end], at, end)


_FIRST_NAME = re.compile(
    r"(?<!\w)(?i:to|tell|inform|tag|untag|let|invite|notify|mail|e-mail) (?P<it>[A-ZÀ-Þ][\w'’-]+)\b"
    r"(?! [A-ZÀ-Þ]| (?:at|from) (?!once|noon|least|last|the latest)(?:the |our )?[A-Za-z])"
)


def _by_first_name(text: str, names: Mapping[str, tuple[str, str]]) -> ContactSelection | None:
    """Return the selection of the one contact who is called by a first name; it is unexplained where several are."""
    for found in _FIRST_NAME.finditer(text):
        known = [value for field_name, value in names.values() if field_name == "name"]
        meant = [one for one in dict.fromkeys(known) if one.split()[0].casefold() == found["it"].casefold()]
        if meant:
            value = {"records": "contacts", "where": {"name": meant[0]} if len(meant) == 1 else {}}
            return ContactSelection(value, found["it"], *found.span("it"), (found["it"],) if meant[1:] else ())
    return None


def chosen_namesake(names: Iterable[object], text: str, vocabulary: Vocabulary) -> Mapping[str, Any] | None:
    """Return the selector of the one namesake whom a text identifies by another name or a firm, or None."""
    given = [str(one).casefold() for one in names]
    asked = {word for one in given for word in one.split()}
    known = {
        name: set(name.casefold().split()) - asked
        for name, place in vocabulary.names.items()
        if place.startswith("contact") and asked & set(name.casefold().split())
    }
    for clause in re.split(r"[,;.!?]", _NOT_WHOM.sub(" ", text)) if known else ():
        words = set(re.findall(r"[\w'’-]+", clause.casefold()))
        meant = [name for name, others in known.items() if others & words]
        firms = [one for one in vocabulary.companies if one.casefold() in clause.casefold()]
        if len(meant) == 1 or firms:
            where = {"name": meant[0]} if len(meant) == 1 else {"company": firms[0]}
            exact = [name for name in known if name.casefold() in given]
            where |= {"name": exact[0]} if exact and "company" in where else {}
            return {"records": "contacts", "where": where}
    return None


_NOT_WHOM = re.compile(r"(?i)\bnot (?:the |that )?(?:one )?[^,;.!?]+")

# --- the noun phrase ----------------------------------------------------------


def _heads(text: str, names: Mapping[str, tuple[str, str]]) -> Iterable[re.Match[str]]:
    """Yield the nouns that mean contacts, in order."""
    tags = {key for key, (name, _) in names.items() if name in ("tags", "segment")}
    for match in re.finditer(r"[A-Za-z][\w'’-]*", text):
        word = re.sub(r"['’]s?$", "", match[0].lower())
        one = singular(word)
        is_plural = one != word
        before = re.search(r"([A-Za-z][\w'’-]*)[ -]$", text[: match.start()])
        is_each = re.search(r"\b(?:every|each|any)\s+(?:[A-Za-z][\w'’-]*[ -])?$", text[: match.start()], re.IGNORECASE)
        if before and (is_plural or is_each) and _key(f"{before[1]} {word}") in tags:
            yield match  # a tag of two words
        elif before and is_plural and _key(before[1]) in tags and _PERSON.search(one):
            yield match  # "our berth holders"
        elif one in _STANDINGS or (one in _PEOPLE and (is_plural or one in tags)):
            if not re.match(
                r"\s+(?:campaign|service|satisfaction|list|relations|support|letter|night|meeting|report)",
                text[match.end() :],
            ):
                yield match
        elif (
            word in ("everybody", "everyone", "anybody", "anyone")
            or (one in ("contact", "people", "folk") and (is_plural or one == "people"))
            or (one in tags and (is_plural or is_each or _is_group(text, match, one)))
        ):
            yield match


_PERSON = re.compile(r"\w{2}(?:er|or|ee|ist|ant|ian)$|^(?:lady|kid|child|boy|girl|family|friend|parent|folk)$")
"""A noun for people behind a tag, which the tag alone selects."""
_GROUPS = order_words("selectors.groups")


def _is_group(text: str, match: re.Match[str], word: str) -> bool:
    """Return whether a tag in the singular means all who have it: "the choir", but not "the patient"."""
    return word.rpartition(" ")[2] in _GROUPS and bool(
        re.search(r"\b(?:the|our|all|whole|entire)\s+$", text[: match.start()])
    )


def _selection(
    text: str, head: re.Match[str], names: Mapping[str, tuple[str, str]], now: datetime | None
) -> ContactSelection:
    draft = SelectionDraft()
    before = re.search(r"([A-Za-z][\w'’-]*) $", text[: head.start()])
    both = look_up(f"{before[1]} {head[0]}", names) if before else None
    if before and both:
        draft.wanted[both[0]] = [both[1]]
        start = _read_left(text, before.start(), names, draft)
    else:
        start = _read_left(text, head.start(), names, draft)
        _read_head(head[0], names, draft)
    end = _read_right(text, head.end(), names, draft, now)
    if draft.order and not draft.limit:
        if singular(head[0]) == head[0].lower() and head[0].lower() not in _EVERYBODY:
            draft.limit = 1
        else:
            draft.unexplained.append("how many")
    return ContactSelection(draft.value(), text[start:end].strip(" ,"), start, end, tuple(draft.unexplained))


def _read_head(word: str, names: Mapping[str, tuple[str, str]], draft: SelectionDraft) -> None:
    one = singular(re.sub(r"['’]s?$", "", word.lower()))
    known = names.get(one)
    if known and known[0] in ("tags", "segment"):
        draft.wanted.setdefault(known[0], []).append(known[1])
    elif one in _STANDINGS:
        synonyms = [key for key, value in _STANDINGS.items() if value == _STANDINGS[one] and key in names]
        if synonyms and names[synonyms[0]][0] in ("tags", "segment"):
            draft.wanted.setdefault(names[synonyms[0]][0], []).append(names[synonyms[0]][1])
        elif not (draft.wanted and _STANDINGS[one] not in names.get("standings known", ("", _STANDINGS[one]))[1]):
            draft.conditions["standing"] = _STANDINGS[one]
    elif one not in _EVERYBODY and not (draft.wanted.get("tags") and _PERSON.search(one)):
        draft.unexplained.append(word.lower())


def _read_left(text: str, at: int, names: Mapping[str, tuple[str, str]], draft: SelectionDraft) -> int:
    """Read the words before the noun, and return where the phrase begins."""
    words = list(re.finditer(r"[\w$€£][\w'’.&-]*[,:;.!?]?", text[:at]))
    start, position = at, len(words) - 1
    number, is_all = None, False
    while position >= 0:
        match = words[position]
        if match[0][-1] in ",:;.!?" or text[match.end() : start].strip():
            break
        low = match[0].lower()
        two = f"{words[position - 1][0]} {match[0]}" if position else ""
        if two and (known := look_up(two, names)):
            draft.wanted.setdefault(known[0], []).append(known[1])
            start, position = words[position - 1].start(), position - 2
            continue
        if low in ("most",) and draft.order:
            pass
        elif low in _ORDER_OF:
            draft.order = _ORDER_OF[low]
        elif low in _DETERMINERS:
            pass
        elif (counted := amounts_in(match[0])) and counted[0].kind == "count":
            number = int(counted[0].value)
            is_all = position > 0 and words[position - 1][0].lower() in _WHOLE
        elif known := look_up(match[0], names):
            draft.wanted.setdefault(known[0], []).append(known[1])
        elif low in _STOP or low in _FILLER or low.endswith("ing") or _is_verb_before(words, position):
            break
        else:
            draft.unexplained.insert(0, low)
        start, position = match.start(), position - 1
    if number is not None:
        draft.limit = number
        if not draft.order and not is_all:
            draft.unexplained.append(str(number))
    return start


_WHOLE = frozenset(terms("the our my these those all both"))
"""Words before a number that mean all there are: "the two hotels"."""
_BEFORE_VERB = terms("you please to and we i should just then not never n lets")


def _is_verb_before(words: list[re.Match[str]], position: int) -> bool:
    """Return whether a word before the phrase is the verb of the order: it begins a clause, or follows a lead-in."""
    if position == 0:
        return True
    before = words[position - 1][0].lower()
    return before[-1] in ",:;.!?" or before in _BEFORE_VERB


def _read_right(
    text: str, at: int, names: Mapping[str, tuple[str, str]], draft: SelectionDraft, now: datetime | None
) -> int:
    """Read the text after the noun (places, exceptions, relative clauses) and return where the phrase ends."""
    while True:
        rest = text[at:]
        if match := re.match(rf",?\s+(?:{_EXCEPT})\s+(?:(?:to|for)\s+)?(?=\S)", rest, re.IGNORECASE):
            at = _read_exception(text, at + match.end(), names, draft)
        elif match := re.match(
            r"\s+(?:(?:who|that)(?: are|['’]re| have been) |with (?:the )?)?(?:tagged|tag|marked|labelled|on the list)"
            r"(?: as| with)?\s+['\"]?([\w-]+)['\"]?",
            rest,
            re.IGNORECASE,
        ):
            at = _take(match[1], names, draft, at + match.end())
        elif match := re.match(rf",?\s+(?:{_PLACE})\s+(?=\S)", rest, re.IGNORECASE):
            end, known, words = _longest(text, at + match.end(), names)
            if known:
                draft.wanted.setdefault(known[0], []).append(known[1])
            elif _is_other_phrase(match[0], words):
                return at
            else:
                draft.unexplained.append(words)
            at = end
        elif (match := re.match(r",?\s+on\s+(?=\S)", rest)) and _longest(text, at + match.end(), names)[1]:
            at, known, _ = _longest(text, at + match.end(), names)
            draft.wanted.setdefault(known[0], []).append(known[1])  # type: ignore[index]  # checked one line above
        elif match := re.match(r"\s+(?:and|or|&|plus)\s+(?:our |the |all )*([a-z]+s)\b", rest):
            if not _join(match[1], names, draft):
                return at
            at += match.end()
        elif (match := _RELATIVE.match(rest) or _CONDITION.match(rest)) and not _WITH_LETTER.match(rest):
            end_of = _CLAUSE_END.search(rest, match.end())
            end = at + (end_of.start() if end_of else len(rest))
            _read_clause(text[at:end].strip(), names, draft, now)
            at = end
        else:
            return at


def _is_other_phrase(preposition: str, words: str) -> bool:
    """Return whether a preposition introduces no place or firm: "from 1 March", "at 7 pm", "in two weeks"."""
    low = words.lower()
    return bool(
        re.match(
            r"\d|next|this|(?:the )?following\b|"
            r"the (?:next|coming|\d)|two|three|a |an |one|by|about|time|advance|general|total|which|order|case|q\d",
            low,
        )
        or (preposition.strip(" ,").lower() == "of" and low.startswith("our"))
        or (preposition.strip(" ,").lower() in ("from", "at") and times_in(f"on {words}", datetime(2026, 1, 1)))  # noqa: DTZ001
    )


def _longest(text: str, at: int, names: Mapping[str, tuple[str, str]]) -> tuple[int, tuple[str, str] | None, str]:
    """Return the end of the longest known name from `at` on, its meaning, and the words; unknown: up to two words."""
    words = list(re.finditer(r"[\w&][\w'’.&-]*", text[at : at + 80]))[:6]
    for count in range(len(words), 0, -1):
        end = at + words[count - 1].end()
        known = look_up(text[at:end], names)
        if known and not re.search(r"[,;:!?]", text[at:end]):
            return at + len(text[at:end].rstrip(".")), known, text[at:end]
    stop = re.search(r"[.,;:!?]|\s(?:about|that|who|and|by|on|to|for|with|saying|before|until)\b|$", text[at:])
    end = at + (stop.start() if stop else len(text[at:]))
    return end, None, text[at:end].strip()


def _take(words: str, names: Mapping[str, tuple[str, str]], draft: SelectionDraft, end: int) -> int:
    known = look_up(words, names)
    if known:
        draft.wanted.setdefault(known[0], []).append(known[1])
    else:
        draft.unexplained.append(words)
    return end


def _join(word: str, names: Mapping[str, tuple[str, str]], draft: SelectionDraft) -> bool:
    """Widen a selection by a second noun of the same field ("members and guests"), and return whether it is one."""
    known, standing = names.get(singular(word)), _STANDINGS.get(singular(word))
    if (
        known
        and known[0] == "tags"
        and list(draft.wanted) == ["tags"]
        and len(draft.wanted["tags"]) == 1
        and not draft.conditions
    ):
        draft.conditions["tags"] = {"in": [draft.wanted.pop("tags")[0], known[1]]}
        return True
    if standing and isinstance(draft.conditions.get("standing"), str) and not draft.wanted:
        draft.conditions["standing"] = {"in": [draft.conditions["standing"], standing]}
        return True
    if known or standing or singular(word) in _PEOPLE:
        draft.unexplained.append(word)
        return True
    return False


def _read_exception(text: str, at: int, names: Mapping[str, tuple[str, str]], draft: SelectionDraft) -> int:
    lead = re.match(
        rf"(?:the |those |our |anybody |anyone |people |ones? )*(?:(?:{_PLACE}) )?(?:customers? )?",
        text[at:],
        re.IGNORECASE,
    )
    at += lead.end() if lead else 0
    while True:
        end, known, words = _longest(text, at, names)
        if known:
            draft.barred.setdefault(known[0], []).append(known[1])
        else:
            draft.unexplained.append(words)
            return end
        more = re.match(r"(?:,| and| or|, and)\s+(?=[A-Z])", text[end:])
        if not more or not _longest(text, end + more.end(), names)[1]:
            return end
        at = end + more.end()


def _read_clause(
    clause: str, names: Mapping[str, tuple[str, str]], draft: SelectionDraft, now: datetime | None
) -> None:
    """Read a relative clause as a condition; whatever is not understood is unexplained."""
    words = re.sub(r"^(?:who|whom|which|that)\s+", "", clause.strip(), flags=re.IGNORECASE)
    if replied := _REPLIED.fullmatch(words):
        kind = replied["kind"] or replied["did"]
        named = _KINDS.get(kind[:4].lower(), kind.lower())
        draft.conditions["interactions"] = {"not": named} if replied["kind"] else named
        return
    amounts = [one for one in amounts_in(words) if one.kind == "money" or not one.unit]
    if (
        len(amounts) == 1
        and not words[amounts[0].end :].strip()
        and _SPENT.fullmatch(words[: amounts[0].start].strip())
    ):
        bound = amounts[0].value
        draft.conditions["won_usd"] = {"max" if amounts[0].meaning == "at most" else "min": bound}
        return
    times = times_in(words, now) if now else ()
    if (
        len(times) == 1
        and times[0].role == "from"
        and times[0].iso
        and _JOINED.fullmatch(words[: times[0].start].strip())
    ):
        draft.conditions["created_at"] = {"min": times[0].iso}
        return
    last = re.search(r"[\w&-]+$", words)
    known = names.get(_key(last[0])) if last and not _OTHERWISE.search(words) else None
    if known and known[0] in ("tags", "segment"):  # "who come to us in June", where June is a tag
        draft.wanted.setdefault(known[0], []).append(known[1])
        return
    draft.unexplained.append(words)


_OTHERWISE = re.compile(r"(?i)\b(?:not|never|no|used to|without|except|or|and|before|after|since|\w+n['’]t)\b")
"""Words by which a clause that ends with a tag says something else than that they have it."""
