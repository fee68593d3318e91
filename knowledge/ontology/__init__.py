"""The terms of a business: ontologies as JSON-LD files, checked, queried, extended under review (S3 section 8).

Read in this order: `model` (a concept, a fact type, a rule), `notation` (the files), `vocabulary` (all files together,
and those shipped with MABOS), `wording` (when two terms are the same; the likeness of others is in
`knowledge.similarity`), `definitions` and `checks` (the rules of a good file), `conformance` (RDF and SHACL),
`proposals` with `review` (how a term comes in), `scaffold` (a new domain), `graph_schema` (for Neo4j).

    vocabulary = load(Path("workspace/ontologies"))
    vocabulary.named("MRR").definition
    vocabulary.search("retail", "inventory")[0].term.label      # 'Store Inventory'
"""
