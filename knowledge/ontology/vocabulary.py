"""All ontologies of a workspace together: terms by id and by name, ancestors, and search results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar

from mabos.configs.errors import unknown
from mabos.knowledge.ontology.model import BusinessRule, Concept, FactType, Ontology
from mabos.knowledge.ontology.notation import Stamp, local_name, read_ontology, stamp
from mabos.knowledge.ontology.wording import key
from mabos.workspace.atomic import write_atomic
from mabos.workspace.text import STOPWORDS

SHIPPED = Path(__file__).parents[2] / "configs" / "ontologies"
SCAFFOLDS = SHIPPED / "scaffolds"
FOLDER = "ontologies"

DOMAINS = (
    "mabos-upper", "business-core", "ecommerce", "saas", "consulting", "marketplace", "retail", "cross-domain",
)  # fmt: skip
SHAPES = ("shapes", "shapes-sbvr")
FILES = tuple(f"{name}.jsonld" for name in (*DOMAINS, *SHAPES))
"""The ten files of S3 section 8.2, what others build on first."""

_LONG, _SLIP = 5, 0.85

Term = Concept | FactType | BusinessRule
Kept = TypeVar("Kept", Concept, FactType, BusinessRule)


@dataclass(frozen=True, slots=True)
class TermHit:
    """A term that answers a question; a higher score is better, 1 is an exact name."""

    term: Term
    score: float


class Vocabulary:
    """The terms of several ontologies; immutable."""

    def __init__(self, ontologies: Iterable[Ontology]) -> None:
        self.ontologies: Mapping[str, Ontology] = {one.name: one for one in ontologies}

    @cached_property
    def concepts(self) -> Mapping[str, Concept]:
        """Return every class by id; if two files declare one, the first wins."""
        return _by_id(concept for one in self.ontologies.values() for concept in one.concepts)

    @cached_property
    def fact_types(self) -> Mapping[str, FactType]:
        """Return every fact type by id."""
        return _by_id(fact for one in self.ontologies.values() for fact in one.fact_types)

    @cached_property
    def rules(self) -> Mapping[str, BusinessRule]:
        """Return every business rule by id."""
        return _by_id(rule for one in self.ontologies.values() for rule in one.rules)

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The direct subclasses of each class, by id."""
        found: dict[str, list[str]] = {}
        for concept in self.concepts.values():
            for parent in concept.parents:
                found.setdefault(parent, []).append(concept.id)
        return {parent: tuple(below) for parent, below in found.items()}

    @cached_property
    def _names(self) -> Mapping[str, tuple[Concept, ...]]:
        found: dict[str, list[Concept]] = {}
        for concept in self.concepts.values():
            for name in dict.fromkeys(key(one) for one in (concept.label, *concept.synonyms, local_name(concept.id))):
                found.setdefault(name, []).append(concept)
        return {name: tuple(concepts) for name, concepts in found.items()}

    @cached_property
    def _ancestors(self) -> dict[str, tuple[str, ...]]:
        return {}

    def ontology(self, name: str) -> Ontology:
        """Return one ontology; raises `UnknownId` with the nearest name."""
        if name not in self.ontologies:
            raise unknown("domain", name, self.ontologies, argument="domain")
        return self.ontologies[name]

    def named(self, text: str, domain: str = "") -> Concept | None:
        """Return the concept with this id, label, synonym or class name, preferably from `domain`."""
        if text in self.concepts:
            return self.concepts[text]
        found = self._names.get(key(text), ())
        nearest = self.closure(domain) if domain in self.ontologies else ()
        ranked = sorted(found, key=lambda one: (_place(one.ontology, nearest), key(one.label) != key(text)))
        return ranked[0] if ranked and ":" not in text else None

    @cached_property
    def _phrases(self) -> Mapping[str, str]:
        """Return every label, synonym and verb as written, by its `key`."""
        names = [name for concept in self.concepts.values() for name in concept.names]
        names += [name for fact in self.fact_types.values() for name in (fact.label, local_name(fact.id))]
        return {key(name): name for name in reversed(names)}

    @cached_property
    def _known_words(self) -> frozenset[str]:
        return frozenset(word for phrase in self._phrases for word in phrase.split())

    def has_word_of(self, text: str) -> bool:
        """Return whether any word of a text occurs in a term: `runway_months` mentions Runway."""
        return not self._known_words.isdisjoint(key(text).split())

    def nearest(self, text: str) -> str:
        """Return the term spelled most like a text; "" if none is close."""
        found = get_close_matches(key(text), self._phrases, n=1)
        return self._phrases[found[0]] if found else ""

    def correct_spelling(self, name: str, others: Iterable[str] = ()) -> str:
        """Return a name with each misspelled word corrected from a term or from `others`; "" if there is none.

        A word counts as misspelled if it is long, unknown, and close to a term: `custmer_count` means `customer_count`.
        """
        known = self._known_words | {word for other in others for word in key(other).split()}
        said = key(name).split()
        meant = [word if len(word) < _LONG or word in known else _near(word, known) or word for word in said]
        return "_".join(meant) if meant != said else ""

    def labelled(self, name: str) -> Concept | None:
        """Return the concept whose label has this `key`, or None; synonyms do not count."""
        return next((one for one in self._names.get(name, ()) if key(one.label) == name), None)

    def ancestors(self, concept_id: str) -> tuple[str, ...]:
        """Return the ids of all superclasses, nearest first; a cycle ends where it closes."""
        known = self._ancestors
        if concept_id not in known:
            above: dict[str, None] = {}
            level = [concept_id]
            while level:
                parents = [one for each in level if each in self.concepts for one in self.concepts[each].parents]
                level = [one for one in dict.fromkeys(parents) if one not in above]
                above.update(dict.fromkeys(level))
            known[concept_id] = tuple(above)
        return known[concept_id]

    def is_a(self, concept_id: str, kind: str) -> bool:
        """Return whether a class is `kind` or descends from it."""
        return concept_id == kind or kind in self.ancestors(concept_id)

    def closure(self, domain: str) -> tuple[str, ...]:
        """Return a domain and everything it imports, nearest first."""
        found: dict[str, None] = {}
        level = [domain]
        while level:
            known = [one for one in level if one in self.ontologies and one not in found]
            found.update(dict.fromkeys(known))
            level = [other for one in known for other in self.ontologies[one].imports]
        return tuple(found)

    def circle(self, domain: str) -> frozenset[str]:
        """Return the domains whose terms are used together with those of `domain`."""
        return self._circles.get(domain, frozenset({domain}))

    @cached_property
    def _circles(self) -> Mapping[str, frozenset[str]]:
        closures = [self.closure(name) for name in self.ontologies]
        return {
            domain: frozenset({domain}).union(*(names for names in closures if domain in names))
            for domain in self.ontologies
        }

    def fact_types_of(self, concept_id: str) -> list[FactType]:
        """Return the fact types in which a class has a role, its own before inherited ones."""
        kinds = (concept_id, *self.ancestors(concept_id))
        found = [fact for fact in self.fact_types.values() if fact.subject in kinds or fact.object in kinds]
        return sorted(found, key=lambda fact: min(_place(fact.subject, kinds), _place(fact.object, kinds)))

    def search(self, domain: str, query: str, limit: int = 20) -> list[TermHit]:
        """Return the terms of a domain and its imports that a question means, best first."""
        names = self.closure(domain) if domain in self.ontologies else tuple(self.ontologies)
        said = key(query).split()
        asked = frozenset([word for word in said if word not in STOPWORDS] or said)
        found = [
            (place, TermHit(term, score))
            for place, name in enumerate(names)
            for term in terms_of(self.ontologies[name])
            if (score := _score(term, query, asked))
        ]
        found.sort(key=lambda one: (-one[1].score, not isinstance(one[1].term, Concept), one[0], one[1].term.id))
        return [one for _, one in found[:limit]]


