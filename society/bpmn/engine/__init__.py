"""Running workflows: tokens move over the nodes of a model, wait for what others do, and go on where they stood.

`state.py` is what is kept of a running workflow, `tables.py` what is worked out of a model once, `running.py` the
moves, `catching.py` timers and who hears an event, `expressions.py` what conditions come to.

    run = ProcessExecution(tables(model), ExecutionState("W-1"))
    run.begin(list(model.processes), now)
    for wait in run.state.waits():
        run.complete(wait.id, {"approved": True}, now)
"""
