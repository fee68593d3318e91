"""Requests carried out: what an agent does about each thing that it was asked for, and how it knows that it is done.

Reading order: `response.py` (what can be made of a request), `records.py` (everything on record, as flat sections),
`acceptance.py` (checks over these records), `handlers.py` (which handler takes which request).
"""
