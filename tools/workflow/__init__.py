"""BPMN workflows.

`bpmn.py` makes and edits them and `workflows.py` starts and shows their runs. `running.py` moves a run on and draws its
progress: `due.py` finds whose turn it is, `tasks.py` does an agent's work for one token, and `waiting.py` lets a plan
step wait for the end of a run.
"""
