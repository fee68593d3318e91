"""Answers to questions from facts, derivations, proofs and explanations.

A question's words are matched with the subjects, predicates and objects in use.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.inference.abduction import OpenQuestion, RuleHypothesis, hypotheses, next_question
from mabos.knowledge.inference.asked import AUXILIARY, FRAME, QUESTIONS, AskedClaim, named_in, read_asked, stems_of
from mabos.knowledge.inference.backward import Prover
from mabos.knowledge.inference.forward import Inference
from mabos.knowledge.inference.proof import GoalVerdict, Proof, Status, verdict
from mabos.knowledge.inference.relations import Triple
from mabos.knowledge.model import Condition, Rule, is_variable
from mabos.language.wordlists import order_form
from mabos.workspace.text import terms

_TOLD = 10
_NEAR = 3
_WHY = re.compile(r"\W*(?:why|how come)\b", re.IGNORECASE)
_PREFACE = order_form("inference_question.preface")


@dataclass(frozen=True, slots=True)
class NamesInUse:
    """The names in use."""

    subjects: Iterable[str]
    predicates: Iterable[str]
    objects: Iterable[str]

    def and_of(self, rules: Iterable[Rule]) -> "NamesInUse":
        """Return these names and those in rules."""
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
    """The results of the three kinds of inference for a question.

    `verdicts` answer it: a proof among them has every word of the question. `follows` are derived triples about the
    things it names, `near` proofs about them that leave a word unanswered; neither is an answer, unless a question asks
    for everything about a subject (`is_open`). `is_refuted` means that the verdicts show the opposite of the question.
    """

    question: str
    verdicts: tuple[GoalVerdict, ...]
    follows: tuple[tuple[Triple, float, str], ...]
    near: tuple[Proof, ...]
    hypotheses: tuple[RuleHypothesis, ...]
    next_question: OpenQuestion | None
    is_open: bool = False
    is_refuted: bool = False

    @property
    def status(self) -> Status:
        """The best status of the verdicts; nothing is proven if the opposite holds."""
        if self.is_open:
            return "PROVEN" if self.follows or self.near else "CANNOT_PROVE"
        if self.is_refuted:
            return "CANNOT_PROVE"
        return min((one.status for one in self.verdicts), key=list(_WORDS).index, default="CANNOT_PROVE")

    @property
    def confidence(self) -> float:
        """Return the confidence of the most certain proof, or 0."""
        proven = [] if self.is_refuted else [one.answer.confidence for told in self.verdicts for one in told.proofs]
        listed = [sure for _, sure, _ in self.follows] or [one.answer.confidence for one in self.near]
        return round(max([*proven, *(listed if self.is_open else [])], default=0.0), 12)

    def lines(self) -> Iterator[str]:
        """Yield the answer for a reader."""
        for one in self.verdicts:
            yield f"{one.goal}: {'no, this is held' if self.is_refuted else _WORDS[one.status]}"
            for proof in one.proofs[:_TOLD]:
                yield from proof.lines(1)
            if one.gaps and one.status == "POTENTIALLY_DERIVABLE":
                yield f"  Not known: {'; '.join(str(gap.condition) for gap in one.gaps[:5])}"
        is_stated = all(proof.answer.rule is None for one in self.verdicts for proof in one.proofs)
        if self.verdicts and self.status == "PROVEN" and is_stated and _WHY.match(self.question):
            yield "It is stated; no rule or fact that is known says why."
        if not self.verdicts and not self.is_open:
            yield (
                "Not known: nothing that is held answers this." if self.near else "Nothing that is known answers this."
            )
        if self.near:
            yield "Held:" if self.is_open else "Held about what it names, which does not answer it:"
            for proof in self.near[:_TOLD]:
                yield from proof.lines(1)
        if self.follows and (self.verdicts or self.is_open):
            yield "What follows by rules:"
            yield from (f"  - {' '.join(triple)} ({sure:.4g}, by {rule_id})" for triple, sure, rule_id in self.follows)
        if self.verdicts and self.hypotheses:
            yield "What could explain it:"
            yield from (f"  - {one.rule.name} ({one.score:.2f})" for one in self.hypotheses[:3])
        if self.verdicts and self.next_question is not None:
            yield f"Worth finding out next: {self.next_question.condition}"


_WORDS = {
    "PROVEN": "yes",
    "POTENTIALLY_DERIVABLE": "not proven; a rule would conclude it if more were known",
    "CANNOT_PROVE": "not known, and no rule concludes it",
}


def prover_of(inference: Inference, *, max_answers: int = 50_000) -> Prover:
    """Return a prover over the statements that hold now."""
    return Prover(inference.rules, inference.facts.said(), max_answers=max_answers)


def vocabulary_of(inference: Inference, *, rules: Sequence[Rule] | None = None) -> NamesInUse:
    """Return the names in facts and inference rules."""
    index = inference.facts.index()
    with index.lock:
        subjects, predicates, objects = (tuple(names) for names in index.terms())
    return NamesInUse(subjects, predicates, objects).and_of(inference.rules if rules is None else rules)


def answer(question: str, inference: Inference, own: Sequence[str] = ()) -> QuestionAnswer:
    """Return the answer of facts and rules to `question`; `own` are the names meant by "our"."""
    vocabulary, prover, rules = vocabulary_of(inference), prover_of(inference), inference.rules
    asked = read_asked(question, own)
    goals = _goals(asked, vocabulary)
    found = [verdict(goal, rules, prover) for goal in goals]
    told, is_refuted = _answering(asked, found)
    if not told and (hops := _hops(asked, vocabulary)):
        told = _chain_hops(hops, rules, prover)
    subjects = dict.fromkeys([one.subject for one in goals if one.subject] or named_in(question, vocabulary.subjects))
    follows = tuple(_follows(list(subjects)[:3], inference))
    is_open = not told and asked.is_about(subjects)
    near = () if told else _near(asked, found, list(subjects)[:3], vocabulary, prover)
    causes = [hypothesis for goal in goals[:1] for hypothesis in hypotheses(goal, rules, prover)]
    return QuestionAnswer(
        question,
        tuple(told[:3]),
        follows[:_TOLD],
        near,
        tuple(causes[:5]),
        next_question(causes) if causes else None,
        is_open,
        is_refuted,
    )


def _goals(asked: AskedClaim, vocabulary: NamesInUse) -> list[Condition]:
    """Return the patterns of facts that could answer, the likeliest first: as it is written, then by its names."""
    stated = _parse_statement(asked.text, set(vocabulary.predicates)) or _parse_inverted(asked.text, vocabulary)
    goals = [stated] if stated is not None else []
    subjects, objects = named_in(asked.text, vocabulary.subjects), named_in(asked.text, vocabulary.objects)
    for predicate in [one for one in vocabulary.predicates if asked.mentions(one)][:6]:
        goals += [Condition(predicate, one) for one in subjects[:3]] or [Condition(predicate, "", "")]
        goals += [Condition(predicate, "", one) for one in objects[:2]]
    return list(dict.fromkeys(goals))


def _answering(asked: AskedClaim, found: Sequence[GoalVerdict]) -> tuple[list[GoalVerdict], bool]:
    """Return the verdicts that answer, each with its answering proofs alone, and whether they show the opposite."""
    told: dict[bool, list[GoalVerdict]] = {True: [], False: []}
    for one in found:
        by_polarity: dict[bool, list[Proof]] = {True: [], False: []}
        for proof in one.proofs:
            fits = asked.holds_by(proof.answer.triple, one.goal)
            if fits is not None:
                by_polarity[fits].append(proof)
        for fits, proofs in by_polarity.items():
            if proofs and not any(proofs[0] in other.proofs for other in told[fits]):
                told[fits].append(replace(one, proofs=tuple(proofs)))
    if told[True] or told[False]:
        return (told[True], False) if told[True] else (told[False], not asked.is_negated_why)
    open_ = [one for one in found if one.status == "POTENTIALLY_DERIVABLE" and asked.is_covered_by(one.goal)]
    return open_[:1], False


def _near(
    asked: AskedClaim, found: Sequence[GoalVerdict], subjects: Sequence[str], vocabulary: NamesInUse, prover: Prover
) -> tuple[Proof, ...]:
    """Return proofs near the question that are not answers: of the tried patterns, else of the subjects."""
    proofs = [
        proof
        for one in found
        for proof in one.proofs
        if one.goal.subject
        or one.goal.object
        or stems_of(one.goal.predicate) - AUXILIARY
        or set(terms(proof.answer.triple[0])) <= set(asked.words)
    ]
    for subject in () if proofs else subjects:
        answers = (one for predicate in vocabulary.predicates for one in prover.prove(subject, predicate, None))
        proofs += [Proof(one) for one in answers if one.rule is None]
    return tuple({proof.answer.triple: proof for proof in proofs}.values())[:_NEAR]


def _hops(asked: AskedClaim, vocabulary: NamesInUse) -> list[str]:
    """Return a subject and the predicates to follow from it, as in "the ceo of the supplier of globex"; or nothing."""
    parts = [part for part in re.split(r"\bof\b", asked.text.rstrip(" ?")) if part.strip()]
    if len(parts) < 3:
        return []
    whole = [stems_of(part) - FRAME for part in parts]
    last = [one for one in vocabulary.subjects if stems_of(one) == whole[-1]]
    steps = [[one for one in vocabulary.predicates if stems_of(one) == part] for part in whole[:-1]]
    return [last[0], *(step[0] for step in reversed(steps))] if last and all(steps) else []


def _chain_hops(hops: Sequence[str], rules: Sequence[Rule], prover: Prover) -> list[GoalVerdict]:
    """Return the last verdict of a way along facts, its proofs resting on those before; nothing where it breaks off."""
    ends: dict[str, tuple[Proof, ...]] = {hops[0]: ()}
    ways = list[GoalVerdict]()
    for predicate in hops[1:]:
        ways = [one for end in ends for one in [verdict(Condition(predicate, end), rules, prover)] if one.proofs]
        ways = [
            replace(
                one,
                proofs=tuple(
                    replace(proof, supports=(*proof.supports, *ends[one.goal.subject])) for proof in one.proofs
                ),
            )
            for one in ways
        ]
        ends = {proof.answer.triple[2]: (proof,) for one in ways for proof in one.proofs}
    return ways


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
    """Return the single pattern meant by `given`: a mapping, a triple in words, or a question.

    Raises `InvalidArgument` if it contains no known predicate.
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
    """Return the patterns of facts that `text` may mean, most likely first."""
    stated = _parse_statement(text, set(vocabulary.predicates)) or _parse_inverted(text, vocabulary)
    if stated is not None:
        return [stated]
    words = stems_of(text)
    subjects = _best(vocabulary.subjects, words, whole=True)
    predicates = _best(vocabulary.predicates, words, whole=False)
    named = {stem for subject in subjects for stem in stems_of(subject)}
    objects = [one for one in _best(vocabulary.objects, words - named, whole=True) if one not in subjects]
    return [
        Condition(predicate, subject, object_)
        for predicate in predicates[:4]
        for subject in subjects[:3] or [""]
        for object_ in [*(one for one in objects[:1] if not stems_of(one) <= stems_of(predicate)), ""][:1]
    ]


