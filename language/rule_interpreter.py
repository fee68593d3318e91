"""Interpret a message without a chat model: split sentences, find their speech acts, and group them into readings.

    RuleInterpreter().read("Morning! Could you send the letter to all members?", context)

A sentence that qualifies an order ("Don't send it yet, I'd like to read it first") is part of that order's reading.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from mabos.backends.embed import Embedder
from mabos.language.acts import act_probabilities
from mabos.language.colleague_questions import asked_of_colleagues
from mabos.language.conditions import CONDITIONAL, conditional, decide_condition, is_otherwise, within_total
from mabos.language.conversation import (
    UNRESOLVED,
    adds_to_list,
    adjust_acts,
    answer,
    choice_of_namesake,
    correction,
    find_pending,
    is_repetition,
    normalize_shares,
    orders_before,
    repetition,
    withdrawal,
)
from mabos.language.errands import IMPOSSIBLE
from mabos.language.follow_ups import (
    again_or_new,
    as_before,
    asked_again,
    given_to,
    one_more,
    revive_order,
    tells_of_steps,
    to_those_named,
    with_same_values,
)
from mabos.language.forwarded import FORWARDED, mail_in, mail_of, points, told_only, with_mail, without
from mabos.language.frames import OrderFrame, asks, frames, tells_past
from mabos.language.interpreter import Context
from mabos.language.letter_text import SEES_FIRST
from mabos.language.letters import LETTERS
from mabos.language.marked_orders import reread, without_remarks
from mabos.language.mentions import mentions
from mabos.language.new_contacts import new_contacts
from mabos.language.notices import apart, notice
from mabos.language.orders import likeliest_kind, operations_of, order, project_of, with_step
from mabos.language.phrasing import as_imperative
from mabos.language.pieces import (
    IMPERATIVE,
    PROJECT,
    SURE,
    TAG,
    Group,
    Piece,
    group_pieces,
    with_letter_text,
    with_remarks,
)
from mabos.language.regular_reports import duty_end, regular_report
from mabos.language.reminders import ended_reminders, reminded_of, reminders
from mabos.language.request import Reading, SpeechAct
from mabos.language.revisions import consent, full_answer, is_duty_open, revision, taken_back
from mabos.language.sentences import (
    begins_with_verb,
    clauses,
    opening,
    plain,
    split,
    without_courtesy,
    without_greeting,
)
from mabos.language.spelling import repair_spelling
from mabos.language.standing import about_whom, in_own_words, is_rule_of_work, rule, says_same_rule, standing
from mabos.language.wishes import wish, wished_work
from mabos.language.wordlists import form, order_form, order_table, word_lists

AGREED = 0.8
"""An operation of this score makes it likelier that a sentence which begins with a verb is an order."""
_ENDING = ("task", "ad_campaign_manage", "work_package_update")
"""Operations by which a withdrawal reads as well."""

_WHOLE = ("task", "ask_colleagues", "delegate", "project")
"""Operations whose order goes on behind an "and": "ask legal how many, and let me know the answer"."""
_OUTSPOKEN: tuple[SpeechAct, ...] = ("small_talk", "report", "question", "order", "answer", "standing")
_AWAITS = re.compile(r"\b(?:until|till|before|yet|without)\b")
_BANS_MAIL = order_form("rule_interpreter.bans_mail")
_QUOTED = re.compile(r"(?<!\w)['\"‘“][^'\"’”]{3,}['\"’”](?!\w)")
_PLANNED = re.compile(r"\bplan\b")
_NUMBERS = re.compile(r"(?:^|\s)\d[.)]? (?=[a-z])")
_STEPS = order_form("rule_interpreter.steps")
_AS_PROJECT = order_form("rule_interpreter.as_project")
"""Words that say that all of a message is one project."""
_INSTEAD = order_form("rule_interpreter.instead")
"""A duty that takes the place of another: "Stop the Friday report; send me the rework on Mondays instead"."""
_INSTEAD_OF_NOTHING = re.compile(r"(?i) instead(?=\s*[?.!,](?:\s|$)|$)")
_OPENING = order_form("rule_interpreter.opening")
"""Words that only open a message: "and? what did they say", "then at least ask him"."""
_FROM = order_form("rule_interpreter.from")
"""A question for a colleague who is named first: "From Legal I'd like to know when ..."."""
_REPHRASED = tuple((re.compile(said), other) for said, other in order_table("rule_interpreter.rephrased").items())
"""Other forms of orders and questions, and the plain ones: "I'd be grateful if the list were finished"."""
_REVIEW = order_form("rule_interpreter.review")
"""A look that is wanted: at a figure of the business it is a question, and else work."""
_FIGURES = order_form("rule_interpreter.figures")
_SHOWN_FIRST = order_form("rule_interpreter.shown_first")
_GUESS, _COMPLAINT = order_form("rule_interpreter.guess"), order_form("rule_interpreter.complaint")
_ASSENT = re.compile(r"(?i),\s*(?:all right|alright|ok(?:ay)?|right|understood|agreed|got it|is that clear)\s*\?+\s*$")
"""A tag that makes no question of a statement."""
_WAITS, _BOUND_TOLD, _DROPS = (order_form(f"rule_interpreter.{name}") for name in ("waits", "bound_told", "drops"))
_CONFIRMS, _ASKS_FIELDS = order_form("rule_interpreter.confirms"), order_form("rule_interpreter.asks_fields")
"""A statement that is to be confirmed: "so nothing is on order, right?", "is it started or not"."""


@dataclass(frozen=True)
class RuleInterpreter:
    """Reads messages by trained features and rules; `embedder` refines acts, `read_order` reads orders."""

    embedder: Embedder | None = None
    read_order: Callable[[str, Context], Reading] = order

    def read(self, text: str, context: Context) -> tuple[Reading, ...]:
        """Return a reading for each thing asked for or said, in order."""
        if (passed := mail_in(text)) is not None:
            own, mail = passed
            return with_mail(own, mail, lambda words: self._read(repair_spelling(words), context))
        message, context = text, replace(context, embedder=self.embedder)
        text = _INSTEAD.sub(r"\g<end>. \g<new>.", _OPENING.sub("", repair_spelling(text)))
        spoken = text
        for said, ordered in _REPHRASED:
            text = said.sub(ordered, text)
        other = message if text != spoken else ""
        if context.is_person and (seen := _REVIEW.match(text)) and _names_figure(seen["what"], context):
            text = f"How is {seen['what']}?"
        if not any(one.act == "order" and one.is_open for one in context.earlier):
            text = _INSTEAD_OF_NOTHING.sub("", text)
        text = to_those_named(asked_again(text, context), context) if context.is_person else text
        text = one_more(with_same_values(_FROM.sub(r"\g<lead>ask \g<whom> ", text), context), context)
        readings = self._settle_question(text, context) or self._read(text, context)
        found = [in_own_words(about_whom(as_before(one, context), text, context), other) for one in readings]
        told = (one for at, one in enumerate(found) if not any(says_same_rule(one, b) for b in found[at + 1 :]))
        return reread(spoken, without_remarks(tuple(told), context), context)

    def _settle_question(self, text: str, context: Context) -> tuple[Reading, ...]:
        """Return the readings of an answer about a pending mail or condition; empty if it is no answer."""
        target = next(iter(context.earlier), None)
        if target is None or target.status not in ("asking", "answered"):
            return ()
        found: tuple[Reading, ...] = ()
        if target.operation == FORWARDED:
            found = with_mail(text, mail_of(target), lambda words: self._read(words, without(target, context)))
            found = tuple(one for one in found if one.operation != FORWARDED and (points(text) or one.refers_to))
        elif target.operation == CONDITIONAL and (spoken := decide_condition(text, target, context)):
            found = self._read(spoken, without(target, context))
        return tuple(one if one.refers_to else replace(one, refers_to=target.id) for one in found)

    def _read(self, text: str, context: Context) -> tuple[Reading, ...]:
        body = without_greeting(text)
        if not body:
            return (Reading("small_talk", text.strip(), confidence=0.97),)
        if settled := self._read_project(body, context) or duty_end(split(body), context) or with_step(body, context):
            return (settled,)
        for read in (told_only, new_contacts, ended_reminders, reminders, regular_report, asked_of_colleagues):
            found, others = read(split(body), context)
            if found:
                return (*(self._read(" ".join(others), context) if others else ()), *found)
        sentences = tuple(
            part for one in split(body) for half in question_and_order(one, context) for part in apart(half, context)
        )
        sentences = with_letter_text(_with_bound(sentences), context)
        rules = [reading for one in sentences if (reading := rule(one, context))]
        rules += [reading for one in sentences if (reading := notice(one, context))]
        waiting = rules + [reading for one in sentences if (reading := conditional(one, context))]
        if waiting:
            held = {one.sentence for one in waiting}
            rest = " ".join(one for one in sentences if one not in held and not is_otherwise(one))
            lifted = [one for one in waiting if one.operation == "lift"]  # before a letter that it allows
            return (*lifted, *(self._read(rest, context) if rest else ()), *(w for w in waiting if w not in lifted))
        return self._unconditional(body, sentences, context)

    def _unconditional(self, body: str, sentences: Sequence[str], context: Context) -> tuple[Reading, ...]:
        """Return the readings of sentences none of which has a condition."""
        if settled := within_total(body, context) or revive_order(body, context):
            return (settled,)
        if found := frames(sentences, context):
            return tuple(self._with_frames(sentences, found, context))
        if whole := _whole(body, sentences, context) or reminded_of(sentences, context, self.read_order):
            return (whole,)
        if wanted := wished_work(sentences, context):
            return (wanted,)
        pieces = with_remarks([self._piece(one, context, at) for at, one in enumerate(sentences)], context)
        readings = tuple(reading for group in group_pieces(pieces) for reading in self._readings(group, context))
        is_unread = len(readings) == 1 and (readings[0].act in ("report", "unclear") or readings[0].operation == "task")
        if is_unread and len(sentences) == 1 and not begins_with_verb(body) and (wanted := wish(body)):
            return (wanted,)
        return _without_talk(readings) or (Reading("unclear", body, confidence=UNRESOLVED),)

    def _read_project(self, body: str, context: Context) -> Reading | None:
        """Return the whole message as one project, however many sentences it has, where it says that it is one."""
        flat = plain(body)
        in_steps = _PLANNED.search(flat) and (len(_STEPS.findall(flat)) > 1 or len(_NUMBERS.findall(body)) > 2)
        if not in_steps and not _AS_PROJECT.search(flat):
            return None
        planned = project_of(body, context)
        return planned if len(_steps(planned)) > (2 if in_steps else 1) else None

    def _with_frames(
        self, sentences: Sequence[str], found: Sequence[OrderFrame], context: Context
    ) -> Iterator[Reading]:
        """Yield the readings of orders that are spread over a message, and of the sentences that are none of theirs."""
        taken = {at for frame in found for at in frame.sentences}
        rest = [(at, self._piece(one, context)) for at, one in enumerate(sentences) if at not in taken]
        read = {frame.reading.operation for frame in found}
        kept = [(at, piece) for at, piece in rest if _asks_by_itself(piece, read, context)]
        parts: list[tuple[int, OrderFrame | Piece]] = [(min(frame.sentences), frame) for frame in found]
        for _, part in sorted([*parts, *kept], key=lambda one: one[0]):
            if isinstance(part, OrderFrame):
                yield again_or_new(part.reading, context)
            else:
                yield from self._readings(Group(part.act, [part]), context)

    def _piece(self, sentence: str, context: Context, place: int = 0) -> Piece:
        if _ASSENT.search(sentence) and act_probabilities(sentence, self.embedder)["question"] < SURE:
            sentence = _ASSENT.sub(".", sentence)  # "a campaign for 500, all right?" orders, "Jo gets 50, right?" asks
        flat = plain(sentence)
        if place and (SEES_FIRST.match(sentence) or _SHOWN_FIRST.match(sentence)):
            return Piece(sentence, "report", SURE, flat)  # it says how the order before it is meant
        shares = adjust_acts(act_probabilities(sentence, self.embedder), flat, context)
        if not context.earlier and not begins_with_verb(sentence):  # there is nothing to correct
            shares = normalize_shares({**shares, "correction": 0.1 * shares["correction"]})
        act = max(shares, key=lambda name: shares[name])
        operation, score = operations_of(sentence, context)[0]
        if _COMPLAINT.match(flat):
            return Piece(sentence, "report", SURE, flat)
        if by_form := _by_form(sentence, flat, act, (operation, score), context):
            return by_form
        is_named = bool(_QUOTED.search(sentence)) and not sentence.rstrip().endswith("?") and not tells_past(flat)
        is_wanted = begins_with_verb(sentence) and not asks(flat)
        if score >= AGREED and operation not in _ENDING and (is_wanted or is_named):
            # two readers that agree are nearly always right
            fresh = not any(one.act == "order" and one.is_open for one in context.earlier)
            shares = normalize_shares({**shares, "order": shares["order"] * (40 if fresh else 12)})
        if (operation == "task" and asks_to_know(flat, context)) or _GUESS.match(flat):
            shares = normalize_shares({**shares, "question": shares["question"] * 12})
        act = max(shares, key=lambda name: shares[name])
        if _is_ban(flat, act, shares[act], context):
            return Piece(sentence, "standing", max(IMPERATIVE, shares["standing"]), flat)
        is_bare = begins_with_verb(sentence) and not sentence.rstrip().endswith("?")
        is_first = not any(one.act == "order" for one in context.earlier)  # there is nothing to correct or to stop
        unsure = act in _OUTSPOKEN or (is_first and act in ("correction", "withdrawal"))
        if is_bare and unsure and (shares[act] < IMPERATIVE or (is_first and operation in _ENDING[1:])):
            # a short imperative has few other signs
            return Piece(sentence, "standing" if form("negated").match(flat) else "order", IMPERATIVE, flat)
        return Piece(sentence, act, shares[act], flat)

    def _readings(self, group: Group, context: Context) -> Iterator[Reading]:
        share = group.share
        if group.act == "order":
            yield from self._orders(group, context)
        elif group.act in ("correction", "answer") and (changed := correction_of_open(group, context)):
            yield changed
        elif share < SURE and group.act not in ("small_talk", "question"):
            yield Reading("unclear", group.text, confidence=share)
        elif group.act == "correction":
            changed = correction(group.text, context, share)
            yield changed if changed.slots else consent(group.text, context) or changed
        elif group.act == "withdrawal":
            yield withdrawal(group.text, context, share)
        elif group.act == "answer":
            yield answer(group.text, context, share)
        elif group.act == "standing":
            ruled = standing(group.text, context, share)
            is_news = not ruled.operation and not ruled.slots and not form("demands").search(plain(group.text))
            yield Reading("report", group.text, confidence=share) if is_news else ruled
        else:
            yield Reading(group.act, group.text, confidence=share)

    def _orders(self, group: Group, context: Context) -> Iterator[Reading]:
        """Yield the orders of a group: several if its only sentence joins clauses that each begin with a verb."""
        if again := repetition(group.text, context, group.share):
            yield again
            return
        parts = clauses(group.pieces[0].text) if not PROJECT.search(plain(group.text)) else ()
        read = [operations_of(part, context)[0] for part in parts]
        is_of_several = len({name for name, _ in read}) == len(read) and all(score >= AGREED for _, score in read)
        is_named = all(re.search(r'"name"|\$0|\b0 (dollars|bucks)', plain(part)) for part in parts)
        if not is_named and (not is_of_several or any(name in _WHOLE for name, _ in read)):
            parts = ()
        rest = " ".join(piece.text for piece in group.pieces[1:])
        texts = [*parts[:-1], f"{parts[-1]} {rest}".strip()] if len(parts) > 1 else [group.text]
        for text in texts:
            yield self._order(text, context, group.share)

    def _order(self, text: str, context: Context, share: float) -> Reading:
        reading = self.read_order(as_imperative(text), context)
        return replace(reading, sentence=text, confidence=round(reading.confidence * share, 3))


def _with_bound(sentences: tuple[str, ...]) -> tuple[str, ...]:
    """Return sentences, those with a bound or the fields wanted joined to the question before: "Name and sum."."""
    joined: list[str] = []
    for one in sentences:
        if joined and joined[-1].endswith("?") and _BOUND_TOLD.match(one):
            joined[-1] += f" {one}"
        elif joined and joined[-1].endswith("?") and _ASKS_FIELDS.match(one):
            joined[-1] = f"{joined[-1].rstrip('?')}, {one.rstrip(' .!?')}?"
        else:
            joined.append(one)
    return tuple(joined)


def _whole(body: str, sentences: Sequence[str], context: Context) -> Reading | None:
    """Return the effect of a whole message on an earlier order or an open question, or None."""
    if any(operations_of(one, context)[0][1] > AGREED + 0.1 and begins_with_verb(one) for one in sentences[1:]):
        return None  # it orders something else as well
    if _REMINDS_TO.match(plain(body)) or _UNTAGS.search(body):
        return None  # "to cancel the lease" is what it reminds of, and "take the tag off" takes nothing back
    return (
        given_to(body, context)
        or choice_of_namesake(body, context)
        or full_answer(body, context)
        or revision(body, context)
        or taken_back(body, context)
        or consent(body, context)
    )


_UNDONE = re.compile(r"\bwould have\b|^(?!i\b|we\b|you\b)\w+ did (?:it|that|this|them)\b")
_UNTAGS = re.compile(r"(?i)^\W*(?:please )?(?:take|remove) (?:the |that )?(?:tag|label)\b")
_REMINDS_TO = re.compile(r"(?:please )?(?:remind|nudge|ping) (?:me|us)\b(?!.*\b(?:instead|rather)\b).* to \w+")


def _without_talk(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Return the readings without those that point to nothing, if another one states the request."""
    sure = [
        one
        for one in readings
        if one.act in ("order", "standing", "correction", "withdrawal") and one.confidence > UNRESOLVED
    ]
    if not sure:
        return _with_asides(readings)
    return tuple(one for one in readings if one in sure or not _points_nowhere(one))


