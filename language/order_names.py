"""Names of new things, and titles of unnamed work, from the words of an order."""

import re

from mabos.language.order_draft import OrderDraft
from mabos.language.order_parts import TextSpan, core_of
from mabos.language.wordlists import order_form, order_words

CAPITALISED = r"[A-ZÀ-Þ][\w'’.-]*(?: (?:(?:&|and|of|de|van|von|der|la) )?[A-ZÀ-Þ][\w'’.-]*)*"
_PRONOUNS = r"(?:that|this|it|them|these|those|one|us|me|him|her|you|the following|which|so|both|two|another|things?)"
AUDIENCE = order_form("order_names.audience")
"""Words after "for" whose last noun names people or firms: whom a campaign is for."""


def name_of(draft: OrderDraft, argument: str) -> None:
    """Take the name of a new thing: labelled, in quotes, as named before, or in capitals before its noun."""
    parts = draft.parts
    name = parts.labels.get("title") or parts.name or _named_before(draft)
    if name:
        draft.put(argument, name.words, name.start, name.end)
        return
    behind = re.search(
        r"\b(?:campaign|work package|product|deal|mailing):\s*(?P<name>[A-Z][^,.:;(\d]*?)\s*(?=[,.:;(\d]|$)", parts.text
    )
    if behind and not draft.is_covered(*behind.span("name")):
        draft.put(argument, behind["name"], *behind.span("name"))
        return
    bare = re.search(r"\bcampaign (?P<name>(?-i:[A-Z])[\w'’]+(?: [\w'’&]+){0,3}?)(?=\s*[,:;(])", parts.text)
    if bare and bare["name"].lower() not in _NO_NAMES and not draft.is_covered(*bare.span("name")):
        draft.put(argument, bare["name"], *bare.span("name"))
        return
    before = re.search(
        rf"\b(?:the |a |an |our )?(?P<name>{CAPITALISED}) (?:campaign|work package|package|deal|product|project|"
        rf"mailing|newsletter)\b",
        parts.text[parts.start :],
    )
    if (
        before
        and before["name"].split()[0].lower() not in _NO_NAMES
        and not draft.is_covered(before.start("name") + parts.start, before.end("name") + parts.start)
    ):
        draft.put(argument, before["name"], parts.start + before.start("name"), parts.start + before.end("name"))
        return
    about = re.search(
        r"\b(?:campaign|ads?|advertising|adverts?|work package|package|product|deal|page|mailing|"
        r"newsletter)\b(?: on \w+)? (?:for|about|to (?:fill|sell|promote)|promoting|on) "
        r"(?:our |the )?(?P<topic>[\w'’ -]+?)(?= (?:on|for|at|with|by|in|from|aimed|via)\b|[,.;:(]|$)",
        parts.masked,
    )
    if about and not re.match(
        rf"{_PRONOUNS}\b|some(?:body|one)\b|any(?:body|one)\b|"
        r"\d|all\b|every|an?\b|\w+ (?:dollars|weeks|bucks)|google|insta|facebook|social|search|"
        rf"linkedin",
        about["topic"],
    ):
        start, end = parts.start + about.start("topic"), parts.start + about.end("topic")
        if any(one.start("who") <= start < one.end() for one in AUDIENCE.finditer(parts.text, parts.start)):
            return  # "a campaign for small businesses" says whom it addresses, and no name
        given = [one.start for one in parts.amounts] + [one.start for one in parts.times]
        end = min([end, *(one for one in given if start < one < end)])
        end = start + len(parts.text[start:end].rstrip(" ,"))
        if not draft.is_covered(start, end):
            draft.put(argument, parts.text[start].upper() + parts.text[start + 1 : end], start, end)


_NO_NAMES = order_words("order_names.no_names")


def _named_before(draft: OrderDraft) -> TextSpan | None:
    """Return the name of an earlier order of the same conversation that this one repeats."""
    text = draft.parts.text
    known = [str(one.slot(key)) for one in draft.context.earlier for key in ("name", "title") if one.slot(key)]
    for name in sorted(set(known), key=len, reverse=True):
        found = re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", text) if len(name) > 3 else None
        if found and not draft.is_covered(*found.span()):
            return TextSpan(name, *found.span())
    return None


