"""The entry points of MABOS: the Python facade, the command line, and the surfaces for other programs.

Reading order: `facade` (the API for Python programs), `places` (the location of a workspace), `cli` (the commands),
`surfaces` (LangChain, MCP, HTTP, the agent bus), `standing` and `past` (the state of a mind, now and before), `reasons`
(explanations), `soundness` (damaged files), `health` with `reach` and `costs` (the state of this installation), `trial`
(a test of a model), `studio` and `threads` (the machines, with a server and without), `views` (the layout of answers)
and `visible` (removal of terminal control characters), `dashboard` (all of it in a browser).

    from mabos import open_workspace

    with open_workspace("workspace") as ws:
        ws.create_business("acme", name="Acme", template="saas")
        print(ws.agent("cfo").run(message="Review our runway").outcome)
"""
