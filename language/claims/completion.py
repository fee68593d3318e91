"""Find claims that something is done; plans, conditions, denials, questions and quotations make none.

claims_in("The letter was sent. The page will be published.")   # one claim, "sent"
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mabos.language.claims.stems import stems_of
from mabos.language.claims.verbs import NAMING, OBSERVING, STRONG, any_form, form_of
from mabos.language.wordlists import order_form
from mabos.workspace.dates import MONTHS, WEEKDAYS

Voice = Literal["I", "we", "passive", "active", "bare", "attribute"]

_QUOTED = order_form("claims_completion.quoted")
_FACTIVE = order_form("claims_completion.factive")
_BREAK = order_form("claims_completion.break")
_FILLER = (
    r"(?:\s|,|also|already|now|just|then|therefore|thus|so|successfully|safely|duly|all|both|or|and|even|recently|"
    r"today|yesterday|finally|only|been|not only|indeed|fully|\w+ly|either|to you)*"
)
_NO_SUBJECT = re.compile(rf"(?i){_FILLER}(?:(?:is|are|was|were|has|have|had|be|being|get|gets|got)\b{_FILLER})*")
_HARMLESS = order_form("claims_completion.harmless")
_DENIED = order_form("claims_completion.denied")
_AHEAD = order_form("claims_completion.ahead")
_WHEN = re.compile(r"\b(?:when|whenever|after|where|by the time|every time)\b", re.IGNORECASE)
_CONDITION = order_form("claims_completion.condition")
_CAUSATIVE = order_form("claims_completion.causative")
"""Work made by others: "I have the shelves made", if it lies in the future."""
_STOPS_ITSELF = re.compile(r"(?i)(?:stopped|halted|paused)(?:\W|$)(?!\s*(?:the|an?|it|them|all|your|our|this|that)\b)")
_IN_ORDER = order_form("claims_completion.in_order")
_AND_OF_CONDITION = re.compile(r"(?i)^(?P<main>[^;:]*?)\b(?:after|once|until|as soon as|when|before)\b[^,;:]*\band$")
"""Before the second half of what must have happened first: "It follows after the hall is booked and …"."""
_MOMENT = re.compile(r"^\W*(?:only\s)?(?:when|whenever|after|before|by the time|every time)\b", re.IGNORECASE)
_ORDER = order_form("claims_completion.order")
_CONDITION_AFTER = order_form("claims_completion.condition_after")
_NONE_AFTER = order_form("claims_completion.none_after")
_PRESENT = order_form("claims_completion.present")
_PASSIVE = order_form("claims_completion.passive")
_HAVE = order_form("claims_completion.have")
_FIRST = order_form("claims_completion.first")
_DETERMINED = order_form("claims_completion.determined")
_ACTS = (
    "printed|renewed|repaired|fixed(?! at| by| price| rate)|installed|translated|checked|inspected|tested|cleaned|"
    "painted|cut|filled|connected|collected|assembled|replaced|trained|interviewed|insured|licensed|audited|verified|"
    "uploaded|downloaded|refilled|restocked"
)
_OPEN = re.compile(
    rf"(?i)\b(?:has|have|['’]ve)\s+(?:(?:\w+ly|now|already|also|just|both|"
    rf"all)\s+)*(?P<been>been\s+(?:\w+ly\s+)?)?(?P<verb>[a-z]{{3,}}ed|written|built|bought|taken|given|cut|sold|"
    rf"laid|hung|sewn|mown|drawn|brought|dug)\b|(?:^|[\s,])I\s+(?:\w+ly\s+|also\s+|just\s+|"
    rf"already\s+)?(?P<past>[a-z]{{3,}}ed)\b|\b(?:is|are|was|were|got)\s+(?:now |already |all |"
    rf"both )?(?P<act>{_ACTS})\b"
)
_TIMES = stems_of(" ".join((*MONTHS, *WEEKDAYS, *(day[:3] for day in WEEKDAYS), "am pm"))) | {"time"}
_IS_ASIDE = re.compile(r"\w,\s*$")
_PREPOSITION = re.compile(r"\s+(?:to|by|for|in|on|at|with|from|until)\b", re.IGNORECASE)
_TARGET = re.compile(r"\b(?:target|goal|objective|record)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CompletionClaim:
    """A verb of completion at `start` to `end` of a sentence, its grammatical voice, and its clause."""

    kind: str
    words: str
    start: int
    end: int
    voice: Voice
    clause: str

    @property
    def about(self) -> frozenset[str]:
        """The stems of the clause, without those of the verb."""
        return stems_of(form_of(self.kind).sub(" ", self.clause).replace("_", " ")) - stems_of(self.words) - _TIMES


def claims_in(sentence: str) -> Iterator[CompletionClaim]:
    """Yield the claims of completion in a sentence."""
    if sentence.rstrip(" *_\"'”’)").endswith("?"):
        return
    flat = _QUOTED.sub(lambda found: found[0][0] + "·" * (len(found[0]) - 2) + found[0][-1], sentence)
    flat = _FACTIVE.sub(lambda found: " " * (len(found[0]) - 1) + ":", flat)
    flat = _HARMLESS.sub(lambda found: "~" * len(found[0]), flat)
    seen: set[int] = set()
    for match in any_form().finditer(flat):
        kind = match.lastgroup or ""
        lead, start = _lead(flat, match.start())
        voice = _voice(lead, match[0], flat[match.end() :])
        if _IS_ASIDE.search(flat[: match.start()]) and _PREPOSITION.match(flat, match.end()):
            voice = None if match[0].lower() in ("delivered", "shipped") else "attribute"
        if voice is None or not _counts(kind, voice, lead, match) or _is_no_claim(flat, match, lead, start):
            continue
        seen.update(range(match.start(), match.end()))
        yield CompletionClaim(
            kind,
            sentence[match.start() : match.end()],
            match.start(),
            match.end(),
            voice,
            _clause(sentence, flat, start, match.end()),
        )
    for match in _OPEN.finditer(flat):
        group = match.lastgroup or "verb"
        verb = match[group].lower()
        if match.start(group) in seen or verb in OBSERVING:
            continue
        if any_form().fullmatch(match[group]):
            continue
        lead, start = _lead(flat, match.start(group))
        if _is_no_claim(flat, match, lead, start):
            continue
        voice = "passive" if match["been"] or match["act"] else "I" if re.search(r"\bI\b", lead) else "active"
        yield CompletionClaim(
            verb, match[group], match.start(group), match.end(group), voice, _clause(sentence, flat, start, match.end())
        )


def _lead(flat: str, at: int) -> tuple[str, int]:
    """Return the text from where the clause of a verb begins to the verb, and further back where it has no subject."""
    edges = [0, *(match.end() for match in _BREAK.finditer(flat, 0, at))]
    hard = max((match.end() for match in re.finditer(r"[;|]|(?<=[.!])\s|:\s", flat[:at])), default=0)
    start = edges.pop()
    while start > hard and edges and _NO_SUBJECT.fullmatch(any_form().sub(" ", flat[start:at])):
        start = edges.pop()
    return flat[start:at], start


def _clause(sentence: str, flat: str, start: int, end: int) -> str:
    """Return the clause of a verb: the words before it, and those after it up to the next clause with its own verb."""
    rest = flat[end:]
    stop = re.search(
        r"[;|]|(?<=[.!])\s|,?\s(?:and|but|so|while|which|because)\s(?=(?:the|it|they|he|she|we|i|you|nothing|nobody|"
        r"all|no)\b)",
        rest,
        re.IGNORECASE,
    )
    return sentence[start : end + (stop.start() if stop else len(rest))]


def _voice(lead: str, verb: str, after: str) -> Voice | None:
    """Return the voice of a verb (its agent), or None where it is an infinitive or a plain adjective."""
    if re.match(r"(?:is|are|was|were|be|been)\b|['’]", verb, re.IGNORECASE):
        return "passive"
    if _DETERMINED.search(lead) and re.match(r"\s+[a-z]|[.,;)]|$", after):
        return "attribute"
    if _PASSIVE.search(lead):
        return "passive"
    first = _FIRST.search(lead)
    if first:
        return "I" if first["i"] and first["i"] == "I" else "we"
    if not lead.strip(" *_-–—>:|([#") or _NO_SUBJECT.fullmatch(lead.strip(" *_-–—>:|([#")):
        return "bare"
    return "active"


def _counts(kind: str, voice: Voice, lead: str, match: re.Match[str]) -> bool:
    """Return whether a verb of a kind counts as a claim in this voice."""
    if kind == "done" and (
        _TARGET.search(lead) or (voice == "attribute" and match[0].lower() in ("complete", "successful"))
    ):
        return False
    if (
        kind == "done"
        and match[0].lower().startswith(("complete", "successful"))
        and voice == "active"
        and match[0][-1] in "el"
    ):
        return False
    if voice == "attribute" or kind == "looked":
        return voice == "I" or kind in NAMING
    if kind in STRONG:
        return voice != "active" or not _STOPS_ITSELF.match(match.string, match.start())
    if voice in ("I", "we", "bare"):
        return voice != "bare" or bool(re.match(r"\s*(?:$|[.:,!(–—-]|\w)", match.string[match.end() :]))
    return voice == "passive" or (bool(_HAVE.search(lead)) and kind in ("created", "deleted", "drafted", "invoiced"))


def _is_no_claim(flat: str, match: re.Match[str], lead: str, start: int) -> bool:
    """Return whether a verb is denied, in the future, conditional or counts none."""
    after = flat[match.end() :]
    is_causative = _CAUSATIVE.search(lead) and _IN_ORDER.search(flat[: match.start()])
    if is_causative or _DENIED.search(lead) or _AHEAD.search(lead) or _NONE_AFTER.match(after):
        return True
    is_present = bool(_PRESENT.search(lead)) or match[0].lower().startswith(("is ", "are ", "goes ", "'", "’"))
    is_bare = not lead.strip()
    perfect = bool(_HAVE.search(lead))
    if _WHEN.search(lead) and (is_present or perfect):
        return True
    opening = flat[:start].rpartition(". ")[2]
    second = _AND_OF_CONDITION.match(opening)
    if _CONDITION.search(opening) or _CONDITION.search(lead) or (second and not any_form().search(second["main"])):
        return True
    if (is_present or is_bare) and (_MOMENT.search(opening) or _ORDER.search(opening)):
        return True
    if is_present or is_bare:
        return bool(_CONDITION_AFTER.search(after))
    return False
