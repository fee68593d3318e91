"""Levers: the prices, campaigns and orders that an agent may adjust by itself each week.

The owner of a lever estimates its effect from the company's own records, and rolls these beliefs forward. Spenders bid
for the company's budget with the return of their next dollars (PROPOSE). Finance answers with the return that a dollar
must bring this week (ACCEPT). Each call passes the gate like any other.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from math import log
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from mabos.configs.yaml_file import packaged_yaml
from mabos.mind.effects.levers import (
    ADVERTISING,
    NEVER,
    PRODUCT,
    RETURNS,
    Award,
    Bid,
    Demand,
    EffectBeliefs,
    award_of,
    demand,
    effect_beliefs,
    least_return,
    prices_wanted,
    upkeep,
)
from mabos.mind.effects.records import Booking, Commission, Records
from mabos.mind.model import Belief, Item
from mabos.nodes.cycle import Cycle, Errand
from mabos.nodes.planning.levers import has_levers, on_trial
from mabos.society.campaigns import CHANNELS
from mabos.society.decisions import (
    BUDGET,
    PRICES,
    Decision,
    budget_question,
    is_in_range,
    price_question,
    price_ranges,
    weekly_budget,
)
from mabos.society.metrics import MetricPoint, Metrics
from mabos.society.packages import AREA_LEADERS, WorkPackage
from mabos.society.simulation.sensors import COMPLAINT_READERS, PRICE_COMPLAINT, SOURCE
from mabos.tools.gate.initiative import EFFECTS, PRICE
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent
from mabos.workspace.currencies import money

FINANCE, MARKETING, PRICING = "cfo", "cmo", "strategy"
"""The roles that award the budget, advertise, and set prices."""
_LEADERS: Final[Mapping[str, str]] = {str(area): role for area, role in AREA_LEADERS.items()}
EFFECT: Final = "B-effect-"
"""The prefix of the id of a belief about a lever."""
SPENDERS: Final[Mapping[str, str]] = {MARKETING: ADVERTISING, _LEADERS[PRODUCT]: PRODUCT}
"""The uses of the budget, by the role that bids for them."""
BID, LEAST = "bid", "least_return"
LEVERS = "levers"
"""The rule by which a lever's owner moves it."""
_WORK: Final[dict[str, list[str]]] = packaged_yaml("orders_of_work.yaml")
"""The title, the text and the skill of an order of work, by area."""
_USUAL_USD: Final = 200.0
"""The weekly budget for which it is told what a lead costs."""
_INBOX: Final = 60
"""The number of latest messages searched for bids."""
_GRANTS: Final = {"budget": BUDGET, "prices": PRICES}
"""The grants of the owner for a quarter, and the prefixes of the questions' ids."""
_ASKED_AGAIN: Final = timedelta(weeks=6)
"""After how long the owner is asked for the same grant again."""
_PRICE_RANGE: Final = (0.6, 1.3)
"""How far prices move without being asked for, as factors of what they are when the owner is asked."""
_FRESH_WEEKS = 3
"""For how many weeks an award holds that nobody renews."""
COMPLAINTS: Final = "complaints"
"""The key under which marketing reports the segments that complained about the price in a week."""
_BELIEVED: WeakKeyDictionary[Metrics, dict[str, tuple[object, tuple[Records, EffectBeliefs]]]] = WeakKeyDictionary()
"""The newest beliefs of a company: of each agent whom customers write to, and of those who are told of it."""


class LeverBelief(NamedTuple):
    """An agent's belief about a lever: a sentence, its mean, its certainty, and the figures behind it."""

    statement: str
    value: float
    certainty: float
    figures: tuple[str, ...]


