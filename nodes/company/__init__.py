"""A round of a company: convene, think, act, learn, settle.

Reading order: `round.py` (the five steps as nodes, and the scripted owner of a simulation), `script.py` (a policy that
acts in place of the agents), `run.py` (the terms of a simulation, and the progress of its round).
"""
