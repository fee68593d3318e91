"""External events of the scenario: rivals, shocks, outages, notices."""

from collections.abc import Callable
from dataclasses import replace

from mabos.configs.yaml_file import packaged_yaml
from mabos.society.simulation.state import MarketEvent, MarketState, Obligation, Shock
from mabos.society.simulation.truth import MarketTruth, Scheduled
from mabos.society.simulation.wording import customers
from mabos.workspace.currencies import money


def apply_events(world: MarketState, truth: MarketTruth) -> tuple[MarketState, tuple[MarketEvent, ...]]:
    """Return the world after the events scheduled for its week, and the news of them."""
    events: list[MarketEvent] = []
    for scheduled in truth.events:
        if scheduled.week == world.week:
            world = _APPLY[scheduled.kind](world, scheduled)
            if not scheduled.silent:
                events.append(_announce_event(scheduled))
    return _paid_or_settled(world, events)


def shock(world: MarketState, kind: str, segment: str, channel: str = "all") -> float:
    """Return the factor of this week's shocks of a kind on a number of a segment, or of a channel for it."""
    factor = 1.0
    for one in world.shocks:
        felt = one.kind == kind and one.segment in {segment, "all"} and one.channel in {channel, "all"}
        if felt and one.until >= world.week:
            factor *= one.factor
    return factor


def _rival(world: MarketState, scheduled: Scheduled) -> MarketState:
    return replace(world, expectation=min(1.0, world.expectation + scheduled.size))


def _apply_shock(world: MarketState, scheduled: Scheduled) -> MarketState:
    until = world.week + scheduled.weeks - 1
    felt = Shock(scheduled.kind, scheduled.segment, scheduled.size, until, scheduled.channel)
    return replace(world, shocks=(*world.shocks, felt))


def _reprice_rivals(world: MarketState, scheduled: Scheduled) -> MarketState:
    segments = (
        replace(one, rival=one.rival * scheduled.size) if scheduled.segment in {one.name, "all"} else one
        for one in world.segments
    )
    return replace(world, segments=tuple(segments))


def _defect(world: MarketState, scheduled: Scheduled) -> MarketState:
    return replace(world, quality=max(0.0, world.quality - scheduled.size))


def _outage(world: MarketState, scheduled: Scheduled) -> MarketState:
    reputation = max(0.0, world.reputation - scheduled.size)
    return replace(world, reputation=reputation, backlog=world.backlog + 0.5 * world.subscribers * scheduled.size)


def _dearer(world: MarketState, scheduled: Scheduled) -> MarketState:
    return replace(world, payroll_factor=world.payroll_factor * scheduled.size)


def _notice(world: MarketState, scheduled: Scheduled) -> MarketState:
    return replace(world, obligations=(*world.obligations, Obligation(world.week + scheduled.weeks, scheduled.usd)))


def _delay_supplies(world: MarketState, scheduled: Scheduled) -> MarketState:
    projects = tuple(
        replace(one, weeks=one.weeks + scheduled.weeks, weeks_left=one.weeks_left + scheduled.weeks)
        if one.area == "supply"
        else one
        for one in world.projects
    )
    return replace(world, projects=projects)


def _insolvent(world: MarketState, scheduled: Scheduled) -> MarketState:
    open_now = tuple(replace(one, usd=one.usd * (1 - scheduled.size)) for one in world.receivables)
    return replace(world, receivables=open_now)


def _keep_world(world: MarketState, scheduled: Scheduled) -> MarketState:  # noqa: ARG001  # one signature for all kinds
    return world


_APPLY: dict[str, Callable[[MarketState, Scheduled], MarketState]] = {
    "rival_launch": _rival,
    "churn_shock": _apply_shock,
    "demand_shock": _apply_shock,
    "outage": _outage,
    "cost_shock": _dearer,
    "legal_notice": _notice,
    "board_reminder": _keep_world,
    "supplier_delay": _delay_supplies,
    "client_insolvency": _insolvent,
    "channel_change": _apply_shock,
    "willingness_change": _apply_shock,
    "rival_price": _reprice_rivals,
    "unit_cost_change": _apply_shock,
    "defect": _defect,
}

_HEARD = packaged_yaml("happenings.yaml")


def _announce_event(scheduled: Scheduled) -> MarketEvent:
    known = _HEARD[scheduled.kind]
    whom = customers(scheduled.segment)
    text = scheduled.text or known["text"].format(
        customers=whom, channel=scheduled.channel, weeks=scheduled.weeks, usd=money(scheduled.usd, places=0)
    )
    return MarketEvent(
        scheduled.week,
        scheduled.kind,
        known["subject"],
        value=known["value"],
        size=scheduled.size or scheduled.usd,
        text=text[:1].upper() + text[1:],
    )


def _paid_or_settled(world: MarketState, events: list[MarketEvent]) -> tuple[MarketState, tuple[MarketEvent, ...]]:
    due = [one for one in world.obligations if one.due <= world.week]
    if due:
        fine = sum(one.usd for one in due)
        rest = tuple(one for one in world.obligations if one not in due)
        world = replace(world, obligations=rest, ledger=replace(world.ledger, fines=world.ledger.fines + fine))
        text = f"The deadline of a compliance notice has passed: a fine of {money(fine, places=0)} was paid."
        events.append(MarketEvent(world.week, "fine", "compliance", value="fined", size=fine, text=text))
    return world, tuple(events)
