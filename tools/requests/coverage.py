"""Find words of a message that restrict an order but are not covered by its reading: the agent asks about them first.

A negation, an exception, a limit, an order of events, a sum or a day changes the meaning of an order. If the reading
has not used it, the order stops before its first effect; the question quotes it.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from mabos.language.acts import is_remark
from mabos.language.amounts import amounts_in
from mabos.language.catalogue import wordings
from mabos.language.letter_text import ASIDE, SEES_FIRST
from mabos.language.letters import LETTERS
from mabos.language.project_steps import APPROVAL_WORDS
from mabos.language.request import Request
from mabos.language.sentences import begins_with_verb, split, without_greeting
from mabos.language.spelling import repair_spelling
from mabos.language.spoken_time import SpokenTime
from mabos.language.times import times_in
from mabos.language.wordlists import order_form
from mabos.mind.model import Step
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.projects import APPROVAL, REFUSES
from mabos.tools.requests.reports import stems
from mabos.tools.requests.response import Ask, Do
from mabos.tools.requests.wording import day, join_words, quote_text
from mabos.tools.runtime.services import Agent
from mabos.tools.work.session import parent_of
from mabos.workspace.copies import replace
from mabos.workspace.dates import WEEKDAYS

ASKS_FIRST = re.compile(
    rf"(?i){APPROVAL_WORDS.pattern}|\b(?:ask|check with|consult|show|tell|come to|run (?:it|that|this) past) me\b"
    r"[^.!?;]*\b(?:first|before|beforehand)\b|"
    r"\b(?:not|nothing|don['’]t|never|no \w+)\b[^.!?;]*\b(?:before|until|till|without|unless)\b[^.!?;]*\b(?:i|my|me)\b|"
    r"\bi(?:['’]d| would|['’]ll| will)? (?:want|like|need|wish|have)(?: to| a)* (?:approve|sign|ok|okay|decide|say yes|"
    r"(?:see|check|look)\b[^.!?;]*\b(?:first|before|beforehand))\b|"
    r"\blet me (?:approve|decide)\b|\bwait for (?:me|my)\b"
)
"""Words by which the owner wants to say yes to an order before it is carried out."""
_LASTS = re.compile(r"\b(?:from now on|always|never|every|each|any|in future)\b", re.IGNORECASE)
_RESTRICTS = order_form("coverage.restricts")
_HARMLESS = order_form("coverage.harmless")
_REMARK = order_form("coverage.remark")
"""A clause that tells how things are: a negation in it restricts nothing."""
_TAKEN = "¤"
"""The replacement of words in a slot."""
_NOBODY_ELSE = order_form("coverage.nobody_else")
_WHY_STOP = order_form("coverage.why_stop")
"""A clause beside an order to stop: what there will be none of is its reason."""
_REASON = order_form("coverage.reason")
_BINDS = order_form("coverage.binds")
_ORDER_OF_EVENTS = order_form("coverage.order_of_events")
_EXCEPTION = order_form("coverage.exception")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ORDINAL = re.compile(r"(?i)\W*(?:(?:on|by|before|until|till|to) )?(?:the )?(\d{1,2})(?:st|nd|rd|th)\W*")
_WHOLE = ("steps", "questions", "figures")


def ask_about_unexplained(agent: Agent, request: Request) -> Ask | None:
    """Return the question that quotes the words missing from an order's reading, or None if none are missing."""
    if asked := _ask_about_weekday(agent, request) or _ask_about_date(agent, request):
        return asked
    if not _is_checked(agent, request):
        return None
    if request.operation == "project":
        return _out_of_order(request)
    if request.operation == "report_regularly":
        return _unless(request)
    left = left_out(agent, request)
    if not left:
        return None
    return Ask(
        "I have done nothing yet, because I do not know what to make of this part: "
        f"{join_words(map(quote_text, left))}. "
        "What does it mean for the order? Or shall I carry it out without that part?",
        ("confirm",),
    )


