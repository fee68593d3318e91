"""The operations of agents, each declared once, and the one way to perform them.

Read `catalogue` first (a tool is a typed function), then `gate` (validate, identity, capability, governance, ledger,
run once) and `runtime` (the open services behind them). The other packages hold the operations: `mind`, `plans`,
`knowledge`, `graph`, `entities`, `history`, `people`, `mail`, `business`, `workflow`.

    from mabos.tools.gate.call import call
    from mabos.tools.runtime.opening import open_services
    call(open_services(Path("workspace")), "belief_get", {"category": "self"}, agent_id="cfo").as_json()
"""
