"""What several methods compute with. Heavy libraries are imported inside the functions that use them.

Logic: `asp` answer sets on clingo; `clauses` what follows from facts and rules, with proofs; `theory` facts and rules
with things that may be added, as answer sets; `formula` a parser of formulas; `grounding` whether they can be true;
`circuit` conditions over yes-or-no atoms; `kripke` models of modal logics; `allen` relations of intervals.
Causes: `graphs` separation, adjustment and cycles; `identification` effects read off observation; `scm` models run
with what is set; `responses` bounds of effects that nothing determines; `bdd` conditions on independent events;
`dynamics` stocks over time; `factors` exact marginals.
Learning: `version_space` conjunctions that fit examples; `decision_tree` splits that tell classes apart; `shares`
intervals and entropy; `joins` relations as arrays; `rule_search` bodies of rules.
People: `linear` programs in integers; `equilibria` of games; `bargains` agreements that nobody could better;
`profile` votes; `voting` and `committees` who wins by which rule; `criteria` weights and rankings.
Arithmetic that a caller writes is in `mabos.workspace.expressions`.
"""
