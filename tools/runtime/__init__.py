"""The resources of an open workspace.

Read `services.py` first: `Services` holds all open resources, and an `Agent` is a tool's view of them, with the clock
and ids of its call. `opening.py` opens them. `directory.py` finds agents and businesses: `stores.py` has the documents
of one agent, `company.py` those of one business, and `once.py` opens a resource at its first use. `mailroom.py`
delivers messages. `effects.py`, `spending.py`, `budgets.py` and `allowances.py` record the effects and costs of calls
and the remaining budgets. `graphs.py` and `graph_copy.py` keep the graph of a business up to date. `for_business.py`
finds the business of a call, and `rebuilding.py` rebuilds all derived data.
"""
