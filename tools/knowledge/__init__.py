"""The operations on what a company knows.

`facts.py` states facts, `rules.py` makes and evaluates rules and does once what a policy asks for. `inference.py`
derives, proves and explains; `inquiry.py` is one operation over its three kinds. `cases.py` keeps episodes,
`ontology.py` the vocabulary, and `reasoning.py` offers the reasoning methods.
"""
