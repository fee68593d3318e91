"""The rules for when a person must approve: stakeholder profile and approval table (S3 sections 10.1 and 10.4)."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mabos.configs.errors import Damaged
from mabos.configs.settings import EscalationContact, GovernanceSettings
from mabos.workspace.atomic import write_atomic
from mabos.workspace.currencies import money
from mabos.workspace.regular import content

Autonomy = Literal["none", "limited", "full"]
Style = Literal["hands-on", "strategic-only", "exception-based"]
Risk = Literal["conservative", "moderate", "aggressive"]
OwnInitiative = Literal["propose", "act"]
"""Whether agents propose what costs, publishes or leaves the company and was not asked for, or may do it."""
Rule = Literal[
    "threshold", "auto-approve", "autonomy", "style", "risk", "instruction", "initiative", "grounding", "grant", "none",
]  # fmt: skip

_CAP = re.compile(r"(?P<category>.+?)[\s_-]+under[\s_-]+(?P<cap>\d+(?:\.\d+)?)(?:[\s_-]+usd)?")
PROFILE_FILE = "stakeholder.json"


class StakeholderProfile(BaseModel):
    """The owner's preferences for approvals; fields that a person added are kept."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str = ""
    approval_threshold_usd: float = Field(default=5000.0, ge=0, allow_inf_nan=False)
    decision_style: Style = "strategic-only"
    risk_tolerance: Risk = "moderate"
    initiative: OwnInitiative = "propose"
    report_frequency: str = "weekly"
    auto_approve_categories: tuple[str, ...] = ()
    notification_channels: tuple[str, ...] = ()
    escalation_contacts: tuple[EscalationContact, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposedAction:
    """An agent's planned action, as governance sees it; `cost` is in dollars, `confidence` 0 to 1.

    Without a stated confidence an agent counts as certain.
    """

    agent_id: str
    category: str
    cost: float = 0.0
    reversible: bool = True
    strategic: bool = False
    external: bool = False
    confidence: float = 1.0
    counterparty: str = ""


@dataclass(frozen=True, slots=True)
class FinancialPosition:
    """The known finances: earlier spending in the window, cash, and cash burnt per month; None is unknown.

    Cash and burn are used only if `minds_cash` allows.
    """

    spent: float = 0.0
    cash: float | None = None
    burn: float | None = None


@dataclass(frozen=True, slots=True)
class ApprovalVerdict:
    """The verdict: whether a person must decide, every reason, and the first rule that decided."""

    requires_approval: bool
    reasons: tuple[str, ...]
    rule: Rule


def check(
    action: ProposedAction,
    profile: StakeholderProfile,
    autonomy: Autonomy,
    standing: FinancialPosition = FinancialPosition(),
    *,
    limited_share: float = 0.2,
) -> ApprovalVerdict:
    """Return whether a person must decide on `action`, by the five rules of the approval table.

    The agent's spending on the same category and counterparty within the window is `standing.spent`. It is added to the
    cost in every rule on amounts, so that splitting changes nothing. Free actions split nothing. `limited_share` is the
    limit for limited autonomy, as a share of the threshold. Unknown cash or burn triggers no question. Nor does a free
    action if an aggressive owner would be asked about money.

        spent = expenses.spent(action.category, action.counterparty, now - timedelta(hours=24))
        standing = FinancialPosition(spent, cash=40_000, burn=5_000)
        check(action, profile, "limited", standing).requires_approval
    """
    total = _exact(action.cost + standing.spent) if action.cost > 0 else 0.0
    limit = profile.approval_threshold_usd
    if total > limit:
        return ApprovalVerdict(
            True, (f"{_cost(action, total)} is above the approval threshold of {money(limit)}",), "threshold"
        )
    if entry := auto_approved(action.category, total, profile.auto_approve_categories):
        return ApprovalVerdict(
            False, (f"{_cost(action, total)} in {action.category!r} is approved by {entry!r}",), "auto-approve"
        )
    asked: dict[Rule, str] = {
        "autonomy": _autonomy(action, total, autonomy, _exact(limited_share * limit)),
        "style": _style(action, profile.decision_style),
        "risk": _risk(action, total, profile, standing),
    }
    reasons = tuple(reason for reason in asked.values() if reason)
    if not reasons:
        return ApprovalVerdict(
            False, (f"autonomy {autonomy}, style {profile.decision_style}: no rule asks a person",), "none"
        )
    return ApprovalVerdict(True, reasons, next(rule for rule, reason in asked.items() if reason))


@lru_cache(maxsize=4096)
def kind(name: str) -> str:
    """Return a category or counterparty in normal form: "Marketing spend" and `marketing_spend` are the same."""
    return re.sub(r"[\s_-]+", "", name.casefold())


def auto_approved(category: str, cost: float, entries: tuple[str, ...]) -> str:
    """Return the entry that approves `cost` in `category`, or "".

    `marketing_spend_under_500` approves `marketing_spend` below 500 dollars; an entry without a cap approves any cost.
    """
    wanted = kind(category)
    for entry in entries:
        capped = _CAP.fullmatch(entry.strip().casefold())
        names = (entry, capped["category"]) if capped else (entry,)
        if wanted in map(kind, names) and (capped is None or cost < float(capped["cap"])):
            return entry
    return ""


def _autonomy(action: ProposedAction, total: float, autonomy: Autonomy, limit: float) -> str:
    if autonomy == "none":
        return f"{action.agent_id} has no autonomy for {action.category!r}"
    if autonomy == "limited" and not action.reversible:
        return f"{action.agent_id} has limited autonomy for {action.category!r} and this cannot be undone"
    if autonomy == "limited" and total > limit:
        return f"{action.agent_id} has limited autonomy for {action.category!r}: {money(total)} is above {money(limit)}"
    return ""


def _style(action: ProposedAction, style: Style) -> str:
    traits = {
        "costs money": action.cost > 0,
        "cannot be undone": not action.reversible,
        "leaves the company": action.external,
        "is strategic": action.strategic,
    }
    asks: dict[Style, tuple[str, ...]] = {
        "hands-on": ("costs money", "cannot be undone", "leaves the company"),
        "strategic-only": ("is strategic",),
        "exception-based": ("costs money",),
    }
    found = [trait for trait in asks[style] if traits[trait]]
    return f"the owner decides what {' and '.join(found)}" if found else ""


def _risk(action: ProposedAction, total: float, profile: StakeholderProfile, standing: FinancialPosition) -> str:
    sure, half = action.confidence, profile.approval_threshold_usd / 2
    match profile.risk_tolerance:
        case "conservative" if sure < 0.8:
            return f"the owner is conservative and the agent's confidence is {sure:.2f}, under 0.80"
        case "moderate" if sure < 0.5 and (not action.reversible or total > half):
            why = "this cannot be undone" if not action.reversible else f"{money(total)} is over half the threshold"
            return f"the agent's confidence is {sure:.2f}, under 0.50, and {why}"
        case "aggressive" if total > 0:
            return _existential(total, standing)
    return ""


def minds_cash(profile: StakeholderProfile) -> bool:
    """Return whether `check` considers cash and burn for this owner."""
    return profile.risk_tolerance == "aggressive"


def _existential(total: float, standing: FinancialPosition) -> str:
    if standing.cash is None:
        return ""
    if total > standing.cash / 4:
        return f"{money(total)} is over a quarter of the cash of {money(standing.cash)}"
    left = _exact(standing.cash - total)
    if standing.burn and standing.burn > 0 and left < _exact(3 * standing.burn):
        return f"{money(total)} would leave {left / standing.burn:.1f} months of runway, under three"
    return ""


def _exact(amount: float) -> float:
    """Return dollars without the dust of binary sums: 0.08 + 0.08 + 0.14 is 0.30, no more."""
    return round(amount, 6)


def _cost(action: ProposedAction, total: float) -> str:
    if total == action.cost:
        return money(total)
    return f"{money(action.cost)}, {money(total)} with what was spent on the same before,"


def first_profile(settings: GovernanceSettings) -> StakeholderProfile:
    """Return the default profile, valid if no file overrides it."""
    return StakeholderProfile(**settings.model_dump(include=set(StakeholderProfile.model_fields)))


def read_profile(default: StakeholderProfile, *directories: Path) -> StakeholderProfile:
    """Return the profile of `stakeholder.json` in `directories`, later ones over earlier ones over `default`.

    Raises `Damaged` with the file and the field.
    """
    merged = default.model_dump()
    profile = default
    for directory in directories:
        path = directory / PROFILE_FILE
        try:
            written = orjson.loads(content(path))
            merged = {**merged, **written}
            profile = StakeholderProfile.model_validate(merged)
        except FileNotFoundError:
            continue
        except (ValueError, TypeError, ValidationError) as error:
            message = f"{path} is not a stakeholder profile: {_first_line(error)}; correct it by hand"
            raise Damaged(message) from None
    return profile


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        problem = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
    return str(error).partition("\n")[0]


def write_profile(directory: Path, changes: Mapping[str, Any], default: StakeholderProfile) -> StakeholderProfile:
    """Write `changes` to the profile of `directory` and return the updated profile."""
    profile = read_profile(default, directory)
    changed = StakeholderProfile.model_validate(profile.model_dump() | dict(changes))
    directory.mkdir(parents=True, exist_ok=True)
    text = orjson.dumps(changed.model_dump(mode="json"), option=orjson.OPT_INDENT_2) + b"\n"
    write_atomic(directory / PROFILE_FILE, text)
    return changed


def profile_reader(default: StakeholderProfile, *directories: Path) -> Callable[[], StakeholderProfile]:
    """Return a function that rereads the profile only if one of its files has changed."""
    seen: list[Any] = [None, default]
    files = [str(directory / PROFILE_FILE) for directory in directories]

    def read() -> StakeholderProfile:
        stamps = list(map(_stamp, files))
        if seen[0] != stamps:
            seen[1], seen[0] = read_profile(default, *directories), stamps
        profile: StakeholderProfile = seen[1]
        return profile

    return read


def _stamp(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)  # noqa: PTH116  # asked by every call that governance judges
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_size