def lever_calls(cycle: Cycle) -> tuple[Errand, ...]:
    """Return an agent's weekly calls on its levers; its beliefs about them are saved in its mind.

    If the owner wants to approve everything that agents start, there are beliefs but no calls.
    """
    agent = cycle.agent
    if not agent.business_id or not cycle.is_newer(agent.business.metrics.store, "figures of levers"):
        return ()
    role = agent.business.manifest.role_of(agent.id)
    if role not in {FINANCE, MARKETING, PRICING, *_LEADERS.values()} or not has_levers(agent.business):
        return ()
    if not cycle.has_changed("levers", agent.business.metrics.series("cash")[-1].at):
        return ()  # the week goes on
    records, beliefs = _beliefs(agent)
    if agent.business.profile.initiative != "act":
        _believe(cycle, _statements(role, records, beliefs))
        return ()
    if role == FINANCE:
        return tuple(_awards(cycle, records, beliefs))
    award = _award(agent)
    asked = demand(records, beliefs, SPENDERS[role], award) if role in SPENDERS else Demand("")
    least = least_return(asked, beliefs, award)
    held = _believe(cycle, _statements(role, records, beliefs))
    return (*_calls(cycle, role, (records, beliefs), (asked, least), held), *_bids(cycle, asked))


def _beliefs(agent: Agent) -> tuple[Records, EffectBeliefs]:
    """Return the records and the beliefs about them; computed once for all agents who heard the same complaints."""
    business = agent.business
    role = business.manifest.role_of(agent.id)
    reader = role if role in COMPLAINT_READERS[PRICE_COMPLAINT] else ""
    heard = _complaints(agent, bool(reader))
    stores = (business.metrics, business.campaigns, business.workforce.packages, business.decisions)
    stand = (*(one.store.seq for one in stores), heard)
    known = _BELIEVED.setdefault(business.metrics, {})
    before = known.get(reader)
    if before is not None and before[0] == stand:
        return before[1]
    records, learns = replace(on_record(business), complaints=heard), "learning" not in agent.services.without
    priors, last = agent.services.settings.effects, before[1][1] if before else None
    found = (records, effect_beliefs(records, CHANNELS, priors, learns=learns, before=last))
    known[reader] = (stand, found)
    return found


def _complaints(agent: Agent, is_reader: bool) -> dict[int, frozenset[str]]:
    """Return the segments that complained about the price, by week: as customers wrote, or as marketing reported.

    A week without a complaint is evidence too, but only where customers are heard at all.
    """
    found: dict[int, frozenset[str]] = {}
    days, marketing = _days(agent.business), agent.business.manifest.agents.get(MARKETING)
    for one in agent.inbox.messages():
        data = one.metadata
        if is_reader and one.sender == SOURCE:
            found = found or dict.fromkeys(range(1, len(days)), frozenset())
            if (data.get("predicate"), data.get("value")) == ("complaint", PRICE_COMPLAINT):
                week = bisect_right(days, one.timestamp) - 1
                found[week] = found.get(week, frozenset()) | {str(data["subject"]).removeprefix("customers_")}
        elif one.sender == marketing and COMPLAINTS in data:
            found[bisect_right(days, str(data["at"])) - 1] = frozenset(data[COMPLAINTS])
    return found


def _complaint_reports(cycle: Cycle, records: Records) -> Iterator[Errand]:
    """Yield marketing's reports of the week's complaints about prices to those who decide by them."""
    if records.week in records.complaints:
        names, seats = sorted(records.complaints[records.week]), cycle.agent.business.manifest.agents
        said = f"Customers complain about the price: {', '.join(names)}." if names else "No complaint about a price."
        data = {COMPLAINTS: names, "at": _days(cycle.agent.business)[-1], "beliefs": []}
        for role in (FINANCE, PRICING, _LEADERS[PRODUCT]):
            if role in seats:
                yield _message(cycle, seats[role], "INFORM", said, data)


def _days(business: Business) -> list[str]:
    """Return when each week of the record ended: with a value of the company's cash."""
    return [point.at for point in business.metrics.series("cash")]


