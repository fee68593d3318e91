"""The operations on an agent's own mind.

`bdi.py` has beliefs, goals and commitments, and `desires.py` the agent's desires and their strength. `memory.py`
stores, recalls and consolidates; `hierarchy.py` has the summaries of weeks, months and quarters. `models.py` is the
configured chat model and embedder.
"""
