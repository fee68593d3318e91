"""Execution of workflows: tokens move over the nodes of a model, wait for work by others, and resume.

`state.py` is the stored state of a running workflow, `tables.py` the precomputed tables of a model. `running.py` has
the moves, `catching.py` timers and event handling, `expressions.py` evaluates conditions.

    run = ProcessExecution(tables(model), ExecutionState("W-1"))
    run.begin(list(model.processes), now)
    for wait in run.state.waits():
        run.complete(wait.id, {"approved": True}, now)
"""
