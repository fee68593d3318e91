"""The one way to use a tool.

Read `call.py` first: it validates the arguments and writes the ledger. `identity.py` checks who acts and whether it
may, `approval.py` decides whether a person must be asked, and `performing.py` runs the tool and records its effect
once.
"""
