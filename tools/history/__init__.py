"""The work of agents, as tasks and sessions.

Read `tasks.py` first: an intention with its conversation, from the ledger and the minds. `sessions.py` is the same for
one cycle of an agent. `ledger.py` and `archive.py` are the operations that search them, and `archiving.py` turns
finished tasks into knowledge of the business.
"""
