"""The entity memory of a business.

Read `operation.py` first: the one operation `knowledge` with its actions. `questions.py` has the actions that only
read, `learning.py` takes in what agents learn by what they do, and `growth.py` extracts, cleans and flags at each
heartbeat.
"""
