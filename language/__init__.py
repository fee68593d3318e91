"""Language: what people write to agents, read into requests whose every value remembers its words.

Reading order: `request.py` (what a message asks for, and the checks that say whether it was done), `operation.py` (what
an operation tells a reader about itself), `interpreter.py` (from a message to readings), `calls/` (operations that are
known by their JSON Schemas alone).

    from mabos.language.request import Slot
    Slot("weekly_budget_usd", 500.0, words="500 dollars a week", meaning="exactly").value
"""
