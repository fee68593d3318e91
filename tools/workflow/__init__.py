"""BPMN workflows.

`bpmn.py` creates and edits them and `workflows.py` starts and shows their runs. `running.py` advances a run and draws
its progress: `due.py` finds whose turn it is, `tasks.py` does an agent's work for one token, and `waiting.py` lets a
plan step wait for the end of a run.
"""
