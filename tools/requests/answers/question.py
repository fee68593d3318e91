"""What a question asks about: its words, the periods it names, and what it wants to know of them.

>>> asked = read_question("How did new patients develop since July?", date(2026, 11, 9))
>>> asked.wants, [period.label for period in asked.periods], asked.topic
(frozenset({'trend'}), ['July 2026'], ('new', 'patient'))
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from mabos.tools.requests.answers.periods import Period, periods_in
from mabos.tools.requests.answers.synonyms import empty_words, stems_of
from mabos.workspace.text import STOPWORDS, terms

Want = Literal[
    "compare", "trend", "best", "worst", "target", "cause", "sum", "average", "choose", "when", "duration", "amount",
    "count", "who", "ratio", "where",
]  # fmt: skip

_WANTS: dict[Want, str] = {
    "compare": r"\bcompar\w*|\bversus\b|\bvs\b|\bagainst (?!the (?:plan|budget|target))\b|\bthan\b|\bdifference\b|"
    r"\bup or down\b|\bmore or (?:less|fewer)\b|\bhigher or lower\b|\bbetter or worse\b|\bchanged?\b",
    "trend": r"\bdevelop\w*|\btrends?\b|\bevolv\w*|\bover time\b|\bcourse of\b|\bhistory\b|\bhow (?:have|has|are|is) .*"
    r"\b(?:gone|going|doing|moved|moving|coming along|changed)\b|\bgrow(?:n|ing|th)?\b|\b(?:rising|falling|improv\w+|"
    r"declin\w+|risen|fallen|got (?:better|worse)|getting (?:better|worse|more|fewer|less|"
    r"dearer|cheaper|higher|lower|longer|shorter|larger|smaller))\b|\bhappen(?:ed|ing|s)? (?:to|with)\b",
    "best": r"\bbest\b|\bhighest\b|\bstrongest\b|\bpeak(?:ed)?\b|\brecord\b|\bmaximum\b|\bmost\b(?! recent)|"
    r"\btop\b|\b(?:largest|biggest|greatest|dearest|priciest|heaviest|longest)\b|\bbusiest\b",
    "worst": r"\bworst\b|\blowest\b|\bweakest\b|\bminimum\b|\bleast\b|\bbottom\b|\b(?:quietest|fewest|"
    r"smallest|cheapest|slowest|lightest|shortest)\b",
    "target": r"\btargets?\b|\bgoals?\b|\bplan(?:ned|s)?\b|\bbudget(?:ed)?\b|\bwhere .* sho?u?l?d be\b|\bon track\b|"
    r"\bquota\b|\bmiss(?:ed)?\b|\bshort(?:fall|ed)?\b(?! (?:time|term|run|notice|list))|\bfar off\b|"
    r"\b(?:our|the|its|their|your|this|that) (?:\w+ )?marks?\b|\b(?:bench)marks?\b|"
    r"\bthresholds?\b|\baim(?:s|ed|ing)?\b|\bsupposed to\b|\bobjectives?\b",
    "cause": r"\bwhy\b|\breasons?\b|\bcaus(?:e[sd]?|ing)\b|\bbehind\b|\bhow come\b|\bexplains?\b|\bdue to\b|"
    r"\bwhat(?:'s| is| are)? (?:driv|mak|push)\w+|\b(?:went|gone|going|is|was) wrong\b",
    "sum": r"\btotal(?:s|led)?\b|\bal+ ?together\b|\bin all\b|\bsum\b|\bcombined\b|\btogether\b|"
    r"\boverall\b|\badds? up\b|\bcomes? to\b|\bbetween (?:them|us)\b",
    "average": r"\baverage\b|\bmean\b(?! by)|\bon average\b|\btypical(?:ly)?\b",
    "choose": r"\bwhich (?:one|of (?:the|these|those|them)(?: two| both)?|is (?:right|correct|true|valid)|"
    r"(?:date|day|figure|number|value|sum|price|amount) (?:is (?:right|true|correct)|should|goes|counts))\b",
    "when": r"\bwhen\b|\b(?:which|what) (?:day|date|month|week|time)\b|\bby when\b|\bhow soon\b|\bdeadline\b",
    "duration": r"\bhow long\b|\bhow many (?:days|weeks|months|years|hours|minutes)\b",
    "amount": r"\bhow (?:much|dear|expensive|cheap|high|low)\b|"
    r"\bwhat (?:\w+ )?(?:do(?:es)?|did|would|will) .*\b(?:cost|want|charge|pay|ask|spend|owe)\b|\bprice\b|\bcosts?\b|"
    r"\bpremium\b|\bfees?\b|\bwages?\b|\b(?:the|our) (?:\w+ )?rent\b|\bdearer\b|\bcheaper\b",
    "count": r"\bhow many\b|\bnumber of\b",
    "who": r"\bwho(?:m|se)?\b",
    "where": r"\bwhere\b(?!.{0,30}\b(?:stand|we are|are we)\b)",
    "ratio": r"\bratio\b|\bshare of\b|\bper ?cent of\b|\bproportion\b",
}
_MOVED = re.compile(
    r"^\W*(?:and |so )?(?:has|have|is|are|did|does|do)\b.*\b(?:gone|going|go|got|went|risen|rise|rising|fallen|fall|"
    r"falling|dropp\w+|drop|increas\w+|decreas\w+|improv\w+|up|down|getting \w+er|worse|better|"
    r"grow\w*|grew|shr[aiu]nk\w*)\b",
    re.IGNORECASE,
)
_PATTERNS = {want: re.compile(pattern, re.IGNORECASE) for want, pattern in _WANTS.items()}
_FURNITURE = frozenset(stem for word in empty_words("of_figures") for stem in stems_of(word))
_NUMBERS = re.compile(r"\d[\d.,]*")
_COMPOUND = re.compile(r"\b\w+(?:[-_]\w+)+\b")
_SPLIT = re.compile(
    r"(?:,|;| -|\s+–)?\s+and\s+(?=(?:(?:by|from|on|in|to|at|for|until) )?(?:what|when|how|who|where|which|why|does|do|"
    r"is|are|did|can|could|has|have|will|if|suppose)\b)|"
    r"[,;]\s+(?=(?:and )?(?:(?:by|from|on|in|to|at|for|until) )?(?:what|when|how|who|where|which|why)\b)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"^\W*(?:if|suppose|assuming|in case|since|as)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[?!])\s+|(?<=[a-z\d)][.])\s+(?=[A-Z])")
_ASKS = re.compile(
    r"\?|^\W*(?:and |so |but |then |also |please |ok |now )*(?:what|when|how|who|where|which|why|does|do|is|are|was|"
    r"were|did|can|could|has|have|will|from|by|on|tell|give|show|list|name|look|read|check|compare|any)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"^\W*(?:please )?(?:read|look (?:in|at|into|up|through)|check|open|see)\b"
    r"(?!.*\b(?:what|when|how|who|where|which|why|whether)\b)",
    re.IGNORECASE,
)
_OF_ROWS = frozenset(stem for word in ("missing", "lacking", "short") for stem in stems_of(word))
_OF_ALL = re.compile(r"\b(?:they|them|those|these|the (?:two|three|four|lot)|all)\b", re.IGNORECASE)
_APART = frozenset({"sum", "average", "who", "where"})
"""What is asked of all that a question before names, as a question of its own."""
_LEANS = re.compile(
    r"^\W*(?:and|so|but|then|also|what about|how about|ok)\b|\b(?:it|its|that|this|they|them|their|those|these|same|he|"
    r"she|her|him|his|the two|both)\b",
    re.IGNORECASE,
)
_PHRASES = (
    (
        re.compile(
            r"\b(?:we|the (?:shop|bar|till|kiosk|cafe)) (?:take|took|taken|bring|brought)\b(?: in)?"
            r"(?! (?:on(?! average)|off|over|care|part|place|up|down|back|out)\b)",
            re.I,
        ),
        "takings",
    ),
    (re.compile(r"\b(?:brings?|brought) in\b", re.I), "takings"),
    (re.compile(r"\bwe (?:\w+ )?(?:bill|billed)\b", re.I), "revenue"),
    (re.compile(r"\b(?:into|in) the red\b", re.I), "overdraft"),
    (re.compile(r"\b(?:foots?|picks? up) (?:the|that|this) bills?\b", re.I), "pays"),
    (re.compile(r"\b(?:run|runs|running|ran) out\b", re.I), "expires"),
    (re.compile(r"\bn['’]t\b", re.I), "n not"),
    (re.compile(r"\bin charge\b", re.I), "responsible"),
    (re.compile(r"\bsets? (?:us|me) back\b", re.I), "costs"),
    (re.compile(r"\bhow long\b.{0,20}\b(?:think about|decide|make up)\b", re.I), "valid until"),
    (re.compile(r"\bno[- ]shows?\b|(?:\bnot|n not|n['’]t) (?:turn|show)(?:ed|ing)? up\b", re.I), "no_show"),
    (re.compile(r"\bhow long\b.{0,40}\b(?:cash|money|funds?)\b.{0,20}\blasts?\b", re.I), "runway"),
    (re.compile(r"\bwhen\b.{0,40}\bout of (?:cash|money|funds?)\b", re.I), "runway"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question: its text, the stems of its words in order, those of its topic, periods, and wants.

    `proper` are the stems of names in it, `leans` says whether it leans on the question before.
    """

    text: str
    stems: tuple[str, ...]
    topic: tuple[str, ...]
    periods: tuple[Period, ...] = ()
    wants: frozenset[str] = frozenset()
    proper: frozenset[str] = frozenset()
    leans: bool = False
    today: date = date.min

    def asks(self, *wants: Want) -> bool:
        """Return whether it wants one of these."""
        return not self.wants.isdisjoint(wants)


