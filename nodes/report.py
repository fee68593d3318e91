"""What a cycle has done, as launchers and people read it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mabos.nodes.state import BdiOutput


@dataclass(frozen=True, slots=True)
class CycleReport:
    """The outcome of one cycle: `idle`, `acted`, `waiting`, `completed` or `failed`, and the ids that explain it."""

    agent_id: str
    cycle: str
    outcome: str
    goal_id: str = ""
    intention_id: str = ""
    plan_id: str = ""
    results: tuple[Mapping[str, str], ...] = ()
    decision_ids: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    counts: Mapping[str, int] | None = None

    @property
    def ok(self) -> bool:
        """Whether the cycle went through; a plan that failed was still a cycle that worked."""
        return self.outcome != "failed"

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {**asdict(self), "ok": self.ok, "counts": dict(self.counts or {})}

    @classmethod
    def of(cls, output: BdiOutput) -> "CycleReport":
        """Return the report of a cycle's output."""
        return cls(
            agent_id=output.get("agent_id", ""),
            cycle=output.get("cycle", ""),
            outcome=output.get("outcome", ""),
            goal_id=output.get("goal_id", ""),
            intention_id=output.get("intention_id", ""),
            plan_id=output.get("plan_id", ""),
            results=tuple(dict(result) for result in output.get("results", ())),  # type: ignore[arg-type]  # a TypedDict of texts
            decision_ids=tuple(output.get("decision_ids", ())),
            failures=tuple(output.get("failures", ())),
            counts=dict(output.get("counts", {})),
        )
