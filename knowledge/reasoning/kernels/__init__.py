"""The algorithms shared by several methods. Heavy libraries are imported inside the functions that use them.

Logic: `asp` answer sets on clingo; `clauses` derivations from facts and rules, with proofs; `theory` facts and rules
with possible additions, as answer sets; `formula` a parser of formulas; `grounding` their satisfiability; `circuit`
conditions over yes-or-no atoms; `kripke` models of modal logics; `allen` relations of intervals. Causes: `graphs`
separation, adjustment and cycles; `identification` effects from observation; `scm` models run with interventions;
`responses` bounds of undetermined effects; `bdd` conditions on independent events; `dynamics` stocks over time;
`factors` exact marginals. Learning: `version_space` conjunctions that fit examples; `decision_tree` splits that
separate classes; `shares` intervals and entropy; `joins` relations as arrays; `rule_search` bodies of rules. People:
`linear` programs in integers; `equilibria` of games; `bargains` Pareto-efficient agreements; `profile` votes; `voting`
and `committees` the winners of each rule; `criteria` weights and rankings. Arithmetic from callers is in
`mabos.workspace.expressions`.
"""
