"""The surfaces of the catalogue: the same tools for LangChain, MCP, HTTP and the agent bus, through one `call()`.

Reading order: `door` (the caller behind a surface, and its answers), then any surface: `langchain` with `approval`,
`mcp` with `resources`, `http` with `openapi`, `chat` and `webhooks`, `bus`. `conversation` is a turn for `mcp` and
`chat`. `given` parses arguments from JSON, `guard`, `listening` and `status` are shared by servers, `mounted` with
`strangers_pages` is loaded by LangGraph's server. The fifth is `mabos.interfaces.cli.call`.

    from mabos import open_workspace
    from mabos.interfaces.surfaces.bus import AgentBus

    with open_workspace("workspace") as ws:
        print(AgentBus(ws.services).invoke("ldg:task:list")('{"limit": 3}'))
"""
