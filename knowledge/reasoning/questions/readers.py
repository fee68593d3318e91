"""The readers of questions, in order of preference: the trained one, then the more specific ones first."""

from collections.abc import Mapping

from mabos.knowledge.reasoning.questions.changes import read_change
from mabos.knowledge.reasoning.questions.criteria import read_comparison
from mabos.knowledge.reasoning.questions.evidence import read_evidence
from mabos.knowledge.reasoning.questions.forms import Reader
from mabos.knowledge.reasoning.questions.gambles import read_gambles
from mabos.knowledge.reasoning.questions.learned import read_roles
from mabos.knowledge.reasoning.questions.marks import read_marks
from mabos.knowledge.reasoning.questions.parts import read_parts
from mabos.knowledge.reasoning.questions.payoffs import read_payoffs
from mabos.knowledge.reasoning.questions.periods import read_periods
from mabos.knowledge.reasoning.questions.plans import read_meeting, read_project
from mabos.knowledge.reasoning.questions.risks import read_risks
from mabos.knowledge.reasoning.questions.rivals import read_rivals
from mabos.knowledge.reasoning.questions.rules import read_rules
from mabos.knowledge.reasoning.questions.sequences import read_deadlines, read_queue, read_steps
from mabos.knowledge.reasoning.questions.series import read_forecast, read_unusual
from mabos.knowledge.reasoning.questions.statements import read_logic
from mabos.knowledge.reasoning.questions.sums import read_sums
from mabos.knowledge.reasoning.questions.uncertainty import read_sensitivity
from mabos.knowledge.reasoning.questions.votes import read_votes
from mabos.knowledge.reasoning.questions.what_if import read_what_if

READERS: tuple[Reader, ...] = (
    read_roles,
    read_meeting,
    read_deadlines,
    read_project,
    read_rules,
    read_logic,
    read_change,
    read_sensitivity,
    read_what_if,
    read_unusual,
    read_forecast,
    read_evidence,
    read_parts,
    read_payoffs,
    read_votes,
    read_risks,
    read_gambles,
    read_marks,
    read_comparison,
    read_rivals,
    read_periods,
    read_queue,
    read_steps,
    read_sums,
)

SHAPES: Mapping[Reader, tuple[str, float]] = {
    read_parts: ("fault", 0.9), read_gambles: ("gamble risk", 0.9), read_evidence: ("bayes", 0.9),
    read_rivals: ("game", 0.9), read_meeting: ("schedule", 0.5), read_rules: ("rules", 0.5),
    read_change: ("cause", 0.5), read_unusual: ("unusual", 0.5), read_payoffs: ("gamble game", 0.5),
}  # fmt: skip
"""Readers whose patterns match questions of other shapes too, with the probability of their own that they need."""