def _ask_about_weekday(agent: Agent, request: Request) -> Ask | None:
    """Return the question about a day that is not on the weekday beside it ("Friday, 21 November"), or None."""
    is_read = request.sender == STAKEHOLDER and not parent_of(request) and not request.data.get("readback")
    if request.act not in ("order", "correction") or request.status != "open" or not is_read:
        return None
    days = {str(slot.value)[:10]: slot.name for slot in request.slots if isinstance(slot.value, str)}
    for one in times_in(request.sentence, agent.clock()):
        if one.day is None or not (named := _WEEKDAY.search(one.words)) or one.day.isoformat() not in days:
            continue
        said = next(weekday for weekday in WEEKDAYS if weekday[:3] == named[0][:3].capitalize())
        if not re.search(r"\d", one.words) or said == WEEKDAYS[one.day.weekday()]:
            continue
        asked = f"{day(one.iso)} is a {WEEKDAYS[one.day.weekday()]}, and not a {said}. Which day do you mean?"
        return Ask(f"I have done nothing yet: {asked}", (days[one.day.isoformat()],))
    return None


_WEEKDAY = re.compile(r"(?i)\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b")
_DUTY = order_form("coverage.duty")


def _unless(request: Request) -> Ask | None:
    """Return the question about a regular report with an exception or an end, which it would not keep."""
    text = request.sentence
    for slot in request.slots:
        if slot.name in ("fallback", "open_end", "times", "until"):  # the duty keeps these
            text = re.sub(re.escape(slot.words), " ", text, flags=re.IGNORECASE)
    found = _DUTY.search(text)
    if found is None or _HARMLESS.match(found[0]):
        return None
    return Ask(
        f"I have not set the report up yet: its rhythm cannot have this: {quote_text(found[0].strip())}. "
        "Shall I send it without that? You can leave out a day, or end it, at any time.",
        ("confirm",),
    )


_QUOTED = re.compile(r"(?<!\w)['‘\"“][^'’\"”\n]{2,}['’\"”](?!\w)")


def _ask_about_date(agent: Agent, request: Request) -> Ask | None:
    """Return the question about a change of a campaign that is to hold from a later day: it would be made at once."""
    target = agent.requests.find(request.refers_to) if request.refers_to and request.act == "correction" else None
    if target is None or target.operation not in ("ad_campaign_create", "ad_campaign_manage"):
        return None
    said = _QUOTED.sub(_TAKEN, request.sentence)  # 'New Year Sky' is a name
    days = [one for one in times_in(said, agent.clock()) if one.kind == "day" and one.day]
    later = [one for one in days if one.day and one.day > agent.clock().date()]
    if not later or request.data.get("readback") or parent_of(request):
        return None
    return Ask(
        f"I change nothing yet: I can do this now, and not {join_words(quote_text(one.words) for one in later)}. "
        "Shall I do it now, or remind you on that day?",
        ("confirm",),
    )


def approved_first(agent: Agent, request: Request, response: Do) -> Do:
    """Return the steps of an order after a question to the owner, if its message wants to be asked first."""
    if note := _without_day(agent, request):
        response = replace(response, told=f"{response.told} {note}".strip())
    if (
        not _is_checked(agent, request)
        or request.operation in ("project", *LETTERS)
        or not _wants_to_approve(agent, request)
    ):
        return response
    subject = join_words(step.description for step in response.steps)
    question = {
        "subject": subject[:1].upper() + subject[1:],
        "description": f"You want to approve this before it is done: {request.sentence}",
        "options": [{"id": "yes", "label": "Approve"}, {"id": REFUSES, "label": "Not like this"}],
    }
    first = Step("S0", f"get your approval: {subject}", APPROVAL, question)
    return replace(response, steps=(first, *response.steps))


_VAGUE = re.compile(r"\b(?:before|by|until|till) (?:the|our|my) [^.,;:]+", re.IGNORECASE)


