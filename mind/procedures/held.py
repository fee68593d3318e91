"""A mind's beliefs in the form that procedures query.

A belief about a subject is `subject(value)`, one with a predicate `predicate(subject, value)`: "runway_months is 3.8"
is `runway_months(3.8)`, "Acme invoice_status overdue" is `invoice_status("Acme", overdue)`. A lower-case word is an
atom, a number a number, all else a text.
"""

import re
from collections.abc import Iterable

from mabos.knowledge.wording import name_key
from mabos.mind.beliefs import claim, structure_belief
from mabos.mind.model import Belief
from mabos.mind.procedures.beliefs import BeliefBase
from mabos.mind.procedures.queries import Rules
from mabos.mind.procedures.terms import Term

_ATOM = re.compile(r"[a-z][a-z0-9_]*")
_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d{1,300})?")  # what Python takes for a number at all


class BeliefTerms:
    """The beliefs of one agent as terms, for the contexts of playbooks."""

    def __init__(self, name: str, beliefs: Iterable[Belief]) -> None:
        self.name = name
        self.beliefs = BeliefBase()
        self.rules: Rules = {}
        for belief in beliefs:
            term = term_of(belief) if belief.status == "held" else None
            if term is not None:
                self.beliefs.add(term)


def term_of(belief: Belief) -> Term | None:
    """Return a belief as a term, or None if its subject cannot be a name.

    >>> term_of(Belief("B-1", "runway_months is 3.8"))
    ('runway_months', 3.8)
    """
    shaped = structure_belief(belief)
    subject, predicate = claim(shaped)
    name, value = predicate or subject, term_for(shaped.value or shaped.statement)
    if not _ATOM.fullmatch(name):
        return None
    return (name, term_for(shaped.subject), value) if predicate else (name, value)


def term_for(text: str) -> Term:
    """Return a person's text as its most natural term.

    >>> term_for("overdue"), term_for("35"), term_for("Acme Inc.")
    (('overdue',), 35, 'Acme Inc.')
    """
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return (text,) if _ATOM.fullmatch(text) else text


def goal_term(description: str) -> Term | None:
    """Return a goal as the term used in triggers: `Close the books` is `close_the_books`.

    >>> goal_term("Close the books")
    ('close_the_books',)
    """
    name = name_key(description)
    return (name,) if _ATOM.fullmatch(name) else None
