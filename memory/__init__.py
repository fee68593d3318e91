"""An agent's experience: three stores, a daily log, and the summaries condensed from both.

Read in this order: `model` (an item, a hit), `memory` (the handle with the whole API), `stores` (capacity, expiry and
moves between stores), `consolidation` (R1), `checkpoints` and `flush` (R3), `daily`, `materialise`. `shelf` keeps the
typed items for the open document.

Summaries (R2): `hierarchy` (when each is built, and the search), `weekly`, `monthly`, `quarterly` (their content, with
`told`, `themes`, `figures` and `digest`), `narrative` (text by a model, if one is configured), `lineage` and `summary`
(the form of lines and files), `trace`, `periods`.

Recall (R4): `recall` (from a question to hits), `question`, `ranking` and `signals` (the order of hits; weights in
`configs/ranking.yaml`), `words` and `stem` (full-text search), `texts`, `catalogue` and `timeline` (the word index: a
file next to the store), `meaning` (vector search), `passages` (of files), `findable`.

    document = open_memory(directory, sync=sync)
    memory = Memory("cfo", document, directory, clock, ids, settings=settings.memory)
    memory.store("Runway is nine months", type="fact", importance=0.8, tags=["runway"], store="long_term")
    memory.recall("how long will the money last?", limit=10, recursive_depth=1)
"""