def _without_day(agent: Agent, request: Request) -> str:
    """Return that a time by which work is needed is no day on record ("before the birds nest"), or an empty text."""
    message = agent.inbox.find(request.message_id)
    if request.operation != "work_package_create" or request.slot("deadline") or message is None:
        return ""
    needs = [one for one in split(repair_spelling(message.content)) if _is_need(one, request)]
    vague = next((found[0] for one in needs if (found := _VAGUE.search(one))), "")
    return f"I put no deadline on record, because {quote_text(vague)} names no day." if vague else ""


def _wants_to_approve(agent: Agent, request: Request) -> bool:
    message = agent.inbox.find(request.message_id)
    sentences = split(repair_spelling(message.content) if message is not None else request.sentence)
    return any((ASKS_FIRST.search(one) or SEES_FIRST.search(one)) and not _LASTS.search(one) for one in sentences)


def left_out(agent: Agent, request: Request) -> list[str]:
    """Return the clauses of a message that restrict an order, or give it a sum or a day, and that no slot contains."""
    message = agent.inbox.find(request.message_id)
    others = [one for one in agent.requests.all() if one.message_id == request.message_id and one.id != request.id]
    whole = repair_spelling(message.content) if message is not None else request.sentence
    taken = " ".join(one.sentence for one in others if _stands_alone(one))
    found, is_instead = list[str](), _replaces_nothing(agent, request)
    for sentence in split(without_greeting(whole)):
        if _is_need(sentence, request):
            continue
        if request.slot("look_first") and not re.search(r"\d", sentence) and ASIDE.match(sentence):
            continue
        is_own = sentence.strip(" .!?") in request.sentence or request.sentence.strip(" .!?") in sentence
        if not is_own and (sentence.strip(" .!?") in taken or not _is_binding(sentence)):
            continue
        beside = [one for one in others if one.act == "order" and one.sentence.strip(" .!?") in sentence]
        is_part = not beside and request.sentence.strip(" .!?") in sentence
        own = request.sentence if is_part else sentence
        own = re.sub(r"(?i)[,\s]*\binstead\b", " ", own) if is_instead else own
        if not _LASTS.search(own):
            own = ASKS_FIRST.sub(" ", SEES_FIRST.sub(" ", own))  # it is asked about: see `approved_first`
        for one in beside:
            own = _open_words(_without_days(own, one, agent.clock()), one)
        open_text = _open_words(_without_days(own, request, agent.clock()), request)
        clause = _clause(sentence, open_text)
        restricts = _RESTRICTS.search(open_text) and not is_remark(clause, agent.services.embedder)
        if restricts or (is_own and _unused_value(agent, request, open_text)):
            found.append(clause)
    return list(dict.fromkeys(found))


_NEED = order_form("coverage.need")
_POINTS = re.compile(r"\b(?:it|that|this|them|these|those|one)\b", re.IGNORECASE)


def _is_need(sentence: str, request: Request) -> bool:
    """Return whether a sentence only states a need, and the order after it refers to that."""
    is_own = sentence.strip(" .!?") in request.sentence and sentence.strip(" .!?") != request.sentence.strip(" .!?")
    follows = request.sentence.partition(sentence)[2] if is_own else request.sentence
    has_value = bool(amounts_in(sentence)) or bool(re.search(r"\d", sentence))
    return bool(_NEED.search(sentence) and _POINTS.search(follows)) and not has_value


def _replaces_nothing(agent: Agent, request: Request) -> bool:
    """Return whether the order before this one came to nothing: "instead" of it is then a plain new order."""
    others = [one for one in agent.requests.all() if one.act == "order" and one.message_id != request.message_id]
    before = next((one for one in reversed(others) if one.sender == request.sender), None)
    return before is not None and before.status in ("failed", "withdrawn", "refused")


def _stands_alone(request: Request) -> bool:
    """Return whether another sentence of the message was read as something of its own."""
    if request.act == "order":
        return request.operation not in ("", "task", "wish")
    return request.act in ("question", "standing", "report", "small_talk")