def _with_asides(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Return questions together with the statements before them that ask nothing: "Priya rang. Who has hers?"."""
    asked = [at for at, one in enumerate(readings) if one.act == "question"]
    if not asked or len(readings) == 1:
        return readings
    kept: dict[int, Reading] = {}
    for at, one in enumerate(readings):
        if one.act == "unclear" and _points_nowhere(one) and not form("demands").search(plain(one.sentence)):
            follows = next((later for later in asked if later > at), None)
            if follows is not None:
                after = kept.get(follows, readings[follows])
                kept[follows] = replace(after, sentence=f"{one.sentence} {after.sentence}")
        else:
            kept[at] = kept.get(at, one)
    return tuple(kept[at] for at in sorted(kept))


def _points_nowhere(reading: Reading) -> bool:
    is_open = reading.sentence.rstrip().endswith("?") or begins_with_verb(reading.sentence)
    if reading.act in ("unclear", "small_talk"):
        return not is_open
    return reading.act in ("withdrawal", "correction", "answer") and not reading.refers_to and not reading.slots


def _steps(reading: Reading) -> Sequence[object]:
    return next((one.value for one in reading.slots if one.name == "steps"), ())


_ASKS_AFTER = re.compile(r"(?:by|until|till|since|from|on|at|in|for|to|with|under) (?:what|which|when|whom|how)\b")
"""A question that begins with a preposition: "in which month was it"."""


def _by_form(sentence: str, flat: str, act: SpeechAct, ranked: tuple[str, float], context: Context) -> Piece | None:
    """Return a sentence whose form gives its act, whatever its words make likely; None where it does not."""
    operation, score = ranked
    found: tuple[SpeechAct, float] | None = None
    rhythmic = word_lists().cues["order.rhythm"].search(flat)
    if (
        _CONFIRMS.search(sentence)
        or form("recite").search(flat)
        or _wants_to_know(flat, rhythmic=rhythmic is not None)
        or (form("each").search(flat) and not begins_with_verb(sentence))
        or (form("lists").match(flat) and not rhythmic and not operation.endswith(_READING))
        or _ASKS_AFTER.match(" ".join(opening(flat)))
    ):
        found = "question", 0.85
    elif act in _MAYBE_ORDERED and not rhythmic and form("polite_order").match(flat) and not form("rules").search(flat):
        found = "order", 0.8
    elif (operation == "task" and form("give_figure").match(flat)) or (
        act in ("report", "unclear") and re.search(r"\bversus\b", flat) and asks_to_know(flat, context)
    ):
        found = "question", 0.85
    elif share := _order_by_form(sentence, flat, act, ranked, context):
        found = "order", share
    elif changed := _change_by_form(flat, act, context):
        found = changed, 0.85
    elif act in ("small_talk", "unclear", "report") and _TAGGED.search(flat):
        found = "question", 0.8
    elif _wants_nothing(flat, act, context):
        found = "small_talk", 0.8
    elif (
        (operation == "memory_store_item" and _BANS_MAIL.search(flat))
        or (act == "order" and operation in ("task", "improve") and is_rule_of_work(flat))
        or (act in ("report", "unclear", "small_talk", "answer") and is_rule_of_work(flat))
    ):
        found = "standing", 0.75
    elif (asks(flat) and (act in ("order", "standing", "unclear") or (act == "report" and "?" not in flat))) or (
        act == "order"
        and operation == "task"
        and score < IMPOSSIBLE
        and likeliest_kind(sentence, context)[0] == "lookup"
    ):
        found = "question", 0.8
    elif (
        (tells_past(flat) and (act in ("order", "unclear") or (act != "question" and _UNDONE.search(flat))))
        or (act == "order" and operation == "task" and not begins_with_verb(sentence) and _STATES.match(flat))
    ) or (
        "?" not in flat
        and (act not in ("answer", "withdrawal") or (act == "answer" and find_pending(context) is None))
        and operation == "task"
        and tells_of_steps(flat, context)
    ):
        found = "report", 0.8
    elif not asks(flat) and _is_errand(operation, score, flat, act, context):
        found = "order", 0.85
    return Piece(sentence, *found, flat) if found else None


_OF_WORK, _OTHER_DEED = order_form("rule_interpreter.of_work"), order_form("mentions.other_deed")
"""Words for work of agents; and a deed that is not needed, as "no need to write to her", whatever was ordered."""


_TAGGED = order_form("claims_rule_interpreter.tagged")
"""A statement with a tag that asks: "so it is my turn, is it?"."""
_STATES = order_form("rule_interpreter.states")
"""A statement, whatever deed its words name: "Tuesdays are no good, I'm at the cash and carry"."""
_MAKE_IT = re.compile(r"(?:(?:please|so|and|then|just),? )*(?:make|do|have) (?:it|that|this) ")


def _change_by_form(flat: str, act: SpeechAct, context: Context) -> SpeechAct | None:
    """Return whether a sentence changes an order, or takes back one that it names, by its form; None for neither."""
    last = orders_before(context)
    if (dropped := _DROPS.match(flat)) and any(mentions(dropped["what"], one) for one in last if one.act == "order"):
        return "withdrawal"
    if (
        (act in ("standing", "report", "order", "unclear") and _MAKE_IT.match(flat) and is_duty_open(context))
        or (act in ("report", "order", "answer", "standing") and adds_to_list(flat, context))
        or ((late := _WAITS.match(flat)) and any(mentions(late["what"], one) for one in last[:1]))
    ):
        return "correction"
    return None


def _wants_nothing(flat: str, act: SpeechAct, context: Context) -> bool:
    """Return whether a sentence says that nothing is to be done, without withdrawing an order."""
    newest = next((one.operation for one in context.earlier if one.act == "order"), "")
    is_of_letters = newest in (*LETTERS, "remind", "task", "delegate", "ask_colleagues")
    if act == "withdrawal" and _OTHER_DEED.search(flat) and not is_of_letters:
        return True
    is_talk = act in ("order", "unclear", "withdrawal") and form("do_nothing").match(flat) is not None
    return is_talk and ("it would be" in flat or not orders_before(context))


def _wants_to_know(flat: str, *, rhythmic: bool) -> bool:
    """Return whether a sentence asks for information by a verb: "would you kindly list the groups ..."."""
    bare = without_courtesy(flat)
    is_form = form("informs").match(bare) or form("needs_to_know").match(flat)
    return bool(is_form) and not rhythmic and not _OF_WORK.search(flat) and "$0" not in flat and '"name"' not in flat


def _order_by_form(sentence: str, flat: str, act: SpeechAct, ranked: tuple[str, float], context: Context) -> float:
    """Return the probability of a sentence being an order by its form, or 0 where its form says nothing."""
    operation, score = ranked
    is_for_others = operation in ("ask_colleagues", "delegate") and score > 0.9 and not form("of_colleague").match(flat)
    if is_for_others and act in ("order", "question", "correction", "answer"):
        return 0.9
    is_other = act in ("correction", "answer", "report", "small_talk", "withdrawal", "unclear") or form("may_we").match(
        flat
    )
    if is_other and is_repetition(sentence, context):
        return 0.85
    if form("take_on").match(flat) or form("yours").match(flat) or _UNTAGS.search(sentence):
        return 0.9
    is_wanted = act in ("question", "report", "unclear") and form("wanted_by").match(flat)
    return 0.8 if is_wanted or as_imperative(sentence) != sentence else 0.0


_MAYBE_ORDERED: tuple[SpeechAct, ...] = ("standing", "question", "small_talk", "unclear")
_READING = ("_list", "_report", "_search", "report_generate", "report_regularly")
"""A thing with its day and a "please", without a verb: "tenants list by friday please"."""


def _is_errand(operation: str, score: float, flat: str, act: SpeechAct, context: Context) -> bool:
    """Return whether a sentence wants a reminder, a report, or an impossible task, though it reads as other acts."""
    if operation == "report_regularly":
        return score >= AGREED and act in ("question", "standing") and bool(form("reports").search(flat))
    if operation == "task":
        is_told = act == "question" and begins_with_verb(flat) and not flat.rstrip().endswith("?")
        return score >= _IMPOSSIBLE and (is_told or act in ("standing", "report", "unclear", "small_talk"))
    is_new = not any(one.operation == "remind" and one.is_open for one in context.earlier)
    return operation == "remind" and score >= AGREED and is_new and act in _OTHER_ACTS


_IMPOSSIBLE = 0.85
"""The score of a task that needs hands, a phone or a bank."""


_OTHER_ACTS: tuple[SpeechAct, ...] = ("correction", "answer", "report", "standing", "order")


def _is_ban(flat: str, act: SpeechAct, share: float, context: Context) -> bool:
    """Return whether a sentence forbids acts of agents, though it reads as something else."""
    acts: tuple[SpeechAct, ...] = ("order", "unclear", "report", "small_talk", "standing")
    if not any(one.act == "order" and one.is_open for one in context.earlier):
        acts = (*acts, "withdrawal", "correction", "answer")  # there is nothing to take back
    if form("no_more").search(flat):
        return True
    if form("forbids").search(flat) and not _AWAITS.search(flat) and act in acts:
        return True
    if act == "order" and form("negated").match(flat) and "?" not in flat:
        return True  # "Do not start a campaign yet" starts none
    return bool(form("never").match(flat)) and (share < IMPERATIVE or act == "order")


def _asks_by_itself(piece: Piece, read: Collection[str], context: Context) -> bool:
    """Return whether a sentence next to an order asks for something of its own, and is no talk around that order."""
    if TAG.match(piece.flat) or piece.act in ("small_talk", "report", "answer", "unclear"):
        return False
    if piece.act == "order":
        operation, score = operations_of(piece.text, context)[0]
        if operation in ("task", *read) and re.search(r"\b(?:it|them|this|that|these|those|both)\b", piece.flat):
            return False  # it speaks of the order beside it
        return score >= AGREED if operation != "task" else begins_with_verb(piece.text) and piece.share >= IMPERATIVE
    if piece.act == "standing":
        return bool(form("scope").search(piece.flat))
    return piece.act == "question" and piece.share >= IMPERATIVE


_JOINS = re.compile(r",?\s+(?:and|then|plus|also)\s+(?:(?:then|also|please|pls)\s+)*(?=\w)", re.IGNORECASE)


def question_and_order(sentence: str, context: Context) -> tuple[str, ...]:
    """Return a question and an order that one sentence joins, separately; else the whole sentence.

    "How many leads did we get, and please start 'Leads' on social for 60 dollars a week."
    """
    quoted = [one.span() for one in _QUOTED.finditer(sentence)]
    for found in _JOINS.finditer(sentence):
        parts = sentence[: found.start()].strip(), sentence[found.end() :].strip()
        if any(begin < found.start() < end for begin, end in quoted) or len(parts[0].split()) < _CLAUSE_WORDS:
            continue
        kinds = [asks(plain(f"{one.rstrip('.?! ')}?")) for one in parts]
        order = parts[kinds.index(False)] if kinds.count(False) == 1 else ""
        if not order or not begins_with_verb(order) or not re.search(r'"name"|\$0|\b0 (?:dollars|bucks)', plain(order)):
            continue
        name, score = operations_of(order, context)[0]
        if score >= AGREED and name not in ("task", "improve"):
            asked = parts[kinds.index(True)].rstrip(".?! ")
            return (f"{asked}?", order) if kinds[0] else (f"{order.rstrip('.?! ')}.", f"{asked}?")
    return (sentence,)


_CLAUSE_WORDS = 3


def asks_to_know(flat: str, context: Context) -> bool:
    """Return whether a sentence asks for information: "remind me why ...", or a bare figure of the business."""
    words = opening(flat)
    if any(form(name).search(flat) for name in ("tell", "give_figure", "recite")) and not word_lists().cues[
        "order.rhythm"
    ].search(flat):
        return True
    has_verb = begins_with_verb(flat) or bool({"i", "we", "it", "is", "not", "make", "from"} & set(words))
    figures = (name.lower().replace("_", " ") for name in context.vocabulary.metrics)
    is_told = re.search(r":\s*\$?0", flat)  # "Fares: 31,000 dollars" tells a value
    return not has_verb and not is_told and any(re.search(rf"\b{re.escape(name)}\b", flat) for name in figures)


def _names_figure(words: str, context: Context) -> bool:
    """Return whether words share one with the name of a series or a fact, or are a common name of a figure."""
    known = {word for name in context.vocabulary.metrics for word in re.split(r"[\W_]+", name.lower())}
    return bool(_FIGURES.search(words) or known.intersection(re.findall(r"\w{3,}", words.lower())))


def correction_of_open(group: Group, context: Context) -> Reading | None:
    """Return an answer without a question as a correction if it gives an open order another value, or None."""
    if find_pending(context) or not any(one.act == "order" and one.is_open for one in context.earlier):
        return None
    reading = correction(group.text, context, max(group.share, SURE))
    return reading if reading.slots else None
