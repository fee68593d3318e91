"""What a question is about: the subjects, predicates and objects of facts and rules that its words name."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.inference.relations import Triple
from mabos.knowledge.model import Condition, Rule, is_variable
from mabos.workspace.text import STOPWORDS, terms

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_YES = frozenset(["yes", "true"])
_AUXILIARY = frozenset(["is", "has", "have", "be", "of", "to", "true", "value"])


@dataclass(frozen=True, slots=True)
class NamesInUse:
    """The names that are in use."""

    subjects: Iterable[str]
    predicates: Iterable[str]
    objects: Iterable[str]

    def and_of(self, rules: Iterable[Rule]) -> "NamesInUse":
        """Return these names and those that rules use."""
        patterns = [
            one for rule in rules for one in (*rule.conditions, *([rule.conclusion] if rule.conclusion else []))
        ]

        def used(terms_: Iterable[str]) -> list[str]:
            return sorted({term for term in terms_ if term and not is_variable(term)})

        return NamesInUse(
            dict.fromkeys([*self.subjects, *used(one.subject for one in patterns)]),
            dict.fromkeys([*self.predicates, *used(one.predicate for one in patterns)]),
            dict.fromkeys([*self.objects, *used(one.object for one in patterns)]),
        )


def read_pattern(given: str | Mapping[str, Any], vocabulary: NamesInUse) -> Condition:
    """Return the one pattern of facts that `given` means: a mapping, a triple in words, or a question.

    Raises `InvalidArgument` where no predicate that is in use can be made out.
    """
    if isinstance(given, Mapping):
        if not given.get("predicate"):
            raise InvalidArgument("the observation needs a predicate", argument="observation")
        predicate, subject, object_ = (str(given.get(name) or "") for name in ("predicate", "subject", "object"))
        return Condition(predicate, subject, object_)
    found = read_patterns(given, vocabulary)
    if not found:
        known = ", ".join(list(vocabulary.predicates)[:12]) or "there are none yet"
        message = f"{given!r} names no predicate of a fact or rule; write it as subject predicate object, with {known}"
        raise InvalidArgument(message, argument="observation")
    return found[0]


def read_patterns(text: str, vocabulary: NamesInUse) -> list[Condition]:
    """Return the patterns of facts that `text` may mean, the likeliest first."""
    stated = _stated(text, set(vocabulary.predicates))
    if stated is not None:
        return [stated]
    words = _stems(text)
    subjects = _best(vocabulary.subjects, words, whole=True)
    predicates = _best(vocabulary.predicates, words, whole=False)
    named = {stem for subject in subjects for stem in _stems(subject)}
    objects = [one for one in _best(vocabulary.objects, words - named, whole=True) if one not in subjects]
    return [
        Condition(predicate, subject, object_)
        for predicate in predicates[:4]
        for subject in subjects[:3] or [""]
        for object_ in [*(one for one in objects[:1] if not _stems(one) <= _stems(predicate)), ""][:1]
    ]


def named_subjects(text: str, vocabulary: NamesInUse) -> list[str]:
    """Return the subjects that `text` names, the longest names first."""
    return _best(vocabulary.subjects, _stems(text), whole=True)


def named(text: str, patterns: Iterable[Condition], triples: Iterable[Triple]) -> list[Condition]:
    """Return what `text` asks of `triples` that follow, where `patterns` read it otherwise: their predicate in words.

    A question that names a value is left as it is, unless the value only says yes.
    """
    asked = list(patterns)
    if any(
        one.object and one.object.casefold() not in _YES and not _is_predicate(one.object, triples) for one in asked
    ):
        return []
    words, known = _stems(text), {(one.subject, one.predicate) for one in asked if not one.object}
    found = dict.fromkeys((subject, predicate) for subject, predicate, _ in triples if _stems(predicate) <= words)
    return [Condition(predicate, subject) for subject, predicate in found if (subject, predicate) not in known]


def _is_predicate(term: str, triples: Iterable[Triple]) -> bool:
    return any(term == predicate for _, predicate, _ in triples)


def _stated(text: str, predicates: set[str]) -> Condition | None:
    words = text.split()
    if len(words) > 4 and text.rstrip().endswith("?"):
        return None
    for place, word in enumerate(words):
        if word in predicates and place <= 1:
            return Condition(word, " ".join(words[:place]), " ".join(words[place + 1 :]))
    return None


def _best(names: Iterable[str], words: set[str], *, whole: bool) -> list[str]:
    """Return the names that `words` mention, the most telling first; a part of a name may do unless `whole`."""
    scored: list[tuple[float, int, str]] = []
    for number, name in enumerate(names):
        stems = _stems(name) - _AUXILIARY or _stems(name)
        common = len(stems & words)
        if common and (common == len(stems) or (not whole and 2 * common >= len(stems))):
            scored.append((-common - common / len(stems), number, name))
    return [name for *_, name in sorted(scored)]


def _stems(text: str) -> set[str]:
    words = terms(_HUMP.sub(" ", text))
    return {_stem(word) for word in words if word not in STOPWORDS or len(words) == 1}


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word
