"""The causal methods of reasoning: each file has the schema of its problems and the method.

`models` and `effects` are shared by the methods over a causal model.
"""
