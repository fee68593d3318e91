"""The problems of the causal methods; `models`, `failures` and `systems` have them by idea."""

from collections.abc import Mapping

from mabos.knowledge.reasoning.causal.failures import FaultTree, Incident
from mabos.knowledge.reasoning.causal.models import CausalGraph, CausalModel, StructuralModel
from mabos.knowledge.reasoning.causal.systems import Loops, StockFlow
from mabos.knowledge.reasoning.problem import Problem

PROBLEMS: Mapping[str, type[Problem]] = {
    "causal_graph": CausalGraph,
    "causal_model": CausalModel,
    "structural_model": StructuralModel,
    "fault_tree": FaultTree,
    "incident": Incident,
    "loops": Loops,
    "stock_flow": StockFlow,
}
