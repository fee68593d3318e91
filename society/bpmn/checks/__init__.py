"""What is wrong with a workflow, each finding with its element and the mend (S3 14.3).

`finding.py` is what a check says, `game.py` plays all ways that tokens can take, `soundness.py` says what that shows,
`dry_run.py` lists the ways and what is missing to run.
"""
