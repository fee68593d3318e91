"""BPMN workflows.

`bpmn.py` makes and edits them and `workflows.py` starts and shows their runs. `running.py` moves a run on and draws its
progress: `due.py` says whose turn it is, `tasks.py` what an agent does for one token, and `waiting.py` how a step of a
plan waits for the end of a run.
"""
