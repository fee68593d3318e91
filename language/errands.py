"""Orders beyond one call of a tool: reminders, reports, projects, questions to colleagues, tasks."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.catalogue import wordings
from mabos.language.order_draft import OrderDraft
from mabos.language.order_parts import OrderParts, TextSpan
from mabos.language.project_steps import fill_project
from mabos.language.request import Reading, Slot
from mabos.language.spoken_time import SpokenTime
from mabos.language.wordlists import form, order_form, order_table
from mabos.workspace.dates import WEEKDAYS

Read = Callable[[str], Reading]
_QUESTION = r"what|how|whether|if|which|who|whom|when|where|why|whose|is|are|do|does|did|has|have"
_ASKED = rf"(?:(?:on|in|at|by|from|for|since|until|till|to|with) )?(?:{_QUESTION})"
_ASKS = order_form("errands.asks")
_KNOWS = (
    r"\s*(?:knows?(?: (?:it|that|this))?|has (?:it|that|this|the (?:figure|number))|have (?:it|that)|"
    r"should (?:know|have (?:it|that))|can tell|will know|would know|is the one (?:to ask|who knows))"
)
_DELEGATES = order_form("errands.delegates")
_SIGHT = (
    r"(?:\S+ ){0,3}?(?:lights?|lamps?|doors?|gates?|windows?|taps?|heating|boiler|oven|fridge|freezer|pump|alarm|roof|"
    r"fence|yard|queue|weather|shel(?:f|ves)|plants?|kettle|toilets?|floor|snow|ice|signs?|locks?|bins?|chimney|tank|"
    r"pool|pond|car park|road|sky|flag|horses?|dogs?|cats?|hens?|sheep|cows?|machine|engine|screen|bell|bonnet|drain)\b"
    r"(?: (?!account|order|package|project|campaign|bill|invoice|budget|contract)\S+){0,5}?(?: (?:is|are|has|have|was|"
    r"looks?|runs?|works?)\b|\W*$)"
)
"""A thing that has to be looked at where it is."""
_IMPOSSIBLE: Mapping[str, str] = {
    **packaged_yaml("requests/impossible.yaml"),
    "look": rf"(?:(?:go |please )*(?:and )?(?:have|take) (?:\S+ )?look|look|check|see|find out|make sure)"
    rf"(?: out| over| up| round)? (?:(?:if|whether|that|how) )?(?:the |our |my |any ){_SIGHT}",
}
_GOES = r"[.!?;]\s+(?:please )?(?:go|drive|walk|run|come) (?:there|over|round|down)\b"
"""A person who shall go somewhere, in a sentence behind the reason for it."""
_RAISE = r"raise|increase|grow|improve|lift|push up|boost|double|win|reach|hit|drive up|more|up|above|over|strengthen"
_LOWER = r"reduce|lower|cut|bring down|decrease|halve|shrink|slash|below|under|down|fewer|less|get rid of"


_WORK = order_form("errands.work")


IMPOSSIBLE = 0.85
"""The score of a task that no agent can do."""
REASON = re.compile(r"(?i)\b(?:why|because|reasons?|how come)\b[^,.;:!?]*$")
"""A clause about a reason: a rhythm in it says when something happens, and not when to report."""


def errand_scores(parts: OrderParts, best: float) -> dict[str, float]:
    """Return how well an order fits each errand; `best` is the score of the best single operation."""
    text, scores = parts.masked, dict[str, float]()
    if _fits("remind", text):
        scores["remind"] = 0.95 if re.match(r"(?:remind|ping|nudge|poke|alert|set|put|give|jog|don)", text) else 0.88
    rhythms = [one for one in parts.times if one.kind == "rhythm" and not REASON.search(parts.text[: one.start])]
    bare = " ".join(parts.core.replace(one.words, " ") for one in rhythms[:1])
    wanted = figures_in(bare)
    is_rhythmic = bool(rhythms) and not (len(wanted) == 1 and names_work(wanted[0]))
    if is_rhythmic and (_fits("report_regularly", text) or (_known_figures(parts, text) and not _WORK.match(text))):
        scores["report_regularly"] = (
            0.9
            if re.search(
                r"\b(?:me|us|report(?:ed)?|summary|overview|figures|numbers?|how many|how much|i|update|line|note)\b|"
                r"^(?:want|need|like|have|see)\b",
                text,
            )
            or _known_figures(parts, text)
            else 0.55
        )
    if _fits("project", text):
        scores["project"] = 0.98
    if questions_of(parts):
        scores["ask_colleagues"] = 0.92
    elif _delegate_of(parts):
        scores["delegate"] = 0.94
    if _improvement(parts):
        scores["improve"] = 0.86
    if (
        impossible_of(parts)[0]
        and "remind" not in scores
        and "project" not in scores
        and "delegate" not in scores
        and best < 0.8
    ):
        scores["task"] = IMPOSSIBLE
    elif re.match(r"[a-z]", text):
        scores["task"] = 0.8 if best < 0.5 else 0.58 if best < 0.58 else 0.5
    return scores


def _known_figures(parts: OrderParts, text: str) -> bool:
    return any(re.search(rf"\b{re.escape(name.lower().replace('_', ' '))}\b", text) for name in parts.metrics)


def _fits(name: str, text: str) -> bool:
    wording = wordings()[name]
    return any(one.search(text) for one in wording.cues) and not any(one.search(text) for one in wording.unless)


def impossible_of(parts: OrderParts) -> tuple[str, str]:
    """Return why no agent can do an order, and the words that show it: ("phone", "Phone"); ("", "") if one can."""
    for reason, pattern in _IMPOSSIBLE.items():
        match = re.match(pattern, parts.masked) or re.search(
            rf"(?:\b(?:and|then|so)|,)\s+(?:please |(?:can|could|would|will) you )*({pattern})", parts.masked
        )
        match = match or (re.search(_GOES, parts.masked) if reason == "travel" else None)
        if match:
            return reason, match[0]
    return "", ""


# --- the errands --------------------------------------------------------------


def _remind(draft: OrderDraft, read: Read) -> None:  # noqa: ARG001 - one signature for all errands
    parts = draft.parts
    rhythm = next((one for one in parts.times if one.kind == "rhythm"), None)
    day = next((one for one in parts.times if one.kind == "day" and (one.day or one.clock)), None)
    if rhythm:
        draft.put("rhythm", dict(rhythm.every), rhythm.start, rhythm.end)
    elif day and day.day:
        draft.put("date", day.iso, day.start, day.end)
    elif day:
        today = draft.context.now.date().isoformat()
        draft.put("date", f"{today}T{day.clock}:00", day.start, day.end)
    else:
        draft.lack("date")
    for one in wordings()["remind"].cues:
        if cue := one.search(parts.masked):
            draft.cover(parts.start + cue.start(), parts.start + cue.end())
    words = _clean(_sentence_with(draft.uncovered()[parts.start :], parts.masked))
    words = re.sub(r"(?i)[\s,;–-]*\b(?:on )?(?:that|this|the) (?:very )?day\W*$", "", words)
    words = re.sub(
        r"\s*\b(?:would|will) (?:be )?(?:great|nice|lovely|good|fine|do|help|suit me|be welcome)\b\W*$", "", words
    )
    text = re.sub(
        r"^(?:(?:please|pls|plz|and|to|about|abt|that|of|for|re|a|an|when|be|i|i am to|i have to|i must|i need to|"
        r"i should|am to|would|mustn['’]t forget to|must not forget to|on date|on the date|date|need|want|me|set|"
        r"make me|make|concerning|regarding)[\s:,]+|[,:;-]\s*)+",
        "",
        words,
        flags=re.IGNORECASE,
    ).strip()
    text = _find_mentioned(parts.text) or text
    if text and not re.fullmatch(r"(?:a|an|the|one|please|reminder|nudge|me|my|[\W_])+", text, re.IGNORECASE):
        draft.slots.append(Slot("text", text, text))
    else:
        draft.lack("text")


def _find_mentioned(text: str) -> str:
    """Return the subject to mention again: "mention the fuse box to me", "bring up the meter with me"."""
    found = re.search(r"\b(?:mention|bring up|raise) (?P<it>[^,.;:!?]+?) (?:to|with) me\b", text, re.IGNORECASE)
    return found["it"] if found else ""


_TAG_QUESTION = re.compile(r"[\s,]*\b(?:would|will|could|can) (?:you|ya)(?: please)?\s*[?.!]*\s*$", re.IGNORECASE)


def _sentence_with(open_text: str, masked: str) -> str:
    """Return the sentence of a reminder that has its cue, or all of the text where that says nothing."""
    cue = next((found for one in wordings()["remind"].cues if (found := one.search(masked))), None)
    at = cue.start() if cue else 0
    for sentence in re.finditer(r"\S.*?(?:[.!?]+(?=\s|$)|$)", masked, re.DOTALL):
        if sentence.start() <= at < sentence.end():
            words = _TAG_QUESTION.sub("", open_text[sentence.start() : sentence.end()])
            is_more = sentence.end() < len(masked) and len(re.findall(r"[A-Za-z]{3,}", words)) < 1
            return open_text if is_more else words
    return open_text


def _report(draft: OrderDraft, read: Read) -> None:  # noqa: ARG001 - one signature for all errands
    parts = draft.parts
    rhythms = [one for one in parts.times if one.kind == "rhythm"]
    rhythm = next((one for one in rhythms if "weekday" in one.every), rhythms[0])
    for one in rhythms:
        draft.cover(one.start, one.end)
    every, weekday = dict(rhythm.every), _weekday_beside(parts)
    if every["every"] == "week" and "weekday" not in every and weekday:
        every["weekday"] = WEEKDAYS[weekday.day.weekday()]  # type: ignore[union-attr]
        draft.cover(weekday.start, weekday.end)
    draft.put("rhythm", every, rhythm.start, rhythm.end)
    figures = figures_in(_first_list(draft.uncovered()[parts.start :], parts.metrics))
    if figures:
        draft.slots.append(Slot("figures", figures, ", ".join(figures)))
    else:
        draft.lack("figures")
    draft.slots.append(Slot("text", parts.core, parts.core))
    start = next((one for one in parts.times if one.kind == "day" and one.role == "from"), None)
    if start:
        draft.put("from", start.iso, start.start, start.end)


def _first_list(text: str, metrics: Sequence[str]) -> str:
    """Return the first sentence that lists figures, with later ones that add to it; the text if none does."""
    sentences = re.split(r"(?<=[.!?])\s+", text.strip())
    for at, sentence in enumerate(sentences, start=1):
        flat = sentence.lower()
        named = any(name.lower().replace("_", " ") in flat for name in metrics)
        if named or (figures_in(sentence) and at < len(sentences)):
            more = [
                one
                for one in sentences[at:]
                if re.match(r"(?:also |and |plus )|.*\b(?:as well|too|also)\b", one.lower())
            ]
            return " ".join([sentence, *more])
    return text


_FIGURES = tuple(map(re.compile, order_table("errands.figures")))


def _weekday_beside(parts: OrderParts) -> SpokenTime | None:
    """Return the bare weekday of "a weekly report, always on Thursday"."""
    days = (one for one in parts.times if one.kind == "day" and one.day and one.role in ("on", ""))
    return next((one for one in days if re.search(r"(?:day|tues|weds|thurs)s?$", one.words, re.IGNORECASE)), None)


_PARTICIPLES = ("swept", "done", "cut", "put", "written", "fed", "shut", "washed")
"""Participles of work that somebody is to do."""
_COUNTED = order_form("regular_reports.counted")
"""Words in -ed that count what there was; others say what somebody is to do: "the yard swept"."""


def names_work(words: str) -> bool:
    """Return whether words end in a participle of work that somebody is to do: "the yard swept"."""
    last = words.rsplit(maxsplit=1)[-1].lower()
    return last in _PARTICIPLES or (last.endswith("ed") and not _COUNTED.search(last))


def figures_in(text: str) -> list[str]:
    """Return the figures to include in a report, in the words given.

    >>> figures_in("send me a short report with the number of members and the cash.")
    ['number of members', 'cash']
    """
    text = _clean(form("welcome").sub(" ", text))
    starts = [match for form in _FIGURES if (match := form.search(text))]
    match = min(starts, key=lambda one: one.start("it"), default=None)
    match = match or re.match(r"(?P<it>[^:]+(?:,| and )[^:]+)$", text)
    if not match:
        return []
    found = []
    for one in re.split(r",\s*(?:and\s+)?|\s+(?:and|plus|&|n|as well as)\s+|;\s*", match["it"].strip(" .!?")):
        words = re.sub(
            r"^(?:(?:with|the|our|a|an|both|also|this|current|latest|what|how (?:many|much)|is|are)\s+)+",
            "",
            one.strip(" .!?:=–-"),
            flags=re.IGNORECASE,
        )
        words = re.sub(
            r"\s+(?:of|for|from|in) (?:the|that|this|each|last|past|previous) (?:week|month|day|quarter|year)$|"
            r"\s+(?:please|pls|in it|too|we have|we had|have we|in one line|so far|to me|to us|from now on|reported|"
            r"sent|was|were|is|are|in future|from then on)$",
            "",
            words,
            flags=re.IGNORECASE,
        )
        words = re.sub(r"\s+(?:from|by) you\b.*$", "", words, flags=re.IGNORECASE)
        if re.match(
            r"(?:keep it |no |nothing|but |except|unless|until|not (?:in|on|at|during)|"
            r"short|brief|sweet|concise|plain|simple|quick|just |only |that is|that['’]s|not )",
            words.lower(),
        ):
            continue
        if words and not re.fullmatch(
            r"(?:me|us|it|them|report|to me|to us|in one line|short|line|please|email|mail)", words, re.IGNORECASE
        ):
            found.append(words)
    return found


def _colleagues(draft: OrderDraft, read: Read) -> None:  # noqa: ARG001 - one signature for all errands
    questions = questions_of(draft.parts)
    draft.slots.append(Slot("questions", [dict(one) for one in questions], draft.parts.core))


def questions_of(parts: OrderParts) -> tuple[Mapping[str, str], ...]:
    """Return the questions that an order wants colleagues to answer, each with its addressee, in order."""
    found: list[Mapping[str, str]] = []
    mentions = parts.colleagues
    text = parts.text
    for at, (agent, span) in enumerate(mentions):
        before = text[: span.start]
        after = text[span.end : mentions[at + 1][1].start if at + 1 < len(mentions) else len(text)]
        question = ""
        if told := re.match(rf"{_KNOWS}\s+(?P<it>{_ASKED}\b.*)", after, re.IGNORECASE | re.DOTALL):
            question = _first_clause(told["it"], is_last=at + 1 == len(mentions))
        elif re.search(r"\((?:(?:please )?ask\s+)?(?:the )?$", before, re.I) and after.lstrip().startswith(")"):
            words = before[mentions[at - 1][1].end if at else parts.start :].rpartition("(")[0]
            question = form("asked_figure").sub("", _last_clause(words.lstrip(") ")))
        elif re.match(_KNOWS + r"\b", after, re.IGNORECASE):
            opening = max((mentions[at - 1][1].end if at else parts.start), 0)
            question = _last_clause(before[opening:])
        elif match := re.match(
            rf"(?:\s*[:,]?\s*|\s+(?:about|for)\s+)(?P<it>{_ASKED}\b.*|:\s*\S.*)",
            after,
            re.IGNORECASE | re.DOTALL,
        ):
            if (
                _ASKS.search(before[-24:])
                or not before.strip()
                or found
                or re.search(r"\b(?:ask|find out|check)\b", before, re.IGNORECASE)
            ):
                question = _first_clause(match["it"].lstrip(": "), is_last=at + 1 == len(mentions))
        elif (
            re.search(r"\bfrom\s+$", before, re.IGNORECASE)
            and (
                match := re.match(
                    r"\s+(?P<it>(?:the|our|its|their|number|a list)\b.+)", after, re.IGNORECASE | re.DOTALL
                )
            )
        ) or (
            re.search(r"\b(?:ask|from)\s+$", before, re.IGNORECASE)
            and (match := re.match(r"\s+(?:for|about)\s+(?P<it>.+)", after, re.IGNORECASE | re.DOTALL))
        ):
            question = _first_clause(match["it"], is_last=at + 1 == len(mentions))
        elif re.search(r"\bfrom\s+$", before, re.IGNORECASE) and re.search(
            r"\b(?:get|fetch|find out|obtain|collect|need|want|and)\b", before, re.IGNORECASE
        ):
            opening = mentions[at - 1][1].end if at else parts.start
            clause = _last_clause(re.sub(r"\s*\bfrom\s+$", "", before[opening:], flags=re.IGNORECASE))
            question = re.sub(
                r"^(?:get|fetch|find out|obtain|collect|i need|we need|i want|and|need|want)\s+(?:me\s+|us\s+)?",
                "",
                clause,
                flags=re.IGNORECASE,
            )
            if not re.search(r"[a-z]{3}", question) or re.fullmatch(
                r"(?:it|them|that|both)", question.strip(), re.IGNORECASE
            ):
                question = ""
        if question.strip():
            found.append({"to": agent, "question": question.strip(" ,;?")})
    return tuple(found) or _asked_of_both(parts)


def _asked_of_both(parts: OrderParts) -> tuple[Mapping[str, str], ...]:
    """Return the questions of "What does legal say of A, and how many B does HR have? Ask them both."."""
    asks = re.search(
        r"[.?!]\s*(?:please )?(?:ask|check with|find out from) (?:them|him|her|both|the two)\b",
        parts.text,
        re.IGNORECASE,
    )
    if not asks:
        return ()
    found, start = [], parts.start
    for end in re.finditer(rf",?\s+and\s+(?=(?:{_QUESTION})\b)|[?;]", parts.text[: asks.start() + 1], re.IGNORECASE):
        for agent, span in parts.colleagues:
            if start <= span.start < end.start():
                clause = parts.text[start : end.start()]
                question = re.sub(
                    rf",?\s*(?:according to|from) {re.escape(span.words)}", "", clause, flags=re.IGNORECASE
                )
                found.append({"to": agent, "question": question.strip(" ,")})
                break
        start = end.end()
    return tuple(found)


def _first_clause(words: str, *, is_last: bool) -> str:
    """Return a question up to its end: the sentence's, or the "and" that leads to the next colleague."""
    words = re.split(
        r"[.?!](?:\s|$)|;|\s[-–]\s|\s*[,]?\s*(?:and|then) (?:then )?(?:tell|let|give|report|come back|get back|"
        r"send|bring|pass)\b",
        words,
        maxsplit=1,
    )[0]
    if not is_last:
        words = re.sub(
            r"[\s,]*(?:\band\b|\bplus\b|;|,|\bthen\b|&)?\s*(?:also )?(?:(?:ask|from|check with|find out from|with|"
            r"of|(?<=and )to)\s*)?$",
            "",
            words,
            flags=re.IGNORECASE,
        )
    return words


