"""How a plan is found and kept going.

`proposals` chooses one, by what worked, what failed and what `experience` says; `mending` lets one that cannot go on go
on otherwise; `phrasing`, `deadlines`, `shares` and `replies` say how it reads, whether it is in time, what it may cost,
and what a person has answered.
"""
