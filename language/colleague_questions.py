"""Find questions for colleagues in a message, in any order of colleague and question.

"HR should tell you how many are off sick, and Legal how many complaints are open. Report back to me."
"How many frames in stock? Ask the CFO and the COO, each of them, and tell me what they say."
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mabos.language.errands import questions_of
from mabos.language.interpreter import Context
from mabos.language.order_parts import colleagues_in, order_parts
from mabos.language.request import Reading, Slot
from mabos.language.wordlists import order_form

ASK = "ask_colleagues"
_WORDS = r"what|how|whether|if|which|who|whom|when|where|why|whose"
_ASKS = order_form("colleague_questions.asks")
_BETWEEN = re.compile(r"(?i)\s*,?\s*(?:and|&|or|as well as|plus|,)\s*(?:also |from |with |then )*(?:the |our )?")
_EACH = order_form("colleague_questions.each")
_TELLS = re.compile(
    r"\s*,?\s*(?:(?:should|can|could|must|may|will|would|has to|have to|is to|are to|to|needs? to|ought to|please)\s+)?"
    r"(?:each |both )?(?:(?:tell|inform)s? (?:you|me|us)(?: about| of)?\s+(?!that\b)|lets? (?:you|me|us) know\s+|"
    rf"(?:say|report|name|tell)s?(?: to (?:you|me|us))?,?\s+(?=(?:{_WORDS})\b)|(?:report|name)s?\s+(?=the\b)|"
    r"(?:give|send|show)s? (?:you|me|us)\s+(?=(?:the |our |a )?(?:\w+ )?(?:numbers?|figures?|counts?|amounts?|totals?|"
    rf"sums?|levels?|dates?|prices?|costs?|names?)\b|(?:{_WORDS})\b)|knows?\s+(?=(?:{_WORDS})\b))",
    re.IGNORECASE,
)
_MODAL = order_form("colleague_questions.modal")
_LETS = re.compile(r"(?i)\b(?:have|let|get|make|can|could|would|will|want|need)\s+(?:both\s+)?(?:the |our )?$")
_KNOWS = order_form("colleague_questions.knows")
_FOLLOWS = re.compile(r"(?:^|[,;.?!]|\b(?:and|plus|while|then))\s*(?:and |then )?$", re.IGNORECASE)
_SAID = re.compile(r"(?i)\b(?:they|each|both|the two|of them)\b[^.;]*\b(?:say|says|said|answer|tell|think|report)")
_THING = re.compile(r"(?:the |our |its |their |a list |number of )\S", re.IGNORECASE)
_REPORTS, _ASK_THEM = order_form("colleague_questions.reports"), order_form("colleague_questions.ask_them")
"""A sentence beside the questions that says what becomes of the answers."""
_ENDS = order_form("colleague_questions.ends")


@dataclass(frozen=True, slots=True)
class _Addressed:
    """Colleagues that are named together, from `start` to `end` of a text."""

    agents: tuple[str, ...]
    start: int
    end: int


def asked_of_colleagues(sentences: Sequence[str], context: Context) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """Return the questions for colleagues that other readers would miss, and the other sentences."""
    named = {agent for one in sentences for agent, _ in colleagues_in(one, context)}
    if sentences and (again := _asked_again(sentences[0], context)):
        return (again,), tuple(sentences[1:])
    if len(sentences) == 1 and (wanted := _said_by(sentences[0], context)):
        return (wanted,), ()
    if not named or _is_complete(sentences, named, context):
        return (), tuple(sentences)
    found, used, loose = list[Mapping[str, str]](), list[int](), list[tuple[int, tuple[str, ...]]]()
    asked_last = {at for at, one in enumerate(sentences) if _ASK_THEM.match(one)}
    for at, sentence in enumerate(sentences):
        text = sentence.translate({0x2019: "'", 0x2018: "'"})
        questions, unasked, is_mine = _questions(text, context, is_open=bool(used or asked_last))
        if not is_mine:
            continue
        used.append(at)
        found += questions
        if unasked:
            loose.append((at, unasked))
    for at, agents in loose:
        before = [_question_in(one) for number, one in enumerate(sentences) if number < at and number not in used]
        question = next((one for one in reversed(before) if one), "")
        if not question:
            return (), tuple(sentences)
        used.append(next(n for n in reversed(range(at)) if n not in used and _question_in(sentences[n])))
        found += [{"to": agent, "question": question} for agent in agents]
    if not found:
        return (), tuple(sentences)
    used += [
        at
        for at, one in enumerate(sentences)
        if at not in used and (at in asked_last or _REPORTS.match(one.translate({0x2019: "'"})))
    ]
    whole = " ".join(sentences[at] for at in sorted(set(used)))
    rest = tuple(one for at, one in enumerate(sentences) if at not in used)
    slots = (Slot("questions", [dict(one) for one in found], whole),)
    return (Reading("order", whole, ASK, slots, confidence=0.9),), rest


_SAME_AGAIN, _TWICE = order_form("colleague_questions.same_again"), re.compile(r"(?i)\bagain\b|\bonce more\b|\banew\b")


def _asked_again(sentence: str, context: Context) -> Reading | None:
    """Return the last question to colleagues put again or to others, as "Get it from the COO too."; else None."""
    before = next((one for one in context.earlier if one.operation == ASK and one.slot("questions")), None)
    found = colleagues_in(sentence, context)
    bare = sentence
    for _, span in reversed(found):
        bare = f"{bare[: span.start]} {bare[span.end :]}"
    if before is None or not _SAME_AGAIN.fullmatch(bare) or not (found or _TWICE.search(bare)):
        return None
    asked = [dict(one) for one in before.slot("questions", ())]
    questions = [{**asked[-1], "to": agent} for agent in dict.fromkeys(agent for agent, _ in found)] or asked
    return Reading("order", sentence, ASK, (Slot("questions", questions, sentence),), confidence=0.9)


_SAYS = re.compile(r"^\W*(?:and |so |but |please )*what (?:does|do|would|can) (?:the |our )?$", re.IGNORECASE)
_SAID_OF = order_form("colleague_questions.said_of")


def _said_by(sentence: str, context: Context) -> Reading | None:
    """Return the question of "What does the CFO say we owe?" for a colleague who was asked nothing yet, else None."""
    found = colleagues_in(sentence, context)
    if len(found) != 1 or any(one.operation == ASK for one in context.earlier):
        return None
    agent, span = found[0]
    said = _SAID_OF.match(sentence, span.end) if _SAYS.match(sentence[: span.start]) else None
    if said is None:
        return None
    question = (said["about"] or f"what {said['clause']}").rstrip(" ?.!")
    slots = (Slot("questions", [{"to": agent, "question": question}], sentence),)
    return Reading("order", sentence, ASK, slots, confidence=0.85)


def _is_complete(sentences: Sequence[str], named: set[str], context: Context) -> bool:
    """Return whether the reader of single orders finds a question for each colleague that a message names."""
    asked = [one for sentence in sentences for one in questions_of(order_parts(sentence, context))]
    is_sound = all(not _MODAL.match(one["question"]) and len(one["question"].split()) > 1 for one in asked)
    return is_sound and {one["to"] for one in asked} == named


def _questions(text: str, context: Context, *, is_open: bool) -> tuple[list[Mapping[str, str]], tuple[str, ...], bool]:
    """Return the questions of one sentence, whom it addresses without one, and whether it addresses anybody."""
    groups = _group_colleagues(text, context)
    found, unasked = list[Mapping[str, str]](), list[str]()
    for at, group in enumerate(groups):
        begin = groups[at - 1].end if at else 0
        before, after = (
            text[begin : group.start],
            text[group.end : groups[at + 1].start if at + 1 < len(groups) else None],
        )
        is_elided = is_open and _FOLLOWS.search(before)
        question, is_addressed = _extract_question(
            before, after, is_elided=bool(is_elided), is_last=at + 1 == len(groups)
        )
        if not is_addressed:
            return [], (), False
        is_open = True
        if question:
            found += [{"to": agent, "question": question} for agent in group.agents]
        elif known := next((one["question"] for one in reversed(found)), "") if _KNOWS.match(after) else "":
            found += [{"to": agent, "question": known} for agent in group.agents]
        else:
            unasked += group.agents
    return found, tuple(unasked), bool(groups)


def _extract_question(before: str, after: str, *, is_elided: bool, is_last: bool) -> tuple[str, bool]:
    """Return the question that colleagues are asked between these words, and whether they are addressed at all."""
    rest = after
    while bare := _EACH.match(rest):
        rest = rest[bare.end() :]
    tells = _TELLS.match(rest)
    is_asked = bool(_ASKS.search(before))
    if tells and (is_asked or is_elided or _LETS.search(before) or _MODAL.match(rest)):
        return _up_to_end(rest[tells.end() :], is_last=is_last), True
    if _KNOWS.match(after) and (question := _question_in(re.sub(r"[\s,;–-]+(?:the |our )?$", "", before))):
        return question, True
    knows = _KNOWS.match(after)
    is_alone = knows is not None and not before.strip() and not after[knows.end() :].strip(" .!")
    if knows and (is_elided or is_alone):
        return "", True  # "Legal should know.", of the question before
    if not (is_asked or is_elided):
        return "", False
    lead = re.match(r"\s*[,:]?\s*(?:for |about |to (?:find out|say) )?", rest)
    rest = rest[lead.end() :] if lead else rest
    if re.match(rf"(?:{_WORDS})\b", rest, re.IGNORECASE) or _THING.match(rest):
        return _up_to_end(rest, is_last=is_last), True
    return "", not re.match(r"(?:to|that)\b", rest.lstrip(), re.IGNORECASE)


def _group_colleagues(text: str, context: Context) -> list[_Addressed]:
    """Return the colleagues that a sentence addresses, those named side by side together."""
    groups = list[_Addressed]()
    for agent, span in colleagues_in(text, context):
        gap = text[groups[-1].end : span.start] if groups else ""
        if (
            groups
            and re.search(rf"\b(?:{_WORDS})\b", gap, re.IGNORECASE)
            and not re.search(r"(?i),|;|\band\b|[.?!]", gap)
        ):
            continue  # "what the COO spent": the question is about this one
        if groups and _BETWEEN.fullmatch(gap):
            groups[-1] = _Addressed((*groups[-1].agents, agent), groups[-1].start, span.end)
        else:
            groups.append(_Addressed((agent,), span.start, span.end))
    return groups


def _up_to_end(words: str, *, is_last: bool) -> str:
    """Return a question up to its end: the sentence's, the use of its answer, or the next colleague's turn."""
    words = _ENDS.split(words, maxsplit=1)[0]
    if not is_last:
        words = re.sub(
            r"[\s,;]*(?:\b(?:and|plus|then|while)\b)?\s*(?:also |have |let |ask |from |with |(?<=and )to |of |can |"
            r"could )*(?:the |our )?$",
            "",
            words,
            flags=re.IGNORECASE,
        )
    return re.sub(r"(?i),? (?:would|will|could|can) you$|,? please$", "", words.strip(" ,;?!."))


def _question_in(sentence: str) -> str:
    """Return the question that a sentence has: all of a question, else from its question word on; "" if none."""
    bare = re.sub(r"[\s,;–-]+$", "", sentence.strip())
    if bare.endswith("?"):
        return bare.rstrip("? ")
    found = re.search(rf"\b(?:{_WORDS.replace('|if', '')})\b.*", bare, re.IGNORECASE | re.DOTALL)
    return found[0].rstrip(" .!") if found and not _SAID.search(bare) else ""
