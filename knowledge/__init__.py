"""What an agent holds true, and what follows from it: facts, rules and cases.

Read in this order: `model` (a fact, a condition, a rule, a case), `values` (what a text is worth), `facts` with
`validity`, `patterns`, `explanation` and `pages`, `matching` (conditions joined over facts), `rules` with
`supposition`, `cases` with `similarity`. `fact_index`, `rule_records` and `case_records` keep typed records beside the
open documents.

    facts = Facts("cfo", open_facts(directory, sync=sync), clock, ids)
    facts.assert_("acme", "runway_months", "9", confidence=0.9, source="ledger")
    facts.query(predicate="runway*", valid_at="2026-03-01")
"""
