"""What a finished task leaves: concepts, facts, procedures, questions and answers, and how they hang together (S4).

Read in this order: `model` (nodes, edges, what was extracted), `by_rule` and `by_model` (how a conversation becomes
that), `store` (`archive.json` of a business, each piece of knowledge once with all its sources), `retrieval` (the
nearest to a question, and tasks like a task).

    found = by_rule.extracted("Analyse sales", [Line("user", "How is growth calculated?"), ...])
    archive.take("TASK-1", found, at=iso(clock()))      # Taken(nodes=3, edges=2, dropped=0)
"""