def _near(word: str, known: Iterable[str]) -> str:
    """Return the known word that differs from a word by a slip of the pen; British and American spelling is none."""
    american = word.replace("is", "iz").replace("our", "or")
    found = get_close_matches(word, [one for one in known if one[0] == word[0]], n=1, cutoff=_SLIP)
    near = found[0] if found else ""
    is_form = (
        near.startswith(word) or word.startswith(near) or near.replace("is", "iz").replace("our", "or") == american
    )
    return "" if is_form else near


def install(directory: Path) -> list[Path]:
    """Copy the ontologies missing in `directory` to it, and return the new files; existing ones are not touched."""
    made = [directory / name for name in FILES if not (directory / name).exists()]
    for path in made:
        write_atomic(path, (SHIPPED / path.name).read_bytes(), durable=False)
    return made


def load(directory: Path) -> Vocabulary:
    """Return the vocabulary of the `.jsonld` files in `directory`; missing ones of ours are read as shipped.

    Files are read again only if they have changed. Raises `Damaged` with file and line.
    """
    return _load_vocabulary(tuple((path, stamp(path)) for path in files(directory)))


def files(directory: Path) -> list[Path]:
    """Return the files of the vocabulary of `directory`: ours in their order, then the others by name."""
    own = {path.name: path for path in sorted(directory.glob("*.jsonld"))}
    return list({**{name: own.get(name, SHIPPED / name) for name in FILES}, **own}.values())


@lru_cache(maxsize=16)
def _load_vocabulary(files: tuple[tuple[Path, Stamp], ...]) -> Vocabulary:
    return Vocabulary(read_ontology(path) for path, _ in files)


def _by_id(terms: Iterable[Kept]) -> dict[str, Kept]:
    found: dict[str, Kept] = {}
    for term in terms:
        found.setdefault(term.id, term)
    return found


def _place(name: str, order: Iterable[str]) -> int:
    names = list(order)
    return names.index(name) if name in names else len(names)


def terms_of(ontology: Ontology) -> Iterable[Term]:
    """Yield all terms that a file declares: concepts, fact types, rules."""
    yield from ontology.concepts
    yield from ontology.fact_types
    yield from ontology.rules


def _score(term: Term, query: str, asked: frozenset[str]) -> float:
    names = term.names if isinstance(term, Concept) else (term.label,)
    names = (*names, term.verbalisation) if isinstance(term, FactType) else names
    if query == term.id or any(key(query) == key(name) for name in (*names, local_name(term.id))):
        return 1.0 if not isinstance(term, Concept) or key(query) != key(term.id) else 0.99
    if not asked:
        return 0.0
    title = max((_share(asked, name) for name in names), default=0.0)
    body = len(asked & set(key(_sentence(term)).split())) / len(asked)
    return round(0.9 * title + 0.03 * body, 6)


def _share(asked: frozenset[str], name: str) -> float:
    """Return how well a name fits the words asked for: the share found, a little less for every further word."""
    own = set(key(name).split())
    found = len(asked & own)
    return found / len(asked) * (0.9 + 0.1 * found / len(own)) if found else 0.0


def _sentence(term: Term) -> str:
    if isinstance(term, Concept):
        return term.definition
    return term.verbalisation if isinstance(term, FactType) else term.statement
