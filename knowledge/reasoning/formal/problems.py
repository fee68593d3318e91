"""The problems of the formal methods."""

from collections.abc import Mapping

from knowledge.reasoning.formal.analogies import Analogy, Series
from knowledge.reasoning.formal.assignments import Assignment
from knowledge.reasoning.formal.clauses import Horn
from knowledge.reasoning.formal.explanations import Explain
from knowledge.reasoning.formal.formulas import FirstOrder
from knowledge.reasoning.formal.modalities import ModalArgument
from knowledge.reasoning.formal.norms import Norms
from knowledge.reasoning.formal.relations import Relational
from knowledge.reasoning.formal.tables import Rows
from knowledge.reasoning.formal.times import Intervals, Timeline
from knowledge.reasoning.problem import Problem

PROBLEMS: Mapping[str, type[Problem]] = {
    "horn": Horn,
    "fol": FirstOrder,
    "assignment": Assignment,
    "explanation": Explain,
    "modal": ModalArgument,
    "norms": Norms,
    "table": Rows,
    "relational": Relational,
    "analogy": Analogy,
    "sequence": Series,
    "intervals": Intervals,
    "timeline": Timeline,
}
