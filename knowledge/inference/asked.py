"""Parsing of a question about facts: the required words of an answer, and their order.

A fact answers only if it has every content word of the question, its ends are in the question's order, and any
comparison holds. All other known facts are only related.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mabos.knowledge.inference.relations import Triple
from mabos.knowledge.model import Condition
from mabos.knowledge.values import compare, number
from mabos.workspace.text import STOPWORDS, terms

AUXILIARY = frozenset(["is", "has", "have", "be", "of", "to", "true", "value"])
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO = frozenset(["no", "false", "never", "none"])
_NEGATION = re.compile(r"\b(?:not|no|never|cannot)\b|n't\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:our|ours|we|us|my)\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"(?i)\b(?P<words>above|over|more than|(?:greater|higher|larger) than|at least|exceeds?|below|under|less than"
    r"|(?:lower|smaller) than|fewer than|at most)\s+(?P<number>[$€£]?\d[\d.,]*\s?%?)"
)
_OPERATORS = {"at least": "gte", "at most": "lte", "below": "lt", "under": "lt", "less": "lt", "lower": "lt"}
_OPERATORS |= {"smaller": "lt", "fewer": "lt"}
_PLACE = frozenset(["located", "location", "based", "place", "city", "address", "country", "where"])
_TIME = frozenset(["date", "since", "until", "when", "day", "month", "year", "deadline", "due", "start", "end"])
_ENDINGS = ("iers", "ying", "ier", "ies", "ied", "ers", "ors", "ing", "er", "or", "ed", "es", "s", "y")
_COPULAS = frozenset(["is", "are", "was", "were"])
_KIN = frozenset(["parent", "mother", "father", "child", "son", "daughter", "brother", "sister", "sibling", "ancestor"])
"""Predicates that say what the subject is of the object; of others the object is it: acme has the supplier bolt."""
_LISTING = frozenset(["what", "tell", "show", "list", "describe", "explain"])


@dataclass(frozen=True, slots=True)
class AskedClaim:
    """The conditions on an answer to a question: `words` in order, `content` the stems of the content words."""

    text: str
    words: tuple[str, ...]
    content: frozenset[str]
    own: frozenset[str]
    is_own: bool
    is_negated: bool
    comparison: tuple[str, str] | None

    @property
    def kind(self) -> str:
        """The question word."""
        return self.words[0] if self.words else ""

    @property
    def is_negated_why(self) -> bool:
        """Return whether it asks why something is not so, which a negation answers."""
        return self.is_negated and self.kind == "why"

    def mentions(self, predicate: str) -> bool:
        """Return whether a predicate is among the words: all its content words, or if it has none, any word."""
        parts = terms(_HUMP.sub(" ", predicate))
        core = stems_of(predicate) - AUXILIARY - _GENERIC
        telling = core if {one for one in parts if one not in STOPWORDS} else frozenset()
        if telling and telling <= self.content:
            return True
        if (self.kind == "where" and _PLACE & set(parts)) or (self.kind == "when" and _TIME & set(parts)):
            return True
        small = {one for one in parts if one in STOPWORDS}
        words = self.words[self.kind not in _COPULAS :]  # "Is the oven broken?" asks for what is; others only ask
        return bool(small & set(words)) and (not telling or bool({"in", "at"} & small))

    def is_about(self, subjects: Iterable[str]) -> bool:
        """Return whether it asks for everything about a subject."""
        is_list = self.kind in _LISTING or self.kind not in QUESTIONS
        return is_list and not self.is_own and any(self.content and self.content <= stems_of(one) for one in subjects)

    def is_covered_by(self, goal: Condition) -> bool:
        """Return whether a pattern has every content word, so that its proof would be an answer."""
        held = stems_of(goal.subject) | stems_of(goal.predicate) | stems_of(goal.object)
        return self.content <= held and self._is_in_order((goal.subject, goal.predicate, goal.object))

    def holds_by(self, triple: Triple, goal: Condition) -> bool | None:
        """Return whether a triple confirms the claim or its opposite; None if neither."""
        subject, predicate, object_ = triple
        stated = goal.object and goal.subject and goal.object == object_
        held = stems_of(subject) | stems_of(predicate) | stems_of(object_)
        if not stated and not (self.content <= held and self._is_in_order(triple)):
            return None
        if self.is_own and subject.casefold() not in self.own:
            return None
        if self.kind == "how" and {"many", "much"} & set(self.words[1:2]) and number(object_) is None:
            return None
        is_no = object_.casefold() in _NO and not stated
        if self.comparison is not None:
            is_no = not compare(self.comparison[0], object_, self.comparison[1])
        return self.is_negated == is_no

    def _is_in_order(self, triple: Triple) -> bool:
        """Return whether subject and object are in the question's order, as far as it names them."""
        subject, predicate, object_ = triple
        at, after = self._place(subject), self._place(object_)
        if at < 0 and after < 0:
            return True
        stem = stems_of(predicate)
        verb = next((place for place, word in enumerate(self.words) if stems_of(word) & stem), -1)
        with_ = self.words[verb + 1 : verb + 2] == ("with",) and not predicate.endswith("with")
        if verb < 0 or with_:
            return not with_ and (after < 0 or at < after)
        of_ = self.words[verb + 1 : verb + 2] == ("of",)
        is_noun = self.words[verb] in terms(_HUMP.sub(" ", predicate))
        last = (terms(predicate) or [""])[-1]
        is_agent_last = last.endswith(("er", "or")) and last not in STOPWORDS
        if of_:
            if last == "of" or _KIN & {last, last.removeprefix("grand")}:  # "bolt is a supplier of acme", supplier_of
                at, after = after, at
            return (at < 0 or at > verb) and (after < 0 or after < verb or 0 <= at < after)
        if is_agent_last and not is_noun:
            subject_first = "by" in self.words[verb:]
        else:
            subject_first = "by" not in self.words[verb:] or "by" in terms(predicate)
        if at >= 0 and after >= 0:
            return (at < after) == subject_first
        if is_agent_last and not is_noun:
            named, is_subject = (at, True) if at >= 0 else (after, False)
            return (named < verb) == (is_subject == subject_first)
        # In "where does globex work?" the object is asked for, and what is named does it.
        return not (subject_first and 0 <= after < verb and {"do", "does", "did"} & set(self.words[:after]))

    def _place(self, name: str) -> int:
        parts = stems_of(name)
        if not name or not parts <= self.content:
            return -1
        return next((place for place, word in enumerate(self.words) if stems_of(word) & parts), -1)


