"""What the methods over a causal model have in common: when they are unsure, what they assume, and their claims."""

from mabos.knowledge.reasoning.causal.effects import Counted, Tabled
from mabos.knowledge.reasoning.causal.models import CausalModel
from mabos.knowledge.reasoning.result import Claim

SAME = 1e-9
"""An effect smaller than this is none."""


def model_estimate(problem: CausalModel) -> float:
    """Return the milliseconds a few questions to a model take about."""
    cells = len(problem.counts.values) if problem.counts else 0
    return 1.0 + 0.2 * len(problem.variables) + 0.05 * cells


def is_trial_alone(problem: CausalModel) -> bool:
    """Return whether nothing but the outcome of a trial is known."""
    return problem.counts is None and not problem.variables[problem.outcome].table


def difference(pair: tuple[float | None, float | None]) -> float | None:
    """Return by how much the first of two probabilities is larger."""
    return None if pair[0] is None or pair[1] is None else pair[0] - pair[1]


def is_sample(model: Tabled | Counted) -> bool:
    """Return whether the shares are those of a sample of cases."""
    return isinstance(model, Counted) and model.is_sample


def assumptions(problem: CausalModel, model: Tabled | Counted) -> tuple[str, ...]:
    """Return what an effect is told under."""
    said = ["the arrows are right, and what they leave out does not matter"]
    if is_sample(model):
        said.append("the cases are a fair sample")
    if problem.unseen:
        said.append(f"nothing is known of {', '.join(problem.unseen)}")
    return tuple(said)


def effect_claims(problem: CausalModel, effect: float | None) -> tuple[Claim, ...]:
    """Return the claims about the effect that every method of this category makes alike."""
    if effect is None:
        return ()
    subject = f"{problem.treatment} -> {problem.outcome}"
    word = "none" if abs(effect) <= SAME else "raises" if effect > 0 else "lowers"
    return Claim(subject, "effect", word), Claim(subject, "average effect", round(effect, 6) + 0.0)
