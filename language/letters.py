"""Letters: their recipients, subject and text, and whether the sender wants to see them first."""

import re

from mabos.language.letter_text import ASIDE, SEES_FIRST, TO_THE_WRITER
from mabos.language.order_draft import OrderDraft
from mabos.language.order_parts import TextSpan, blank_spans
from mabos.language.request import Slot
from mabos.language.wordlists import order_form

LETTERS = ("email_send", "email_campaign")
_ABOUT = order_form("letters.about")
_SAYING = order_form("letters.saying")
_INVITED = re.compile(r"(?i)\bto (?P<it>(?:our|the|a|an|come|join|attend|take part|dinner|lunch|coffee)\b[^.;]*)")
_REST = re.compile(r"\s*(?:know\s+)?(?!about|of)(?P<it>\S+(?:\s+\S+){2,})", re.IGNORECASE)
_STATEMENT = re.compile(r",\s*(?P<it>(?:the|our|we|there|it|from|on|a|an|they|as of)\b\s.+)", re.IGNORECASE | re.DOTALL)
_SEEN_FIRST = order_form("letters.seen_first")


_TO_WRITER_INSIDE = order_form("letters.to_writer_inside")


_DRAFT = re.compile(r"\bdraft(?:s|ed|ing)?\b")
_QUOTED_PARTS = (
    ("subject", r"\b(?:subject(?: line)?|title|headline|about)(?: is)?\s*$"),
    ("text", r"\b(?:text|body|wording|saying|that says|message)(?: is)?\s*$"),
)


def fill_letter(draft: OrderDraft, name: str) -> None:
    """Fill recipients, subject and text of a letter; `facts` are its content if its words are not given."""
    parts = draft.parts
    _mark_draft(draft)
    _recipients(draft)
    _given_words(draft)
    if name == "email_campaign" and parts.name and not draft.is_covered(parts.name.start, parts.name.end):
        draft.put("name", parts.name.words, parts.name.start, parts.name.end)
    elif not draft.has("text") and parts.quoted and len(parts.quoted[0].words.split()) > 4:
        draft.put("text", parts.quoted[0].words, parts.quoted[0].start, parts.quoted[0].end)
    if not draft.has("text"):
        _facts(draft)
    if not draft.has("subject"):
        _subject(draft)
    if not (draft.has("text") or draft.has("facts")):
        _subject_as_facts(draft)
    if name == "email_campaign" and not draft.has("name"):
        subject = next((str(one.value) for one in draft.slots if one.name == "subject"), "")
        draft.assume("name", subject[:1].upper() + subject[1:] or "Mailing")


def _mark_draft(draft: OrderDraft) -> None:
    """Note that a letter is to be seen before it goes; words of the letter itself do not count."""
    parts = draft.parts
    for match in _SEEN_FIRST.finditer(blank_spans(parts.text, [*parts.quoted, *parts.labels.values()])):
        if not draft.has("draft"):
            draft.put("draft", True, match.start(), match.end())
            draft.put("look_first", True, match.start(), match.end())
        draft.cover(match.start(), match.end())
    hidden = blank_spans(parts.text, [*parts.quoted, *parts.labels.values()])
    for sentence in re.finditer(r"[^\s_][^_]*?(?:[.!?]+(?=\s|$)|(?=_)|$)", hidden, re.DOTALL):
        is_on_sending = TO_THE_WRITER.match(sentence[0]) and not re.search(r"(?i)\b(?:i|me|my)\b", sentence[0])
        if is_on_sending:
            continue  # to whom or when it goes is no wish to see it
        is_aside = ASIDE.match(sentence[0]) or SEES_FIRST.match(sentence[0])
        if not draft.has("draft") and is_aside and not re.search(r"\btell me\b", sentence[0]):
            draft.put("draft", True, sentence.start(), sentence.end())
            draft.put("look_first", True, sentence.start(), sentence.end())
    asked = re.match(r"prepare|compose", parts.masked) or _DRAFT.search(parts.masked)
    if asked and not draft.has("draft"):
        draft.put("draft", True, parts.start + asked.start(), parts.start + asked.end())
    if asked or _DRAFT.search(hidden.lower()):
        draft.slots = [one for one in draft.slots if one.name != "look_first"]  # a draft is wanted, and nothing sent


