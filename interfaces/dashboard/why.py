"""Explanations: the chain of reasons behind anything with an id."""

from collections.abc import Mapping
from typing import Any

from mabos.interfaces.dashboard.view import PageRequest
from mabos.interfaces.reasons.chain import explain_record


def why(asked: PageRequest) -> Mapping[str, Any]:
    """Return the chain behind the requested id, or a belief's subject."""
    wanted, agent_id = asked.text("id").strip(), asked.text("agent")
    if not wanted:
        return {"id": "", "reason": None, "others": []}
    with asked.reasons.records(asked.services) as records:
        record = records.find(wanted, agent_id if agent_id in records.owners(wanted) else "")
        return {
            "id": wanted,
            "reason": explain_record(record, records, asked.services.layout.root),
            "others": [one for one in records.owners(wanted) if one != record.agent_id],
        }
