"""The problems of the probabilistic methods; `networks`, `choices` and `draws` have them by idea."""

from collections.abc import Mapping

from mabos.knowledge.reasoning.probabilistic.choices import Choice, Decision, DecisionTree, Lotteries
from mabos.knowledge.reasoning.probabilistic.draws import Joint, Questions, Simulation
from mabos.knowledge.reasoning.probabilistic.networks import FactorGraph, Hypotheses, Network
from mabos.knowledge.reasoning.problem import Problem

PROBLEMS: Mapping[str, type[Problem]] = {
    "hypotheses": Hypotheses,
    "network": Network,
    "factors": FactorGraph,
    "decision": Decision,
    "decision_tree": DecisionTree,
    "lotteries": Lotteries,
    "choice": Choice,
    "questions": Questions,
    "joint": Joint,
    "simulation": Simulation,
}
