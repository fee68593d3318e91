"""The formal methods of reasoning: each file has the schema of its problems and the method.

`statements` is how problems write facts, rules and formulas.
"""
