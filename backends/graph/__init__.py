"""A business as a graph of nodes and edges: kept in SQLite, copied to Neo4j where there is one (S0 section 12).

Read in this order: `model` (nodes, edges, what is asked), `tier` (what any keeper can do), `search` and `patterns`
(traversal, paths and patterns over any tier), `embedded` (SQLite, which `follow`s the files of truth), `sinks` with
`drain` (what a copy still lacks), `neo4j` (the copy; `cypher` has its statements) over `bolt` behind `breaker`, and
`guard` (Cypher of agents that may be run).
"""
