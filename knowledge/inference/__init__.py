"""Inference from facts: forward, backward and to the best explanation.

Read in this order: `relations` (triples by predicate), `program` (rules over slots), `triggers` (the rules that a new
triple fires), `reasoner` (the fixed point, kept exact as facts come and go), `closure` (that of an agent's document),
`forward` (derive, keep derived facts true, suppose, and facts that follow by themselves); `backward` (proofs), `gaps`
and `proof` (missing conditions), `abduction` (possible explanations); `question` (an answer from all of these).

    inference = Inference(agent.facts, agent.rules)
    inference.forward(persist=True)
    inference.what_if(without=["F-1771934400000-64aa"])
"""
