"""The front doors of MABOS: the Python facade, the command line, and the surfaces for other programs.

Reading order: `facade` (what Python programs use), `places` (where a workspace may be), `cli` (the commands),
`surfaces` (LangChain, MCP, HTTP, the agent bus), `standing` and `past` (how a mind stands, and stood), `reasons` (why
something is so), `soundness` (what is sound), `health` with `reach` and `costs` (what works here),
`trial` (what a model answers), `studio` and `threads` (the machines, with a server and without), `views` (how answers
look) and `visible` (without what would steer a terminal), `dashboard` (all of it in a browser).

    from mabos import open_workspace

    with open_workspace("workspace") as ws:
        ws.create_business("acme", name="Acme", template="saas")
        print(ws.agent("cfo").run(message="Review our runway").outcome)
"""
