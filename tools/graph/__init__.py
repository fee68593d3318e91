"""Questions to the graph of a business.

Read `operations.py` first: the tools. `reading.py` puts a question to a graph backend, by name or in Cypher, and
`answers.py` defines the query of each named question. `standing.py` compares the copy on a server, and `goals.py` turns
the goals of `business.json` into desires and goals of their owners.
"""
