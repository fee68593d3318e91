"""Permanent rules: forbid, ask first, cap, and the end of a rule, with their subject and people.

A rule that none of these kinds can hold ("on Sundays we don't answer the phone") has no operation: the agent asks.
"""

import re
from dataclasses import replace

from mabos.language.amounts import SpokenAmount, amounts_in
from mabos.language.catalogue import wordings
from mabos.language.interpreter import Context
from mabos.language.phrasing import roots
from mabos.language.request import Reading, Slot
from mabos.language.selectors import selector_in, tag_named
from mabos.language.sentences import plain, split
from mabos.language.wordlists import form, order_form, order_table, word_lists

_TAKEN_BACK_LATER = order_form("standing.taken_back_later")
"""The duration of a ban that somebody will lift: no question for each letter."""
_ABOUT = [(re.compile(said), tuple(names.split())) for said, names in order_table("standing.about")]
_MAIL = ("email_send", "email_campaign")
_CONDITION = re.compile(r"\b(?:before|until|till|unless)\b")
"""The condition of a rule, which the gate cannot see: "nothing is cut before the deposit is in the bank"."""
_ANYTHING = order_form("standing.anything")
_NAMED = order_form("standing.named")
_COMMON = order_form("standing.common")
_TAIL, _HOLD_ME = order_form("standing.tail"), order_form("standing.hold_me")


def closing(text: str, context: Context) -> Reading | None:
    """Read the rule that letters end with certain words, or have to say them; None for others."""
    found = _CLOSING.search(text) or _PUT_UNDER.search(text) or _MUST_SAY.search(text)
    if found is None:
        return None
    words = next(filter(None, found.groups())).strip(" '\"‘’“”")
    slots, head = [Slot("text", words, words)], text.replace(words, " ")
    if pointed := _READERS.search(head):
        chosen = selector_in(head, context.vocabulary)
        where = chosen.value["where"] if chosen is not None and not chosen.unexplained else {}
        who = next((str(one) for name, one in where.items() if name in _READER_FIELDS and len(where) == 1), "")
        slots.append(Slot("who", who, pointed["who"]))
    missing = () if all(one.value for one in slots) else ("who",)
    return Reading("standing", text, "closing", tuple(slots), missing, confidence=0.9)


_READER_FIELDS = frozenset({"tags", "company", "name"})
_READERS = order_form("standing.readers")
"""The readers whom a rule about letters names, as "every letter that goes to our bidders"."""


_CLOSING, _PUT_UNDER, _MUST_SAY = (order_form(f"standing.{name}") for name in ("closing", "put_under", "must_say"))


def standing(text: str, context: Context, share: float) -> Reading:
    """Read a rule: its kind as the operation, and the slots operations, who, amount and per."""
    flat = plain(_HOLD_ME.sub("", text))
    amount = _ceiling(text, flat)
    kind = _kind(flat, has_ceiling=amount is not None)
    bound: tuple[list[str], Slot] | None = None
    slots: list[Slot] = []
    bare = _main_clause(text).lower()
    for name in (*context.vocabulary.companies, *context.vocabulary.names):
        bare = bare.replace(name.lower(), " ") if len(name) > 2 else bare  # "Papyrus Press" is no press
    named = [(found, names) for pattern, names in _ABOUT if (found := pattern.search(bare))]
    operations = [name for _, names in named for name in names]
    if "ad_campaign_manage" in operations:
        operations = [one for one in operations if one != "ad_campaign_create"]
    who = _who(text, context) if not named or kind == "lift" or tag_named(text, context.vocabulary) else None
    if kind != "lift" and (bound := _find_restriction(text, operations, context)):
        operations, who = bound
    elif form("rule_contact").search(flat) and (not operations or not kind):
        operations = list(_MAIL)
    if kind and not operations and who is None and _channel(text):
        operations = ["ad_campaign_create"]  # "nothing goes on social any more"
    if amount is not None and kind in ("cap", "allow"):
        slots += [Slot("amount", amount.value, amount.words, "at most"), Slot("per", _per(amount), amount.words)]
    if who is not None:
        slots.append(who)
    if operations and not (who is not None and kind == "forbid" and not bound):
        slots.append(Slot("operations", operations, ", ".join(found[0] for found, _ in named)))
    if operations == ["ad_campaign_create"] and (channel := _channel(text)):
        slots.append(channel)
    if kind == "lift":
        return Reading("standing", text, kind, tuple(slots), refers_to=_rule(text, who, context), confidence=share)
    if not _can_be_kept(kind, flat, bool(operations or who)):
        return Reading("standing", text, "", tuple(slots), confidence=share)
    return Reading("standing", text, kind, tuple(slots), confidence=share)