def _is_checked(agent: Agent, request: Request) -> bool:
    """Return whether an order has effects, is new, and was read from a person's words by rules."""
    is_read = request.sender == STAKEHOLDER and not parent_of(request) and not request.data.get("readback")
    if request.act != "order" or request.status != "open" or not is_read:
        return False
    name = request.operation
    if name in ("project", "report_regularly", *LETTERS):
        return True
    return name in agent.services.tools.names and agent.services.tools.tool(name).writes


def _is_binding(sentence: str) -> bool:
    """Return whether a sentence next to an order restricts it, and is no mere reason or remark."""
    return not sentence.rstrip().endswith("?") and bool(_BINDS.search(sentence) or begins_with_verb(sentence))


def _without_days(text: str, request: Request, now: datetime) -> str:
    """Return a text without the days that slots hold, whatever word leads to them."""
    days = {str(one.value)[:10] for one in request.slots if isinstance(one.value, str)}
    numbers = {one[8:].lstrip("0") for one in days if _DAY.fullmatch(one)}
    for one in reversed(times_in(text, now)):
        bare = _ORDINAL.fullmatch(one.words)
        if one.iso[:10] in days or (bare is not None and bare[1] in numbers):
            led = text[: one.start] + re.split(r"(?i)(?=\b(?:the|\d))", one.words)[0]
            is_end = any(slot.name == "deadline" and str(slot.value)[:10] == one.iso[:10] for slot in request.slots)
            before = led if is_end else re.sub(r"(?i)(?:\b(?:not|cannot)\b|n['’]t\b)[^,.;]*\bbefore\s*$", "", led)
            before = re.sub(r"(?i)\b(?:until|till|before|by|to|on)\s*$", "", before)
            text = f"{before}{_TAKEN}{text[one.end :]}"
    return text


def _open_words(text: str, request: Request) -> str:
    """Return a text without the words of the order's slots, without quotations, reasons and courtesies."""
    if any(slot.name in _WHOLE for slot in request.slots):
        return ""
    text = _HARMLESS.sub(" ", text)  # "after all", before "all" is taken for whom a campaign is for
    whole = request.sentence.strip(" .!?")
    spoken = {slot.words for slot in request.slots} | {one.value for one in request.slots if isinstance(one.value, str)}
    for words in sorted(filter(None, spoken), key=len, reverse=True):
        if words.strip(" .!?") != whole:
            text = _blank_words(text, words)
    text = _QUOTED.sub(_TAKEN, text)
    if request.slot("changes"):
        text = re.sub(r"(?i)\binstead\b", " ", text)  # what is taken off one is put on another
    if request.data.get("spared"):
        text = _EXCEPTION.sub(" ", text)
    if request.slot("recipients"):
        text = _NOBODY_ELSE.sub(" ", text)
    if request.slot("action") in ("stop", "pause"):
        text = _WHY_STOP.sub(" ", text)
    if request.refers_to:
        text = re.sub(r"(?i)\bonly\b", " ", text)  # "the same, only for two weeks" says what is other
    return _HARMLESS.sub(" ", _REMARK.sub(" ", _REASON.sub(" ", text)))


def _blank_words(text: str, words: str) -> str:
    """Return a text without some of its words; of long words also a sentence of theirs is taken out."""
    for part in (words, *split(words)):
        if len(part) > 1:
            text = re.sub(rf"(?<!\w){re.escape(part.strip(' .!?'))}(?!\w)", _TAKEN, text, flags=re.IGNORECASE)
    return text


def _unused_value(agent: Agent, request: Request, open_text: str) -> bool:
    """Return whether words that no slot holds give money or a day that no slot has."""
    values = [float(one.value) for one in request.slots if isinstance(one.value, int | float)]
    products = [*values, *(one * other for one in values for other in values)]
    money = [one for one in amounts_in(open_text) if one.kind in ("money", "percent") and one.value not in products]
    if _is_second_channel(request, open_text):
        return True
    is_derived = request.data.get("amended") or request.refers_to  # from what is on record, or said before
    is_computed = any(slot.name == "changes" or slot.words == request.sentence for slot in request.slots)
    if is_derived:
        return False
    return bool(money and not is_computed) or any(
        _is_unused(one, open_text, request, agent) for one in times_in(open_text, agent.clock())
    )


