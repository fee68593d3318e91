"""Other programs on the copy of a business's graph: `neo4j-graphrag` and `langchain-neo4j` find by meaning.

mabos simulate saas --weeks 4 --out demo; mabos graph sync --workspace demo/workspace     # with NEO4J_URI set
pip install 'mabos[neo4j]' neo4j-graphrag langchain-neo4j
python examples/neo4j_readers.py demo/workspace "what threatens our runway?"

Both are given the embedder of the workspace, whose vectors the index `mabos_vector` holds. All businesses of a database
share it, so each keeps to one business. Neither needs APOC.
"""

import os
import sys
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_neo4j import Neo4jGraph, Neo4jVector
from neo4j import GraphDatabase
from neo4j_graphrag.embeddings import Embedder
from neo4j_graphrag.retrievers import VectorCypherRetriever

from mabos import open_workspace

URI = os.environ.get("NEO4J_URI", "bolt://127.0.0.1:7687")
USER, PASSWORD = os.environ.get("NEO4J_USER", "neo4j"), os.environ.get("NEO4J_PASSWORD", "mabos-local")
OWNED = (
    "WITH node, score WHERE node.business_id = $business OPTIONAL MATCH (a:Agent)-[:AGENT_OWNS]->(node) "
    "RETURN node.name AS name, node.text AS text, a.name AS agent, score ORDER BY score DESC LIMIT 3"
)
DOCUMENT = "RETURN node.name + '. ' + node.text AS text, score, {kind: node.type, uid: node.uid} AS metadata"


class WorkspaceEmbedder(Embedder, Embeddings):  # type: ignore[misc]  # neo4j-graphrag is installed by who runs this
    """The embedder of a workspace, as both libraries take one."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return list(self._embedder.embed(texts) or [])


def main(workspace: str, question: str) -> None:
    """Ask the same question with both libraries, and a question in Cypher."""
    with open_workspace(workspace) as ws:
        if not ws.services.embedder.dimensions:
            sys.exit("this workspace has no embedder, so nothing is found by meaning: pip install 'mabos[local]'")
        embedder, business = WorkspaceEmbedder(ws.services.embedder), ws.business().id
        with GraphDatabase.driver(URI, auth=(USER, PASSWORD)) as driver:
            retriever = VectorCypherRetriever(driver, "mabos_vector", OWNED, embedder)
            found = retriever.search(query_text=question, top_k=100, query_params={"business": business})
            print("neo4j-graphrag:", *(item.content for item in found.items), sep="\n  ")
        graph = Neo4jGraph(URI, USER, PASSWORD, refresh_schema=False)
        vectors = Neo4jVector.from_existing_index(
            embedder, graph=graph, index_name="mabos_vector", retrieval_query=DOCUMENT
        )
        documents = vectors.similarity_search(question, k=3, filter={"business_id": business})
        print("langchain-neo4j:", *(f"{one.page_content} {one.metadata}" for one in documents), sep="\n  ")
        rows = graph.query("MATCH (a:Agent)-[:AGENT_OWNS]->(g:Goal) RETURN a.name AS agent, count(g) AS goals")
        print("Cypher:", *rows, sep="\n  ")


if __name__ == "__main__":
    main(*sys.argv[1:3])
