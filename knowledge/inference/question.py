"""An answer from all that is known: what is held, what follows, what would prove it, and what would explain it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mabos.knowledge.inference.abduction import OpenQuestion, RuleHypothesis, hypotheses, next_question
from mabos.knowledge.inference.backward import Prover
from mabos.knowledge.inference.forward import Inference
from mabos.knowledge.inference.proof import GoalVerdict, Status, verdict
from mabos.knowledge.inference.reading import NamesInUse, named, named_subjects, read_patterns
from mabos.knowledge.inference.relations import Triple
from mabos.knowledge.model import Rule

_TOLD = 10


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
    subjects = dict.fromkeys([one.subject for one in patterns if one.subject] or named_subjects(question, vocabulary))
    follows = tuple(_follows(list(subjects)[:3], inference))
    if all(one.status != "PROVEN" for one in verdicts):
        followed = [triple for triple, *_ in follows]
        verdicts += [verdict(one, rules, prover) for one in named(question, patterns, followed)]
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
