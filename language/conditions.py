"""Orders under a condition ("if takings fall below 400, stop the ads"); nothing watches it, so the agent asks about it.

Conditions on the owner's own approval, and steps of projects, are read elsewhere: they can be kept.
"""

import re

from mabos.language.amounts import amounts_in
from mabos.language.interpreter import Context
from mabos.language.orders import operations_of
from mabos.language.request import Reading, Request, Slot
from mabos.language.sentences import begins_with_verb, plain, split
from mabos.language.times import times_in
from mabos.language.wordlists import form, order_form

CONDITIONAL = "conditional"
"""The operation of an order that is to be done only if something happens."""
CAPPED = "capped"
"""The operation of a yes with a total that the order of it exceeds."""
_WORDS = (
    r"(?:only )?(?:if|unless|as long as|so long as|provided(?: that)?|assuming(?: that)?|in (?:the )?case|"
    r"in the event(?: that)?|on (?:the )?condition that)"
)
_EVENTS = r"(?:once|when|whenever|as soon as|the moment)"
_LEAD = re.compile(
    rf"(?is)^(?P<open>(?:(?:and|but|so|then|please|ok|also)[, ]+)*)"
    rf"(?P<if>(?:{_WORDS}|{_EVENTS}|should)\s+(?:'[^'\n]*'|[^,]|,(?=\d))+?)(?:,\s+|\s+(?=then\b))"
    r"(?:then |please |you (?:can|may|should|must) )*(?P<do>\S.*)$"
)
_COMPARED = re.compile(
    rf"{order_form('conditions.compared').pattern.replace('^', '^(?P<if>', 1)}[^\s,;.]*(?: \w+)??) (?P<do>[a-z].*)$"
)
_TAIL = re.compile(rf"(?is)^(?P<do>\S.*?),?\s+(?:but )?(?P<if>{_WORDS}\s+\S.*?)[.!]*$")
_RULE = order_form("conditions.rule")
_ELSEWHERE = ("remind", "report_regularly", "ask_colleagues", "delegate", "project")
_TOTAL = order_form("conditions.total")
_YES = re.compile(r"^(?:yes|ok|fine|sure|agreed|good|right|all right|alright|approved|go ahead|do it)\b")
_ASKS = order_form("conditions.asks")
"""A yes-or-no question, though its first word may begin an order as well."""
_EMPHASIS = re.compile(
    r"(?i),? (?:and|but)?,? ?not (?:a|one) (?:minute|second|moment|day|hour) (?:before|earlier|sooner)\b"
)
_AND = re.compile(r"(?i),?\s+(?:and|then|and then)\s+(?P<do>\S.*)$")
_NOW = order_form("conditions.now")


def conditional(sentence: str, context: Context) -> Reading | None:
    """Return an order that depends on a condition, or None if a sentence is not such an order."""
    said = _EMPHASIS.sub("", sentence)
    flat = plain(said)
    is_open = flat.rstrip().endswith("?") and (_ASKS.match(flat) or not begins_with_verb(said))
    if flat.startswith(("what if", "even if")) or is_open:
        return None
    lead = _LEAD.match(said) or _COMPARED.match(said)
    found = lead or _TAIL.match(said)
    if found is None:
        return None
    condition, do = found["if"].strip(), found["do"].strip()
    second = _AND.search(condition) if lead is None else None
    if second is not None and begins_with_verb(second["do"]):
        condition, do = condition[: second.start()], f"{do} and {second['do']}"
    if not _is_order(condition, do, is_last=lead is None) or operations_of(do, context)[0][0] in _ELSEWHERE:
        return None
    if name := re.search(r"(?<!\w)(['\"‘“])[^'\"’”]+['\"’”](?!\w)", condition):
        do = re.sub(r"(?i)\b(?:it|that|this)\b", name[0].replace("\\", ""), do, count=1)
    slots = (Slot("condition", condition, condition), Slot("then", do.rstrip(".! "), do))
    return Reading("order", sentence, CONDITIONAL, slots, confidence=0.9)


_HAPPENS = order_form("conditions.happens")
"""Something outside that has to be there first: "as soon as the permit is here"."""
_OTHERWISE = order_form("conditions.otherwise")


def is_otherwise(sentence: str) -> bool:
    """Return whether a sentence says that nothing happens if the condition before it does not hold."""
    return bool(_OTHERWISE.match(plain(sentence)))


def _is_order(condition: str, do: str, *, is_last: bool) -> bool:
    """Return whether words order something under a condition that is no approval, no politeness and no rule."""
    wanted, order = plain(condition), plain(do)
    if form("condition_polite").search(wanted) or form("condition_approval").search(wanted) or _RULE.search(order):
        return False
    if re.match(_EVENTS, wanted) and not (form("condition_threshold").search(wanted) or _HAPPENS.search(wanted)):
        return False
    return begins_with_verb(do) and not (is_last and form("condition_told").search(order))


def decide_condition(body: str, request: Request, context: Context) -> str:
    """Return the order that an answer makes of a conditional one: do it now, or be reminded on a day."""
    flat = plain(body)
    then, condition = str(request.slot("then", "")), str(request.slot("condition", ""))
    day = next((one for one in times_in(body, context.now) if one.kind == "day" and one.day), None)
    if day is not None and (re.search(r"\bremind|\bask me\b", flat) or len(flat.split()) < 5):
        when = re.sub(r"(?i)^(?:on|by|at) ", "", day.words)
        return f"Remind me on {when} of this: {condition}, {then}"
    if _NOW.search(flat) and not re.search(r"\b(?:not|never|remind|wait)\b", flat):
        return f"{then}."
    return ""


def within_total(body: str, context: Context) -> Reading | None:
    """Return the meaning of a yes with a total for the order it answers: a yes, a lower budget, or a question."""
    flat = plain(body)
    waiting = [one for one in context.earlier if one.act == "order" and one.status in ("underway", "asking")]
    money = [one for one in amounts_in(body) if one.kind in ("money", "count") and one.per in ("", "total")]
    is_capped = bool(_TOTAL.search(flat)) and len(money) == 1
    if not waiting or not is_capped or not (_YES.search(flat) or len(split(body)) == 1):
        return None
    if re.search(r"\b(?:from now on|always|never|every|each|any|nobody|campaigns?|anything)\b", flat):
        return None
    target, total = waiting[0], money[0].value
    budget, weekly, weeks = (target.slot(name) for name in ("budget_usd", "weekly_budget_usd", "weeks"))
    if isinstance(weekly, int | float) and isinstance(weeks, int | float):
        if weekly * weeks > total:
            slots = (Slot("total", total, money[0].words, "at most"), Slot("weekly", weekly), Slot("weeks", weeks))
            return Reading("order", body, CAPPED, slots, refers_to=target.id, confidence=0.9)
    elif not isinstance(budget, int | float):
        return None
    elif budget > total:
        lower = (Slot("budget_usd", total, money[0].words, "at most"),)
        return Reading("correction", body, target.operation, lower, refers_to=target.id, confidence=0.85)
    return Reading("answer", body, target.operation, (Slot("yes", True, body),), refers_to=target.id, confidence=0.85)
