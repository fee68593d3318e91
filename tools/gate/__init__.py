"""The one way to use a tool.

Read `call.py` first: it validates the arguments and writes the ledger. `identity.py` checks the actor and its rights,
`approval.py` decides whether a person must approve, and `performing.py` runs the tool and records its effect once.
"""
