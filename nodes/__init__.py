"""The steps of the machines: each a plain function of state and runtime, short, with the logic in the layers below.

Reading order: `state.py` (what flows), `phase.py` (what every phase is wrapped in), then the five phases `perceive.py`,
`deliberate.py`, `plan.py`, `act.py`, `learn.py`, each with a folder of its parts: `perception/`, `deliberation/`,
`planning/`, `action/`, `learning/`; `work.py` takes turns with act where a chat model works on a message. `choices.py`
says which goal is pursued, `cycle.py` and `open_workspaces.py` how a node finds what is open. `maintenance/`,
`company/`, `archiving.py`, `reasoning.py`, `governance.py` and `contract_net.py` are the other machines.

    from mabos.nodes.open_workspaces import OPEN
    home = OPEN.find("workspace")            # what a node does with the path in its context
    home.services.agents()
"""
