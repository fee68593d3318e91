"""Check a workflow for errors, each finding with its element and the fix (S3 14.3).

`finding.py` is the result of a check, `game.py` plays all paths that tokens can take, `soundness.py` draws the
conclusions, `dry_run.py` lists the paths and any missing settings.
"""
