"""Find the topic of a question about the agent's own work, by its words."""

import re
from typing import Literal, get_args

from mabos.backends.embed import Embedder
from mabos.language.classifier import likeliest
from mabos.language.sentences import asks_for_rest
from mabos.tools.requests.answers.synonyms import question_forms
from mabos.tools.requests.answers.work_items import meaningful, names_something

Topic = Literal[
    "identity", "moment", "letters", "why", "cost", "rules", "ability", "colleagues", "waiting", "orders", "duties",
    "progress", "work", "outcome", "booked",
]  # fmt: skip
"""The topics of questions, likeliest first; `configs/requests/question_forms.yaml` has the words of most."""
_CERTAIN, _SURE, _LIKELY = 0.85, 0.7, 0.55
"""The probabilities from which a topic comes before all others, counts as that of a question, and is possible."""
_OF_RECORDS = ("figure", "cause", "document", "table")

_ASKS = (
    r"(?:what|whats|who|when|where|why|how|is|are|was|were|did|do|does|has|have|anything|which|"
    r"(?:can|could|may|will) (?:you|i|we))"
)
_HALVES = re.compile(rf"(?<=[?!])\s+|,?\s+(?:and|but|or)\s+(?={_ASKS}\b)", re.IGNORECASE)
_PRONOUN, _INDIRECT, _FIRST = (question_forms("in_topics")[name] for name in ("pronoun", "indirect", "first"))
_SPAN = re.compile(r"\bth(?:is|at|ese|ose) (?:day|week|month|quarter|year|morning|afternoon|evening|time)s?\b")
_COUNTS = ((4, r"\bfour\b|\b4\b"), (3, r"\bthree\b|\b3\b"), (2, r"\bboth\b|\btwo\b|\b2\b|\beither\b"))


def halves(question: str) -> tuple[str, ...]:
    """Return the questions in a sentence, in order.

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
    """Return whether a sentence asks for information, rather than for a notice when something happens.

    >>> is_indirect_question("Remind me why we need a van"), is_indirect_question("Tell me when the van comes")
    (True, False)
    """
    return bool(_INDIRECT.search(normalize_question(text)))


def topics_of(question: str, embedder: Embedder | None = None, *, by_form: bool = False) -> tuple[Topic, ...]:
    """Return the possible topics of a question, likeliest first; empty if it has none of these.

    They come from expressions and, unless `by_form`, from a trained classifier, which comes first where it is sure.

    >>> topics_of("What is waiting for me?"), topics_of("whats on your desk right now?")
    (('waiting',), ('work',))
    """
    said = normalize_question(question)
    forms = question_forms("topics")
    kinds: tuple[Topic, ...] = get_args(Topic)
    said_so = tuple(topic for topic in kinds if topic in forms and forms[topic].search(said))
    if by_form:
        return said_so
    best, share = _likeliest_topic(question, embedder)
    trained = tuple(topic for topic in kinds if topic == best and share >= _LIKELY)
    ordered = (*trained, *said_so) if share >= _CERTAIN else (*said_so, *trained)
    return tuple(dict.fromkeys(ordered))


def sure_topic(question: str, embedder: Embedder | None = None) -> str:
    """Return the topic of a question, of own work or of records, as its classifier has it; "" where that is not sure.

    >>> sure_topic("Does anything await my word?"), sure_topic("Hm, and that?")
    ('waiting', '')
    """
    best, share = _likeliest_topic(question, embedder)
    return best if share >= _SURE else ""


def _likeliest_topic(question: str, embedder: Embedder | None) -> tuple[str, float]:
    """Return the topic by the classifier; who the agent is asks only a question that names it."""
    best, share = likeliest("topics", question, embedder)
    return best, 0.0 if best == "identity" and not names_agent(question) else share


def is_of_records(question: str, embedder: Embedder | None = None) -> bool:
    """Return whether a question probably asks for figures, causes, documents or tables of the business.

    >>> is_of_records("Which of the customers has not paid?"), is_of_records("What is waiting for me?")
    (True, False)
    """
    best, share = _likeliest_topic(question, embedder)
    return best in _OF_RECORDS and share >= _LIKELY


def is_certain(question: str, embedder: Embedder | None = None) -> bool:
    """Return whether a question is certainly about the agent's own work."""
    best, share = _likeliest_topic(question, embedder)
    return is_own(best) and share >= _CERTAIN


def is_own(topic: str) -> bool:
    """Return whether a topic is of the agent's own work, not of the records of the business."""
    return topic in get_args(Topic)


def refers_back(question: str) -> bool:
    """Return whether a question names nothing itself, so that it refers to the last subject."""
    return not names_something(question)


def wants_first(question: str) -> bool:
    """Return whether a question asks for the work that is due first, rather than for all work."""
    return bool(_FIRST.search(normalize_question(question)))


def is_about_doing(question: str) -> bool:
    """Return whether every meaningful word of a question is a verb of getting things done."""
    return all(question_forms("doing")["done"].match(word) for word in meaningful(question))


def how_many(question: str) -> int:
    """Return the number of things in "both", "the two" or "all three"; 1 if no number is given."""
    said = normalize_question(question)
    return next((number for number, form in _COUNTS if re.search(form, said)), 1)


def has_pronoun(question: str) -> bool:
    """Return whether a question contains a pronoun that refers back."""
    return bool(_PRONOUN.search(_SPAN.sub(" ", normalize_question(question))))


def normalize_question(question: str) -> str:
    """Return a question in lower case, on one line, without apostrophes and marks.

    >>> normalize_question("What's  waiting, then?")
    'whats waiting then'
    """
    plain = re.sub(r"['’`]", "", question.casefold())
    return " ".join(re.findall(r"[^\W_]+", plain))


_ABOUT_AGENT = question_forms("in_topics")["about_agent"]


def names_agent(text: str) -> bool:
    """Return whether a question mentions the agent, the person who asks, or a decision."""
    return bool(_ABOUT_AGENT.search(text))
