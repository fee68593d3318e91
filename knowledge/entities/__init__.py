"""The entity memory: what is known of insights, concepts, patterns, decisions and agents (S2).

One memory a business, kept open by an `EntityStore`; an `EntityMemory` is one agent's view of it, and cheap to make.

    from mabos.knowledge.entities.memory import EntityMemory
    from mabos.knowledge.entities.store import EntityStore
    from mabos.knowledge.entities.visibility import Directory

    store = EntityStore(folder / "graph.jsonl", graph, business="acme", derived=derived, clock=clock, sync=sync)
    cfo = EntityMemory(store, "cfo", directory=Directory.of(manifest))
    cfo.create_entity("Insight", "churn-follows-price", observations=["Churn rose after the increase"])
    cfo.query_semantic("what drives churn?").as_json()

The twelve actions are methods of `EntityMemory`: `create_entity`, `add_observation`, `create_relation`,
`query_semantic`, `query_graph`, `query_temporal`, `traverse`, `extract_from_session`, `invalidate_fact`,
`merge_entities` and `stats`; `export` shows its `figures`. Beside them: `entity`, `recent`, `conflicts`, `duplicates`,
`merge_duplicates`, `undo_merge`, `set_visibility`, `forget`, `archive`, `archived`, `restore`, `clean` and
`clean_monthly`. What they return has `as_json()` with S2's fields; what they raise is in `configs.errors`. Without an
agent a person asks, who sees everything. `store.problems` are the lines that cannot be read, `store.learn()` embeds
what has no vector yet, `store.close()` writes down what was looked at.

Read in this order: `model` (entities, observations, relations) with `properties` (the fields of each type); `lines`
(the operations in `graph.jsonl`), `log` (the file), `fold` (the state that the operations amount to), `parts` (what
it gives to the graph) and `store`, which keeps them together. Then what one agent does: `viewer` (who looks, and
the entities that words name), `queries` with `finding`, `ranking` and `statistics`, `drafting` (the lines of
writes) with `agreement`, then `changing`, `lifecycle` and `review`, each on its own; `memory` puts them together.
`answers` are the results, and `export` over `drawing` gives them to other programs. `visibility`, `accesses`,
`meaning` (vectors) and `repeated` (a call that was cut short, made again) serve them.

Pure parts: `resolution` (which records are the same thing); `contradiction` and `conclusions` (what cannot both hold);
`thoughts` and `linking` under `extraction` (what a session teaches); `mentions` and `triples` (what sentences name, and
say of it); `sensitive` (what must not be stored).

Under git, branches merge by union. What the latest commit said, `git revert` takes back; for an older one git sees a
change of the same place, and union keeps both: apply its patch in reverse (`git apply --reverse --unidiff-zero`), or
use `forget`.
"""
