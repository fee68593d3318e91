"""Validation of a vocabulary; each defect names its file, its line and the fix.

    for defect in defects(load(Path("workspace/ontologies"))):
        print(defect)

The RDF checks (that other tools can read the files, and the SHACL shapes) are in `conformance`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.ontology.definitions import faults, say_the_same
from mabos.knowledge.ontology.model import ROOT, Concept, Defect, FactType, RecordShape
from mabos.knowledge.ontology.notation import local_name
from mabos.knowledge.ontology.rules import executable
from mabos.knowledge.ontology.vocabulary import Term, Vocabulary, terms_of
from mabos.knowledge.ontology.wording import key, position
from mabos.knowledge.rule_records import parse_rule
from mabos.knowledge.similarity import NEAR, distance, grade_of, letters

CLASS_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
PROPERTY_NAME = re.compile(r"[a-z][A-Za-z0-9]*")
_STATEMENT = re.compile(r"It is (obligatory|prohibited|necessary|likely|permitted) that .+\.")

Check = Callable[[Vocabulary], Iterator[Defect]]


def defects(vocabulary: Vocabulary) -> list[Defect]:
    """Return all defects, in the order of the files."""
    found = [defect for check in CHECKS.values() for defect in check(vocabulary)]
    order = {name: number for number, name in enumerate(vocabulary.ontologies)}
    return sorted(found, key=lambda one: (order.get(one.path.stem, 0), one.line, one.check, one.message))


def _declared_once(vocabulary: Vocabulary) -> Iterator[Defect]:
    seen: dict[str, str] = {}
    for name, ontology in vocabulary.ontologies.items():
        for term in terms_of(ontology):
            if term.id in seen:
                yield _defect("declared", vocabulary, term, f"{term.id} is declared in {seen[term.id]} too; keep one")
            seen.setdefault(term.id, name)


def _references(vocabulary: Vocabulary) -> Iterator[Defect]:
    """Yield the references to missing terms."""
    for ontology in vocabulary.ontologies.values():
        for name in ontology.imports:
            if name not in vocabulary.ontologies:
                message = f"{ontology.name} imports {name!r}, which does not exist; add it or drop the import"
                yield Defect("references", ontology.path, 1, ontology.name, message)
    for concept in vocabulary.concepts.values():
        for what, terms in (("parent", concept.parents), ("disjoint class", concept.disjoint)):
            yield from _unknown(vocabulary, concept, what, terms)
    for fact in vocabulary.fact_types.values():
        yield from _unknown(vocabulary, fact, "subject", (fact.subject,))
        is_value = fact.kind == "datatype_property" and fact.object.startswith("xsd:")
        yield from _unknown(vocabulary, fact, "object", () if is_value else (fact.object,))
    for rule in vocabulary.rules.values():
        yield from _unknown(vocabulary, rule, "concept", rule.concerns)


def _shapes(vocabulary: Vocabulary) -> Iterator[Defect]:
    """Yield shapes that look at nothing: no class, or a property that is not declared."""
    outside = ("owl:", "rdfs:", "dct:", "xsd:")
    declared = {*vocabulary.fact_types, *(one for each in vocabulary.ontologies.values() for one in each.annotations)}
    for shape in (one for ontology in vocabulary.ontologies.values() for one in ontology.shapes):
        if not shape.target.startswith(outside) and shape.target not in vocabulary.concepts:
            message = f"{shape.id} is for {shape.target or 'nothing'}, which is not a class of any ontology; name one"
            yield _defect("shapes", vocabulary, shape, message)
        for path in shape.paths:
            if not path.startswith(outside) and path not in declared:
                message = f"{shape.id} looks at {path or 'no property'}, which is not declared; name a property"
                yield _defect("shapes", vocabulary, shape, message)


def _unknown(vocabulary: Vocabulary, term: Term, what: str, terms: tuple[str, ...]) -> Iterator[Defect]:
    for one in terms:
        if one not in vocabulary.concepts:
            message = f"the {what} of {term.id}, {one or 'nothing'}, is not a class of any ontology; name one"
            yield _defect("references", vocabulary, term, message)


def _acyclic(vocabulary: Vocabulary) -> Iterator[Defect]:
    for concept in vocabulary.concepts.values():
        if concept.id in vocabulary.ancestors(concept.id):
            message = f"{concept.id} descends from itself; break the circle of parents"
            yield _defect("acyclic", vocabulary, concept, message)


def _check_rooted(vocabulary: Vocabulary) -> Iterator[Defect]:
    for concept in vocabulary.concepts.values():
        if not vocabulary.is_a(concept.id, ROOT):
            message = f"{concept.id} does not descend from {ROOT}; give it a parent that does"
            yield _defect("rooted", vocabulary, concept, message)


def _naming(vocabulary: Vocabulary) -> Iterator[Defect]:
    for concept in vocabulary.concepts.values():
        if CLASS_NAME.fullmatch(local_name(concept.id)) is None:
            message = f"{concept.id} is not PascalCase; write letters and digits, every word with a capital"
            yield _defect("naming", vocabulary, concept, message)
    for fact in vocabulary.fact_types.values():
        if PROPERTY_NAME.fullmatch(local_name(fact.id)) is None:
            message = f"{fact.id} is not camelCase; write letters and digits, the first one small"
            yield _defect("naming", vocabulary, fact, message)
    for term in (one for ontology in vocabulary.ontologies.values() for one in terms_of(ontology)):
        if not term.label.strip():
            yield _defect("naming", vocabulary, term, f"{term.id} has no label; say what people call it")


def _definitions(vocabulary: Vocabulary) -> Iterator[Defect]:
    """Yield uninformative definitions; a term that a reviewer approved is not checked."""
    for concept in (one for one in vocabulary.concepts.values() if not one.approved_by):
        genera = [
            name for one in concept.parents if one in vocabulary.concepts for name in vocabulary.concepts[one].names
        ]
        for fault in faults(concept.label, concept.synonyms, concept.definition, genera=genera):
            yield _defect("definitions", vocabulary, concept, fault.message)
        if not concept.synonyms:
            message = f"{concept.label!r} has no synonym; add another word people use for it"
            yield _defect("definitions", vocabulary, concept, message)
    yield from _circles(vocabulary)
    yield from _echoes(vocabulary)


def _circles(vocabulary: Vocabulary) -> Iterator[Defect]:
    """Yield pairs of terms that are defined by each other, of which the reader of neither learns anything."""
    uses = {concept.id: _terms_used(vocabulary, concept) for concept in vocabulary.concepts.values()}
    for one, others in uses.items():
        for other in others:
            if one < other and one in uses[other]:
                first, second = vocabulary.concepts[one], vocabulary.concepts[other]
                message = (
                    f"{first.label!r} and {second.label!r} are defined by each other; define one without the other"
                )
                yield _defect("definitions", vocabulary, first, message)


def _terms_used(vocabulary: Vocabulary, concept: Concept) -> set[str]:
    """Return the concepts whose label of several words, or whose own noun, the definition uses."""
    said = key(concept.definition).split()
    phrases = {" ".join(said[start : start + size]) for size in (1, 2, 3, 4) for start in range(len(said))}
    found = (vocabulary.labelled(phrase) for phrase in phrases)
    return {one.id for one in found if one is not None and one.id != concept.id}


def _echoes(vocabulary: Vocabulary) -> Iterator[Defect]:
    by_word: dict[str, list[Concept]] = {}
    for concept in vocabulary.concepts.values():
        rare = max(key(concept.definition).split(), key=len, default="")
        by_word.setdefault(rare, []).append(concept)
    for concepts in by_word.values():
        for one, other in combinations(concepts, 2):
            if _met_together(vocabulary, one, other) and say_the_same(one.definition, other.definition):
                message = f"{other.label!r} is defined as {one.label!r} is; say what sets them apart"
                yield _defect("definitions", vocabulary, other, message)


def _fact_types(vocabulary: Vocabulary) -> Iterator[Defect]:
    """Yield relations that are not worded as subject, verb, object, or whose roles have no names."""
    said: dict[str, list[FactType]] = {}
    for fact in vocabulary.fact_types.values():
        subject, value = vocabulary.concepts.get(fact.subject), vocabulary.concepts.get(fact.object)
        if subject is None or (value is None and fact.kind == "object_property"):
            continue
        wanted = f"{subject.label} has {fact.label}" if value is None else f"{subject.label} {fact.label} {value.label}"
        if fact.verbalisation != wanted:
            message = f"{fact.id} reads {fact.verbalisation!r}; its terms make it {wanted!r}"
            yield _defect("fact types", vocabulary, fact, message)
        if value is not None:
            yield from _roles(vocabulary, fact, f"{value.label} ", f" {subject.label}")
        for other in said.setdefault(fact.verbalisation, []):
            if _met_together(vocabulary, fact, other):
                yield _defect("fact types", vocabulary, fact, f"{fact.id} says what {other.id} says; keep one")
        said[fact.verbalisation].append(fact)


def _roles(vocabulary: Vocabulary, fact: FactType, start: str, end: str) -> Iterator[Defect]:
    if not (fact.inverse.startswith(start) and fact.inverse.endswith(end)):
        message = f"{fact.id} read from its object must begin with {start.strip()!r} and end with {end.strip()!r}"
        yield _defect("fact types", vocabulary, fact, message)
    if not (fact.subject_role and fact.object_role) or key(fact.subject_role) == key(fact.object_role):
        message = f"{fact.id} needs two different roles; say what its subject is and what its object is"
        yield _defect("fact types", vocabulary, fact, message)


def _rules(vocabulary: Vocabulary) -> Iterator[Defect]:
    for rule in vocabulary.rules.values():
        if _STATEMENT.fullmatch(rule.statement) is None:
            message = f"{rule.id} needs a statement 'It is obligatory (prohibited, necessary, likely) that ... .'"
            yield _defect("rules", vocabulary, rule, message)
        try:
            parse_rule(executable(rule), rule.id, created_at="")
        except InvalidArgument as error:
            yield _defect("rules", vocabulary, rule, f"{rule.id} cannot be executed: {error.message}")
        for one in rule.concerns:
            concept = vocabulary.concepts.get(one)
            if concept is not None and not any(position(name, rule.statement) >= 0 for name in concept.names):
                message = f"the statement of {rule.id} does not mention {concept.label!r}, which it is about"
                yield _defect("rules", vocabulary, rule, message)


def _duplicates(vocabulary: Vocabulary) -> Iterator[Defect]:
    """Yield terms that are the same as, or too like, another one that the same reader meets."""
    names = [(name, name.casefold(), concept) for concept in vocabulary.concepts.values() for name in concept.names]
    by_key: dict[str, list[tuple[str, Concept]]] = {}
    for name, _, concept in names:
        by_key.setdefault(key(name), []).append((name, concept))
    same = [pair for group in by_key.values() for pair in combinations(group, 2)]
    for (one, first), (other, second) in (*same, *_near(names)):
        if first.id == second.id or _met_together(vocabulary, first, second):
            message = f"{other!r} of {second.id} is too like {one!r} of {first.id}; keep one, or choose another word"
            yield _defect("duplicates", vocabulary, second, message)


def _near(names: list[tuple[str, str, Concept]]) -> Iterator[tuple[tuple[str, Concept], tuple[str, Concept]]]:
    by_length: dict[int, list[tuple[str, str, Concept, int]]] = {}
    for name, low, concept in names:
        by_length.setdefault(len(low), []).append((name, low, concept, letters(low)))
    for length, group in by_length.items():
        longer = [one for more in range(1, NEAR) for one in by_length.get(length + more, ())]
        for one, other in (*combinations(group, 2), *((a, b) for a in group for b in longer)):
            if (one[3] ^ other[3]).bit_count() > 2 * (NEAR - 1) or key(one[0]) == key(other[0]):
                continue
            apart = distance(one[1], other[1], NEAR - 1)
            if apart < NEAR and grade_of(one[1], other[1], apart) == "reject":
                yield (one[0], one[2]), (other[0], other[2])


def _met_together(vocabulary: Vocabulary, one: Term, other: Term) -> bool:
    return one.ontology == other.ontology or other.ontology in vocabulary.circle(one.ontology)


def _consistent(vocabulary: Vocabulary) -> Iterator[Defect]:
    """Yield classes nothing can be an instance of: those that descend from two classes declared disjoint."""
    apart = {(one.id, other) for one in vocabulary.concepts.values() for other in one.disjoint}
    for concept in vocabulary.concepts.values():
        kinds = {concept.id, *vocabulary.ancestors(concept.id)}
        for one, other in sorted(apart):
            if one in kinds and other in kinds:
                message = f"{concept.id} descends from {one} and {other}, which are disjoint; nothing can be both"
                yield _defect("consistent", vocabulary, concept, message)


def _defect(check: str, vocabulary: Vocabulary, term: Term | RecordShape, message: str) -> Defect:
    ontology = vocabulary.ontologies[term.ontology]
    line = ontology.lines.get(term.id) or next(
        (number for name, number in ontology.lines.items() if local_name(name) == local_name(term.id)), 0
    )
    return Defect(check, ontology.path, line, term.id, message)


CHECKS: Mapping[str, Check] = {
    "declared": _declared_once,
    "references": _references,
    "acyclic": _acyclic,
    "rooted": _check_rooted,
    "naming": _naming,
    "definitions": _definitions,
    "fact types": _fact_types,
    "rules": _rules,
    "shapes": _shapes,
    "duplicates": _duplicates,
    "consistent": _consistent,
}
"""Every check by name."""
