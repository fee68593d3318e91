"""A model that knows a better price helps a simulated company within governance, and a bad plan does little harm.

The market pays far less than the list price. A scripted model says what it knows whenever it is asked for a plan.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel
from mabos.configs.errors import Unavailable
from mabos.graphs import wiring
from mabos.graphs.simulate import simulate
from mabos.society.pricing import Price
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.scenario_files import load_scenario
from mabos.tools.work.proposals import JUDGED, ModelProposal

pytestmark = pytest.mark.slow
WEEKS, SEED = 6, 1000
LIST = {"smb": 29.0, "mid": 119.0, "ent": 690.0}
WORTH, BETTER = 0.6, 0.5
"""What customers pay at most, and the price that the good model knows, as shares of the list price."""
RICH, RICHER = 1.6, 1.45
"""The same of a market that pays more than the list price."""
TWO_WEEKS = "2026-01-19"
Way = tuple[str, str]
PRICE = "stripe_create_price"
_OFFERED = re.compile(r"[:;] (\w+) \$([\d.,]+) a month \(price")


def market(share: float) -> Scenario:
    """Return the small software company, whose customers are willing to pay a share of the list price."""
    content = load_scenario("saas").model_dump(mode="json")
    for segment in content["segments"].values():
        segment["willingness_to_pay"] = round(segment["price"] * share, 2)
    return Scenario.model_validate({**content, "scenario": "other-prices", "weeks": WEEKS})


def planner(share: float, *expects: Way) -> ScriptedModel:
    """Return a model that always plans for prices of a share of the list price, as far as one move goes."""
    return ScriptedModel(partial(_planned, share, expects))


def _planned(share: float, expects: Iterable[Way], asked: ScriptedCall) -> Reply:
    if asked.tag != "plan":
        return Unavailable("it only plans") if asked.tag == "work" else {}
    offered = _OFFERED.findall(asked.messages[1].content)
    now = {name: float(value.replace(",", "")) for name, value in offered}
    steps = [_step(name, share * LIST[name], now[name]) for name in LIST if name in now]
    steps = [one for one in steps if one]
    if not steps:
        return {}
    return {
        "reason": "Customers leave because of what it costs.",
        "evidence": ["churn_rate", "cash"],
        "probability": 0.9,
        "expects": [{"figure": figure, "direction": way} for figure, way in expects],
        "steps": steps,
    }


def _step(segment: str, wanted: float, now: float) -> dict[str, Any]:
    amount = round(min(max(wanted, 0.5 * now), 1.25 * now), 2)
    if abs(amount - now) < 0.03 * now:
        return {}
    arguments = {"product": "Subscription", "amount_usd": amount, "segment": segment}
    return {"operation": PRICE, "description": f"Set the price for {segment}", "arguments": arguments}


def play(out: Path, share: float, model: ScriptedModel | None = None) -> float:
    """Play a company to its end and return its score."""
    policy = "bdi" if model is None else "bdi-model"
    return simulate(market(share), out=out, seed=SEED, policy=policy, model=model).score


def prices(out: Path) -> list[Price]:
    """Return the prices that agents set, oldest first."""
    with wiring.hold_services(out / "workspace") as services:
        return [one for one in services.business().pricing.prices.all() if one.created_by not in ("market", "")]


def moves(out: Path) -> Mapping[str, list[int]]:
    """Return by segment the prices that agents set, in cents."""
    found: dict[str, list[int]] = {}
    for one in prices(out):
        found.setdefault(one.segment, []).append(one.unit_amount)
    return found


def proposals(out: Path) -> list[ModelProposal]:
    """Return the plans that a model proposed and that were chosen or refused."""
    with wiring.hold_services(out / "workspace") as services:
        every = [one for agent in services.agents() for one in services.agent(agent).proposals.all()]
    return [one for one in every if one.kind == "plan"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    home = tmp_path_factory.mktemp("market")
    return lambda name: home / name


@pytest.fixture(scope="module")
def without(runs: Callable[[str], Path]) -> float:
    return play(runs("without"), WORTH)


@pytest.fixture(scope="module")
def helped(runs: Callable[[str], Path]) -> float:
    return play(runs("helped"), WORTH, planner(BETTER, ("churn_rate", "lower"), ("cash", "higher")))


def test_a_model_that_knows_a_better_price_improves_the_company(tmp_path: Path) -> None:
    """Customers would pay 60 percent more than the list says: agents alone find that out more slowly."""
    alone = play(tmp_path / "alone", RICH)
    helped = play(tmp_path / "helped", RICH, planner(RICHER, ("cash", "higher")))
    assert helped >= 1.01 * alone


def test_a_good_plan_has_an_effect_within_two_weeks(runs: Callable[[str], Path], helped: float) -> None:
    assert helped
    first = prices(runs("helped"))[: len(LIST)]
    assert {one.segment for one in first} == set(LIST)
    assert all(one.created_at[:10] <= TWO_WEEKS for one in first)
    amounts = {one.segment: one.unit_amount / 100 for one in first}
    assert amounts == {name: BETTER * amount for name, amount in LIST.items()}


def test_one_role_moves_prices_and_a_plan_moves_each_once(runs: Callable[[str], Path], helped: float) -> None:
    assert helped
    assert {one.created_by for one in prices(runs("helped"))} == {"strategy"}
    for segment, amounts in moves(runs("helped")).items():
        assert amounts.count(round(100 * BETTER * LIST[segment])) == 1, segment
        assert all(one != other for one, other in pairwise(amounts)), segment


def test_what_came_of_the_plan_is_measured_and_told(runs: Callable[[str], Path], helped: float) -> None:
    assert helped
    judged = [one for one in proposals(runs("helped")) if one.undo]
    assert judged
    assert all(one.status in JUDGED and "churn_rate went lower" in one.reason for one in judged)
    assert all(one.before["churn_rate"] > 0 for one in judged)


def test_a_bad_plan_costs_little(tmp_path: Path, without: float) -> None:
    misled = play(tmp_path / "misled", WORTH, planner(3.0, ("churn_rate", "lower"), ("cash", "higher")))
    assert misled >= 0.95 * without
