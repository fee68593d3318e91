"""Finding a plan and repairing it.

`proposals` chooses one, by successes, failures and `experience`; `mending` repairs a blocked one. `phrasing`,
`deadlines`, `shares` and `replies` give its wording, its timeliness, its cost limit, and a person's answers.

With a model: `suggested` asks it for a plan, with the briefing of `briefed` and the reading of `composed`. `merit`
compares two plans, and `levers` defines which role changes a price and by how much.
"""
