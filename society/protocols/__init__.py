"""Interaction protocols: the allowed next messages in a conversation, and the monitor that enforces them.

Read in this order:

- `tables.py`: the six protocols as tables of states and acts (Request, Query, Subscribe, Propose, Cancel, Contract Net)
- `monitor.py`: `judge` runs a conversation through its table; a verdict names the message, the rule and the expected
  acts
- `between.py`: one conversation from two inboxes, in an order that both sides can have seen; and the check of a message
  before delivery and again on reading

>>> from mabos.society.messages import Message
>>> asked = Message("MSG-1", "ceo", "cfo", "REQUEST", "Review the budget", "2026-03-02T09:00:00Z", protocol="request")
>>> again = asked.reply("MSG-2", "ACCEPT", "Yes", at="2026-03-02T09:05:00Z")
>>> judge([asked, again]).violations[0].rule
'act'
"""

from mabos.society.protocols.between import admit, fault, find_protocol, replay_exchange, standing, strays, thread
from mabos.society.protocols.monitor import Conversation, Exchange, ProtocolViolation, judge
from mabos.society.protocols.tables import PROTOCOLS, Protocol, protocol_named

__all__ = [
    "PROTOCOLS", "Conversation", "Exchange", "Protocol", "ProtocolViolation", "admit", "fault", "find_protocol",
    "judge", "protocol_named", "replay_exchange", "standing", "strays", "thread",
]  # fmt: skip