def _last_clause(words: str) -> str:
    """Return the question that ends here: from its question word, or from the last boundary."""
    words = re.sub(r"[\s(,;–-]+$", "", words)
    words = re.split(r"[.?!;:](?=\s)|\)|\s[-–]\s", words)[-1]
    starts = list(re.finditer(rf"\b(?:{_QUESTION.partition('|is|')[0]})\b", words, re.IGNORECASE))
    if starts:
        return words[starts[0].start() :]
    return re.sub(r"^[\s,]*(?:and|plus|also)\s+", "", words, flags=re.IGNORECASE).strip(" ,?")


_THIS = ("this", "it", "that", "the following", "this task", "this one")


def _delegate_of(parts: OrderParts) -> tuple[str, TextSpan, TextSpan] | None:
    """Return the colleague that gets the work, the words of the handing over, and the request to hand over."""
    text = parts.text
    for agent, span in parts.colleagues:
        before, after = text[parts.start : span.start], text[span.end :]
        if not _DELEGATES.match(before):
            continue
        handed = re.match(
            r"(?:delegate|pass(?: on)?|hand(?: over)?|forward|transfer|refer|assign|give|leave|route|send|"
            r"push)\s+(?P<it>.*?)\s*(?:\bon |\bover )?(?:to|with)\s+$",
            before,
            re.IGNORECASE | re.DOTALL,
        )
        rest = re.match(
            r"[\s,:]*(?:(?:too|also|as well)[\s,:-]+)?"
            r"(?:(?:that )?(?:they|he|she) (?:should |must |has to |have to |is to |are to |shall )|"
            r"that (?:they|he|she) |to\s+|please\s+)?(?P<it>\S.*)?",
            after,
            re.DOTALL | re.IGNORECASE,
        )
        if handed and handed["it"].strip() and handed["it"].strip().lower() not in _THIS:
            start = parts.start + handed.start("it")
            end = start + len(handed["it"])
            return agent, TextSpan(text[start:end], start, end), TextSpan(after.strip(" .,:"), span.end, len(text))
        if rest and rest["it"] and re.match(r"(?:tell|say|confirm|give me|let me know)\b", rest["it"], re.IGNORECASE):
            continue
        if rest and rest["it"] and re.match(r"[a-z]", rest["it"], re.IGNORECASE):
            start = span.end + rest.start("it")
            end = parts.start + len(parts.core) if parts.start + len(parts.core) > start else len(text)
            return agent, TextSpan(text[start:end].strip(" ."), start, end), TextSpan("", end, end)
    return None


