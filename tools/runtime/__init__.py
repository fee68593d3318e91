"""What is open while a workspace is open.

Read `services.py` first: `Services` holds all that is open, and an `Agent` is what a tool gets of it, with the clock
and ids of its call. `opening.py` opens them. `directory.py` finds agents and businesses: `stores.py` has the documents
of one agent, `company.py` those of one business, and `once.py` opens a thing at its first use. `mailroom.py` delivers
messages. `effects.py`, `spending.py`, `budgets.py` and `allowances.py` record what calls began and cost and what they
may still use. `graphs.py` and `graph_copy.py` keep the graph of a business up to date. `for_business.py` says which
business a call is about, and `rebuilding.py` makes everything derived again.
"""
