"""An agent's cognition: its beliefs, desires, goals and commitments, in Markdown a person can edit.

Every decision is a pure function of records and a moment; only `mind` touches files. In reading order:

- `model`: the records, one type a cognitive file; `times` (and `knowledge.wording`) compare what people write
- `conditions`, `lookup`: the language of targets and preconditions, and the answers from beliefs
- `beliefs`: precedence among beliefs, one by one and many at once, and the cleaning of thousands
- `conflicts`: pairs that cannot both hold
- `desires`, `rivalry`, `goals`: priority, order, and the step from desire to objective
- `intentions`, `plans`: commitments and when they lapse; steps, branches, outcomes
- `templates`, `library`, `binding`, `tasks`: the material of plans, and the search in it
- `ways` over `htn`: the choice of a method for each task, so that every step can be done
- `situation`, `adaptation`, `fitting`: a plan as a case and its lesson; a past case, made to fit the present
- `procedures`: playbooks that start by themselves on events, and playbooks as plans
- `spelling`, `blocks`, `forms`, `files`: records as Markdown and back, without losing a byte
- `mind` with `views` and `writing`: the twelve files as one store; `history`: past states of beliefs
- `maintenance`: the heartbeat

    mind = open_mind(directory, clock=clock, ids=ids, sync=sync)
    change = revise(mind.beliefs, Belief("B-1", "churn_rate is 3.2%", 0.9, source="metrics"), iso(clock()))
    mind.save(*change.saved, why="the metrics of March")
"""
