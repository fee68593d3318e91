"""Carry out requests: an agent's response to each, and the check that it is done.

Reading order: `response.py` (the possible responses), `records.py` (all records, as flat sections), `acceptance.py`
(checks over these records), `handlers.py` (the handler of each request).
"""
