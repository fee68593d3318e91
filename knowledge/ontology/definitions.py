"""Quality of definitions for business people: the genus of a term, and its difference from others.

faults("Invoice", ["Bill"], "A record by which a seller asks for payment", genera=["Information Object", "Record"])
# []: it names the parent's kind of thing (the genus) and how it differs (the differentia)
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mabos.knowledge.ontology.wording import key, position, words

SHORTEST, LONGEST = 8, 40
"""Words of a definition."""
HEAD = 8
"""Words at the beginning among which the genus must be."""
_REST = 3
_SAME = 0.8
_TEMPLATE = re.compile(
    r"(?i)\b(todo|tbd|lorem|placeholder|to be (defined|determined|written)|(the|a) (concept|notion|class|term) of)\b"
    r"|[<{\[]\w+[>}\]]"
)

Kind = Literal["missing", "length", "template", "genus", "differentia", "circular"]


@dataclass(frozen=True, slots=True)
class DefinitionFault:
    """A fault of a definition."""

    kind: Kind
    message: str


def faults(label: str, synonyms: Sequence[str], definition: str, *, genera: Sequence[str]) -> list[DefinitionFault]:
    """Return the faults of the definition of `label`; `genera` are the names of its parents, none for the root."""
    count = len(words(definition))
    if not count:
        return [
            DefinitionFault(
                "missing", f"{label!r} has no definition; say what kind of thing it is and what sets it apart"
            )
        ]
    found = []
    if not SHORTEST <= count <= LONGEST:
        message = f"the definition of {label!r} has {count} words; write {SHORTEST} to {LONGEST}"
        found.append(DefinitionFault("length", message))
    if stock := _TEMPLATE.search(definition):
        message = f"the definition of {label!r} says {stock[0]!r}, which says nothing; state what it is"
        found.append(DefinitionFault("template", message))
    if loop := _own_name(label, synonyms, definition, genera):
        found.append(
            DefinitionFault("circular", f"the definition of {label!r} uses {loop!r}, the term itself; use other words")
        )
    return found + (_kind_and_difference(label, definition, genera) if genera else [])


def _kind_and_difference(label: str, definition: str, genera: Sequence[str]) -> list[DefinitionFault]:
    ends = [end for genus in genera if 0 <= (end := position(genus, definition)) <= HEAD]
    if not ends:
        kinds = " or ".join(repr(genus) for genus in genera)
        return [
            DefinitionFault(
                "genus", f"the definition of {label!r} does not begin with its kind, {kinds}; say what it is"
            )
        ]
    if len(words(definition)) - max(ends) < _REST:
        message = f"the definition of {label!r} names its kind and nothing more; say what sets it apart"
        return [DefinitionFault("differentia", message)]
    return []


def _own_name(label: str, synonyms: Sequence[str], definition: str, genera: Sequence[str]) -> str:
    """Return the name of the term that its definition uses; the part of a name that is the kind's is free."""
    kinds = {key(genus) for genus in genera}
    names = [name for name in (label, *synonyms) if key(name) not in kinds]
    return next((name for name in names if position(name, definition) >= 0), "")


def say_the_same(one: str, other: str) -> bool:
    """Return whether two definitions consist of nearly the same words."""
    first, second = set(words(one)), set(words(other))
    return bool(first | second) and len(first & second) / len(first | second) >= _SAME
