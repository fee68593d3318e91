"""The records of an ontology: concepts, fact types, business rules, and their file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

NAMESPACE = "http://mabos.ai/ontology/"
"""The namespace of our terms: `mabos:Customer` is this and `Customer`, `saas:Tier` this, `saas/` and `Tier`."""

ROOT = "mabos:Entity"
"""The one class without a parent: every other one descends from it (S3 section 8.3)."""

Kind = Literal["class", "object_property", "datatype_property"]


@dataclass(frozen=True, slots=True)
class Concept:
    """A class: the meaning of a word in a business. Ids are compact (`saas:Tier`)."""

    id: str
    label: str
    ontology: str
    definition: str = ""
    synonyms: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    disjoint: tuple[str, ...] = ()
    graph_type: str = ""
    approved_by: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The label and the synonyms."""
        return (self.label, *self.synonyms)


@dataclass(frozen=True, slots=True)
class FactType:
    """A relation between concepts, or from a concept to a value: `Customer buys Product`."""

    id: str
    label: str
    ontology: str
    kind: Kind
    subject: str = ""
    object: str = ""
    verbalisation: str = ""
    inverse: str = ""
    subject_role: str = ""
    object_role: str = ""
    graph_type: str = ""
    approved_by: str = ""
    definition: str = ""


@dataclass(frozen=True, slots=True)
class BusinessRule:
    """A rule in words, with its executable form: the fields of S0 section 21."""

    id: str
    label: str
    ontology: str
    statement: str
    definition: Mapping[str, Any]
    concerns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordShape:
    """The shape of one class's records: the class, and the validated properties."""

    id: str
    ontology: str
    target: str = ""
    paths: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return its label, which is its id."""
        return self.id


@dataclass(frozen=True, slots=True)
class Ontology:
    """An ontology file: `name` is its stem, `imports` are the names of the ontologies it uses."""

    name: str
    path: Path
    label: str = ""
    abstract: str = ""
    imports: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    concepts: tuple[Concept, ...] = ()
    fact_types: tuple[FactType, ...] = ()
    rules: tuple[BusinessRule, ...] = ()
    shapes: tuple[RecordShape, ...] = ()
    annotations: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_of_shapes(self) -> bool:
        """Return whether the file contains only shapes, and no terms."""
        return bool(self.shapes) and not self.concepts

    @property
    def prefix(self) -> str:
        """The prefix of its own terms: that of its own namespace, else `mabos`."""
        own = f"{NAMESPACE}{self.name}/"
        return next((prefix for prefix, address in self.prefixes.items() if address == own), "mabos")


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect of an ontology; `line` is 0 for the whole file."""

    check: str
    path: Path
    line: int
    term: str
    message: str

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}: {self.message}"
