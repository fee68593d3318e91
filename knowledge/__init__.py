"""The knowledge of an agent and the reasoning over it: facts, rules, cases and methods.

Read in this order: `model` (the stored records: a fact, a condition, a rule), `values` (the quantities in a text),
`wording` (statements that say the opposite), `fact_index`, `facts` with `drafts` (one transaction), `validity` and
`explanation`, `matching` (conditions joined over facts), `rules` with `rule_records` and `rule_files` (readable rule
files), then the folder `inference`, `cases` with `case_records`, `case_index` and `similarity`, and the folder
`reasoning` (35 methods).

    facts = Facts("cfo", open_facts(directory, sync=sync), clock, ids)
    facts.assert_("acme", "runway_months", "9", confidence=0.9, source="ledger")
    facts.query(predicate="runway*", valid_at="2026-03-01")
"""