_POINTER = (
    r"(?:them|him|her|there|they|those (?:two|people|guys|folks?)|(?:that|this) (?:firm|company|lot|place|man|woman|"
    r"person|customer|client|school|family|shop|house|business|outfit|address|one)|(?:either|any|all|both|none) of "
    r"(?:them|those|the two))"
)
_POINTS = re.compile(
    r"(?i)\b(?:to|at|from|with|of|for|contact\w*|e-?mail\w*|writ\w+|mail\w*|send|call\w*|phone|text|message|bother|"
    r"approach|invite|any(?:body|one)|no ?(?:body|one)|people|leave)(?: any(?:body|one)| people| no ?one| nobody)?"
    r"(?: (?:at|in|of))?"
    rf" (?P<who>{_POINTER})\b"
)
_CAPITALS = re.compile(r"(?:(?<=[a-z,] )|(?<=[a-z] the ))[A-ZÀ-Þ][\w'’&-]+(?: (?:& )?[A-ZÀ-Þ][\w'’&-]+)*|"
                       r"^(?:The )?(?P<first>[A-ZÀ-Þ][\w'’&-]+(?: (?:& )?[A-ZÀ-Þ][\w'’&-]+)+)")  # fmt: skip


def about_whom(reading: Reading, text: str, context: Context) -> Reading:
    """Return a rule with the name behind its "them" or "there"; `pointer` is in it if the name is unknown.

    The name is in the sentences before it in the message, else in the message before.
    """
    pointer = _POINTS.search(reading.sentence) if reading.act == "standing" and reading.operation != "lift" else None
    who = next((one for one in reading.slots if one.name == "who"), None)
    if pointer is None or (who is not None and not re.fullmatch(rf"(?i){_POINTER}", str(who.value))):
        return reading
    rest = tuple(one for one in reading.slots if one.name != "who")
    before = text.partition(reading.sentence.strip())[0] or " ".join(one.sentence for one in context.earlier[:1])
    capitals = [one["first"] or one[0] for one in _CAPITALS.finditer(before)]
    name = _who(before, context) or (Slot("who", capitals[-1]) if capitals else None)
    if name is None:
        return replace(reading, slots=(*rest, Slot("who", "", pointer["who"])), missing=("who",))
    kind = reading.operation or ("forbid" if form("rule_ban").search(plain(reading.sentence)) else "")
    return replace(reading, slots=(*rest, Slot("who", name.value, pointer["who"])), operation=kind)


_GIVES_WORK = ("work_package_assign", "work_package_create")
_TO_WHOM = order_form("standing.to_whom")
_GETS_NONE = order_form("standing.gets_none")
_MANAGES = re.compile(r"\b(?:stop|pause|halt|cancel|end|switch off|touch|change|cut|resume)\b")


def _find_restriction(text: str, operations: list[str], context: Context) -> tuple[list[str], Slot] | None:
    """Return the operation that a rule forbids with a contractor or a campaign that it names, and that name."""
    if (
        operations
        and set(operations) <= set(_GIVES_WORK)
        and (found := _TO_WHOM.search(text) or _GETS_NONE.match(text))
    ):
        return [*_GIVES_WORK], Slot("who", found["who"].strip(" .,"), found["who"])
    if not _MANAGES.search(plain(text)):
        return None
    for name, place in sorted(context.vocabulary.names.items(), key=lambda pair: -len(pair[0])):
        if place.startswith("campaigns/") and re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", text):
            return ["ad_campaign_manage"], Slot("who", name, name)
    return None


