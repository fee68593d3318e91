"""Language: parse messages from people into requests in which every value remembers its words.

Reading order: `request.py` (the request, and the checks that show whether it was done), `operation.py` (the description
of an operation for a reader), `interpreter.py` (from a message to readings), `calls/` (operations that are known by
their JSON Schemas alone).

    from mabos.language.request import Slot
    Slot("weekly_budget_usd", 500.0, words="500 dollars a week", meaning="exactly").value
"""
