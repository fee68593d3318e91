"""How a plan is found and kept going.

`proposals` chooses one, by what worked, what failed and what `experience` says; `mending` lets one that cannot go on go
on otherwise; `phrasing`, `deadlines`, `shares` and `replies` say how it reads, whether it is in time, what it may cost,
and what a person has answered.

With a model: `suggested` asks it for a plan, of what `briefed` tells it and as `composed` reads it; `merit` says which
plan is better, and `levers` which role moves a price and how far.
"""
