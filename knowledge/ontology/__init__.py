"""The words of a business: ontologies as JSON-LD files, checked, queried, extended under review (S3 section 8).

Read in this order: `model` (a concept, a fact type, a rule), `notation` (the files), `vocabulary` (all files
together, and those that come with MABOS), `wording` (when two terms are the same; how alike others are is in
`knowledge.similarity`), `definitions` and `checks` (what a good file is), `conformance` (RDF and SHACL), `proposals`
with `review` (how a term comes in), `scaffold` (a new domain), `graph_schema` (for Neo4j).

    vocabulary = load(Path("workspace/ontologies"))
    vocabulary.named("MRR").definition
    vocabulary.search("retail", "inventory")[0].term.label      # 'Store Inventory'
"""
