"""Answers to questions: read from records when the reply is written, never from what was said before.

Reading order: `dispatch.py` (who answers a question), `topics.py` (what it asks for), `work_items.py` (the agent's own
work, as items that a question may mean), `state.py` (work in hand, and what waits for a person), `reasons.py`, and
`smalltalk.py` for what asks nothing.
"""
