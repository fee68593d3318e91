"""What a chat model needs to do what a person asks: a briefing, tools, and orders that the office understands.

Reading order: `briefing/` (what the model is told), `toolbox.py` (which tools it sees) and `ranking.py` (how they are
found), `office.py` (orders that are more than one call) with `recipients.py`, `reads.py` (look-ups), `declared.py` (how
both are declared) and `compact.py` (results in few tokens). `proposals.py` keeps what a model proposed and what came of
it.
"""
