"""The problems of the probabilistic methods; `networks`, `choices` and `draws` have them by idea."""

from collections.abc import Mapping

from knowledge.reasoning.probabilistic.choices import Choice, Decision, DecisionTree, Lotteries
from knowledge.reasoning.probabilistic.draws import Joint, Questions, Simulation
from knowledge.reasoning.probabilistic.networks import FactorGraph, Hypotheses, Network
from knowledge.reasoning.problem import Problem

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
