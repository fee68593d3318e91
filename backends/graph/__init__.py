"""A business as a graph of nodes and edges: kept in SQLite, copied to Neo4j if configured (S0 section 12).

Read in this order: `model` (nodes, edges and queries), `tier` (the interface of every keeper), `search` and `patterns`
(traversal, paths and patterns over any tier) with `conditions`, `embedded` (SQLite: `file`, `tables`, `changes`), which
`follow`s the files of truth by the uids of `records` and the declarations of `mapping`, `content` (whether two keepers
hold the same) and `merged` (two read as one), `sinks` with `drain` (the backlog of a copy), `neo4j` (the copy: `cypher`
has its statements, `neo4j_rows` and `neo4j_changes` convert its rows) over `bolt` behind `breaker`, and `guard` (the
Cypher that agents may run, read by `cypher_words`, `cypher_patterns` and `cypher_expressions`).
"""