def on_record(business: Business) -> Records:
    """Return a company's weekly records; a week lasts from one value of its cash to the next."""
    days = _days(business)

    def week(at: str) -> int:
        return max(0, bisect_right(days, at) - 1)

    figures = {name: _by_week(business.metrics.series(name), days) for name in business.metrics.names()}
    bookings = [
        Booking(
            (one.channel, one.segment), week(one.created_at), one.weekly_budget_usd, one.weeks_run, one.leads, one.weeks
        )
        for one in business.campaigns.all()
        if one.status in ("recorded", "running", "completed") or one.weeks_run
    ]
    waiting = {
        str((one.action or {}).get("tool", ""))
        for one in business.decisions.all()
        if one.open or (one.granted and one.resolved_at >= days[-1])  # a granted one is carried out later this week
    }
    return Records(
        business.segments,
        figures,
        sorted(bookings, key=lambda one: (one.week, one.place)),
        [
            _commission(one, week)
            for one in business.workforce.packages.all()
            if one.status not in ("cancelled", "failed")
        ],
        PRICE in waiting,
    )


def _by_week(points: Sequence[MetricPoint], days: Sequence[str]) -> list[float]:
    """Return the value of each week: the last one by its day, and before the first one that."""
    known = [point.at for point in points]
    return [points[max(0, bisect_right(known, day) - 1)].value for day in days]


def _commission(package: WorkPackage, week: Any) -> Commission:
    is_delivered = package.status in ("delivered", "complete")
    return Commission(
        package.area, week(package.created_at), package.budget_usd, week(package.updated_at) if is_delivered else None
    )


def _calls(
    cycle: Cycle, role: str, known: tuple[Records, EffectBeliefs], wanted: tuple[Demand, float], held: Mapping[str, str]
) -> Iterator[Errand]:
    """Yield the calls that bring the levers of a role to where they are wanted, with what a dollar must bring."""
    (records, beliefs), (asked, least) = known, wanted
    today = cycle.now()[:10]
    if role == MARKETING:
        running = {one.place for one in records.bookings if one.weeks_run < one.weeks}
        for (channel, segment), usd in asked.campaigns(least).items():
            if (channel, segment) not in running:
                terms = {"name": f"{channel} for {segment}, {today}", "channel": channel, "segment": segment}
                both = {**terms, "weekly_budget_usd": usd, "weeks": 1}
                yield _errand(cycle, "ad_campaign_create", both, f"{channel}_{segment}", held)
        yield from _complaint_reports(cycle, records)
    if role == PRICING:
        yield from _price_calls(cycle, records, beliefs, held)
    orders = upkeep(records, beliefs.kind)
    if role == _LEADERS[PRODUCT]:
        orders |= asked.orders(least)
    for area, usd in orders.items():
        if _LEADERS[area] == role:
            yield _errand(cycle, "work_package_create", _order(area, usd, today), area, held)


def _price_calls(cycle: Cycle, records: Records, beliefs: EffectBeliefs, held: Mapping[str, str]) -> Iterator[Errand]:
    """Yield the prices to set; those outside the owner's grant wait for the one question about all of them."""
    business = cycle.agent.business
    product = next((one.id for one in business.pricing.products.all() if one.active), "")
    tried = on_trial(cycle.agent.proposals.all())  # a model's move is measured first; then beliefs know better too
    wanted = prices_wanted(records, beliefs) if product else {}
    wanted = {segment: amount for segment, amount in wanted.items() if (PRICE, segment) not in tried}
    _, granted = price_ranges(business.decisions.all(), cycle.agent.clock())
    is_free = "governance" in cycle.agent.services.without  # then nothing waits for the owner
    outside = {name for name, usd in wanted.items() if not (is_free or is_in_range(granted, name, usd))}
    asked = _asked_lately(cycle, PRICES)
    if outside and not asked:
        yield _price_grant(cycle, records)
    waits = outside if not asked or any(one.open for one in asked) else set()
    for segment, amount in wanted.items():
        if segment not in waits:
            price = {"product": product, "amount_usd": amount, "interval": "month", "segment": segment}
            yield _errand(cycle, PRICE, price, f"price_{segment}", held)