def _delegate(draft: OrderDraft, read: Read) -> None:  # noqa: ARG001 - one signature for all errands
    found = _delegate_of(draft.parts)
    if found is None:
        draft.lack("to")
        return
    agent, request, rest = found
    words = f"{request.words}, {rest.words}" if rest.words else request.words
    draft.slots += [Slot("to", agent, draft.parts.core[:40]), Slot("text", re.sub(r"\s+", " ", words).strip(), words)]


def _improvement(parts: OrderParts) -> tuple[str, str] | None:
    """Return the direction that an order wants a figure to take, and the words of the figure."""
    wording = wordings()["improve"]
    text = parts.masked
    if (
        any(one.search(text) for one in wording.unless)
        or wording.verbs is None
        or not (verb := wording.verbs.match(text))
    ):
        return None
    direction = "down" if re.match(rf"(?:{_LOWER})\b", text) else "up" if re.match(rf"(?:{_RAISE})\b", text) else ""
    if not direction:
        way = re.search(rf"\b(?P<down>{_LOWER})\b|\b(?P<up>{_RAISE})\b", text[verb.end() :])
        direction = ("down" if way["down"] else "up") if way else ""
    if more := re.match(r"(?:need|want|get|find|win|gain)\s+(?:\S+ )?more (?P<it>[a-z][\w'-]*)", text):
        return ("up", more["it"]) if parts.amounts else None
    if verb[0] in ("need", "want", "gain"):
        return None
    rest = re.match(
        r"\s*(?:down |up )?(?:the |our |my )?(?P<it>[a-z][\w' -]*?)(?=\s+(?:to|below|under|above|over|by|down|up|"
        r"from|at|until|before|at least|in the next|this|next)\b|\s+\d|[,.;:]|$)",
        text[verb.end() :],
    )
    known = [name.lower().replace("_", " ") for name in parts.metrics]
    has_number = any(one.kind in ("percent", "count", "money") for one in parts.amounts)
    metric = rest["it"].strip() if rest else ""
    is_known = any(metric and (metric in name or name in metric) for name in known)
    if (
        not direction
        or not metric
        or not (
            has_number
            or is_known
            or verb[0] in ("reduce", "lower", "increase", "improve", "grow", "decrease", "cut", "boost")
        )
    ):
        return None
    return direction, metric


