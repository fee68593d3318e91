"""What an agent holds true, and what follows from it: facts, rules, cases and reasoning.

Read in this order: `model` (a fact, a condition, a rule, a case), `values` (what a text is worth), `wording`
(statements that say the opposite), `facts` with `drafts` (one transaction), `validity`, `patterns`, `explanation` and
`pages`, `matching` (conditions joined over facts), `rules` with `rule_text` and `rule_files` (rules as readable
files), `supposition` and `actions`, then the folder `inference`, `cases` with `similarity` and `case_index`, and the
folder `reasoning` (35 methods). `fact_index`, `rule_records` and `case_records` keep typed records beside the open
documents.

    facts = Facts("cfo", open_facts(directory, sync=sync), clock, ids)
    facts.assert_("acme", "runway_months", "9", confidence=0.9, source="ledger")
    facts.query(predicate="runway*", valid_at="2026-03-01")
"""
