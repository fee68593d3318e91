"""Plans and their steps.

Read `planning.py` first: the operations. `sources.py` says where a plan comes from: `search.py` finds templates,
`case_steps.py` reads the steps of a past case, and `orders.py` leaves out what is already on order. `grounds.py` says
what a plan may rest on and `risks.py` what failed before. `outline.py` shows the breakdown of a goal, and
`execution.py` takes one step through the gate.
"""
