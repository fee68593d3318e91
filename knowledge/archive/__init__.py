"""The archive of finished tasks: concepts, facts, procedures, questions and answers, and their links (S4).

Read in this order: `model` (nodes, edges, extractions), `by_rule` and `by_model` (extraction from a conversation),
`store` (`archive.json` of a business, each piece of knowledge once with all its sources), `retrieval` (the nodes
nearest to a question, and similar tasks).

    found = by_rule.extracted("Analyse sales", [TaskLine("user", "How is growth calculated?"), ...])
    archive.take("TASK-1", found, at=iso(clock()))      # Taken(nodes=3, edges=2, dropped=0)
"""
