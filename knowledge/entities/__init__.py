"""The entity memory: insights, concepts, patterns, decisions and agents (S2).

An `EntityStore` keeps one memory a business open; an `EntityMemory` is one agent's view of it, and cheap to make.

    from mabos.knowledge.entities.memory import EntityMemory
    from mabos.knowledge.entities.store import EntityStore
    from mabos.knowledge.entities.visibility import Directory

    store = EntityStore(folder / "graph.jsonl", graph, business="acme", derived=derived, clock=clock, sync=sync)
    cfo = EntityMemory(store, "cfo", directory=Directory.of(manifest))
    cfo.create_entity("Insight", "churn-follows-price", observations=["Churn rose after the increase"])
    cfo.query_semantic("what drives churn?").as_json()

The twelve actions are methods of `EntityMemory`: `create_entity`, `add_observation`, `create_relation`,
`query_semantic`, `query_graph`, `query_temporal`, `traverse`, `extract_from_session`, `invalidate_fact`,
`merge_entities` and `stats`; `export` shows its `figures`. Other methods are `entity`, `recent`, `conflicts`,
`duplicates`, `merge_duplicates`, `undo_merge`, `set_visibility`, `forget`, `archive`, `archived`, `restore`, `clean`
and `clean_monthly`. Results have `as_json()` with S2's fields; errors are in `configs.errors`. Without an agent the
caller is a person, who sees everything. `store.problems` are the unreadable lines, `store.learn()` embeds texts without
a vector, `store.close()` writes the access counts.

Read in this order: `model` (entities, observations, relations) with `properties` (the fields of each type); `lines`
(the operations in `graph.jsonl`), `log` (the file), `fold` (the state after all operations), `parts` (the graph of that
state) and `store`, which keeps them together. Then the actions of one agent: `viewer` (the caller, and the entities
that a reference names), `queries` with `finding`, `ranking` and `statistics`, `drafting` (the lines of writes) with
`agreement`, then `changing`, `lifecycle` and `review`, each on its own; `memory` puts them together. `answers` are the
results, and `export` over `drawing` gives them to other programs. `visibility`, `accesses`, `meaning` (vectors) and
`repeated` (the retry of an interrupted call) serve them.

Pure parts: `resolution` (duplicate records); `contradiction` and `conclusions` (claims that exclude each other);
`thoughts` and `linking` under `extraction` (knowledge from a session); `turns` and `outside` (sessions held elsewhere);
`mentions` and `triples` (names in sentences, and relations between them); `sensitive` (data that must not be stored).

Under git, branches merge by union. `git revert` undoes the latest commit; for an older one git sees a change of the
same place, and union keeps both: apply its patch in reverse (`git apply --reverse --unidiff-zero`), or use `forget`.
"""
