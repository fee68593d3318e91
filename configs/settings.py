"""All settings of MABOS as one frozen object, and the only reader of the process environment.

`configs/defaults.yaml` has the value and the meaning of every setting. A workspace overrides some in its own
`mabos.yaml`. Names carry their unit: `_usd`, `_days`, `_minutes`, `_s` (seconds), `_tokens`; shares are 0 to 1.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, field_validator

from mabos.configs.errors import InvalidArgument
from mabos.configs.models import ModelSettings
from mabos.configs.outward import CrmSettings, MailSettings, NotifySettings, StripeSettings
from mabos.configs.section import Count, SettingsSection, Share
from mabos.configs.tool_servers import ServerName, ToolServerSettings
from mabos.configs.yaml_file import read_yaml, validate_content

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD")
DEFAULTS = Path(__file__).parent / "defaults.yaml"
BRANCH_MARK = "branch.json"
"""The file by which a branch of a workspace is known (`workspace.branches`)."""


class FlushSettings(SettingsSection):
    """When a conversation is flushed, and the prior question (S1, 10); `prompt` may name date, time and silent."""

    enabled: bool
    reserve_tokens: Count
    soft_tokens: Count
    prompt: Annotated[str, Field(min_length=1)]


class MemorySettings(SettingsSection):
    """The three stores (S0 sections 5 to 8)."""

    working_capacity: Count
    short_term_capacity: Count
    short_term_ttl_hours: float = Field(gt=0)
    consolidate_min_importance: Share
    consolidate_min_access: int = Field(ge=0)
    grouping_jaccard: Share
    recall_limit: Count
    recall_max_depth: int = Field(ge=0, le=3)
    ranking: Literal["fusion", "classic"]
    classic_mmr: bool
    classic_temporal_decay: bool
    embeddings: Literal["auto", "local", "chroma", "openai", "none"]
    vectors: Literal["auto", "files", "chroma"]
    flush: FlushSettings


class BeliefSettings(SettingsSection):
    """When beliefs contradict and how they are read (S0 section 10)."""

    conflict_threshold: Share
    supersede_margin: Share
    chunk_size: Count
    revisions_shown: Count


class CommitmentSettings(SettingsSection):
    """When an intention has stalled and when it is reconsidered (S3 4.3 and 4.4)."""

    open_minded_stall_days: float = Field(gt=0)
    cautious_stall_days: float = Field(gt=0)
    stall_delta: Share
    belief_change_severity: Share
    resource_share: Share
    better_option_ratio: float = Field(ge=1)


class CycleSettings(SettingsSection):
    """Limits of one cycle."""

    max_steps: Count
    max_messages: Count
    max_active_goals: Count
    max_goals_adopted: Count
    max_plan_revisions: int = Field(ge=0)


class WorkSettings(SettingsSection):
    """Limits of a chat model at work on a request: its rounds, and the tokens it reads and writes."""

    rounds: Count
    tools: int = Field(ge=6)
    schemas: int = Field(ge=1)
    briefing_tokens: int = Field(ge=1000)
    answer_tokens: int = Field(ge=100)
    result_tokens: int = Field(ge=100)


class BudgetSettings(SettingsSection):
    """Maximum use of each resource; null means unlimited."""

    model_usd: float | None = Field(ge=0)
    action_usd: float | None = Field(ge=0)
    deeds: int | None = Field(ge=0)
    model_calls: int | None = Field(ge=0)
    model_tokens: int | None = Field(ge=0)
    model_seconds: float | None = Field(ge=0)


class DayBudgetSettings(BudgetSettings):
    """Limits of an agent for one day; `cycles` are those of a live company."""

    cycles: int | None = Field(ge=0)
    cycle_seconds: float | None = Field(ge=0)


class BudgetsSettings(SettingsSection):
    """Limits of one cycle, of one agent in a day, and of one run of the program."""

    cycle: BudgetSettings
    agent: DayBudgetSettings
    run: BudgetSettings


class HeartbeatSettings(SettingsSection):
    """The background maintenance (S3 section 18)."""

    minutes: float = Field(gt=0)
    hierarchy_weekday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class KnowledgeSettings(SettingsSection):
    """Limits of facts, rules and cases (S0 sections 22 and 23)."""

    case_limit: Count
    case_belief_weight: Share
    case_desire_weight: Share
    inference_max_iterations: Count
    inference_max_facts: Count


class GraphSettings(SettingsSection):
    """The optional server with a copy of each business's graph (S0 section 12)."""

    neo4j: Literal["auto", "none"]
    push_timeout_s: float = Field(gt=0)


class ArchiveSettings(SettingsSection):
    """Extraction of knowledge from finished tasks, by rules or a model (S4)."""

    enabled: bool
    use_model: bool


class EntitySettings(SettingsSection):
    """Treatment of sensitive data in the entity memory, and its growth (S2)."""

    sensitive: Literal["flag", "redact", "refuse"]
    functional: tuple[str, ...]
    merge_alike: bool
    extract: bool
    archive_importance: Share
    archive_age_days: float = Field(gt=0)
    archive_accesses: int = Field(ge=0)


