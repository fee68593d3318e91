"""The records of a mind: frozen, one type a cognitive file (S3 4.2, 5, 6, 7).

Times are ISO 8601 texts as `workspace.clock.iso` writes them, or as a person wrote them; an empty text means no time.
Certainty, priority and the dimensions of a desire are shares in [0, 1]; a goal's progress is a percentage.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Category = Literal["environment", "self", "agent", "case"]
BeliefStatus = Literal["held", "flagged", "superseded"]
DesireType = Literal["achieve", "maintain", "avoid", "optimize"]
DesireCategory = Literal["terminal", "instrumental"]
DesireStatus = Literal["active", "suspended", "fulfilled", "dropped"]
Level = Literal["strategic", "tactical", "operational"]
GoalStatus = Literal["pending", "active", "blocked", "achieved", "abandoned"]
Strategy = Literal["single-minded", "open-minded", "cautious"]
IntentionStatus = Literal[
    "active", "awaiting_approval", "suspended", "completed", "failed", "expired", "stalled", "abandoned"
]
Ordering = Literal["sequence", "parallel", "choice"]
StepStatus = Literal["pending", "begun", "done", "failed", "skipped", "waiting"]
Resource = Literal["usd", "calls", "tokens", "days"]
PlanSource = Literal["library", "case", "htn", "manual", "model", "playbook", "request"]
PlanStatus = Literal["draft", "active", "completed", "failed", "abandoned"]
CommitmentStatus = Literal["open", "met", "breached", "cancelled"]
Autonomy = Literal["none", "limited", "full"]
Proficiency = Literal["novice", "competent", "expert"]


@dataclass(frozen=True, slots=True)
class Revision:
    """A change of a belief: its content before and after, and the source of the change."""

    at: str
    before: str
    after: str
    certainty_before: float
    certainty_after: float
    source: str = ""


@dataclass(frozen=True, slots=True)
class Belief:
    """A statement about the world, its certainty, and its source (Beliefs.md).

    `subject`, `predicate` and `value` hold its structure, if any; a prose section has its heading as subject and its
    text as statement.
    """

    id: str
    statement: str
    certainty: float = 0.5
    category: Category = "environment"
    source: str = ""
    subject: str = ""
    predicate: str = ""
    value: str = ""
    updated: str = ""
    expires: str = ""
    evidence: tuple[str, ...] = ()
    status: BeliefStatus = "held"
    revisions: tuple[Revision, ...] = ()


@dataclass(frozen=True, slots=True)
class Desire:
    """A motivation with the five dimensions of its priority (Desires.md, S3 6).

    `target` is the condition that should hold, for all four types; `deps` are ids of desires and goals, conditions, or
    a stated score from 0 to 1; it competes for `resource`. `stated` marks a desire whose file gives its priority
    without the formula's terms: that priority is kept (S0 section 10).
    """

    id: str
    name: str
    description: str = ""
    type: DesireType = "achieve"
    category: DesireCategory = "terminal"
    base: float = 0.5
    importance: float = 0.5
    urgency: float = 0.5
    alignment: float = 0.5
    deps: tuple[str, ...] = ()
    serves: str = ""
    target: str = ""
    deadline: str = ""
    created: str = ""
    priority: float = 0.0
    status: DesireStatus = "active"
    reason: str = ""
    resource: str = ""
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Goal:
    """An objective that serves a desire, with a measurable target (Goals.md, S3 5).

    `budget` is the maximum to spend on it, by name: `usd`, `calls`, `tokens` and `days`; empty means no limit. A goal
    with a `request_id` follows from a request, whose acceptance checks alone decide whether it is reached.
    """

    id: str
    description: str
    level: Level = "operational"
    desire_id: str = ""
    parent_goal_id: str = ""
    priority: float = 0.0
    status: GoalStatus = "active"
    target: str = ""
    progress: float = 0.0
    deadline: str = ""
    success_criteria: tuple[str, ...] = ()
    created: str = ""
    updated: str = ""
    last_evaluated: str = ""
    evidence: tuple[str, ...] = ()
    budget: Mapping[str, float] = field(default_factory=dict)
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class Intention:
    """A commitment to a plan for a goal, with the strategy that decides when it may end (Intentions.md).

    `progress` is a share in [0, 1]. `updated` moves with a note, a change of status, or progress of at least 0.01.
    `turns` counts those it had while another one was ready too, the basis of fair scheduling.
    """

    id: str
    goal_id: str = ""
    plan_id: str = ""
    strategy: Strategy = "open-minded"
    status: IntentionStatus = "active"
    progress: float = 0.0
    deadline: str = ""
    started: str = ""
    updated: str = ""
    decision_id: str = ""
    reason: str = ""
    evidence: tuple[str, ...] = ()
    description: str = ""
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """A primitive task of a plan; `branches` are pairs of a condition and the id of the next step."""

    id: str
    description: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    preconditions: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    ordering: Ordering = "sequence"
    branches: tuple[tuple[str, str], ...] = ()
    cost: float = 0.0
    status: StepStatus = "pending"
    attempt: int = 0
    result: str = ""
    decision_id: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps towards a goal, and the cursor on the next one (Plans.md, S3 7).

    `changes` explain its differences from its origin: one sentence a change, in order.
    """

    id: str
    goal_id: str = ""
    name: str = ""
    source: PlanSource = "manual"
    confidence: float = 0.5
    revision: int = 1
    strategy: str = ""
    steps: tuple[Step, ...] = ()
    cursor: int = 0
    status: PlanStatus = "draft"
    risks: tuple[str, ...] = ()
    template: str = ""
    created: str = ""
    updated: str = ""
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Commitment:
    """An obligation between the agent and an outside party (Commitments.md).

    The agent owes it, unless `owed_by` names a debtor; `about` is the task or work package concerned.
    """

    id: str
    counterparty: str
    terms: str = ""
    deadline: str = ""
    status: CommitmentStatus = "open"
    consequences: str = ""
    about: str = ""
    owed_by: str = ""


@dataclass(frozen=True, slots=True)
class Learning:
    """A lesson, where it was learnt, and when it applies (Learnings.md)."""

    id: str
    insight: str
    context: str = ""
    applies_when: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Playbook:
    """A standing procedure: its trigger and context, its steps, and its measure of success (Playbooks.md)."""

    name: str
    trigger: str = ""
    steps: tuple[str, ...] = ()
    success: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class Persona:
    """An agent's identity (Persona.md); `autonomy_for` overrides `autonomy` for a kind of action."""

    agent_id: str
    title: str = ""
    department: str = ""
    reports_to: str = ""
    manages: tuple[str, ...] = ()
    autonomy: Autonomy = "limited"
    style: str = ""
    responsibilities: tuple[str, ...] = ()
    expertise: tuple[str, ...] = ()
    autonomy_for: Mapping[str, Autonomy] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The tools an agent may call and its skill levels (Capabilities.md)."""

    tools: tuple[str, ...] = ()
    skills: Mapping[str, Proficiency] = field(default_factory=dict)


Item = Belief | Desire | Goal | Intention | Plan | Commitment | Learning | Playbook | Persona | Capabilities