def read_asked(text: str, own: Iterable[str] = ()) -> AskedClaim:
    """Return the claim in a question."""
    compared = _COMPARED.search(text)
    comparison = None
    rest = text
    if compared is not None:
        words = compared["words"].casefold()
        operator = _OPERATORS.get(words) or _OPERATORS.get(words.split()[0], "gt")
        comparison, rest = (operator, compared["number"].rstrip(".,")), text.replace(compared[0], " ")
    words_ = tuple(terms(_HUMP.sub(" ", rest)))
    content = stems_of(rest) - FRAME if len(words_) > 1 else stems_of(rest)
    is_negated = _NEGATION.search(rest) is not None
    mine = frozenset(one.casefold() for one in own)
    return AskedClaim(text, words_, content - _NO, mine, _OWN.search(rest) is not None, is_negated, comparison)


def named_in(text: str, names: Iterable[str]) -> list[str]:
    """Return the names whose words are all in `text`, longest first."""
    words = stems_of(text)
    found = [(len(parts), one) for one in names if (parts := stems_of(one) - AUXILIARY or stems_of(one)) <= words]
    return [one for _, one in sorted(found, key=lambda pair: -pair[0])]


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the content words; a single word always counts."""
    words = terms(_HUMP.sub(" ", text))
    return frozenset(_stem(word) for word in words if word not in STOPWORDS or len(words) == 1)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


FRAME = stems_of(
    "know true right explain tell please supports shows proves says really actually currently give anyone anybody "
    "someone anything thing held hold many much come reason value yes"
)
"""Words that ask and say nothing of what is asked."""
QUESTIONS = frozenset(
    terms(
        "why how who whom whose what which where when is are was were does do did has have had can could will would "
        "should may must am be if"
    )
)
_GENERIC = stems_of("rate usd eur gbp percent pct amount count number total level")
"""Words of a predicate that a question may leave out: "the churn" is the churn rate."""
