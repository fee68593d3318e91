"""Answers to questions: read from records when the reply is written, never from what was said before.

Reading order: `dispatch.py` (who answers a question), `conversation.py` (what it leans on) and `topics.py` (what it
asks for). Fields of named records, of one, of several or of all of a kind: `entries.py` and `query.py`. The agent's own
work: `work_items.py` (what a question may mean), `state.py` (work in hand, and what waits for a person), `reasons.py`,
`outcomes.py`, `costs.py`, `colleagues.py` and `abilities.py`. The business: `knowledge_answers.py`, which names the
files for figures, facts, tables, documents, offers and causes; `parties.py` says whose value a question asks for.
A table is read in three steps: `sheets.py` (what its columns hold), `row_selection.py` (which rows are meant) and
`tables.py` (what is made of them). `day_counts.py` counts days, and says which day a notice leads to.
`smalltalk.py` is for what asks nothing.
"""