_OF_TARGETS = frozenset(terms("plan plans planned target targets budget goal goals change changes value values total"))


def read_question(text: str, today: date, names: Collection[str] = ()) -> Question:
    """Return what a question asks about; `names` are words that name figures, whatever else they may mean."""
    periods, rest = periods_in(text, today)
    rest = without_idioms(rest)
    inside = {word for compound in _COMPOUND.findall(rest) for word in terms(compound)}
    words = terms(rest)
    stems = tuple(stem for word in words for stem in stems_of(word))
    content = [
        word
        for word in words
        if (word in inside or word not in STOPWORDS) and not _NUMBERS.fullmatch(word) and len(word) > 1
    ]
    kept = inside | (set(names) - _OF_TARGETS)
    topic = [stem for word in content for stem in stems_of(word) if word in kept or stem not in _FURNITURE]
    wants = frozenset(want for want, pattern in _PATTERNS.items() if pattern.search(text))
    if _MOVED.search(text) and not wants & {"target", "best", "worst", "when"}:
        wants |= {"trend" if any(one.role == "since" for one in periods) else "compare"}
    return Question(
        text.strip(),
        stems,
        tuple(dict.fromkeys(topic)),
        periods,
        _settled(wants, text, periods),
        proper_names(rest),
        bool(_LEANS.search(text)),
        today,
    )