class EscalationContact(SettingsSection):
    """A person to notify when a decision is pending (S3 10.1)."""

    name: str
    email: str = ""
    role: str = "owner"


class GovernanceSettings(SettingsSection):
    """The stakeholder profile that a new business starts with (S3 10.1) and the constants of the approval table."""

    approval_threshold_usd: float = Field(ge=0)
    decision_style: Literal["hands-on", "strategic-only", "exception-based"]
    risk_tolerance: Literal["conservative", "moderate", "aggressive"]
    report_frequency: Literal["daily", "weekly", "monthly", "quarterly"]
    auto_approve_categories: tuple[str, ...]
    notification_channels: tuple[str, ...]
    escalation_contacts: tuple[EscalationContact, ...]
    spending_window_hours: float = Field(gt=0)
    limited_share_of_threshold: Share
    decision_deadline_days: float = Field(gt=0)
    escalation_hours: float = Field(gt=0)


class CheckpointSettings(SettingsSection):
    """LangGraph's checkpoints, kept for inspection only: in a file of the workspace, or in Postgres."""

    keep: Count
    database: str

    @field_validator("database")
    @classmethod
    def _has_an_address_and_no_secret(cls, given: str) -> str:
        address = urlsplit(given)
        if given and address.scheme not in ("postgresql", "postgres"):
            raise ValueError("not a Postgres URL; expected for example postgresql://mabos@db.example/mabos")
        if address.password or "password=" in address.query:
            raise ValueError("do not put a password into the file; set PGPASSWORD or use ~/.pgpass")
        return given


class SimulationSettings(SettingsSection):
    """A simulated company."""

    start: str
    weeks: Count
    seed: int
    threads: Count


class EffectSettings(SettingsSection):
    """Effects of prices, advertising and work assumed before the first week, and the caution with money."""

    worth_over_price: Annotated[float, Field(gt=0)]
    lead_cost_share: Annotated[float, Field(gt=0)]
    work_gain: Annotated[float, Field(gt=0)]
    budget_share: Share
    reserve_weeks: Annotated[float, Field(ge=0)]


_OFF = BeforeValidator(lambda said: "off" if said is False else said)  # as YAML reads `off`


class Settings(SettingsSection):
    """All settings, in the order of `configs/defaults.yaml`."""

    durability: Annotated[Literal["each", "phase", "off"], _OFF]
    memory: MemorySettings
    beliefs: BeliefSettings
    commitment: CommitmentSettings
    cycle: CycleSettings
    work: WorkSettings
    budgets: BudgetsSettings
    heartbeat: HeartbeatSettings
    knowledge: KnowledgeSettings
    graph: GraphSettings
    archive: ArchiveSettings
    entities: EntitySettings
    governance: GovernanceSettings
    notify: NotifySettings
    mail: MailSettings
    crm: CrmSettings
    stripe: StripeSettings
    checkpoints: CheckpointSettings
    effects: EffectSettings
    simulation: SimulationSettings
    models: ModelSettings
    mcp_servers: Mapping[ServerName, ToolServerSettings]


