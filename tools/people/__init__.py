"""How agents, contractors and the owner deal with one another.

`communication.py` has messages and `threads.py` reads a conversation; `bidding.py` is the contract net.
`stakeholder.py` asks the owner, and `notices.py` and `informing.py` tell people something. `workforce.py` hands out
work: `contractors.py` is the pool with its trust, `handoffs.py` the formal handoff, and `obligations.py` what each owes
the other.
"""