def _is_second_channel(request: Request, open_text: str) -> bool:
    """Return whether an order names two channels, of which its reading holds one."""
    wording = wordings().get(request.operation)
    channels = wording.synonyms.get("channel", {}) if wording is not None else {}
    return any(
        re.search(rf"{_TAKEN}\s*(?:,|and|or|&|plus|as well as)\s*(?:on |via |in |at )?{one.pattern}", open_text, re.I)
        for one in channels.values()
    )


def _is_unused(one: SpokenTime, text: str, request: Request, agent: Agent) -> bool:
    """Return whether a day says when an order is to be carried out, and no slot of the order has it."""
    days = [str(slot.value)[:10] for slot in request.slots if isinstance(slot.value, str)]
    if one.kind != "day" or one.day is None or one.day <= agent.clock().date() or one.iso[:10] in days:
        return False
    if request.operation in ("ad_campaign_manage", "work_package_update", "stripe_create_price"):
        return True
    if request.operation == "ad_campaign_create" and one.role == "from":
        return True
    is_begin = re.search(
        r"(?i)\b(?:start(?:s|ing)?|begin(?:s|ning)?|launch(?:es|ing)?|live|from)\s*$", text[: one.start]
    )
    return bool(is_begin) or (one.role in ("by", "from") and bool(re.search(r"\d", one.words)))


def _clause(sentence: str, open_text: str) -> str:
    """Return the clause of a sentence that has the uncovered rest, short enough to be quoted."""
    mark = _RESTRICTS.search(open_text)
    if mark is None:
        return sentence.strip(" .!")
    clauses = re.split(r"\s*[,;:]\s+|\s+(?:and|but)\s+", sentence)
    close = [one for one in clauses if re.search(rf"(?<!\w){re.escape(mark[0])}(?!\w)", one, re.IGNORECASE)]
    return (close[0] if close else sentence).strip(" .!")


def _out_of_order(request: Request) -> Ask | None:
    """Return the question for the order of a project's steps where its words give one that the plan does not keep."""
    steps: Sequence[dict[str, str]] = request.slot("steps", ())
    conditions: Sequence[str] = request.slot("conditions", ())
    approvals = [at for at, one in enumerate(steps) if one.get("kind") == "approval"]
    acts = [at for at, one in enumerate(steps) if one.get("kind") == "operation"]
    said = [str(one.get("text", "")) for one in steps if one.get("kind") != "approval"]
    doubtful = [one for one in said if _ORDER_OF_EVENTS.search(one)]
    for one in conditions:
        if ASKS_FIRST.search(one):
            is_kept = not acts or (bool(approvals) and not _comes_too_early(one, steps, approvals))
        else:
            is_kept = not (_RESTRICTS.search(one) or amounts_in(one))
        doubtful += [] if is_kept else [one]
    if not doubtful:
        return None
    return Ask(
        "I start nothing of this project yet, because I am not sure of its order: "
        f"{join_words(map(quote_text, doubtful))}. "
        "Please give me the steps as a numbered list, in order, with your approvals as steps of their own.",
        ("steps",),
    )


def _comes_too_early(condition: str, steps: Sequence[Mapping[str, str]], approvals: Sequence[int]) -> bool:
    """Return whether a step that a condition names is in front of the approval that it has to wait for."""
    what, _, until = re.split(r"(?i)(\b(?:before|until|till|unless|without|after|once)\b)", condition, maxsplit=1)
    shared = {at: stems(str(one.get("text", ""))) for at, one in enumerate(steps)}
    fit = {at: len(stems(what) & words) for at, words in shared.items() if at not in approvals}
    named = [at for at, number in fit.items() if 0 < number == max(fit.values())]
    waited = [at for at in approvals if stems(until) & shared[at]] or list(approvals)
    return bool(named) and min(named) < min(waited)
