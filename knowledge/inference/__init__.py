"""What follows from what is held: forward, backward and to the best explanation.

Read in this order: `relations` (triples by predicate), `program` (rules over slots), `triggers` (what a new triple
sets off), `reasoner` (the fixed point, kept exact as facts come and go).

    reasoner = Reasoner(rules)
    reasoner.change({("acme", "located_in", "US"): Stated(0.9)})
    reasoner.find(("acme", "is_taxable", "true"))
"""
