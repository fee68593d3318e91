"""The entity memory: what is known of insights, concepts, patterns, decisions and agents (S2).

One memory a business, kept open by an `EntityStore`; an `EntityMemory` is one agent's view of it, and cheap to make.

    from knowledge.entities.memory import EntityMemory
    from knowledge.entities.store import EntityStore
    from knowledge.entities.visibility import Directory

    store = EntityStore(folder / "graph.jsonl", graph, business="acme", derived=derived, clock=clock, sync=sync)
    cfo = EntityMemory(store, "cfo", directory=Directory.of(manifest))
    cfo.create_entity("Insight", "churn-follows-price", observations=["Churn rose after the increase"])
    cfo.query_semantic("what drives churn?").as_json()

Read in this order: `model` (entities, observations, relations) with `properties` (what each type says of itself);
`lines` (the operations in `graph.jsonl`), `log` (the file), `fold` (what the operations amount to), `parts` (what that
gives to the graph) and `store`, which keeps them together; `memory` (what is written, made of `drafting` and
`lifecycle`) and `queries` (what is asked, with `finding`, `ranking`, `statistics`, and `addressing` for names);
`answers` (their JSON); `visibility`, `accesses` and `meaning` (vectors). Pure parts: `likeness` and `blocking` under
`resolution` (which records are the same thing); `contradiction` (facts that cannot both hold) and `conclusions` (texts
that say otherwise); `thoughts` and `linking` under `extraction` (what a session leaves behind), with `mentions` and
`sentences` (what rules read from text); `sensitive` with `checksums` (what must not be stored).
"""
