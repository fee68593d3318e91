"""The entity memory of a business.

Read `operation.py` first: the one operation `knowledge` with its actions. `questions.py` has the actions that only
read, `learning.py` records the lessons agents learn from their work, and `growth.py` extracts, cleans and flags at each
heartbeat.
"""
