"""What an agent may do: every operation declared once, and one way to perform it.

Read `declaration.py` first (a tool is a typed function) with `arguments.py`, `agent.py` (what a tool is given), then
`call.py` (validate, identity, capability, governance, ledger) with `identity.py`, `approval.py` and `effects.py`, and
`performing.py` (run, once); `services.py` is what is open behind them, `registry.py` the catalogue. Every other file is
one module of it.

    from mabos.tools.call import call
    from mabos.tools.services import open_services
    call(open_services(Path("workspace")), "belief_get", {"category": "self"}, agent_id="cfo").as_json()
"""