def _given_words(draft: OrderDraft) -> None:
    """Take the subject and the text that are given word for word, behind labels or in quotes."""
    parts = draft.parts
    for label in ("subject", "text"):
        if given := parts.labels.get(label):
            draft.put(label, given.words, given.start, given.end)
    for quoted in parts.quoted:
        for label, before in _QUOTED_PARTS:
            if not draft.has(label) and re.search(before, parts.text[: quoted.start], re.IGNORECASE):
                draft.put(label, quoted.words, quoted.start, quoted.end)


def _subject_as_facts(draft: OrderDraft) -> None:
    """Take "inform them about the meeting on 2 December at 7 pm" as all that the letter has to say."""
    subject = next((one for one in draft.slots if one.name == "subject"), None)
    times = draft.parts.times
    tells = re.match(r"(?:inform|tell|let|notify|remind|invite)\b", draft.parts.masked)
    if subject and tells and any(one.iso and one.words in subject.words for one in times):
        draft.slots.append(Slot("facts", subject.value, subject.words))
    else:
        draft.lack("text")


def _recipients(draft: OrderDraft) -> None:
    selection = draft.parts.selection
    if selection is None:
        draft.lack("recipients")
    elif selection.unexplained:
        draft.put("unexplained", list(selection.unexplained), selection.start, selection.end)
        draft.lack("recipients")
    else:
        draft.put("recipients", dict(selection.value), selection.start, selection.end)


def _subject(draft: OrderDraft) -> None:
    parts = draft.parts
    first_end = parts.start + len(re.split(r"(?<=[.!?])\s", parts.core, maxsplit=1)[0])
    quoted = next((one for one in parts.quoted if not draft.is_covered(one.start, one.end)), None)
    if quoted:
        draft.put("subject", quoted.words, quoted.start, quoted.end)
        return
    for match in _ABOUT.finditer(parts.text, parts.start, first_end):
        if not draft.is_covered(*match.span("it")):
            draft.put("subject", match["it"].strip(), *match.span("it"))
            return


def _facts(draft: OrderDraft) -> None:
    """Take the content of the letter: after a colon or "that", and in the sentences after the first."""
    parts = draft.parts
    facts: list[TextSpan] = []
    sentences = list(_sentences(parts.text, parts.start))
    for at, sentence in enumerate(sentences):
        is_look = re.match(_SEEN_FIRST, sentence.words) or SEES_FIRST.match(sentence.words)
        if is_look or (at and TO_THE_WRITER.match(sentence.words)):
            draft.cover(sentence.start, sentence.end)
            continue
        if at:
            facts.append(sentence)
            continue
        begin = parts.selection.end if parts.selection else parts.start
        colon = re.search(r":\s+(?P<it>\S.*)", sentence.words[max(0, begin - sentence.start) :], re.DOTALL)
        offset = max(begin, sentence.start)
        match = colon or _SAYING.search(parts.text[: sentence.end], offset)
        if match is None and re.search(r"\binvit", parts.masked):
            match = _INVITED.search(parts.text[: sentence.end], offset)
        if match is None and parts.selection and re.match(r"(?:tell|let|inform|notify|remind)\b", parts.masked):
            match = _REST.match(parts.text[: sentence.end], offset)
        if match is None and parts.selection:
            match = _STATEMENT.match(parts.text[: sentence.end], offset)
        if match:
            shift = offset if match is colon else 0
            words = _TO_WRITER_INSIDE.split(match["it"], maxsplit=1)[0]
            facts.append(TextSpan(words, shift + match.start("it"), shift + match.start("it") + len(words)))
    facts = [one for one in facts if re.search(r"\w", one.words)]
    if facts:
        first = facts[0].words.strip()  # "Can you let them know that ...?" asks nothing in the letter
        words = " ".join([re.sub(r"\?$", "." if facts[1:] else "", first), *(one.words.strip() for one in facts[1:])])
        draft.put("facts", words, facts[0].start, facts[-1].end)
        for one in facts:
            draft.cover(one.start, one.end)


def _sentences(text: str, start: int) -> list[TextSpan]:
    return [
        TextSpan(match[0].strip(), start + match.start(), start + match.end())
        for match in re.finditer(r"\S.*?(?:[.!?](?=\s|$)|$)", text[start:], re.DOTALL)
        if match[0].strip()
    ]
