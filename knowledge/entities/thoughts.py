"""Turn a session's thoughts into drafts by their kind: insights, concepts, patterns and decisions (S2).

A conclusion (C) is an insight, a decision (D) a decision, a plan (P) a pattern once it has worked. A synthesis (X) is a
pattern if it pairs a situation with actions, as S2 prints it; a concept if it defines something; otherwise an insight.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from mabos.knowledge.entities.model import EntityType
from mabos.knowledge.wording import plain
from mabos.language.wordlists import order_form
from mabos.workspace.text import STOPWORDS, one_line, shorten, terms

Outcome = Literal["", "success", "failure"]

CONFIDENCE = 0.8
"""Of what one session concludes (S2)."""
LABEL = 120
_NAME_WORDS = 6
_KINDS = {
    "C": "C", "CONCLUSION": "C", "X": "X", "SYNTHESIS": "X", "P": "P", "PLAN": "P", "D": "D", "DECISION": "D",
}  # fmt: skip
REFERENCE = re.compile(r"(?<![\w:])S(?P<number>[0-9]{1,9})\b")
_WHO = r"(?:we|i|the team|the board|they)\s+(?:have\s+|has\s+)?"
_DECIDED = re.compile(
    rf"(?i)(?:(?:{_WHO})?(?:decided?\s+(?:to\s+|on\s+|for\s+|against\s+)?|chose\s+(?:to\s+)?|(?:chosen|decision):\s*)"
    rf"|{_WHO}(?:opted\s+(?:for|to)|picked|selected|agreed\s+(?:to|on))\s+)"
    r"(?P<chosen>.+?)(?:\s+(?:over|instead of|rather than|not)\s+(?P<others>.+?))?"
    r"(?:,?\s+(?:because|since|due to|so that|in order to)\s+(?P<why>.+))?"
)
_LONGEST_DECISION = 600
_GOOD = frozenset(
    terms("worked works succeeded succeeds success successful successfully effective solved passed helped paid")
)
_BAD = frozenset(terms("failed fails failure broke breaks worse ineffective regressed abandoned"))
_TURNING = frozenset(terms("no not nor never cannot without off don doesn didn isn aren wasn weren won shouldn wouldn"))
_WHEN = re.compile(
    r"(?:When|If|Whenever|Before|After|For|To)\s+(?P<situation>[^,:]{3,200})[,:]\s*(?P<actions>.+)", re.DOTALL
)
_PLAN = re.compile(r"^\s*(?:plan|steps?)\s*:\s*", re.IGNORECASE)
_STEPS = re.compile(r"\s*(?:[;\n]+\s*(?:then\s+)?|,?\s+(?:and\s+)?then\s+|(?:^|(?<=\s))[0-9]{1,2}[.)]\s)\s*")
_OTHERS = re.compile(r"\s*(?:,|\bor\b|\band\b)\s*")
_END = re.compile(r"(?<=[a-z0-9)\"'”%][.!?])\s+(?=[A-Z\"“(0-9])|(?<=[A-Z]{2}[.!?])\s+(?=[A-Z])|\n+")
_ABBREVIATED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|approx|No|Inc|Ltd|Co|Jr|Sr|Gen|Col|Capt|U\.S|[A-Z])\.$"
)
ANAPHOR = re.compile(r"(?:It|He|She|They|Its|His|Her|Their|This|The [a-z]+(?: [a-z]+)?)\b")
_SMALL = order_form("entities_thoughts.small")
_DEFINITION = order_form("entities_thoughts.definition")


@dataclass(frozen=True, slots=True)
class SessionThought:
    """A thought of a session: its number, its kind (S2's letter or its word), its text and further data.

    `counted_by` addresses the pattern that keeps count of a plan, and then produces nothing else.
    """

    number: int
    kind: str
    text: str
    outcome: Outcome = ""
    question: str = ""
    options: tuple[str, ...] = ()
    rationale: str = ""
    decided_by: str = ""
    counted_by: str = ""


@dataclass(frozen=True, slots=True)
class EntityDraft:
    """An entity to create, and the number of its thought.

    `by_model` marks drafts of a model; `mentioned` are the numbers of the thoughts that it refers to.
    """

    type: EntityType
    name: str
    label: str
    properties: Mapping[str, Any]
    thought: int
    observations: tuple[str, ...] = ()
    by_model: bool = False
    mentioned: tuple[int, ...] = ()

    @property
    def address(self) -> str:
        """Return its address: `insight:sql-injection-risk`."""
        return f"{self.type.lower()}:{self.name}"


@dataclass(frozen=True, slots=True)
class SkippedThought:
    """A thought that produced nothing, and why."""

    thought: int
    reason: str


def kind_of(thought: SessionThought) -> str:
    """Return S2's letter for the kind of a thought; empty for kinds that teach nothing by themselves."""
    return _KINDS.get(thought.kind.strip().upper(), "")


def name_for(text: str) -> str:
    """Return a name for a text: its first meaningful words, and a digest that distinguishes longer ones.

    >>> name_for("The main agent must be the single coordination point")
    'main-agent-must-single-coordination-point'
    """
    words = [word for word in terms(text) if word not in STOPWORDS] or terms(text)
    has_negation = any(word in _TURNING and word in STOPWORDS for word in terms(text))
    if len(words) <= _NAME_WORDS and not has_negation:
        return "-".join(words) or "unnamed"
    return "-".join((*words[:_NAME_WORDS], blake2b(plain(text).encode(), digest_size=2).hexdigest()))


def draft_of(
    thought: SessionThought, session: str, later: Sequence[SessionThought] = ()
) -> EntityDraft | SkippedThought:
    """Return the draft of a thought; `later` are the thoughts after it, which may show whether a plan worked."""
    text = one_line(thought.text) if "\n" not in thought.text else thought.text.strip()
    kind = kind_of(thought)
    if not terms(text):
        return SkippedThought(thought.number, "says nothing")
    decided = _decision(thought, text) if kind in ("C", "D") else None
    if decided is not None:
        return decided
    if kind == "C":
        return _insight(thought, text, session)
    if kind == "X":
        return _pattern(thought, text, "success") or _concept(thought, text) or _insight(thought, text, session)
    if kind == "P":
        return _draft_plan(thought, text, later)
    return SkippedThought(
        thought.number, f"a thought of kind {thought.kind!r} is not a conclusion, synthesis, plan or decision"
    )


def _insight(thought: SessionThought, text: str, session: str) -> EntityDraft:
    properties = {"key_learning": text, "confidence": CONFIDENCE, "evidence_sessions": [session]}
    return _draft("Insight", thought, text, properties)


def _concept(thought: SessionThought, text: str) -> EntityDraft | None:
    defined = next(filter(terms, definitions(text)), "")
    told, mentioned = {"definition": text}, _list_references(text)
    name = "-".join(terms(defined))
    return EntityDraft("Concept", name, defined, told, thought.number, mentioned=mentioned) if defined else None


def _decision(thought: SessionThought, text: str) -> EntityDraft | None:
    """Return the decision that a text tells, or that a thought of that kind is."""
    first = _first(text).rstrip(".! ")
    found = _DECIDED.fullmatch(first) if len(first) <= _LONGEST_DECISION else None
    if found is None and kind_of(thought) != "D":
        return None
    chosen = found["chosen"].strip() if found else _first(text)
    others = [one for one in _OTHERS.split(found["others"] or "") if one] if found else []
    options = list(thought.options) or ([chosen, *others] if others else [])
    question = thought.question or (f"{' or '.join(options)}?" if others else "")
    why = thought.rationale or ((found["why"] or "") if found else "")
    told = {"question": question, "options": options, "chosen": chosen, "rationale": why.strip()}
    told["decided_by"] = thought.decided_by
    return _draft("Decision", thought, text, {key: value for key, value in told.items() if value})


def _draft_plan(thought: SessionThought, text: str, later: Sequence[SessionThought]) -> EntityDraft | SkippedThought:
    if thought.counted_by:
        return SkippedThought(thought.number, f"{thought.counted_by} keeps count of it")
    outcome = thought.outcome or _told_outcome(thought, later)
    if outcome != "success":
        return SkippedThought(thought.number, "the plan failed" if outcome else "nothing says that the plan worked")
    steps = [step for step in _STEPS.split(_PLAN.sub("", text)) if step]
    return _pattern(thought, text, outcome) or _draft(
        "Pattern", thought, text, {"situation": _first(text)[:LABEL], "actions": steps, **_success()}
    )


def _pattern(thought: SessionThought, text: str, outcome: Outcome) -> EntityDraft | None:
    """Return a pattern if a text pairs a situation with actions."""
    found = _WHEN.fullmatch(_PLAN.sub("", text))
    if found is None or outcome != "success":
        return None
    actions = [step.rstrip(". ") for step in _STEPS.split(found["actions"]) if step.strip(". ")]
    return _draft("Pattern", thought, text, {"situation": found["situation"].strip(), "actions": actions, **_success()})


def _success() -> dict[str, Any]:
    return {"outcome": "success", "success_rate": 1.0, "applied_count": 1}


def _told_outcome(plan: SessionThought, later: Sequence[SessionThought]) -> Outcome:
    """Return the outcome of a plan from later thoughts that refer to it (`S7`); the last word counts."""
    outcome: Outcome = ""
    for one in later:
        if plan.number in _list_references(one.text):
            spoken = set(terms(one.text))
            is_bad = bool(spoken & _BAD) or bool(spoken & (_GOOD | {"work"}) and spoken & _TURNING)
            outcome = "failure" if is_bad else "success" if spoken & _GOOD else outcome
    return outcome


def _draft(type_: EntityType, thought: SessionThought, text: str, properties: Mapping[str, Any]) -> EntityDraft:
    first = _first(text)
    label = shorten(first, LABEL, at_word=True)
    rest = tuple(sentences(text)[1:])
    return EntityDraft(
        type_, name_for(first), label, properties, thought.number, rest, mentioned=_list_references(text)
    )


def _first(text: str) -> str:
    found = sentences(text)
    return found[0] if found else text


def _list_references(text: str) -> tuple[int, ...]:
    """Return the numbers of the thoughts that a text refers to."""
    return tuple(dict.fromkeys(int(one["number"]) for one in REFERENCE.finditer(text)))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; an abbreviation does not end one.

    >>> sentences("Dr. Lee left. She was 60.")
    ['Dr. Lee left.', 'She was 60.']
    """
    found: list[list[str]] = []
    for part in (one_line(part) for part in _END.split(text)):
        if found and _ABBREVIATED.search(found[-1][-1][-12:]):
            found[-1].append(part)
        elif part:
            found.append([part])
    return [" ".join(parts) for parts in found]


def definitions(text: str) -> list[str]:
    """Return the subjects of the definitions in a text: `Retrieval is the search for stored knowledge`.

    >>> definitions("A circuit breaker is a guard that stops calls to a failing service.")
    ['circuit breaker']
    """
    found = [one["subject"] for sentence in sentences(text) if (one := _DEFINITION.match(sentence))]
    return [one for one in found if not ANAPHOR.fullmatch(one) and _SMALL.fullmatch(one.split()[0]) is None]