def _asked_lately(cycle: Cycle, prefix: str) -> list[Decision]:
    """Return the questions of a kind that are open, or were asked so lately that they are not asked again."""
    lately = (cycle.agent.clock() - _ASKED_AGAIN).isoformat()
    decisions = cycle.agent.business.decisions.all()
    return [one for one in decisions if one.id.startswith(prefix) and (one.open or one.created_at >= lately)]


def _grant(cycle: Cycle, kind: str, yes: str, belief: str, **terms: Any) -> Errand:
    """Return the question to the owner for a leave of a kind that holds for a quarter, and the belief it rests on."""
    today = cycle.now()[:10]
    terms |= {
        "decision_id": f"{_GRANTS[kind]}{today}",
        "options": [{"id": "A", "label": yes}, {"id": "B", "label": "No, ask me each time"}],
        "recommendation": "A",
    }
    why = {"rule": LEVERS, "belief": f"{EFFECT}{belief}"}
    return Errand(LEVERS, "decision_request", terms, f"lever:{kind}:{today}", why)


def _price_grant(cycle: Cycle, records: Records) -> Errand:
    """Return the question to the owner in which ranges prices may move without being asked for one by one."""
    low, high = _PRICE_RANGE
    listed = {segment: records.now(f"price_{segment}") for segment in records.segments}
    ranges = {segment: (round(low * price, 2), round(high * price, 2)) for segment, price in listed.items() if price}
    told = (
        "We move prices step by step to where what we believe of our customers says that they bring most, and "
        "measure each step; without this, each step is asked for by itself."
    )
    belief, subject = f"price_{records.segments[0]}", price_question(ranges)
    return _grant(cycle, "prices", "Yes, within these ranges", belief, subject=subject, description=told)


def _order(area: str, usd: float, day: str) -> dict[str, Any]:
    title, text, skill = _WORK[area]
    terms = {"title": f"{title}, {day}", "description": text, "area": area}
    return {**terms, "required_skills": [skill], "budget_usd": usd}


def _errand(cycle: Cycle, tool: str, terms: Mapping[str, Any], lever: str, held: Mapping[str, str]) -> Errand:
    key = f"lever:{lever}:{cycle.now()[:10]}"
    why = held.get(lever, "")
    return Errand(LEVERS, tool, terms, key, {"rule": LEVERS, **({"belief": why} if why else {})})


def _believe(cycle: Cycle, beliefs: Mapping[str, LeverBelief]) -> dict[str, str]:
    """Update the lever beliefs in the mind where they have moved; return the belief ids by lever."""
    mind, fresh, ids = cycle.agent.mind, list[Item](), dict[str, str]()
    known = {belief.id: belief.statement for belief in mind.beliefs}
    series = cycle.agent.business.metrics.series
    for lever, (statement, value, certainty, figures) in beliefs.items():
        ids[lever] = name = f"{EFFECT}{lever}"
        if known.get(name) != statement:  # a sentence with figures of the last week would be none of this one
            measured = tuple(points[-1].id for points in map(series, figures) if points)
            fresh.append(
                Belief(
                    id=name, statement=statement, certainty=round(certainty, 2), category="environment", source=EFFECTS,
                    subject=f"effect_{lever}", value=f"{value:.4g}", updated=cycle.now(), evidence=measured,
                )
            )  # fmt: skip
    if fresh:
        mind.save(*fresh, why="a week was measured", cycle=cycle.id)
    return ids