def _parse_statement(text: str, predicates: set[str]) -> Condition | None:
    words = text.rstrip(" ?").split()
    if text.rstrip().endswith("?") and (len(words) > 3 or words[0].casefold() in QUESTIONS):
        return None
    for place, word in enumerate(words):
        if word in predicates and place <= 1:
            return Condition(word, " ".join(words[:place]), " ".join(words[place + 1 :]))
    return None


def _parse_inverted(text: str, vocabulary: NamesInUse) -> Condition | None:
    """Return the pattern of "why is a good?" and "is it true that a is good?", where all three parts are in use."""
    words = _PREFACE.sub("", text.rstrip(" ?!.")).split()
    subjects = {one.casefold(): one for one in vocabulary.subjects}
    objects = {one.casefold(): one for one in vocabulary.objects}
    predicates = set(vocabulary.predicates)
    for place in range(1, len(words)):
        for predicate, subject, object_ in (
            (words[0], words[1:place], words[place:]),
            (words[place], words[:place], words[place + 1 :]),
        ):
            named, value = " ".join(subject).casefold(), " ".join(object_).casefold()
            if predicate in predicates and named in subjects and (value in objects):
                return Condition(predicate, subjects[named], objects[value])
    return None


def _best(names: Iterable[str], words: frozenset[str], *, whole: bool) -> list[str]:
    """Return the names that `words` mention, the most telling first; a part of a name may do unless `whole`."""
    scored: list[tuple[float, int, str]] = []
    for number, name in enumerate(names):
        stems = stems_of(name) - AUXILIARY or stems_of(name)
        common = len(stems & words)
        if common and (common == len(stems) or (not whole and 2 * common >= len(stems))):
            scored.append((-common - common / len(stems), number, name))
    return [name for *_, name in sorted(scored)]
