"""What an agent may do: every operation declared once, and one way to perform it.

Read `catalogue` first (a tool is a typed function), then `gate` (validate, identity, capability, governance, ledger,
run once) and `runtime` (what is open behind them). The other rooms hold the operations: `mind`, `plans`, `knowledge`,
`graph`, `entities`, `history`, `people`, `mail`, `business`, `workflow`.

    from mabos.tools.gate.call import call
    from mabos.tools.runtime.opening import open_services
    call(open_services(Path("workspace")), "belief_get", {"category": "self"}, agent_id="cfo").as_json()
"""
