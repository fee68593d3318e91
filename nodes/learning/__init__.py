"""The results of a cycle: memories (`experiences`), cases and lessons (`episodes`, `effects`).

With a model: the results of its proposed plans (`trials`), and its lessons from closed cases (`reflection`).
"""
