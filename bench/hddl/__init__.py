"""Domains and problems in HDDL, the language of the hierarchical planning competitions.

- `brackets`: the text as nested forms
- `vocabulary`: types, predicates, objects; conditions and effects
- `reading`: `read_domain` and `read_problem`
- `plans`: plans in the format of the competition, and whether one is a plan

Read are types (also `either`), constants, predicates, tasks, methods with preconditions and constraints, subtasks in
total or partial order, `and or not imply forall exists =` in conditions, conditional and universal effects and constant
costs. Metrics and functions are skipped. Anything else, and anything undeclared, raises `InvalidArgument` with file and
line. Names are in lower case, since the language ignores case.
"""

from bench.hddl.plans import judge, plan_text, read_plan
from bench.hddl.reading import read_domain, read_problem

__all__ = ["judge", "plan_text", "read_domain", "read_plan", "read_problem"]