def _statements(role: str, records: Records, beliefs: EffectBeliefs) -> dict[str, LeverBelief]:
    """Return a role's belief about each of its levers."""
    found = {}
    if role == MARKETING:
        for (channel, segment), one in beliefs.channels.items():
            low, middle, high = one.cost_interval(_USUAL_USD)
            weeks = f"{one.weeks} weeks of advertising" if one.weeks else "no week of advertising yet"
            cost = f"{money(middle, places=0)} ({money(low, places=0)} to {money(high, places=0)})"
            said = f"A lead by {channel} for {segment} customers costs {cost}; {weeks}"
            found[f"{channel}_{segment}"] = LeverBelief(said, middle, _sure(low, high), ("leads",))
    if role == PRICING:
        for segment, customers in beliefs.segments.items():
            low, middle, high = customers.worth_interval()
            said = (
                f"Half of the {segment} customers would pay {money(middle, places=0)} "
                f"({money(low, places=0)} to {money(high, places=0)}); "
                f"the list says {money(customers.listed, places=0)}, after {records.week} weeks of sales and departures"
            )
            figures = (f"price_{segment}", f"subscribers_{segment}", "new_subscribers", "churn_rate")
            found[f"price_{segment}"] = LeverBelief(said, middle, _sure(low, high), figures)
    if _LEADERS["supply"] == role:
        found |= _upkeep(records)
    if _LEADERS[PRODUCT] == role:
        product = beliefs.product
        gain = product.gain * (1 - product.quality)
        said = (
            f"An order of work adds {100 * gain:.0f} points to a quality of {100 * product.quality:.0f}; "
            f"{product.deliveries} were delivered"
        )
        found[PRODUCT] = LeverBelief(said, gain, 0.5 + 0.08 * min(5, product.deliveries), ("quality",))
    return found


def _upkeep(records: Records) -> dict[str, LeverBelief]:
    """Return the figures on goods, labour and support, if the company has them."""
    coming = sum(one.usd for one in records.under_way("supply"))
    known = {
        "supply": (
            "stock_weeks",
            f"weeks of demand are on the shelf, and goods for {money(coming, places=0)} are on their way",
        ),
        "delivery": ("work_weeks", "weeks of work are queued"),
        "support": ("support_backlog", "tickets wait at the desk"),
    }
    return {
        lever: LeverBelief(f"{records.now(figure):,.1f} {said}", records.now(figure), 0.95, (figure,))
        for lever, (figure, said) in known.items()
        if records.figures.get(figure)
    }


def _sure(low: float, high: float) -> float:
    """Return how sure a belief is whose middle four fifths lie between two numbers."""
    return max(0.3, min(0.95, 1 - log(max(high, 1e-9) / max(low, 1e-9)) / 5))


def _award(agent: Agent) -> Award | None:
    """Return the award of finance that holds, or None."""
    finance = agent.business.manifest.agents.get(FINANCE)
    heard = (one for one in reversed(agent.inbox.messages()) if one.sender == finance and LEAST in one.metadata)
    message = next(heard, None)
    if message is None:
        return None
    days = [point.at for point in agent.business.metrics.series("cash")][-_FRESH_WEEKS:]
    if days and message.timestamp < days[0]:
        return None
    given = message.metadata
    return Award(float(given[LEAST]), {str(name): float(usd) for name, usd in dict(given.get("targets", {})).items()})


def _bids(cycle: Cycle, asked: Demand) -> Iterator[Errand]:
    """Yield a spender's proposals to finance: the dollars that it would take for each return."""
    to = cycle.agent.business.manifest.agents.get(FINANCE, "")
    if not asked.use or not to:
        return
    dollars = asked.bid()
    said = (
        f"For {asked.use}: {money(dollars[0], places=0)} a week for what brings {money(RETURNS[0])} a dollar, "
        f"{money(dollars[4], places=0)} for {money(RETURNS[4])}."
    )
    yield _message(cycle, to, "PROPOSE", said, {BID: asked.use, "dollars": list(dollars)})


