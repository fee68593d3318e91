"""Thirty-five methods of reasoning, each a solver over a structured problem (S0 section 25, S3 section 12.5).

Read in this order: `problem` (validated input), `result`, `budget`, `methods` (the table of all), `router`, `premises`
(an agent's facts and beliefs by id), `engine` (the entry point), `fusion` (several results), then a folder for each
category. A file there has the schema of a kind of problem and its method: `solve`, `estimate` and sometimes `misfit`.
`kernels` are the shared algorithms.

    engine = Engine(no_premises)
    odds = {"kind": "hypotheses", "prior": {"ill": 0.01, "well": 0.99}, "likelihood": {"ill": 0.9, "well": 0.09}}
    engine.reason(ReasoningRequest(odds, method="bayesian")).result.answer
"""
