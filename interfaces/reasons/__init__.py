"""Explanations: the chain of reasons behind a decision, an action, a fact, a belief or anything else with an id.

Actions are explained with the beliefs of their time. Reading order: `record` (anything that can be a reason, and its
references), `beliefs` (present and past ones), `minds` and `holdings` (records of agents, and of a business and its
workflows), `making` and `book` (the call that created an id, and a ledger followed as it grows), `files` (change
detection), `gathering` (every record of a workspace, cached between questions), `chain` (from one record back to its
origin).

    from mabos.interfaces.reasons.chain import explain_record
    from mabos.interfaces.reasons.gathering import gather_records

    records = gather_records(services)
    reason = explain_record(records.find("DEC-17"), records, services.layout.root)
"""
