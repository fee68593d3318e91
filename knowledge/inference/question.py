"""An answer from all that is known: what is held, what follows, what would prove it, and what would explain it.

The words of a question name the subjects, predicates and objects that are in use.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.inference.abduction import OpenQuestion, RuleHypothesis, hypotheses, next_question
from mabos.knowledge.inference.backward import Prover
from mabos.knowledge.inference.forward import Inference
from mabos.knowledge.inference.proof import GoalVerdict, Status, verdict
from mabos.knowledge.inference.relations import Triple
from mabos.knowledge.model import Condition, Rule, is_variable
from mabos.workspace.text import STOPWORDS, terms

_TOLD = 10
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


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """What the three kinds of inference say to a question; `follows` are derived triples about what it names."""

    question: str
    verdicts: tuple[GoalVerdict, ...]
    follows: tuple[tuple[Triple, float, str], ...]
    hypotheses: tuple[RuleHypothesis, ...]
    next_question: OpenQuestion | None

    @property
    def status(self) -> Status:
        """The best of the verdicts; where nothing was asked of what is named, whether anything follows of it."""
        if not self.verdicts:
            return "PROVEN" if self.follows else "CANNOT_PROVE"
        return min((one.status for one in self.verdicts), key=list(_WORDS).index)

    @property
    def confidence(self) -> float:
        """That of the surest proof, or 0."""
        proven = [proof.answer.confidence for one in self.verdicts for proof in one.proofs]
        followed = [] if self.verdicts else [sure for _, sure, _ in self.follows]
        return round(max([*proven, *followed], default=0.0), 12)

    def lines(self) -> Iterator[str]:
        """Yield the answer for a reader."""
        for one in self.verdicts:
            yield f"{one.goal}: {_WORDS[one.status]}"
            for proof in one.proofs[:3]:
                yield from proof.lines(1)
            if one.gaps and one.status == "POTENTIALLY_DERIVABLE":
                yield f"  Not known: {'; '.join(str(gap.condition) for gap in one.gaps[:5])}"
        if self.follows:
            yield "What follows by rules:"
            yield from (f"  - {' '.join(triple)} ({sure:.4g}, by {rule_id})" for triple, sure, rule_id in self.follows)
        if self.hypotheses:
            yield "What could explain it:"
            yield from (f"  - {one.rule.name} ({one.score:.2f})" for one in self.hypotheses[:3])
        if self.next_question is not None:
            yield f"Worth finding out next: {self.next_question.condition}"
        if not self.verdicts and not self.follows:
            yield "Nothing that is known has to do with this."


_WORDS = {
    "PROVEN": "yes",
    "POTENTIALLY_DERIVABLE": "not proven; a rule would conclude it if more were known",
    "CANNOT_PROVE": "not known, and no rule concludes it",
}


def prover_of(inference: Inference, *, max_answers: int = 50_000) -> Prover:
    """Return a prover over what is stated and holds now."""
    return Prover(inference.rules, inference.facts.said(), max_answers=max_answers)


def vocabulary_of(inference: Inference, *, rules: Sequence[Rule] | None = None) -> NamesInUse:
    """Return the names that facts and inference rules use."""
    index = inference.facts.index()
    with index.lock:
        subjects, predicates, objects = (tuple(names) for names in index.terms())
    return NamesInUse(subjects, predicates, objects).and_of(inference.rules if rules is None else rules)


def answer(question: str, inference: Inference) -> QuestionAnswer:
    """Return what facts and rules say to `question`."""
    vocabulary, prover, rules = vocabulary_of(inference), prover_of(inference), inference.rules
    patterns = read_patterns(question, vocabulary)
    verdicts = [verdict(pattern, rules, prover) for pattern in patterns]
    subjects = dict.fromkeys([one.subject for one in patterns if one.subject] or _named_subjects(question, vocabulary))
    follows = tuple(_follows(list(subjects)[:3], inference))
    if all(one.status != "PROVEN" for one in verdicts):
        followed = [triple for triple, *_ in follows]
        verdicts += [verdict(one, rules, prover) for one in _asked_of(question, patterns, followed)]
    told = [one for one in verdicts if one.status == "PROVEN"] or verdicts
    causes = [hypothesis for pattern in patterns[:1] for hypothesis in hypotheses(pattern, rules, prover)]
    return QuestionAnswer(
        question,
        tuple(told[:3]),
        follows[:_TOLD],
        tuple(causes[:5]),
        next_question(causes) if causes else None,
    )


def _follows(subjects: Sequence[str], inference: Inference) -> Iterator[tuple[Triple, float, str]]:
    index = inference.facts.index()
    with index.lock:
        reasoner = inference.closure().reasoner
        for subject in subjects:
            for relation in reasoner.relations.values():
                for held in relation.candidates(subject, None):
                    if held.rule is not None:
                        yield held.triple, held.confidence, held.rule.id


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


def _named_subjects(text: str, vocabulary: NamesInUse) -> list[str]:
    """Return the subjects that `text` names, the longest names first."""
    return _best(vocabulary.subjects, _stems(text), whole=True)


def _asked_of(text: str, patterns: Iterable[Condition], triples: Iterable[Triple]) -> list[Condition]:
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
