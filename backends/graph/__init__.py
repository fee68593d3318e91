"""A business as a graph of nodes and edges: kept in SQLite, copied to Neo4j where there is one (S0 section 12).

Read in this order: `model` (nodes, edges, what is asked), `tier` (what any keeper can do), `search` and `patterns`
(traversal, paths and patterns over any tier) with `conditions`, `embedded` (SQLite: `file`, `tables`, `changes`),
which `follow`s the files of truth by what `records` are called and `mapping` declares of them, `content` (whether two
keepers hold the same) and `merged` (two read as one), `sinks` with `drain` (what a copy still lacks), `neo4j` (the
copy: `cypher` has its statements, `neo4j_rows` and `neo4j_changes` what goes in and out) over `bolt` behind `breaker`,
and `guard` (Cypher of agents that may be run, read by `cypher_words`, `cypher_patterns` and `cypher_expressions`).
"""
