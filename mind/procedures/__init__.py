"""What starts by itself: playbooks whose trigger is an event or a condition (S3 4; AgentSpeak(L)).

A playbook is tried when its event happens: a belief is added or removed (`+cash(X)`, `-cash(X)`), a goal is adopted or
has failed (`+!close`, `-!close`), a message arrives. The first one whose trigger and context fit is begun; where it
fails the next one is, then the one for the failure. In reading order:

- `terms`, `syntax`, `reader`: what triggers and contexts speak in, and how they are written
- `beliefs`, `expressions`, `queries`: what is believed, what a context asks of it, and triggers compiled
- `held`, `playbooks`, `unfolding`: what a mind believes as terms, the playbooks of Playbooks.md, and their plans

    kind, event = read_trigger("+overdue(Customer, Days)")
    ready = trigger(kind, event, read_query("Days > 30 & not disputed(Customer)"))
    slots = ready.applied(Held("cfo", mind.beliefs), ("overdue", "Acme", 35), ())
"""
