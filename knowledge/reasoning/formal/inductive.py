"""Induction: rules from rows of attributes, or from relations with examples (Mitchell 1982; Muggleton 1991)."""

from knowledge.reasoning.budget import Budget
from knowledge.reasoning.formal import relational_rules, table_rules
from knowledge.reasoning.formal.relations import Relational
from knowledge.reasoning.formal.rules_learned import Learned
from knowledge.reasoning.formal.table_rules import TableRules
from knowledge.reasoning.formal.tables import Rows
from knowledge.reasoning.result import Result


def estimate(problem: Rows | Relational) -> float:
    """Return the milliseconds this takes about."""
    return table_rules.estimate(problem) if isinstance(problem, Rows) else relational_rules.estimate(problem)


def solve(problem: Rows | Relational, budget: Budget) -> Result[TableRules] | Result[Learned]:
    """Return the rules that the rows or the examples teach."""
    if isinstance(problem, Rows):
        return table_rules.solve(problem, budget)
    return relational_rules.solve(problem, budget)
