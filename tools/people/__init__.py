"""The operations between agents, contractors and the owner.

`communication.py` has messages and `threads.py` reads a conversation; `bidding.py` is the contract net.
`stakeholder.py` asks the owner, and `notices.py` and `informing.py` notify people. `workforce.py` assigns work:
`contractors.py` is the pool with its trust, `handoffs.py` the formal handoff, and `obligations.py` their mutual
obligations.
"""
