"""A business as a graph of nodes and edges: kept in SQLite, copied to Neo4j where there is one (S0 section 12).

Read in this order: `model` (nodes, edges, what is asked), `tier` (what any keeper can do), `search` (traversal, paths
and patterns over any tier), `embedded` (SQLite, which follows the files of truth), `outbox` with `drain` (what a copy
still lacks), `neo4j` behind `breaker` (the copy), `guard` (Cypher that may be run).
"""
