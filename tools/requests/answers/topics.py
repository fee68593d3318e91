"""What kind of thing a question about the agent's own work asks for, told by its words."""

import re
from collections.abc import Mapping
from typing import Literal

from mabos.language.sentences import asks_for_rest
from mabos.tools.requests.answers.work_items import meaningful, names_something

Topic = Literal[
    "identity",
    "moment",
    "waiting",
    "work",
    "why",
    "cost",
    "progress",
    "outcome",
    "colleagues",
    "ability",
    "rules",
    "orders",
    "duties",
    "letters",
]

_ASKS = r"(?:what|whats|who|when|where|why|how|is|are|was|were|did|do|does|has|have|anything|which)"
_HALVES = re.compile(rf"(?<=[?!])\s+|,?\s+(?:and|but|or)\s+(?={_ASKS}\b)", re.IGNORECASE)
_TELLING = r"(?:please )?(?:tell|say|show|give|explain|remind|check|look|find|see|read|let|name|list|summar|compare)"
_LEAD = r"(?:so |and |well |ok |okay |then |now )*"
_ANSWERS = r"(?:answer|repl(?:y|ies)|repli|respon|said|say|says|back|heard|hear)"
_ME = r"(?:me|my|mine|i|us|our|myself|owner)"
_WAITS = (
    r"(?:wait\w*|stuck|pending|outstanding|held up|hold\w* (?:\w+ )?up|hang\w*|blocked|block\w*|unanswered|unresolved"
    r"|unsigned|undecided|depend\w*|due from|owe\w*|need\w*|missing|require\w*)"
)
_DECIDE = (
    r"(?:decid\w*|decision\w*|approv\w*|sign\w*(?: off)?|my (?:ok|okay|yes|answer|word|go ahead|input|say)|confirm)"
)
_DONE = (
    r"(?:book|order|send|sent|approv|reject|publish|pay|paid|place|hir|finish|complet|reach|contact|tell|told|call|phon"
    r"|writ|wrote|creat|start|run(?:s|ning)?\b|ran\b|stop|cancel|withdr|record|deliver|arriv|happen|work out"
    r"|go (?:out|through)|went|gone|done|work|get\b|got|fetch|collect|make\b|made|set up|ready|live|active"
    r"|schedul|file\b|filed|settl|fix|sort|handl|manag|remind|draft|add|chang|correct|updat|mail|email|launch|bought|buy|commission)"
)
_SOMEBODY = (
    r"(?:they|he|she|them|everyone|everybody|anyone|anybody|somebody|someone|two|three|four|both|all|colleagues?"
    r"|others|team|ceo|cfo|coo|cmo|cto|hr|legal|strategy|knowledge|finance|marketing|operations|technology|lawyers?)"
)

