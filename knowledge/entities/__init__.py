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

Read in this order: `model` (entities, observations, relations) with `properties` (what each type says of itself);
`lines` (the operations in `graph.jsonl`), `log` (the file), `held` and `fold` (what the operations amount to), `parts`
(what that gives to the graph) and `store`, which keeps them together. Then what one agent does, each file on the one
before: `looking` and `queries` (what is asked, with `finding`, `ranking`, `statistics`, `addressing`), `drafting` (what
writes are made of, with `agreement` and `screening`), `lifecycle`, `review`, `changing`, and `memory` with `sessions`.
`answers` is what they return, and `export` over `drawing` and `cypher_script` what other programs read; `visibility`,
`accesses`, `meaning` (vectors) and `repeated` (a call that was cut short, made again) stand beside.

Pure parts: `likeness` and `blocking` under `resolution` (which records are the same thing); `contradiction` and
`conclusions` (what cannot both hold); `thoughts`, `sentences` and `linking` under `extraction` (what a session
teaches); `checksums` under `sensitive` (what must not be stored).

Under git, branches merge by union. What the latest commit said, `git revert` takes back; for an older one git sees a
change of the same place, and union keeps both: apply its patch in reverse (`git apply --reverse --unidiff-zero`), or
use `forget`.
"""
