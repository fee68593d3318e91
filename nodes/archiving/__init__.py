"""Finished tasks as knowledge of their business: which are due, one after the other, and what came of it (S4)."""