_WORK = r"(?:work ?packages?|packages? of work|work orders?)"
_STOP = (
    r"(?=\s*(?:[,.;:!?()]|$|\s(?:as (?:an? |one )?(?:work ?packages?|packages? of work|jobs?|work orders?)|please|for "
    r"(?:\d|[$€£]|up to|no more|at most|about|under|us\b|me\b)|by (?:\d|the|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|"
    r"apr|may|jun|"
    r"jul|aug|sep|oct|nov|dec|end|next|noon)|before|until|no later|with a budget|budget|at (?:\d|[$€£]|most)|"
    r"will you|would you)\b))"
)
_TITLES = (
    rf"^(?P<it>[^(.]+?)\s*\((?:as |that['’]s |that is |this is )?(?:an? )?{_WORK}",
    rf"\b{_WORK}(?: please| pls|,? if you (?:would|like))?(?:\s*[:–-]| for| to(?: have| get)?| that| about| out of|"
    rf" from| on)\s+(?!{_PRONOUNS}\b|somebody|someone|\d|[$€£])(?P<it>[^,.;:(?!]+?){_STOP}",
    rf"\b(?:somebody|someone|anybody|anyone|an? [a-z]+) (?:in |over |round |out )?(?:to|who(?: can| will| could)) "
    rf"(?!{_PRONOUNS}\b)(?P<it>[a-z]+ [^,.;:(?!]+?){_STOP}",
    rf"^(?:to )?(?:get|have|see|getting|having)\s+(?!{_PRONOUNS}\b|somebody|someone|"
    rf"an? {_WORK})(?P<it>[^,.;:(?!]+?){_STOP}",
    rf"^(?:commission|order|book|need|want|arrange|organi[sz]e|buy|request|contract out|put out)\s+"
    rf"(?!{_PRONOUNS}\b|somebody|someone|an? {_WORK}|{_WORK})(?P<it>[^,.;:(?!]+?){_STOP}",
    rf"\b(?:needs?|wants?|ha(?:s|ve) got to|must|ha(?:s|ve) to|should|ought to)(?: be)? (?P<it>(?!be\b|been\b|cost\b|"
    rf"ready\b|{_PRONOUNS}\b)[a-z]+(?:ing|ed|en|t|n|e|p|d|r|k|h)? (?:the|our|my|its|some|a|an) [^,.;:(?!]+?){_STOP}",
    r"^(?P<it>(?:the|our|my|an?) [a-z][\w' -]+? (?:must|ha(?:s|ve) to|needs? to|should) be \w+(?:ed|en|t|ne?))\b"
    r"(?=\W*$)",
)
_POINTS = re.compile(r"(?i)(?:give|put|get|have|let|do|make|take|order|book|set|commission) (?:that|this|it|them)\b")
"""Words that name no work: "give that out as a work package"."""
_WITHOUT_VERB = (
    rf"^(?!{_WORK}|(?:it|budget|deadline|price|cost|by|the (?:budget|deadline|price|cost|fee|money))\b)"
    rf"(?P<it>[A-Za-z][^,.;:(?!$€£\d]+?){_STOP}"
)


def title_of_work(draft: OrderDraft) -> None:
    """Take the work itself as the title: words after "work package", after the verb, or of the first sentence."""
    parts = draft.parts
    sentences = list(re.finditer(r"\S.*?(?:[.!?]+(?=\s|$)|$)", parts.text, re.DOTALL))
    for pattern in (*_TITLES, _WITHOUT_VERB):
        for sentence in sentences:
            begin, core = core_of(sentence[0])
            match = re.search(pattern, core, re.IGNORECASE)
            words = (
                re.sub(r"^(?:the|our|an?|some|my)\s+", "", match["it"].strip(), flags=re.IGNORECASE) if match else ""
            )
            if match is None or not re.search(r"[A-Za-z]{3}", words) or _POINTS.match(words):
                continue
            title = words[0].upper() + words[1:]
            offset = sentence.start() + begin
            if pattern is _WITHOUT_VERB:
                draft.assume("title", title)
            else:
                draft.put("title", title, offset + match.start("it"), offset + match.end("it"))
            return
