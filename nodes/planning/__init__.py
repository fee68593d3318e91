"""Find a plan and keep it going.

`proposals` chooses one, by successes, failures and `experience`; `mending` lets a blocked one continue in another way.
`phrasing`, `deadlines`, `shares` and `replies` give its wording, its timeliness, its cost limit, and a person's
answers.

With a model: `suggested` asks it for a plan, with the briefing of `briefed` and the reading of `composed`. `merit`
compares two plans, and `levers` says which role moves a price and how far.
"""