_DOING = re.compile(_DONE)
_DOES = r"(?:did|has|have|havent|hasnt|is|isnt|are|was|were|got|any)"
_FORMS: Mapping[Topic, tuple[str, ...]] = {
    "identity": (
        r"\bwho are (?:you|u)\b(?! (?:waiting|writing|asking|talking|speaking|working|meeting|paying))",
        r"\bwho am i (?:talking|speaking|writing) to\b",
        r"\bwhat (?:is|are|s) your (?:job|role|name|position)\b",
        r"\bwhat are you responsible for\b",
        r"\bintroduce yourself\b",
    ),
    "moment": (
        r"^what (?:time|day|date)(?: of the week)? is it(?: now| today)?$",
        r"^whats (?:the time|todays date|the date)(?: today)?$",
    ),
    "letters": (
        r"\b(?:did|has|have|does|will|was|is)\b.*\b(?:get|got|received?|sent to|among)\b",
        r"\b(?:who|whom|how many)\b.*\b(?:got|gets?|received?|receives?|has it|have it|had it|has got|sent|went)\b",
        r"\b(?:letter|mail|note|message|text|it)\b.*\b(?:says?|said|names?|named|mention\w*|reads?|contain\w*|states?)\b",
        r"\bwhat\b.*\b(?:in|text of|wording of) the (?:letter|mail|note|message)\b",
    ),
    "why": (
        r"\bwho (?:else )?(?:decided|approved|allowed|agreed|wanted|asked for|said yes)\b",
        r"\bwhy\b",
        r"\bhow come\b",
        r"\bwhat for\b",
        r"\breasons?\b",
        r"\bwhats? (?:is )?behind\b",
        r"\b(?:on what|for what) \w+\b",
        r"\bwhat (?:makes|made|led) you\b",
    ),
    "cost": (
        r"\bhow (?:much|expensive)\b.*\b(?:cost\w*|spen[dt]\w*|pa(?:id|y)\w*|money|charge\w*|budget|commit\w*)\b",
        r"\bhow much\b.*\blaid out\b",
        r"\bwhat (?:did|does|do|has|have|will|would|is|was) .*\b(?:cost\w*|spent|spend|paid|price)\b",
        r"\b(?:cost|spending|expenses|bill)\b.*\b(?:so far|in total|together|of (?:it|that))\b",
        r"\bhow much (?:is|was|were|did)\b.*\b(?:it|that|this|they|those|both|all)\b$",
    ),
    "rules": (
        r"\b(?:rules|instructions|limits?|restrictions|ceilings?|caps?|thresholds?)\b",
        r"\bwithout (?:asking|telling) me\b|\b(?:have|need) to ask me\b",
        r"\bnot (?:allowed|supposed|to)\b.*\b(?:do|write|contact|spend)\b",
        r"\bwhat did i (?:forbid|rule out|tell you not to)\b",
    ),
    "ability": (
        r"\bwhat (?:else )?(?:can|could|may) you\b",
        r"\b(?:can|could) you do\b",
        rf"^{_LEAD}(?:can|could) you (?!{_TELLING})",
        r"\bwho (?:can|could|may|is able)\b",
        r"\b(?:are you able|are you allowed|may you)\b",
        r"\bwhat do you do\b",
        r"\byour (?:abilities|skills|capabilities|job|role)\b",
        r"\bhow (?:can|could) you help\b",
        r"\bwhat are you (?:able|good|for)\b",
    ),
    "colleagues": (
        rf"\b{_SOMEBODY}\b.*\b{_ANSWERS}",
        rf"\b{_ANSWERS}\w*\b.*\b(?:from|of) (?:the )?{_SOMEBODY}\b",
        r"\bany (?:answers?|repl(?:y|ies)|responses?)\b",
        r"^(?:so |and |well |ok )*(?:what is|whats|what was) the (?:result|outcome)s?$",
        r"\bheard anything\b|\banything back\b",
        r"\b(?:both|all (?:two|three|four)|the two)\b.*\b(?:again|in one line|once more)\b",
        r"\bhe(?:ard|ar) back\b",
        r"\bwhat did (?:the )?\w+ (?:say|answer|reply)\b",
    ),
    "waiting": (
        rf"\b{_WAITS}\b.*\b{_ME}\b",
        rf"\b{_ME}\b.*\b{_WAITS}\b",
        rf"\b(?:i|me|my)\b.*\b{_DECIDE}\b",
        rf"\b{_DECIDE}\b.*\b(?:me|my|mine)\b",
        r"\bopen (?:questions?|decisions?)\b",
        r"\banything (?:urgent|pressing|important)\b",
        r"\bwhat (?:can|could|should|must|do) (?:i|we) (?:have to |need to )?(?:do|decide|answer)\b",
        r"\b(?:waits?|waiting|pending|outstanding)\b",
        r"\bdecisions? (?:are |is )?(?:open|left)\b",
    ),
    "orders": (
        r"\bwhat (?:did|have) i (?:ever |already )?(?:ask|told|tell|order|give|given|request|want)",
        r"\b(?:which|how many|what|all|list) (?:of )?(?:my|our) (?:orders?|requests?|wishes)\b",
    ),
    "duties": (
        r"\b(?:reminders?|remind me of|regular reports?|standing (?:orders?|reports?|duties))\b",
        r"\bwhat (?:will|do) you (?:remind|report)\b",
        r"\bwhen (?:is|comes|do you send) the next (?:report|reminder)\b",
    ),
    "progress": (
        r"\bhow far\b",
        r"\bwhats? (?:is |comes? )?next\b",
        r"\bnext (?:step|up|thing)\b",
        r"\bwhat (?:comes|happens|follows|is|s) (?:right )?after\b",
        r"\bwhere (?:do|are) (?:we|you|things)\b",
        r"\bwhere does\b.*\bstand\b",
        r"\bprogress\b",
        r"\bhow (?:is|are|s)\b.*\b(?:going|coming|doing|getting)\b",
        r"\bhows\b",
        r"\bstatus (?:of|on)\b",
        r"\bwhat remains\b|\bwhats? left\b|\bstill to do\b|\bhow many steps\b",
    ),
    "work": (
        r"\b(?:due|wanted|needed) (?:first|next|soonest|earliest)\b",
        r"\b(?:which|what)\b.*\b(?:first|soonest|earliest|most urgent|most pressing|priority)\b",
        r"\bwork(?:ing)? on\b",
        r"\bnext deadline\b",
        r"\b(?:anything|something|what|whats) (?:is |s )?(?:stuck|blocked|held up)\b",
        r"\bon your (?:desk|plate|list|hands?|agenda|mind|to ?do)\b",
        r"\bup to\b|\bbusy\b|\bin hand\b|\bunder ?way\b",
        r"\byou (?:doing|planning|tackling|handling|after|pursuing|aiming)\b",
        r"\b(?:your|open) (?:goals?|plans?|tasks?|priorit\w+|to ?dos?|jobs?|projects?|work)\b",
        r"\bkeeps you\b",
        r"\byou (?:have|got)\b.*\b(?:on|going)\b",
        r"\bwhat(?:s| is| else| else is) (?:going )?on\b",
        r"\bstatus\b",
    ),
    "outcome": (
        rf"^{_LEAD}{_DOES}\b.*\b{_DONE}",
        rf"^{_LEAD}(?:did|have|are|were|will) you\b",
        rf"^{_LEAD}(?:got|done|sent|booked|ordered|finished|sorted|ready)\b",
        r"\bany (?:news|luck|update|joy)\b",
        r"\b(?:read|run|say|play) (?:me |us |it |them |that |those )?(?:back|again)\b",
        r"\brepeat (?:that|it|them|those|both)\b",
        r"\bwhat (?:exactly )?(?:is|was|did you|have you) (?:now )?(?:booked|noted|note|written? down|down)\b",
        r"\bwhat (?:did|have|has|do)\b.*\b(?:do|done)\b"
        r"(?: so far| yet| since| about| today| yesterday| (?:this|last) \w+|$)",
        r"\bwhat (?:did|have) we (?:ever |already )?(?:order|book|commission|buy|bought)",
        r"\bwhat (?:happened|became|came|has become|was done)\b",
        r"\bhow did (?:it|that|things) go\b",
        rf"\b(?:what\w*|which)\b.*\b{_DONE}",
    ),
}
_COMPILED = {topic: re.compile("|".join(forms)) for topic, forms in _FORMS.items()}
_PRONOUN = re.compile(
    r"\b(?:it|that|this|them|they|those|these|he|him|she|her|both|the (?:two|three|four)|all (?:two|three|four|of)"
    r"|everything|all)\b"
)
_INDIRECT = re.compile(
    rf"^{_LEAD}(?:hey |please |pls )?(?:(?:can|could|would) you )?(?:remind|tell|show|explain(?: to)?|let) (?:me|us) "
    r"(?:know |again |once more |please |quickly )*(?:why|how|what|whats|who|whos|which|where|whether)\b|"
    rf"^{_LEAD}(?:please |pls )?(?:gimme|give me|tell me|let me have|show me|repeat) (?:it|that|them|both|all|the two)"
    r"(?: (?:two|three|of them|numbers|figures|answers))*"
    r"(?: (?:again|once more|together|please|pls|in (?:one|a) (?:line|row|go)))+$"
)
_FIRST = re.compile(
    r"\bnext deadline\b|\b(?:due|wanted|needed|comes?) (?:first|soonest|earliest)\b|"
    r"\b(?:soonest|earliest|most urgent)\b"
)
_SPAN = re.compile(r"\bth(?:is|at|ese|ose) (?:day|week|month|quarter|year|morning|afternoon|evening|time)s?\b")
_COUNTS = ((4, r"\bfour\b|\b4\b"), (3, r"\bthree\b|\b3\b"), (2, r"\bboth\b|\btwo\b|\b2\b|\beither\b"))


