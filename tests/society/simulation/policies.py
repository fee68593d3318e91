"""Fixed policies to measure the simulated market by, and one way to run them."""

from collections.abc import Callable

from mabos.society.campaigns import CHANNELS
from mabos.society.simulation.levers import NOTHING, Advertising, ContentPiece, Levers, Order
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.state import MarketEvent, MarketState
from mabos.society.simulation.world import step

Policy = Callable[[MarketState], Levers]
LONG = 520


def nothing(world: MarketState) -> Levers:
    return NOTHING


def sensible(world: MarketState) -> Levers:
    """Prices a fifth up, a campaign where each segment is cheapest, steady work on product and support."""
    orders = [Order("p1", "product", 9000, ""), Order("s1", "support", 4000, "")]
    orders += [Order("p2", "product", 9000, "")] if world.week >= 5 else []
    orders += [Order("c1", "compliance", 5000, "")] if world.week >= 6 else []
    orders += [Order("p3", "product", 9000, "")] if world.week >= 10 else []
    return Levers(
        advertising=(
            Advertising("a", "search", "smb", 700, LONG),
            Advertising("b", "outbound", "mid", 900, LONG),
            Advertising("c", "events", "ent", 900, LONG),
            Advertising("d", "outbound", "ent", 900, LONG),
        ),
        prices=(("smb", 34.0), ("mid", 149.0), ("ent", 890.0)) if world.week >= 1 else (),
        content=tuple(ContentPiece(f"k{number}", "blog_post", "all") for number in range(world.week)),
        orders=tuple(orders),
    )


def overspending(world: MarketState) -> Levers:
    """Every channel for every segment, and three big packages a week."""
    places = [(channel, segment) for channel in CHANNELS for segment in ("smb", "mid", "ent")]
    return Levers(
        advertising=tuple(Advertising(f"{channel}{name}", channel, name, 5000, LONG) for channel, name in places),
        orders=tuple(Order(f"o{number}", "product", 10_000, "") for number in range(3 * world.week)),
    )


def played(scenario: Scenario, policy: Policy, seed: str, weeks: int = 0) -> tuple[MarketState, list[MarketEvent]]:
    """Return the world after a run, and everything that happened in it."""
    truth, world, heard = scenario.truth(seed), scenario.opening(seed), list[MarketEvent]()
    for _ in range(weeks or scenario.weeks):
        world, events = step(world, truth, policy(world), seed)
        heard += events
    return world, heard
