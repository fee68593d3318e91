"""The equipment of a chat model for a person's request: a briefing, tools, and orders that the office understands.

Reading order: `briefing/` (the text for the model), `toolbox.py` (the tools it sees) and `ranking.py` (their search),
`office.py` (orders that are more than one call) with `recipients.py`, `reads.py` (look-ups), `declared.py` (the
declaration of both) and `compact.py` (results in few tokens). `proposals.py` keeps a model's proposals and their
outcomes.
"""
