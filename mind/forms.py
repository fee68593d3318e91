"""The layout of the cognitive files: the name of each record field in its file (S3 4.2).

The order is the order of writing. A field at its default is not written; every name is also read in its plain spelling
(`goal_id`, `Goal id`, `Goal`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mabos.mind import model
from mabos.mind.spelling import (
    BRANCHES,
    BULLETS,
    JSON,
    NUMBER,
    PERCENTAGE,
    PROGRESS,
    REVISIONS,
    SHARE,
    TEXT,
    WHOLE,
    WORDS,
    Spelling,
    amounts,
    choice,
    choices,
)
from mabos.workspace.fields import field_name


# Compared by identity, since there is one of each: they are looked up for every section that is read.
@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """An attribute: its label in the file, the spelling of its value, and other names under which it is read.

    `read_as` is every one of these in normal form, the label first.
    """

    attribute: str
    label: str
    spelling: Spelling = TEXT
    names: tuple[str, ...] = ()
    always: bool = False
    read_as: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        names = dict.fromkeys(field_name(name) for name in (self.label, self.attribute, *self.names))
        object.__setattr__(self, "read_as", tuple(names))


NO_FIELD = Field("", "")


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """The form of one type of record as a section of `file`.

    `heading` is the attribute in the heading, `prose` the attribute for the plain text below it. `prose_heading` is the
    attribute that the heading becomes if there is prose, `heading_field` the field that carries the heading's attribute
    if the heading cannot. `numbered` is the attribute written as a numbered list under `### {numbered_title}`.
    `completed` fills in derived values.
    """

    type: Callable[..., Any]
    file: str
    heading: str
    fields: tuple[Field, ...]
    prose: str = ""
    prose_heading: str = ""
    numbered: str = ""
    numbered_title: str = ""
    fixed_heading: str = ""
    completed: Callable[[dict[str, Any]], None] | None = None
    heading_field: Field = field(init=False, default=NO_FIELD)

    def __post_init__(self) -> None:
        if self.heading:
            object.__setattr__(self, "heading_field", Field(self.heading, self.heading.capitalize()))


def _dimensions_of_priority(values: dict[str, Any]) -> None:
    """Set all dimensions of a desire with only a stated priority to that value, and keep the priority."""
    dimensions = ("base", "importance", "urgency", "alignment")
    if "priority" in values and not any(name in values for name in dimensions):
        values.update(dict.fromkeys(dimensions, values["priority"]), stated=True)


_ID = Field("id", "Id", always=True)
_DEADLINE = Field("deadline", "Deadline", names=("due",))

BELIEF = Form(
    model.Belief,
    "Beliefs.md",
    "statement",
    prose="statement",
    prose_heading="subject",
    fields=(
        _ID,
        Field("certainty", "Certainty", SHARE, names=("confidence",), always=True),
        Field("category", "Category", choice(model.Category, fallback="environment")),
        Field("subject", "Subject"),
        Field("predicate", "Predicate"),
        Field("value", "Value"),
        Field("source", "Source"),
        Field("updated", "Updated", names=("added", "date", "since")),
        Field("expires", "Expires", names=("valid until", "expiry")),
        Field("status", "Status", choice(model.BeliefStatus, fallback="held")),
        Field("evidence", "Evidence", WORDS),
        Field("revisions", "Revisions", REVISIONS, names=("revision_log",)),
    ),
)
DESIRE = Form(
    model.Desire,
    "Desires.md",
    "name",
    prose="description",
    completed=_dimensions_of_priority,
    fields=(
        _ID,
        Field("description", "Description"),
        Field("priority", "Priority", SHARE, always=True),
        Field("type", "Type", choice(model.DesireType, fallback="achieve"), always=True),
        Field("category", "Category", choice(model.DesireCategory, fallback="terminal"), always=True),
        Field("status", "Status", choice(model.DesireStatus), always=True),
        Field("target", "Target"),
        Field("base", "Base", SHARE, always=True),
        Field("importance", "Importance", SHARE, always=True),
        Field("urgency", "Urgency", SHARE, always=True),
        Field("alignment", "Alignment", SHARE, always=True),
        Field("deps", "Dependencies", WORDS),
        Field("serves", "Serves"),
        Field("resource", "Resource"),
        _DEADLINE,
        Field("created", "Created"),
        Field("reason", "Reason"),
    ),
)
GOAL = Form(
    model.Goal,
    "Goals.md",
    "description",
    fields=(
        _ID,
        Field("level", "Level", choice(model.Level, fallback="operational"), always=True),
        Field("status", "Status", choice(model.GoalStatus), always=True),
        Field("progress", "Progress", PERCENTAGE, always=True),
        Field("priority", "Priority", SHARE),
        Field("desire_id", "Desire"),
        Field("parent_goal_id", "Parent goal", names=("parent",)),
        Field("target", "Target"),
        _DEADLINE,
        Field("success_criteria", "Success criteria", BULLETS, names=("criteria",)),
        Field("created", "Created"),
        Field("updated", "Updated"),
        Field("last_evaluated", "Last evaluated"),
        Field("evidence", "Evidence", WORDS),
        Field("budget", "Budget", amounts(model.Resource)),
        Field("request_id", "Request"),
    ),
)
INTENTION = Form(
    model.Intention,
    "Intentions.md",
    "description",
    fields=(
        _ID,
        Field("goal_id", "Goal"),
        Field("plan_id", "Plan"),
        Field("strategy", "Strategy", choice(model.Strategy), names=("commitment", "commitment_strategy"), always=True),
        Field("status", "Status", choice(model.IntentionStatus), always=True),
        Field("progress", "Progress", PROGRESS, always=True),
        _DEADLINE,
        Field("started", "Started", names=("start", "committed")),
        Field("updated", "Updated"),
        Field("decision_id", "Decision"),
        Field("reason", "Reason"),
        Field("evidence", "Evidence", WORDS),
        Field("turns", "Turns", WHOLE),
    ),
)
PLAN = Form(
    model.Plan,
    "Plans.md",
    "name",
    numbered="steps",
    numbered_title="Steps",
    fields=(
        _ID,
        Field("goal_id", "Goal"),
        Field("status", "Status", choice(model.PlanStatus), always=True),
        Field("source", "Source", choice(model.PlanSource, fallback="manual"), always=True),
        Field("template", "Template"),
        Field("confidence", "Confidence", SHARE, always=True),
        Field("revision", "Revision", WHOLE),
        Field("cursor", "Cursor", WHOLE, names=("current_step",)),
        Field("strategy", "Strategy"),
        Field("risks", "Risks", BULLETS, names=("risk_flags",)),
        Field("changes", "Changes", BULLETS),
        Field("created", "Created"),
        Field("updated", "Updated"),
    ),
)
STEP = Form(
    model.Step,
    "Plans.md",
    "description",
    fields=(
        _ID,
        Field("status", "Status", choice(model.StepStatus), always=True),
        Field("tool", "Tool"),
        Field("arguments", "Arguments", JSON),
        Field("preconditions", "Preconditions", WORDS),
        Field("effects", "Effects", WORDS),
        Field("ordering", "Ordering", choice(model.Ordering)),
        Field("branches", "Branches", BRANCHES),
        Field("cost", "Cost", NUMBER),
        Field("attempt", "Attempt", WHOLE),
        Field("result", "Result"),
        Field("decision_id", "Decision"),
    ),
)
COMMITMENT = Form(
    model.Commitment,
    "Commitments.md",
    "counterparty",
    prose="terms",
    fields=(
        _ID,
        Field("terms", "Terms"),
        _DEADLINE,
        Field("status", "Status", choice(model.CommitmentStatus), always=True),
        Field("consequences", "Consequences", names=("consequences_of_breach", "breach")),
        Field("about", "About", names=("task", "work_package")),
        Field("owed_by", "Owed by", names=("debtor",)),
    ),
)
LEARNING = Form(
    model.Learning,
    "Learnings.md",
    "insight",
    prose="context",
    fields=(
        _ID,
        Field("context", "Context"),
        Field("applies_when", "Applies when", names=("applicability",)),
        Field("at", "At", names=("date", "learnt", "learned", "timestamp")),
    ),
)
PLAYBOOK = Form(
    model.Playbook,
    "Playbooks.md",
    "name",
    numbered="steps",
    numbered_title="Steps",
    fields=(
        Field("trigger", "Trigger", names=("triggers", "when")),
        Field("context", "Context", names=("condition", "conditions", "only_if")),
        Field("success", "Success", names=("success_criteria",)),
    ),
)
PERSONA = Form(
    model.Persona,
    "Persona.md",
    "",
    fixed_heading="Persona",
    fields=(
        Field("agent_id", "Agent", always=True),
        Field("title", "Title", names=("role",), always=True),
        Field("department", "Department"),
        Field("reports_to", "Reports to", names=("reporting_lines",)),
        Field("manages", "Manages", WORDS),
        Field("autonomy", "Autonomy", choice(model.Autonomy), names=("autonomy_level",), always=True),
        Field("autonomy_for", "Autonomy for", choices(model.Autonomy)),
        Field("style", "Communication style", names=("style",)),
        Field("responsibilities", "Responsibilities", BULLETS),
        Field("expertise", "Expertise", BULLETS),
    ),
)
CAPABILITIES = Form(
    model.Capabilities,
    "Capabilities.md",
    "",
    fixed_heading="Capabilities",
    fields=(
        Field(
            "skills",
            "Skills",
            choices(model.Proficiency, fallback="novice"),
            names=("proficiency", "proficiency_levels"),
        ),
        Field("tools", "Tools", BULLETS, names=("tools_available", "tool_access")),
    ),
)

SECTION_FORMS = (BELIEF, DESIRE, GOAL, INTENTION, PLAN, COMMITMENT, LEARNING, PLAYBOOK)
RECORD_FORMS = (PERSONA, CAPABILITIES)
FORM_OF: dict[type, Form] = {form.type: form for form in (*SECTION_FORMS, *RECORD_FORMS, STEP)}  # type: ignore[misc]  # the types are classes
MIND_FILES = (
    "Persona.md", "Capabilities.md", "Beliefs.md", "Desires.md", "Goals.md", "Intentions.md", "Plans.md",
    "Commitments.md", "Playbooks.md", "Knowledge.md", "Learnings.md", "Memory.md",
)  # fmt: skip
