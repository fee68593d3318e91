"""Induction: rules from rows of attributes (Mitchell 1982; Quinlan 1986)."""

from knowledge.reasoning.formal.table_rules import estimate, solve

__all__ = ["estimate", "solve"]
