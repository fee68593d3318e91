"""Procedures: playbooks that start by themselves on an event or a condition (S3 4; AgentSpeak(L)).

A playbook is tried when its event happens: a belief is added or removed (`+cash(X)`, `-cash(X)`), a goal is adopted or
has failed (`+!close`, `-!close`), a message arrives. The first one whose trigger and context fit is started; if it
fails, the next one, then the one for the failure. In reading order:

- `terms`, `syntax`, `reader`: the terms of triggers and contexts, and their syntax
- `beliefs`, `expressions`, `queries`: the beliefs, the queries of contexts, and compiled triggers
- `held`, `playbooks`, `unfolding`: a mind's beliefs as terms, the playbooks of Playbooks.md, and their plans

    kind, event = read_trigger("+overdue(Customer, Days)")
    ready = trigger(kind, event, read_query("Days > 30 & not disputed(Customer)"))
    slots = ready.applied(Held("cfo", mind.beliefs), ("overdue", "Acme", 35), ())
"""
