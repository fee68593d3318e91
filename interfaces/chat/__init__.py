"""Conversations with an agent, for every surface: Python, the command line, HTTP and MCP.

Reading order: `events` (the events of a conversation), `turn` (one message, its cycles and its reply), `streaming` (a
turn as `for` and `async for`), `routing` (the agent that answers if none is named), `record` (the history, and the last
order that can be withdrawn).

    from mabos import open_workspace
    with open_workspace("workspace") as ws:
        print(ws.agent("cfo").say("What is our runway?").text)
"""
