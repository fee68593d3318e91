"""What an agent has experienced: three stores, a daily log, and what both are condensed into.

Read in this order: `model` (an item, a hit), `memory` (the handle with everything one can ask for), `stores` (capacity,
expiry and what moves where), `consolidation` (R1), `checkpoints` and `flush` (R3), `hierarchy` and `digest` (R2),
`daily`, `materialise`. `shelf` and `mirror` keep the typed items beside the open document.

Recall (R4): `recall` (from a question to hits), `question`, `ranking` and `signals` (what decides the order; weights in
`configs/ranking.yaml`), `words` and `stem` (by words), `meaning` (by vectors), `passages` (of files), `findable`.

    document = open_memory(directory, sync=sync)
    memory = Memory("cfo", document, directory, clock, ids, index=None, settings=settings.memory)
    memory.store("Runway is nine months", type="fact", importance=0.8, tags=["runway"], store="long_term")
    memory.recall("how long will the money last?", limit=10, recursive_depth=1)
"""
