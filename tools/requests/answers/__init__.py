"""Answer questions from records at the time of the reply, never from earlier messages.

Reading order: `dispatch.py` (who answers a question), `conversation.py` (its context) and `topics.py` (its topics).
Fields of named records, of one, of several or of all of a kind: `entries.py` and `query.py`. The agent's own work:
`work_items.py` (the possible items of a question), `state.py` (work in hand, and open questions to a person),
`reasons.py`, `outcomes.py`, `costs.py`, `colleagues.py` and `abilities.py`. The business: `knowledge_answers.py`, which
names the files for figures, facts, tables, documents, offers and causes; `parties.py` finds the party of a question. A
table is read in three steps: `sheets.py` (the contents of its columns), `row_selection.py` (the words and the rows
meant) and `table_queries.py` (the result from them, with `table_products.py`); `tables.py` tells rows and compares two.
`linked_rows.py` finds rows by words of their cells, by two columns compared, and by days ahead. `day_counts.py` counts
days, and finds the day that a notice leads to.
`smalltalk.py` is for messages without a request.
"""
