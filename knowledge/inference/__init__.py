"""What follows from what is held: forward, backward and to the best explanation.

Read in this order: `relations` (triples by predicate), `program` (rules over slots), `triggers` (what a new triple
sets off), `reasoner` (the fixed point, kept exact as facts come and go), `closure` (that of an agent's document),
`forward` (derive, keep what was derived true, suppose, and facts that follow by themselves); `backward` (proofs),
`gaps` and `proof` (what is missing), `abduction` (what would explain it); `question` (an answer from all of these).

    inference = Inference(agent.facts, agent.rules)
    inference.forward(persist=True)
    inference.what_if(without=["F-1771934400000-64aa"])
"""
