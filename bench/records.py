"""The cost of reading a stored record: `python -m bench.records`.

It compares the four most frequently read records (facts, memory items, messages, decisions), read through their
declaration and, alternating, through the former handwritten readers. A declaration checks more, but must not cost more.
Then the cost of writing one is measured.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import thread_time
from typing import Any

from bench import hand_readers
from bench.measured import Line, Spent
from bench.printed import printed
from mabos.knowledge.model import Fact
from mabos.memory.model import MemoryItem
from mabos.society.decisions import Decision
from mabos.society.messages import Message
from mabos.workspace.records import declaration

ROUNDS, RECORDS = 15, 4_000
AS_FAST = 1.0
AT = "2026-02-24T14:30:00.000Z"
Read = Callable[[str, Mapping[str, Any]], object]

KINDS: Mapping[str, tuple[type[Any], Read, Mapping[str, Any]]] = {
    "a fact": (
        Fact,
        hand_readers.fact,
        {"id": "F-1", "subject": "acme", "predicate": "cash", "object": "5", "confidence": 0.9, "source": "cfo",
         "valid_from": AT, "derived_from": ["F-2", "F-3"], "created_at": AT, "updated_at": AT},
    ),
    "a memory item": (
        MemoryItem,
        hand_readers.memory_item,
        {"id": "M-1", "content": "The lease ends in June", "type": "fact", "importance": 0.7, "source": "manual",
         "tags": ["lease", "rent"], "created_at": AT, "accessed_at": AT, "access_count": 2, "derived_from": ["M-2"]},
    ),
    "a message": (
        Message,
        hand_readers.message,
        {"id": "MSG-1", "from": "ceo", "to": "cfo", "performative": "INFORM", "content": "Runway is nine months",
         "timestamp": AT, "priority": "urgent", "conversation_id": "C-1", "read": False, "metadata": {"goal": "G-1"}},
    ),
    "a decision": (
        Decision,
        hand_readers.decision,
        {"id": "DEC-1", "from_agent": "ceo", "subject": "Raise the price?", "description": "By a tenth",
         "options": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}], "recommendation": "yes",
         "deadline": "", "status": "pending", "created_at": AT, "business_id": "acme", "urgency": "normal",
         "reasons": ["margin"], "cost": 5.0, "action": {"tool": "price", "arguments": {"by": 0.1}},
         "action_hash": "abc", "version": 2},
    ),
}  # fmt: skip


def microseconds(work: Callable[[], object], records: int) -> float:
    """Return the CPU microseconds per execution of `work`."""
    begun = thread_time()
    for _ in range(records):
        work()
    return 1e6 * (thread_time() - begun) / records


def spent(times: list[float]) -> Spent:
    """Return the median and the minimum of some times."""
    return Spent(sorted(times)[len(times) // 2], min(times))


def lines(scale: int = 1) -> Iterator[Line]:
    """Yield the cost of reading and writing a record of each kind."""
    rounds, records = max(3, ROUNDS // scale), max(20, RECORDS // scale)
    for name, (kind, by_hand, record) in KINDS.items():
        declared, key = declaration(kind), str(record["id"])
        item = declared.read(key, record)
        assert item == by_hand(key, record)
        ours, theirs, written = list[float](), list[float](), list[float]()
        for _ in range(rounds):
            ours.append(microseconds(partial(declared.read, key, record), records))
            theirs.append(microseconds(partial(by_hand, key, record), records))
            written.append(microseconds(partial(declared.write, item), records))
        yield Line(f"Reading {name}", spent(ours), unit="µs")
        yield Line(f"Reading {name}, against by hand", spent(ours).over(spent(theirs)), most=AS_FAST, unit="x",
                   beside="a reader written by hand")  # fmt: skip
        yield Line(f"Writing {name}", spent(written), unit="µs")


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
