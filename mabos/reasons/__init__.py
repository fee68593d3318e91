"""Why something is so: the chain of reasons behind a decision, an action, a fact, a belief or anything else with an id.

What was done is told with what was believed then. Reading order: `record` (what can be a reason, and what it refers
to), `beliefs` (those of now and of then), `making` (which call an id came from), `workflows` (runs and their nodes),
`gathering` (every record of a workspace), `chain` (from one record back to where it came from).

    from mabos.reasons.chain import explained
    from mabos.reasons.gathering import gathered

    records = gathered(services)
    reason = explained(records.find("DEC-17"), records, services.layout.root)
"""
