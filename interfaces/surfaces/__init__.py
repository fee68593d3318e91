"""The surfaces of the catalogue: the same tools for LangChain, MCP, HTTP and the agent bus, all through one `call()`.

Reading order: `door` (the caller behind a surface, and its answers), then any surface: `langchain` with `approval`,
`mcp` with `resources`, `http` with `openapi`, `chat` and `webhooks`, `bus`. `conversation` is a turn as `mcp` and
`chat` hold it. `given` reads arguments from JSON, `guard`, `listening` and `status` are shared by servers, `mounted`
with `strangers_pages` is the part that LangGraph's server loads. The fifth is `mabos.interfaces.cli.call`.

    from mabos import open_workspace
    from mabos.interfaces.surfaces.bus import AgentBus

    with open_workspace("workspace") as ws:
        print(AgentBus(ws.services).invoke("ldg:task:list")('{"limit": 3}'))
"""
