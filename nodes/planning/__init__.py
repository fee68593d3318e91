"""How a plan is found: what has worked before, the plan library, and what has failed in a situation like this."""
