"""The formal methods of reasoning: each file has the schema of its problems and the method.

`statements` has the notation of facts, rules and formulas.
"""
