"""The steps of the machines: plain, short functions of state and runtime, with the logic in the layers below.

Reading order: `state.py` (the state that flows), `phase.py` (the wrapper of every phase), then the five phases
`perceive.py`, `deliberate.py`, `plan.py`, `act.py`, `learn.py`, each with a folder of its parts: `perception/`,
`deliberation/`, `planning/`, `action/`, `learning/`. `work.py` takes turns with act where a chat model works on a
message. `choices.py` chooses the goal to pursue; `cycle.py` and `open_workspaces.py` give a node its open objects.
`maintenance/`, `company/`, `archiving.py`, `reasoning.py`, `governance.py` and `contract_net.py` serve the other
machines.

    from mabos.nodes.open_workspaces import OPEN
    home = OPEN.find("workspace")            # what a node does with the path in its context
    home.services.agents()
"""