def _improve(draft: OrderDraft, read: Read) -> None:  # noqa: ARG001 - one signature for all errands
    parts = draft.parts
    found = _improvement(parts)
    direction, metric = found or ("", "")
    at = parts.masked.find(metric) if metric else -1
    if at >= 0:
        known = next((name for name in parts.metrics if name.lower().replace("_", " ") == metric), metric)
        draft.put("metric", known, parts.start + at, parts.start + at + len(metric))
    else:
        draft.lack("metric")
    draft.slots.append(Slot("direction", direction, parts.masked.split()[0] if parts.masked else ""))
    amounts = [one for one in parts.amounts if not draft.is_covered(one.start, one.end)]
    targets = [
        one
        for one in amounts
        if not re.search(r"\b(?:by|from)\s+(?:about |at least )?$", parts.text[: one.start], re.IGNORECASE)
    ]
    if targets:
        draft.put("target", targets[-1].value, targets[-1].start, targets[-1].end, targets[-1].meaning)
    for one in amounts:
        if one in targets[-1:]:
            continue
        name = (
            "change" if re.search(r"\bby\s+(?:about |at least )?$", parts.text[: one.start], re.IGNORECASE) else "start"
        )
        draft.put(name, one.value, one.start, one.end, one.meaning)
        if one.kind == "percent":
            draft.assume(f"{name}_unit", "%")
    if not (draft.has("target") or draft.has("change")):
        draft.lack("target")
    if parts.deadline:
        draft.put("deadline", parts.deadline.iso, parts.deadline.start, parts.deadline.end)


