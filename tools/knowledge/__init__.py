"""The operations on a company's knowledge.

`facts.py` records facts, `rules.py` creates and evaluates rules and carries out policies once. `inference.py` derives,
proves and explains; `inquiry.py` is one operation over its three kinds. `cases.py` keeps episodes, `ontology.py` the
vocabulary, and `reasoning.py` offers the reasoning methods.
"""
