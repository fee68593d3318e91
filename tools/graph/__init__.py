"""Questions to the graph of a business.

Read `operations.py` first: the tools. `reading.py` puts a question to a keeper of the graph, by name or in Cypher, and
`answers.py` says what each named question looks for. `standing.py` reports how the copy on a server compares, and
`goals.py` turns the goals of `business.json` into desires and goals of their owners.
"""