def _task(draft: OrderDraft, read: Read) -> None:  # noqa: ARG001 - one signature for all errands
    parts = draft.parts
    draft.slots.append(Slot("text", parts.core, parts.core))
    when = parts.deadline
    if when and (
        when.role == "by" or not re.search(r"\b(?:that|whether|if|says?)\b|:", parts.text[parts.start : when.start])
    ):
        draft.put("deadline", when.iso, when.start, when.end)
    rhythm: dict[str, Any] | None = next((dict(one.every) for one in parts.times if one.kind == "rhythm"), None)
    if rhythm:
        draft.assume("rhythm", rhythm)
    reason, words = impossible_of(parts)
    if reason:
        draft.slots.append(Slot("impossible", reason, words.strip()))


def _clean(text: str) -> str:
    """Return text on one line without the gaps that blanked words leave, and without a politeness at its end."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,.;:!?])", r"\1", text)
    text = re.sub(r"^[\s,.;:!?-]+|[\s,;:-]+$", "", text)
    return re.sub(
        r"[\s,]*\b(?:please|pls|thanks|thank you|ta|ty|tks|thx|cheers|x+|will you|would you)[\s.!?]*$",
        "",
        text,
        flags=re.IGNORECASE,
    ).strip(" .!?")


ERRANDS: Mapping[str, Callable[[OrderDraft, Read], None]] = {
    "remind": _remind, "report_regularly": _report, "project": fill_project, "ask_colleagues": _colleagues,
    "delegate": _delegate, "improve": _improve, "task": _task,
}  # fmt: skip
