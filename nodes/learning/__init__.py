"""What a cycle leaves behind: memories (`experiences`), cases and lessons (`episodes`, `effects`).

With a model: what came of the plans that it proposed (`trials`), and what it learns from closed cases (`reflection`).
"""
