"""One agent's cognition: what it believes, wants, aims at and has committed to, in Markdown a person can edit.

Everything that decides is a pure function of records and a moment; only `mind` touches files. In reading order:

- `model`: the records, one type a cognitive file; `times` (and `knowledge.wording`) compare what people write
- `conditions`, `lookup`: what a target or precondition asks, and how beliefs answer
- `beliefs`: which belief stands, one by one and many at once, and how thousands are cleaned
- `conflicts`: which cannot both hold
- `desires`, `rivalry`, `goals`: priority, who goes first, and what becomes an objective
- `intentions`, `plans`: commitments and when they lapse; steps, branches, outcomes
- `templates`, `library`, `binding`, `tasks`: what plans are made from, and how it is found
- `ways` over `htn`: which way each task is done, so that every step can be
- `situation`, `adaptation`, `fitting`: a plan as a case and what it teaches; a past case, made to fit the present
- `procedures`: what starts by itself when something happens, and playbooks as such
- `spelling`, `blocks`, `forms`, `files`: records as Markdown and back, without losing a byte
- `mind` with `views` and `writing`: the twelve files as one store; `history`: what was held when
- `maintenance`: the heartbeat

    mind = open_mind(directory, clock=clock, ids=ids, sync=sync)
    change = revise(mind.beliefs, Belief("B-1", "churn_rate is 3.2%", 0.9, source="metrics"), iso(clock()))
    mind.save(*change.saved, why="the metrics of March")
"""
