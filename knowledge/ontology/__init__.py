"""The terms of a business: ontologies as JSON-LD files, validated, queried, extended after review (S3 section 8).

Read in this order: `model` (a concept, a fact type, a rule), `notation` (the files), `vocabulary` (all files together,
and those shipped with MABOS), `wording` (equality of terms; their similarity is in `knowledge.similarity`),
`definitions` and `checks` (quality rules), `conformance` (RDF and SHACL), `proposals` with `review` (adding a term),
`scaffold` (a new domain), `graph_schema` (for Neo4j).

    vocabulary = load(Path("workspace/ontologies"))
    vocabulary.named("MRR").definition
    vocabulary.search("retail", "inventory")[0].term.label      # 'Store Inventory'
"""
