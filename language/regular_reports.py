"""Regular reports as people ask for them: "On Fridays I'd like the games and the takings, nothing else."

A message may also say when the report begins, when it ends ("stop after the third") and its text if nothing is new ("if
there is no new sheet, just say so"); all of this belongs to the duty. So does its end: "that's enough of the Friday
thing".
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from mabos.language.amounts import number_of
from mabos.language.errands import figures_in, names_work
from mabos.language.interpreter import Context
from mabos.language.request import Reading, Request, Slot
from mabos.language.sentences import plain
from mabos.language.spoken_time import SpokenTime
from mabos.language.times import times_in
from mabos.language.wordlists import order_form
from mabos.workspace.dates import ORDINALS

REPORT = "report_regularly"
_ME = r"(?:to )?(?:me|us)\b"
_RECEIVES = re.compile(
    rf"(?i)(?:(?:could|can|may|might|shall) (?:i|we) (?:please )?(?:have|get|see)|(?:let|get) {_ME} (?:have|see)?|"
    r"(?:i|we)(?:'d| would| do| really| also| just)* (?:like|want|need|love|expect|appreciate)(?: to (?:have|see|get|"
    r"hear|know))?|"
    rf"(?:(?:could|can|would|will) you )?(?:please )?(?:send|give|tell|drop|write|show|mail|text|bring|report|let) "
    rf"{_ME}"
    r"(?: (?:have|know|see))?|report)\b(?:,? (?:please|also|by mail|in writing|in (?:one|a) (?:line|sentence|mail)))*"
)
"""Words by which somebody wants to be given something."""
_COURTESY = order_form("regular_reports.courtesy")
"""Words around the figures of a report that name none."""
_OTHERWISE = order_form("regular_reports.otherwise")
"""The text of a report without news; a report is always sent."""
_MISSING = re.compile(r"^(?:and )?(?:no|nothing|none)\b[^.;!?,]*\?$|^(?:and )?what if\b[^.;!]*", re.IGNORECASE)
_OPEN_END = order_form("regular_reports.open_end")
_NTH = order_form("regular_reports.nth")
_START = order_form("regular_reports.start")
_NO_FIGURE = order_form("regular_reports.no_figure")
_ARTICLE = order_form("regular_reports.article")
_LEAD = re.compile(r"(?i)[\s,¤]*(?:(?:and|so|also|please|ok|then|now|from now on|on|hi|hello)[\s,]*)*¤?[\s,]*")
_ASKED = order_form("regular_reports.asked")
_MOST = 5
"""Words of one figure."""
_SMALL = order_form("regular_reports.small")
"""A sentence beside a report that wants nothing of its own."""


def regular_report(sentences: Sequence[str], context: Context) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """Return the regular report that a message asks for, and its other sentences."""
    if _CHANGES.search(" ".join(sentences)) and any(_is_duty(one) for one in context.earlier):
        return (), tuple(sentences)
    for at, sentence in enumerate(sentences):
        flat = sentence.translate({0x2019: "'", 0x2018: "'"})
        rhythm = next((one for one in times_in(flat, context.now) if one.kind == "rhythm"), None)
        figures = _figures(flat, rhythm, context) if rhythm is not None else []
        if rhythm is None or not figures:
            continue
        kept, rest, slots = [sentence], list[str](), list[Slot]()
        others = [other for number, other in enumerate(sentences) if number != at]
        for text, own in ((sentence, True), *((other, False) for other in others)):
            said = _conditions(text.translate({0x2019: "'", 0x2018: "'"}), rhythm if own else None, context)
            slots += said or []
            if not own and (said is not None or _SMALL.match(text) or _MISSING.match(text)):
                kept.append(text)
            elif not own:
                rest.append(text)
        whole = " ".join(one for one in sentences if one in kept)
        by_name = {one.name: one for one in slots}
        every = dict(rhythm.every)
        if every.get("every") == "week" and "from" in by_name:  # "starting this Friday, once a week"
            every.setdefault("weekday", f"{date.fromisoformat(str(by_name['from'].value)[:10]):%A}")
        found = (Slot("rhythm", every, rhythm.words), Slot("figures", figures, ", ".join(figures)))
        return (
            (Reading("order", whole, REPORT, (*found, Slot("text", whole, whole), *by_name.values()), confidence=0.9),),
            tuple(rest),
        )
    return (), tuple(sentences)


def _figures(sentence: str, rhythm: SpokenTime, context: Context) -> list[str]:
    """Return the figures that a sentence with a rhythm wants to be given, or nothing where it wants something else."""
    text = f"{sentence[: rhythm.start]} ¤ {sentence[rhythm.end :]}"
    for pattern in (_OTHERWISE, _OPEN_END, _NTH):
        text = pattern.sub(" ", text)
    for one in reversed(times_in(text, context.now)):
        if one.kind == "day" and re.match(r"(?i)until|till", one.words):
            text = f"{text[: one.start]} {text[one.end :]}"
    if begun := _START.search(text):
        days = [one for one in times_in(text, context.now) if one.kind == "day" and one.end > begun.end()]
        text = text[: begun.start()] + (text[days[0].end :] if days else text[begun.end() :])
    given = _RECEIVES.search(text)
    lead = text[: given.start()] if given else ""
    if given and not _LEAD.fullmatch(lead):
        return []
    wanted = text[given.end() :] if given else text
    if not given and not (re.match(r"\s*¤", text) and _is_asked_for(text, context)):
        return []
    wanted = _COURTESY.sub(" ", _COURTESY.sub(" ", re.sub(r"[¤]|\b(?:morning|evening)s?\b", " ", wanted)))
    wanted = re.sub(r"\s+", " ", wanted).strip(" ,.:;!?–-")
    if re.match(r"(?i)(?:what|how (?:many|much))\b", wanted):
        return figures_in(f"tell me {wanted}")
    return _split_figures(wanted)


def _is_asked_for(text: str, context: Context) -> bool:
    """Return whether a sentence without a verb asks for figures: by a courtesy, a colon, or a name on record."""
    known = [name.lower().replace("_", " ") for name in context.vocabulary.metrics]
    return bool(_ASKED.search(text)) or any(re.search(rf"\b{re.escape(name)}\b", text.lower()) for name in known)


def _split_figures(wanted: str) -> list[str]:
    """Return the figures that a phrase lists, or an empty list if one of its parts is not a figure."""
    figures = []
    for one in re.split(r",\s*(?:and\s+)?|\s+(?:and|plus|&|n|as well as)\s+|;\s*", wanted):
        words = _ARTICLE.sub("", re.sub(r"(?i)^(?:note|report|line|summary)s?\s+(?=\w)", "", one.strip()))
        if not words or words.lower() in ("but", "and", "with", "or"):
            continue
        if len(words.split()) > _MOST or _NO_FIGURE.search(words.lower()) or names_work(words):
            return []
        figures.append(words)
    return figures


def _conditions(text: str, rhythm: SpokenTime | None, context: Context) -> list[Slot] | None:
    """Return the beginning, the end and the fallback that a sentence gives a report; None where it gives none."""
    slots = list[Slot]()
    if rhythm is not None:
        text = f"{text[: rhythm.start]} ¤ {text[rhythm.end :]}"
    if said := _OTHERWISE.search(text):
        slots.append(Slot("fallback", said[0].strip(" ,"), said[0].strip(" ,")))
    if said := _OPEN_END.search(text):
        slots.append(Slot("open_end", said[0], said[0]))
    if (said := _NTH.search(text)) and (end := _end(said, context)):
        slots.append(end)
    days = [one for one in times_in(text, context.now) if one.kind == "day" and one.day]
    if begun := _START.search(text):
        day = next((one for one in days if one.end > begun.end()), None)
        slots += [Slot("from", day.iso, text[begun.start() : day.end].strip())] if day else []
    elif last := next((one for one in days if one.role == "by" and re.match(r"(?i)until|till", one.words)), None):
        slots.append(Slot("until", last.iso[:10], last.words))
    is_missing = rhythm is None and _MISSING.match(text)
    return slots or ([] if is_missing else None)


def _end(said: re.Match[str], context: Context) -> Slot | None:
    """Return after how many reports or on which day a duty ends, or None where the words give no number."""
    words = str(said["nth"] or said["times"] or said["count"]).lower()
    digits = re.match(r"\d+", words)
    number = int(digits[0]) if digits else ORDINALS.get(words) or int(number_of(words) or 0)
    if not number:
        return None
    if said["unit"]:
        days = number * {"day": 1, "week": 7, "month": 30}[said["unit"].lower()]
        return Slot("until", (context.now + timedelta(days=days)).date().isoformat(), said[0].strip())
    return Slot("times", number, said[0].strip())


_CHANGES = re.compile(r"(?i)\b(?:instead|rather|too|also|as well|change|make it|no,|leave out|without|only)\b")
"""Words by which a message changes a report that there is."""
_ENDS = order_form("regular_reports.ends")
_PLAIN_NOUNS = order_form("regular_reports.plain_nouns")
_LASTING = order_form("regular_reports.lasting")
_ONCE = order_form("regular_reports.once")


def duty_end(sentences: Sequence[str], context: Context) -> Reading | None:
    """Return the end of a regular report that a message wants ("No Friday line any more"), or None."""
    duties = [one for one in context.earlier if _is_duty(one)]
    if not duties or len(sentences) > 3 or any(one.rstrip().endswith("?") for one in sentences):
        return None
    said = [one for one in sentences if _ENDS.search(one.translate({0x2019: "'"})) and not _ONCE.search(one)]
    others = [one for one in sentences if one not in said]
    if not said or not all(_SMALL.match(one) or len(one.split()) <= 3 for one in others):
        return None
    text = " ".join(said)
    meant = [one for one in duties if _names(text, one)]
    if not meant and len(duties) == 1 and _PLAIN_NOUNS.search(text) and _LASTING.search(text):
        meant = duties
    if len(meant) != 1:
        return None
    return Reading("withdrawal", " ".join(sentences), REPORT, refers_to=meant[0].id, confidence=0.9)


def _is_duty(request: Request) -> bool:
    """Return whether a request is a regular report that is made from now on."""
    return request.operation == REPORT and request.status == "standing"


def _names(text: str, duty: Request) -> bool:
    """Return whether words name a report by its day together with a noun for it, or by one of its figures."""
    flat = plain(text)
    weekday = str(duty.slot("rhythm", {}).get("weekday", "")).lower()
    figures = {word for one in duty.slot("figures", ()) for word in re.findall(r"[a-z]{4,}", str(one).lower())}
    by_day = bool(weekday and re.search(rf"\b{weekday}s?\b", flat))
    by_figure = bool(figures & set(re.findall(r"[a-z]{4,}", flat)))
    return by_figure or (by_day and bool(_PLAIN_NOUNS.search(flat) or len(flat.split()) <= 6))