@dataclass(frozen=True, slots=True)
class Environment:
    """The process environment, read once; secrets stay out of `repr`."""

    workspace: Path = Path("workspace")
    now: datetime | None = None
    forbid_model: bool = False
    openai_api_key: str = field(default="", repr=False)
    openai_base_url: str = ""
    openai_model: str = ""
    record_model: str = ""
    replay_model: str = ""
    neo4j_uri: str = ""
    neo4j_user: str = "neo4j"
    neo4j_password: str = field(default="", repr=False)
    chroma_endpoint: str = ""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values of all variables named like a secret; they are never written anywhere."""
        return tuple(value for name, value in self.variables.items() if _SECRET.search(name.upper()) and value)

    def secret(self, variable: str) -> str:
        """Return the value of `variable` (a profile's `api_key_env`), or an empty string."""
        return self.variables.get(variable, "")


def environment(variables: Mapping[str, str] | None = None) -> Environment:
    """Return `variables` parsed, by default the process's own; no other code in MABOS reads the environment."""
    read = dict(os.environ if variables is None else variables)
    return Environment(
        workspace=Path(read.get("MABOS_WORKSPACE") or "workspace"),
        now=_moment(read.get("MABOS_NOW", "")),
        forbid_model=read.get("MABOS_FORBID_MODEL", "").lower() not in ("", "0", "false", "no"),
        openai_api_key=read.get("OPENAI_API_KEY", ""),
        openai_base_url=read.get("OPENAI_BASE_URL", ""),
        openai_model=read.get("OPENAI_MODEL", ""),
        record_model=read.get("MABOS_RECORD_MODEL", ""),
        replay_model=read.get("MABOS_REPLAY_MODEL", ""),
        neo4j_uri=read.get("NEO4J_URI", ""),
        neo4j_user=read.get("NEO4J_USER") or "neo4j",
        neo4j_password=read.get("NEO4J_PASSWORD", ""),
        chroma_endpoint=read.get("CHROMA_ENDPOINT", ""),
        variables=read,
    )


def load_settings(workspace: Path | None = None, environment: Environment | None = None) -> Settings:
    """Return the settings of `workspace`: the defaults, then its `mabos.yaml`, then the environment.

    Whatever the settings say, a branch of a workspace uses no servers except models.

    `OPENAI_*` fill in a profile, `MABOS_RECORD_MODEL` and `MABOS_REPLAY_MODEL` name a recording, and `STRIPE_API_BASE`
    an address; where models are forbidden, `auto` embedders and unrecorded embedding endpoints are off.

    Raises `InvalidArgument` for an unknown key or a value out of range, `Damaged` for a file that is not YAML; both
    name the file.
    """
    own = {} if workspace is None else read_yaml(workspace / "mabos.yaml", missing_is_empty=True)
    merged = _merge_mappings(_defaults(), own)
    settings = validate_content(Settings, merged, str(DEFAULTS if workspace is None else workspace / "mabos.yaml"))
    if environment is not None:
        settings = _with_environment(settings, environment)
    is_branch = workspace is not None and (workspace / BRANCH_MARK).is_file()
    return _without_outside(settings) if is_branch else settings


def _with_environment(settings: Settings, environment: Environment) -> Settings:
    settings = _with_recording(_with_openai(settings, environment), environment)
    if base := environment.variables.get("STRIPE_API_BASE", ""):
        settings = _with_prices_at(base, settings)
    asks = ("auto",) if settings.models.replay else ("auto", "openai")
    if environment.forbid_model and settings.memory.embeddings in asks:
        settings = without_embeddings(settings)
    return settings


def without_embeddings(settings: Settings) -> Settings:
    """Return `settings` with recall by words alone, so that a run is reproducible byte for byte on any machine."""
    return settings.model_copy(update={"memory": settings.memory.model_copy(update={"embeddings": "none"})})


def without_servers(settings: Settings) -> Settings:
    """Return `settings` without a graph copy, a price server or MCP servers, as for a simulation."""
    graph = settings.graph.model_copy(update={"neo4j": "none"})
    return _with_prices_at("", settings.model_copy(update={"graph": graph, "mcp_servers": {}}))


def _without_outside(settings: Settings) -> Settings:
    """Return `settings` of a branch: nothing leaves it, and no server that the original uses is written to."""
    notify = settings.notify.model_copy(update={"smtp_host": "", "slack_webhook_env": ""})
    memory = settings.memory.model_copy(update={"vectors": "files"})
    checkpoints = settings.checkpoints.model_copy(update={"database": ""})
    kept_in = {"notify": notify, "memory": memory, "checkpoints": checkpoints}
    return without_servers(settings.model_copy(update=kept_in))


def _with_openai(settings: Settings, environment: Environment) -> Settings:
    """Return `settings` with `OPENAI_*` in the profile `openai`, which becomes active if `active` is `auto`."""
    models = settings.models
    profiles = dict(models.profiles)
    if "openai" in profiles:
        given = {"base_url": environment.openai_base_url, "model": environment.openai_model}
        profiles["openai"] = profiles["openai"].model_copy(update={k: v for k, v in given.items() if v})
    reachable = environment.openai_api_key or environment.openai_base_url
    active = "openai" if models.active == "auto" and reachable else models.active
    return settings.model_copy(update={"models": models.model_copy(update={"active": active, "profiles": profiles})})


def _with_recording(settings: Settings, environment: Environment) -> Settings:
    """Return `settings` with the recordings that the environment names, below the folder that a command was given in.

    Raises `InvalidArgument` where both are named.
    """
    record, replay = environment.record_model, environment.replay_model
    if record and replay:
        message = "MABOS_RECORD_MODEL and MABOS_REPLAY_MODEL are both set; set only one"
        raise InvalidArgument(message, argument="MABOS_REPLAY_MODEL")
    if not record and not replay:
        return settings
    named = {"record": record and str(Path(record).absolute()), "replay": replay and str(Path(replay).absolute())}
    return settings.model_copy(update={"models": settings.models.model_copy(update=named)})


def _with_prices_at(base: str, settings: Settings) -> Settings:
    return settings.model_copy(update={"stripe": settings.stripe.model_copy(update={"api_base": base})})


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):  # the latter for a moment that lies before the year 1 in UTC
        message = f"MABOS_NOW is {text!r}; expected ISO 8601, as 2026-02-24T14:30:00Z"
        raise InvalidArgument(message, argument="MABOS_NOW") from None


@cache
def _defaults() -> dict[str, Any]:
    return read_yaml(DEFAULTS)


def _merge_mappings(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `over` laid over it; mappings are merged, everything else is replaced."""
    result = {key: _merge_mappings(value, {}) if isinstance(value, Mapping) else value for key, value in base.items()}
    for key, value in over.items():
        below = result.get(key)
        result[key] = _merge_mappings(below, value) if isinstance(below, dict) and isinstance(value, Mapping) else value
    return result
