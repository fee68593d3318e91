"""The probabilistic methods of reasoning: each file has the schema of its problems and the method.

`networks`, `choices` and `utility` are shared by several of them.
"""
