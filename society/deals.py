"""Deals and their pipeline: every stage with its time, and the figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mabos.backends.graph.mapping import Link, agent, graph_node, itself
from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import parse_time
from mabos.workspace.records import record

WON, LOST = "won", "lost"
_DAY_S = 86_400

# What HubSpot calls the stages of its own pipeline.
_ELSEWHERE = {
    "appointmentscheduled": "lead", "qualifiedtobuy": "qualified", "presentationscheduled": "proposal",
    "decisionmakerboughtin": "negotiation", "contractsent": "negotiation", "closedwon": WON, "closedlost": LOST,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StageChange:
    """An entry in a deal's history: the time it reached a stage, who moved it, and the reason."""

    at: str
    by: str
    stage: str
    reason: str = ""


@graph_node(
    "deal",
    name=("title",),
    properties=("id", "stage", "value_usd", "expected_close", "created_at"),
    place="business",
    links=(
        Link("deal_with_contact", "contact_id", to=itself),
        Link("agent_owns", "created_by", to=agent, incoming=True),
    ),
)
@record("crm/deals.json", "deals", noun="deal")
@dataclass(frozen=True, slots=True)
class Deal:
    """A possible sale; `history` has an entry for every stage reached, including the first."""

    id: str
    title: str
    contact_id: str = ""
    value_usd: float = 0.0
    stage: str = ""
    expected_close: str = ""
    external_id: str = ""
    created_at: str = ""
    created_by: str = ""
    history: tuple[StageChange, ...] = ()

    @property
    def is_open(self) -> bool:
        """Return whether it is neither won nor lost."""
        return self.stage not in (WON, LOST)

    @property
    def since(self) -> str:
        """The time it entered its current stage."""
        return self.history[-1].at if self.history else self.created_at


@dataclass(frozen=True, slots=True)
class StageFigures:
    """A stage now: the number of deals, their sum, its weighted value, and how deals left it.

    `conversion` is the share of departed deals that advanced; None if none has left.
    """

    stage: str
    chance: float
    deals: int
    value_usd: float
    weighted_usd: float
    average_days: float | None
    conversion: float | None


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The pipeline at a given time: its stages, open and weighted value, and the outcome of closed deals."""

    stages: tuple[StageFigures, ...]
    open_deals: int
    open_usd: float
    weighted_usd: float
    won_usd: float
    win_rate: float | None
    days_to_win: float | None


def in_order(stages: Mapping[str, float]) -> tuple[str, ...]:
    """Return the stages from the first to won, and lost at the end."""
    return (*sorted((one for one in stages if one != LOST), key=lambda one: stages[one]), LOST)


def stage_named(text: str, stages: Mapping[str, float], *, argument: str = "stage") -> str:
    """Return a stage by its name in the settings or in HubSpot; raises `InvalidArgument`.

    >>> stage_named("closedwon", {"lead": 0.1, "won": 1, "lost": 0})
    'won'
    """
    wanted = text.strip().lower()
    found = wanted if wanted in stages else _ELSEWHERE.get(wanted, "")
    if found not in stages:
        message = f"no stage {text:.60}; there are {', '.join(in_order(stages))} (crm.stages in mabos.yaml)"
        raise InvalidArgument(message, argument=argument)
    return found


def change_stage(deal: Deal, stage: str, *, at: str, by: str, reason: str = "") -> Deal:
    """Return the deal moved to another stage, with a history entry; the same stage changes nothing."""
    if stage == deal.stage:
        return deal
    return replace(deal, stage=stage, history=(*deal.history, StageChange(at, by, stage, reason)))


def pipeline(deals: Iterable[Deal], stages: Mapping[str, float], now: datetime) -> Pipeline:
    """Return the figures of all stages; weighted value is value × the stage's chance, ages are in days."""
    every, order = tuple(deals), in_order(stages)
    figures = tuple(_figures(stage, stages, every, order, now) for stage in order)
    still = [one for one in figures if one.stage not in (WON, LOST)]
    won, lost = ([one for one in every if one.stage == end] for end in (WON, LOST))
    return Pipeline(
        stages=figures,
        open_deals=sum(one.deals for one in still),
        open_usd=_cents(sum(one.value_usd for one in still)),
        weighted_usd=_cents(sum(one.weighted_usd for one in still)),
        won_usd=_cents(sum(one.value_usd for one in won)),
        win_rate=round(len(won) / (len(won) + len(lost)), 4) if won or lost else None,
        days_to_win=_average([days(one.created_at, parse_time(one.since)) for one in won]),
    )


def _figures(
    stage: str, stages: Mapping[str, float], deals: Sequence[Deal], order: Sequence[str], now: datetime
) -> StageFigures:
    here = [one for one in deals if one.stage == stage]
    value = sum(one.value_usd for one in here)
    on, lost = (sum(_classify_exit(one, stage, order) == how for one in deals) for how in ("on", "lost"))
    return StageFigures(
        stage=stage,
        chance=stages[stage],
        deals=len(here),
        value_usd=_cents(value),
        weighted_usd=_cents(value * stages[stage]),
        average_days=_average([days(one.since, now) for one in here]),
        conversion=round(on / (on + lost), 4) if on + lost else None,
    )


def _classify_exit(deal: Deal, stage: str, order: Sequence[str]) -> str:
    """Return how a deal left a stage: `on` to a later one, `lost` from there, or "" where it is there or never was."""
    been = [move.stage for move in deal.history]
    if stage not in been or stage in (WON, LOST):
        return ""
    after = been[been.index(stage) + 1 :]
    rank = order.index(stage)
    if any(one in order and one != LOST and order.index(one) > rank for one in after):
        return "on"
    return "lost" if deal.stage == LOST else ""


def days(since: str, now: datetime) -> float:
    """Return the days since a time; 0 if it is unknown or in the future."""
    return max(0.0, round((now - parse_time(since)).total_seconds() / _DAY_S, 1)) if since else 0.0


def _average(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 1) if values else None


def _cents(usd: float) -> float:
    return round(usd, 2)
