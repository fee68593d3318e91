"""What several methods compute with. Heavy libraries are imported inside the functions that use them.

`asp` answer sets on clingo; `expression` arithmetic written by a caller, never evaluated as code.
`clauses` what follows from facts and rules, with proofs.
`formula` formulas, read; `grounding` whether they can be true; `circuit` conditions over yes-or-no atoms.
`conditions` conditions on variables with few values, as lists.
`kripke` what can be true in the models of modal logics.
`theory` facts and rules with things that may be added, as answer sets.
`graphs` causes and effects: separation, adjustment; `identification` effects read off observation.
`scm` models run with what is set; `responses` bounds of effects that nothing determines.
`bdd` conditions on independent events: how probable, and the least that causes them.
`cycles` the simple cycles of a graph; `dynamics` stocks over time, where they rest, and whether that holds.
`version_space` conjunctions that fit examples; `decision_tree` splits that tell classes apart; `shares` intervals.
`linear` linear programs in integers; `equilibria` of games; `bargains` agreements that nobody could better.
`profile` votes, `voting` who wins by which rule, `committees` who sits; `criteria` weights and rankings.
`joins` relations as arrays; `rule_search` bodies of rules that cover what they should.
"""