def halves(question: str) -> tuple[str, ...]:
    """Return the questions that a sentence asks, in order.

    >>> halves("How far is the move, and what waits for me?")
    ('How far is the move', 'what waits for me?')
    """
    parts: list[str] = []
    for part in (one.strip() for one in _HALVES.split(question) if one.strip(" ?!.")):
        if parts and asks_for_rest(part):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return tuple(parts)


def is_indirect_question(text: str) -> bool:
    """Return whether a sentence asks to be told something, rather than to be told when something happens.

    >>> is_indirect_question("Remind me why we need a van"), is_indirect_question("Tell me when the van comes")
    (True, False)
    """
    return bool(_INDIRECT.search(spoken(text)))


def topics_of(question: str) -> tuple[Topic, ...]:
    """Return the kinds of thing that a question may ask for, likeliest first; empty where it is none of these.

    >>> topics_of("What is waiting for me?"), topics_of("whats on your desk right now?")
    (('waiting',), ('work',))
    """
    said = spoken(question)
    return tuple(topic for topic, form in _COMPILED.items() if form.search(said))


def refers_back(question: str) -> bool:
    """Return whether a question names nothing itself, so that it means what was spoken of last."""
    return not names_something(question)


def wants_first(question: str) -> bool:
    """Return whether a question asks for the piece of work that is due first, rather than for all."""
    return bool(_FIRST.search(spoken(question)))


def is_about_doing(question: str) -> bool:
    """Return whether every word of a question that may name something is a verb of getting things done."""
    return all(_DOING.match(word) for word in meaningful(question))


def how_many(question: str) -> int:
    """Return how many things "both", "the two" or "all three" mean; 1 where no number is said."""
    said = spoken(question)
    return next((number for number, form in _COUNTS if re.search(form, said)), 1)


def has_pronoun(question: str) -> bool:
    """Return whether a question points back at something."""
    return bool(_PRONOUN.search(_SPAN.sub(" ", spoken(question))))


def spoken(question: str) -> str:
    """Return a question in lower case, on one line, without apostrophes and marks.

    >>> spoken("What's  waiting, then?")
    'whats waiting then'
    """
    plain = re.sub(r"['’`]", "", question.casefold())
    return " ".join(re.findall(r"[^\W_]+", plain))
