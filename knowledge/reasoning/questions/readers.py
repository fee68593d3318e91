"""The readers of questions, in the order in which a full reading is taken: the more particular ones first."""

from mabos.knowledge.reasoning.questions.chance import read_bayes, read_failures
from mabos.knowledge.reasoning.questions.changes import read_change
from mabos.knowledge.reasoning.questions.conditionals import read_conditional, read_testimony
from mabos.knowledge.reasoning.questions.criteria import read_comparison
from mabos.knowledge.reasoning.questions.deals import read_power
from mabos.knowledge.reasoning.questions.explanations import read_explanation, read_loops
from mabos.knowledge.reasoning.questions.forms import Reader
from mabos.knowledge.reasoning.questions.gambles import read_gambles
from mabos.knowledge.reasoning.questions.payoffs import read_payoffs
from mabos.knowledge.reasoning.questions.periods import read_periods
from mabos.knowledge.reasoning.questions.plans import read_meeting, read_order, read_project, read_stopping
from mabos.knowledge.reasoning.questions.risks import read_risks
from mabos.knowledge.reasoning.questions.rivals import read_rivals
from mabos.knowledge.reasoning.questions.rules import read_rules
from mabos.knowledge.reasoning.questions.sequences import read_queue, read_steps
from mabos.knowledge.reasoning.questions.series import read_forecast, read_unusual
from mabos.knowledge.reasoning.questions.statements import read_logic
from mabos.knowledge.reasoning.questions.sums import read_sums
from mabos.knowledge.reasoning.questions.tables import read_blend, read_marks, read_mix
from mabos.knowledge.reasoning.questions.uncertainty import read_sensitivity
from mabos.knowledge.reasoning.questions.votes import read_votes
from mabos.knowledge.reasoning.questions.what_if import read_what_if

READERS: tuple[Reader, ...] = (
    read_meeting,
    read_project,
    read_stopping,
    read_order,
    read_rules,
    read_logic,
    read_loops,
    read_explanation,
    read_change,
    read_sensitivity,
    read_what_if,
    read_unusual,
    read_forecast,
    read_bayes,
    read_failures,
    read_payoffs,
    read_votes,
    read_power,
    read_risks,
    read_gambles,
    read_comparison,
    read_conditional,
    read_testimony,
    read_rivals,
    read_periods,
    read_queue,
    read_steps,
    read_sums,
    read_marks,
    read_mix,
    read_blend,
)
