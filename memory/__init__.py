"""What an agent has experienced: three stores, a daily log, and what both are condensed into.

Read in this order: `model` (an item, a hit), `memory` (the handle with everything one can ask for), `stores` (capacity,
expiry and what moves where), `consolidation` (R1), `checkpoints` and `flush` (R3),
`daily`, `materialise`. `shelf` keeps the typed items beside the open document.

Summaries (R2): `hierarchy` (what is built when, and the search), `weekly`, `monthly`, `quarterly` (what they say, with
`told`, `themes`, `figures` and `digest`), `narrative` (what a model tells where there is one), `lineage` and `summary`
(the form of lines and files), `trace`, `periods`.

Recall (R4): `recall` (from a question to hits), `question`, `ranking` and `signals` (what decides the order; weights in
`configs/ranking.yaml`), `words` and `stem` (by words), `texts`,
`catalogue` and `timeline` (where words are looked up: a file beside the store), `meaning` (by vectors), `passages` (of
files), `findable`.

    document = open_memory(directory, sync=sync)
    memory = Memory("cfo", document, directory, clock, ids, settings=settings.memory)
    memory.store("Runway is nine months", type="fact", importance=0.8, tags=["runway"], store="long_term")
    memory.recall("how long will the money last?", limit=10, recursive_depth=1)
"""
