"""What is open while a workspace is open.

Read `services.py` first: stores, clock, ids, model and ledger, with the agents and businesses on them. `agent.py` is
what a tool or a node gets of it, `company.py` is one business, and `for_business.py` says which business a call is
about. `opening.py` opens the stores of one agent and `opened.py` closes all of them; `effects.py`, `spending.py` and
`budgets.py` record what calls began and cost; `graphs.py` and `graph_copy.py` keep the graph of a business up to
date; `rebuilding.py` makes everything derived again.
"""