def _awards(cycle: Cycle, records: Records, beliefs: EffectBeliefs) -> Iterator[Errand]:
    """Yield finance's answers to bidders: the return that the last dollar must bring, so that all uses fit the
    budget.
    """
    free = beliefs.budget
    yield from _budget_news(cycle, records, free)
    bids = dict[str, tuple[str, str, Bid]]()
    seats = cycle.agent.business.manifest.agents
    spenders = {seats.get(role) for role in SPENDERS}
    for message in cycle.agent.inbox.messages()[-_INBOX:]:
        if BID in message.metadata and message.performative == "PROPOSE" and message.sender in spenders:
            bids[message.sender] = (message.id, message.metadata[BID], tuple(map(float, message.metadata["dollars"])))
    if not bids:
        return
    award = award_of(records, beliefs, [bid for _, _, bid in bids.values()])
    least = award.least_return
    for sender, (message_id, use, _) in bids.items():
        brings = f"what brings at least {money(least)} for a dollar"
        said = f"Of {money(free, places=0)} for this week, take for {use} {brings}."
        if least >= NEVER:
            said = f"Spend nothing on {use} this week: there is no cash to spare."
        data = {LEAST: least, "targets": dict(award.targets), "reply_to": message_id}
        yield _message(cycle, sender, "ACCEPT", said, data)
    if least < NEVER:
        weekly = sum(bid[RETURNS.index(least)] for _, _, bid in bids.values())
        yield from _grant_question(cycle, weekly + sum(_orders_of(records)), free)


def _budget_news(cycle: Cycle, records: Records, free: float) -> Iterator[Errand]:
    """Update the belief about this week's free budget, and inform the chief executive of a change."""
    months = records.now("runway_months")
    cash = money(records.now("cash"), places=0)
    said = f"{money(free, places=0)} of {cash} can be spared this week; runway is {months:.1f} months"
    before = next((one for one in cycle.agent.mind.beliefs if one.id == f"{EFFECT}budget"), None)
    is_news = before is None or (float(before.value or 0) > 0) != (free > 0)
    _believe(cycle, {"budget": LeverBelief(said, free, 0.9, ("cash", "payroll", "runway_months"))})
    chief = cycle.agent.business.manifest.agents.get("ceo", "")
    if is_news and chief:
        data = {"subject": "effect_budget", "value": f"{free:.4g}", "statement": said, "certainty": 0.9}
        yield _message(cycle, chief, "INFORM", f"{said}.", data)


def _grant_question(cycle: Cycle, weekly: float, free: float) -> Iterator[Errand]:
    """Yield the question to the owner whether so much may be spent a week, where more is wanted than may be."""
    agent = cycle.agent
    granted = weekly_budget(agent.business.decisions.all(), agent.clock())
    limit = granted.cost if granted else agent.services.directory.profile(agent.business_id).approval_threshold_usd
    if weekly <= limit or _asked_lately(cycle, BUDGET):
        return
    usd = float(round(min(1.5 * weekly, max(weekly, free)), -2))
    told = (
        f"What we believe of our levers calls for {money(weekly, places=0)} a week; without this, whatever goes beyond "
        f"{money(limit, places=0)} is asked for piece by piece. {money(free, places=0)} a week can be spared now."
    )
    terms = {"subject": budget_question(usd), "description": told, "estimated_cost": usd}
    yield _grant(cycle, "budget", "Yes, within this sum", "budget", **terms)


def _orders_of(records: Records) -> Iterator[float]:
    """Yield the recent weekly costs of orders for goods, labour and support."""
    for one in records.commissions:
        if one.area in ("supply", "delivery", "support") and one.week >= records.week - 4:
            yield one.usd / 4


def _message(cycle: Cycle, to: str, performative: str, said: str, data: Mapping[str, Any]) -> Errand:
    own = dict(data)
    terms = {"to": to, "performative": performative, "content": said, "reply_to": own.pop("reply_to", "")}
    terms["metadata"] = own
    return Errand(LEVERS, "agent_message", terms, f"lever:{performative}:{to}:{cycle.now()[:10]}", {"rule": LEVERS})