def without_idioms(text: str) -> str:
    """Return a text with the plain word for each idiom: "into the red" is an overdraft."""
    for pattern, replacement in _PHRASES:
        text = pattern.sub(replacement, text)
    return text


def _settled(wants: frozenset[str], text: str, periods: tuple[Period, ...]) -> frozenset[str]:
    """Return the wants without those that others explain: a plan is compared with, and two periods are a comparison."""
    found = set(wants)
    if any(period.role == "since" for period in periods) and not found & {
        "best",
        "worst",
        "cause",
        "sum",
        "average",
        "target",
    }:
        found.add("trend")
    if any(period.role == "versus" for period in periods):
        found.add("compare")
    if re.search(r"\bmost recent\b|\bat (?:most|least)\b", text, re.I):
        found -= {"best", "worst"}
    if "when" in found and re.match(r"\W*(?:and )?(?:until|till|by|from|since|on) (?:what|which|when)\b", text, re.I):
        found.discard("amount")  # "Until what date is the price good?"
    return frozenset(found)


def proper_names(text: str) -> frozenset[str]:
    """Return the stems of words that are written with a capital inside a sentence: names, as far as that tells."""
    found = re.findall(r"(?<![.?!:]\s)(?<!^)\b[A-Z][a-z]\w+", text.strip())
    return frozenset(stem for word in found if word.lower() not in STOPWORDS for stem in stems_of(word.lower()))


def split(text: str, today: date, names: Collection[str] = ()) -> tuple[tuple[Question, ...], str]:
    """Return the questions of a message in order, and its sentences that ask nothing (as where an answer is found).

    What names no topic of its own belongs to the question before it.
    """
    parts: list[Question] = []
    told: list[str] = []
    for sentence in filter(None, (one.strip() for one in _SENTENCE.split(text.strip()))):
        if not _ASKS.search(sentence) or _POINTS.search(sentence):
            told.append(sentence)
            continue
        pieces = [one.strip(" ,;") for one in _SPLIT.split(sentence) if one and one.strip(" ,;")]
        for at in reversed(range(len(pieces) - 1)):
            if _CLAUSE.search(pieces[at]):
                pieces[at : at + 2] = [f"{pieces[at]}, {pieces[at + 1]}"]
        for piece in pieces:
            read = read_question(piece, today, names)
            if parts and set(read.topic) <= _OF_ROWS and not (_OF_ALL.search(piece) and read.wants & _APART):
                parts[-1] = merged(parts[-1], read)
            else:
                parts.append(read)
    if not parts:
        return (read_question(text, today, names),), ""
    lead = " ".join(one for one in told if not _POINTS.search(one))
    if lead and not parts[0].topic:  # "Our water use has shot up. Any idea why?"
        parts[0] = merged(read_question(lead, today, names), parts[0])
    return tuple(parts), " ".join(told)


_IS_NOW = re.compile(r"\b(?:is|are|do|does)\b", re.IGNORECASE)
_WAS = re.compile(r"\b(?:was|were|did)\b", re.IGNORECASE)


def merged(first: Question, second: Question) -> Question:
    """Return two questions about one topic as one; where both name a period, the second is compared with the first."""
    wants = set(first.wants | second.wants)
    periods = first.periods + tuple(one for one in second.periods if one not in first.periods)
    if second.periods and not first.periods and _IS_NOW.search(first.text) and _WAS.search(second.text):
        wants.add("compare")  # "How high is it, and what was it in January?"
    return replace(
        first,
        text=f"{first.text} {second.text}",
        stems=first.stems + second.stems,
        periods=periods,
        wants=_settled(frozenset(wants), "", periods),
        proper=first.proper | second.proper,
    )


def uncovered(question: Question, covered: Iterable[str]) -> tuple[str, ...]:
    """Return the stems of its topic that nothing covers."""
    known = set(covered)
    return tuple(stem for stem in question.topic if stem not in known)