_STYLE = order_form("standing.style")
"""Rules about style, which no rule at the gate can enforce."""


_NONE_OF = order_form("standing.none_of")


_NAMES_IN_PUBLIC = order_form("standing.names_in_public")
"""Whom no text may name: the owner sees each text first, since no gate knows every name."""
_LASTS = order_form("standing.lasts")


_ANNOUNCED = re.compile(r"(?:(?:a|new|house|our|my) )*rule ?:")


def is_rule_of_work(flat: str) -> bool:
    """Return whether a statement says how letters, campaigns or orders must be from now on."""
    is_about = form("rule_contact").search(flat) or any(pattern.search(flat) for pattern, _ in _ABOUT)
    is_past = re.search(r"\b(?:was|were|had|did|has been|have been|yesterday|last (?:week|month|year))\b", flat)
    is_said = _ANNOUNCED.match(flat) or (_LASTS.search(flat) and is_about and not is_past)
    return bool(is_said and not flat.rstrip().endswith("?"))


def forbids_any(flat: str) -> bool:
    """Return whether an imperative is a rule: "order nothing above 500 dollars", "hire nobody without asking me"."""
    lasts = re.search(r"\b(?:from now on|any ?more|in future|ever|again|until (?:i|we) say)\b", flat)
    return bool(
        _NONE_OF.match(flat)
        and (form("rule_ask").search(flat) or lasts or re.search(form("rule_ceiling").pattern + r".*\d", flat))
    )


def _kind(flat: str, *, has_ceiling: bool) -> str:
    is_allowed = has_ceiling and form("rule_allow").search(flat)
    if form("rule_lift").search(flat) and not is_allowed and not _ANNOUNCED.match(flat):
        return "lift"
    # "We never quote under 300 dollars" limits nothing from above
    is_floor = form("rule_floor").search(flat) and not is_allowed and not form("rule_ask").search(flat)
    if has_ceiling and not is_floor:
        return "allow" if is_allowed else "cap"
    if _NAMES_IN_PUBLIC.search(flat):
        return "ask_first"
    if is_floor or (_STYLE.search(flat) and not re.search(r"\b(?:before|without) ", flat)):
        return ""
    if form("rule_ask").search(_TAKEN_BACK_LATER.sub("", flat)):
        return "ask_first"
    return "forbid" if form("rule_ban").search(flat) else ""


def _can_be_kept(kind: str, flat: str, has_object: bool) -> bool:
    """Return whether a rule of this kind can be enforced exactly as stated, no wider and no narrower."""
    if kind == "forbid":
        is_conditional = _CONDITION.search(_TAKEN_BACK_LATER.sub("", flat))
        return not form("rule_timed").search(flat) and (
            has_object or bool(_ANYTHING.search(flat) and not is_conditional)
        )
    return bool(kind)


def _ceiling(text: str, flat: str) -> SpokenAmount | None:
    """Return the amount above which something may not go, or None."""
    is_allowed = bool(form("rule_allow").search(flat))
    money = [
        one for one in amounts_in(text) if one.kind == "money" or (one.kind == "count" and (one.per or is_allowed))
    ]
    return money[0] if money and (is_allowed or form("rule_ceiling").search(flat)) else None


def _per(amount: SpokenAmount) -> str:
    return amount.per if amount.per in ("day", "week", "month") else "total"


def _main_clause(text: str) -> str:
    """Return the clauses of a rule that forbid or ask, without the reason beside them; else all of it."""
    parts = re.split(r"(?<=\w)[,;:]\s+(?=(?:the|our|it|we|they|because|since|as)\b)", text)
    said = [one for one in parts if form("rule_ban").search(plain(one)) and form("rule_contact").search(plain(one))]
    return ", ".join(said or parts)


