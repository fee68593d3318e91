"""The problems of reasoning about reasoning; `records` and `voices` have them by idea."""

from collections.abc import Mapping

from mabos.knowledge.reasoning.meta.records import Computation, Forecasts, Outcomes, Selection, Traced
from mabos.knowledge.reasoning.meta.voices import Masses, Opinions, Positions
from mabos.knowledge.reasoning.problem import Problem

PROBLEMS: Mapping[str, type[Problem]] = {
    "computation": Computation,
    "selection": Selection,
    "outcomes": Outcomes,
    "trace": Traced,
    "forecasts": Forecasts,
    "opinions": Opinions,
    "masses": Masses,
    "positions": Positions,
}
