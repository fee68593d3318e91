"""Explanations of an observation, ranked, and the best next question (S0 section 22, S3 12.3).

S0 scores by supported conditions / all conditions x confidence_factor, S3 by prior x likelihood. The likelihood is the
factor, and the prior weights each condition that holds by its confidence; with certain facts both scores are equal.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mabos.knowledge.inference.backward import Prover
from mabos.knowledge.inference.gaps import Partial, partials
from mabos.knowledge.model import Condition, Rule


@dataclass(frozen=True, slots=True)
class RuleHypothesis:
    """A rule as a possible explanation: the conditions that hold, and its assumptions."""

    partial: Partial

    @property
    def rule(self) -> Rule:
        """The explaining rule."""
        return self.partial.rule

    @property
    def likelihood(self) -> float:
        """Return the rule's confidence factor for the observation."""
        return self.rule.confidence_factor

    @property
    def score(self) -> float:
        """The share of conditions that hold, times the factor (S0)."""
        return self.partial.support * self.likelihood

    @property
    def prior(self) -> float:
        """Return the support of the conditions: their mean confidence, missing ones counting 0 (S3)."""
        return sum(answer.confidence for _, answer in self.partial.satisfied) / len(self.rule.conditions)

    @property
    def posterior(self) -> float:
        """Prior times likelihood (S3)."""
        return self.prior * self.likelihood


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """The next question to ask: a condition that `decides` some hypotheses and not the `others`."""

    condition: Condition
    decides: tuple[str, ...]
    others: tuple[str, ...]


def hypotheses(observation: Condition, rules: Iterable[Rule], prover: Prover) -> list[RuleHypothesis]:
    """Return the explanations of `observation`, best first: by score, then by posterior, then by rule id."""
    found = [RuleHypothesis(one) for one in partials(observation, rules, prover)]
    return sorted(found, key=lambda one: (-one.score, -one.posterior, one.rule.id))


def next_question(found: Sequence[RuleHypothesis]) -> OpenQuestion | None:
    """Return the missing condition whose answer best separates the hypotheses, or None if nothing is missing.

    It splits their scores most evenly into those that need it and those that do not; ties go to one that would complete
    a hypothesis, then to the first of the best hypothesis.
    """
    needs: dict[Condition, list[RuleHypothesis]] = {}
    for one in found:
        for condition in one.partial.missing:
            needs.setdefault(condition, []).append(one)
    if not needs:
        return None
    total = sum(one.score or 0.01 for one in found)

    def unevenness(condition: Condition) -> tuple[float, int]:
        share = sum(one.score or 0.01 for one in needs[condition]) / total
        return round(abs(share - 0.5), 9), min(len(one.partial.missing) for one in needs[condition])

    chosen = min(needs, key=unevenness)
    decided = tuple(one.rule.id for one in needs[chosen])
    return OpenQuestion(chosen, decided, tuple(one.rule.id for one in found if one.rule.id not in decided))
