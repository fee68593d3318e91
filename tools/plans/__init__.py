"""Plans and their steps.

Read `planning.py` first: the operations. `sources.py` makes plans from their sources: `search.py` finds templates,
`case_steps.py` reads the steps of a past case, and `orders.py` leaves out open orders. `grounds.py` lists valid grounds
of a plan and `risks.py` past failures. `outline.py` shows the breakdown of a goal, and `execution.py` performs one step
through the gate.
"""
