"""Why something is so: the chain of reasons behind a decision, an action, a fact, a belief or anything else with an id.

What was done is told with what was believed then. Reading order: `record` (what can be a reason, and what it refers
to), `beliefs` (those of now and of then), `minds` and `holdings` (what agents hold, what a business has and what ran
there), `making` and `book` (which call an id came from, and a ledger followed as it grows), `files` (whether
anything has changed), `gathering` (every record of a workspace, kept between questions), `chain` (from one record back
to where it came from).

    from mabos.interfaces.reasons.chain import explained
    from mabos.interfaces.reasons.gathering import gathered

    records = gathered(services)
    reason = explained(records.find("DEC-17"), records, services.layout.root)
"""
