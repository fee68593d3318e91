"""The LangGraph machines, and the one place that joins all layers.

Reading order: `bdi.py` (one agent, one cycle), `maintenance.py` (the heartbeat), `company.py` (nine agents, one round),
`reason.py` (one problem, several methods), `governance.py` (one human decision), `contract_net.py` (one call for
proposals), `wiring.py` (opens a workspace and runs the machines on it), `server.py` (all of them for LangGraph's
server), `simulate.py` (a company from first week to report), `checkpoints.py` (the history that Studio shows).

For agents of other frameworks: `memory_store.py` (memory as LangGraph's store), `memory_flush.py` on `conversation.py`
(session checkpoints before a LangChain agent's conversation is cut).

    from mabos.graphs.wiring import hold_services, run_cycle
    with hold_services(Path("workspace")) as services:
        print(run_cycle(services, "cfo", message="Review our runway").outcome)
"""
