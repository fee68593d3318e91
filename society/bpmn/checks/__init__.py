"""Check a workflow for errors, each finding with its element and the fix (S3 14.3).

`finding.py` is the result of a check, `game.py` explores all token paths, `soundness.py` evaluates them, `dry_run.py`
lists the paths and any missing settings.
"""
