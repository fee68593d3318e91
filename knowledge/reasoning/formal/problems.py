"""The problems of the formal methods."""

from collections.abc import Mapping

from mabos.knowledge.reasoning.formal.analogies import Analogy, Series
from mabos.knowledge.reasoning.formal.assignments import Assignment
from mabos.knowledge.reasoning.formal.clauses import Horn
from mabos.knowledge.reasoning.formal.explanations import Explain
from mabos.knowledge.reasoning.formal.formulas import FirstOrder
from mabos.knowledge.reasoning.formal.modalities import ModalArgument
from mabos.knowledge.reasoning.formal.norms import Norms
from mabos.knowledge.reasoning.formal.relations import Relational
from mabos.knowledge.reasoning.formal.tables import Rows
from mabos.knowledge.reasoning.formal.times import Intervals, Timeline
from mabos.knowledge.reasoning.problem import Problem

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