def _who(text: str, context: Context) -> Slot | None:
    """Return whom a rule is about: a name of the records, else a capitalised name, else the words for a group."""
    tags = [re.escape(tag) for tag in context.vocabulary.tags]
    lead = r"(?i)\b(?:from|to|at|of|among|so|and) (?:the |our )?"
    group = re.search(rf"{lead}({'|'.join(tags)})s?\b", text) if tags else None
    if tag := tag_named(text, context.vocabulary) or (group[1] if group else ""):
        return Slot("who", tag, f"tagged {tag}")
    for name in sorted((*context.vocabulary.companies, *context.vocabulary.names), key=len, reverse=True):
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
        if found and len(name) > 2:
            return Slot("who", name, found[0])
    for found in _FAMILY.finditer(text):
        surnames = {one.split()[-1] for one, place in context.vocabulary.names.items() if place.startswith("contacts/")}
        if name := next((one for one in (found["who"].removesuffix("e"), found["who"]) if one in surnames), ""):
            return Slot("who", name, found[0])
    for found in _NAMED.finditer(text):
        if plain(found["who"]) not in word_lists().openers and not re.match(
            r"(?i)(i|me|monday|sunday)\b|\d", found["who"]
        ):
            return Slot("who", found["who"].strip(" .,"), found["who"])
    if group := _COMMON.search(text):
        words = _TAIL.sub("", group["who"]).strip(" .,!")
        words = re.sub(r"(?i)^(any|anybody|anyone|people)( at| from| of| in)? ", "", words)
        if words.lower() not in ("", "any", "anybody", "anyone", "people", "me", "us", "it", "them"):
            return Slot("who", words, group["who"])
    return None


_FAMILY = re.compile(r"\b[Tt]he (?P<who>[A-ZÀ-Þ][\w'’-]+)s\b")


def _channel(text: str) -> Slot | None:
    """Return the one channel of advertising that a rule names, or None where it names none or several."""
    channels = wordings()["ad_campaign_create"].synonyms.get("channel", {})
    found = {name: match[0] for name, form in channels.items() if (match := form.search(text.lower()))}
    return Slot("channel", *next(iter(found.items()))) if len(found) == 1 else None


def _rule(text: str, who: Slot | None, context: Context) -> str:
    """Return the id of the standing request that a sentence lifts, or "" where several or none fit."""
    rules = [request for request in context.earlier if request.act == "standing" and request.status == "standing"]
    if who is not None:
        name = str(who.value).lower()
        rules = [rule for rule in rules if name in rule.sentence.lower() or str(rule.slot("who", "")).lower() == name]
        return rules[0].id if rules else ""
    words = set(re.findall(r"[a-z]{4,}", plain(text))) - {"rule", "again", "limit", "from", "longer", "lifted"}
    fitting = [rule for rule in rules if words & set(re.findall(r"[a-z]{4,}", plain(rule.sentence)))]
    chosen = fitting or rules
    return chosen[0].id if len(chosen) == 1 else ""


def rule(sentence: str, context: Context) -> Reading | None:
    """Return a rule by its form: how letters end, what is forbidden or allowed again, or a sum without a question."""
    flat = plain(sentence)
    if flat.rstrip().endswith("?"):
        return None
    ruled = forbids_any(flat) or form("rule_allow").search(flat) or form("mail_ends").match(flat)
    if not ruled and form("rule_lift").search(flat):
        lifted = standing(sentence, context, 0.85)
        return lifted if lifted.refers_to and any(one.name == "who" for one in lifted.slots) else None
    return closing(sentence, context) or (standing(sentence, context, 0.85) if ruled else None)


def in_own_words(reading: Reading, message: str) -> Reading:
    """Return a rule with the sentence of a rephrased message that it was read from: a rule is kept as it was said."""
    if reading.act != "standing" or not message:
        return reading
    known = roots(reading.sentence)
    return replace(reading, sentence=max(split(message), key=lambda one: len(known & roots(one))))


def says_same_rule(one: Reading, other: Reading) -> bool:
    """Return whether two rules of one message forbid the same with the same people, or the first only stresses."""
    if one.act == other.act == "standing" and other.operation and not (one.operation or one.slots):
        return True  # "Every single one, whatever I give you."
    people = [next((slot.value for slot in rule.slots if slot.name == "who"), "") for rule in (one, other)]
    is_same = people[0] == people[1] != "" or not one.slots
    return one.act == other.act == "standing" and one.operation == other.operation and is_same
