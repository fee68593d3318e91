"""Answers to questions: read from records when the reply is written, never from what was said before.

Reading order: `dispatch.py` (who answers a question) and `topics.py` (what it asks for). The agent's own work:
`work_items.py` (what a question may mean), `state.py` (work in hand, and what waits for a person), `reasons.py`,
`outcomes.py`, `costs.py`, `colleagues.py` and `abilities.py`. The business: `knowledge_answers.py`, which names the
files for figures, facts, tables, documents and causes. `smalltalk.py` is for what asks nothing.
"""
