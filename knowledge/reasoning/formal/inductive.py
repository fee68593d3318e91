"""Induction: rules from rows of attributes, or from relations with examples (Mitchell 1982; Muggleton 1991)."""

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.formal import relational_rules, table_rules
from mabos.knowledge.reasoning.formal.relations import Relational
from mabos.knowledge.reasoning.formal.rules_learned import Learned
from mabos.knowledge.reasoning.formal.table_rules import TableRules
from mabos.knowledge.reasoning.formal.tables import Rows
from mabos.knowledge.reasoning.result import Result


def estimate(problem: Rows | Relational) -> float:
    """Return the milliseconds this takes about."""
    return table_rules.estimate(problem) if isinstance(problem, Rows) else relational_rules.estimate(problem)


def solve(problem: Rows | Relational, budget: Budget) -> Result[TableRules] | Result[Learned]:
    """Return the rules that the rows or the examples teach."""
    if isinstance(problem, Rows):
        return table_rules.solve(problem, budget)
    return relational_rules.solve(problem, budget)
