"""Commitments in cycles: they take turns, last as long as their strategy says, and stay within their budgets."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest

from mabos.graphs import wiring
from mabos.mind.history import History
from mabos.mind.model import Belief, Desire, Goal, Intention, Plan, Step, Strategy
from mabos.nodes.report import CycleReport
from mabos.society.messages import Message
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso


class Office:
    """One agent whose commitments a test gives, and a clock that it moves."""

    def __init__(self, root: Path, agent_id: str = "hr") -> None:
        self.root, self.agent_id = root, agent_id
        self.clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        self.services: Services = wiring.hold(root, clock=self.clock)
        made = call(self.services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        mind = self.mind
        mind.save(*(replace(one, status="dropped", reason="not in this test") for one in mind.desires))

    @property
    def mind(self) -> Any:
        return self.services.agent(self.agent_id).mind

    def restart(self) -> None:
        wiring.release(self.services)
        self.services = wiring.hold(self.root, clock=self.clock)

    def commit(
        self, name: str, steps: int = 1, *, priority: float = 0.9, needs: str = "", cost: float = 0.0,
        goal: dict[str, Any] | None = None, plan: dict[str, Any] | None = None, **intention: Any,
    ) -> None:  # fmt: skip
        """Commit the agent to a goal with so many steps, each of which says something to its memory."""
        now = iso(self.clock())
        said = tuple(
            Step(f"s{at}", f"Say {name} {at}", "memory_store_item", {"content": f"{name} {at}", "importance": 0.3},
                 preconditions=(needs,) if needs else (), cost=cost)
            for at in range(steps)
        )  # fmt: skip
        aim = {"description": f"Xylograph {name}", "priority": priority, "created": now, "updated": now, **(goal or {})}
        made = {"status": "active", "confidence": 0.9, "created": now, "updated": now, **(plan or {})}
        self.mind.save(
            Goal(f"G-{name}", **aim),
            Plan(f"P-{name}", f"G-{name}", name, steps=said, **made),
            Intention(f"I-{name}", f"G-{name}", f"P-{name}", **{"started": now, "updated": now, **intention}),
        )

    def cycle(self, steps: int = 4) -> CycleReport:
        return wiring.run_cycle(self.services, self.agent_id, max_steps=steps)

    def day(self, number: int = 1) -> None:
        """Let so many days pass, each with a cycle and a heartbeat."""
        for _ in range(number):
            self.clock.advance(timedelta(days=1))
            self.cycle()
            wiring.run_maintenance(self.services, self.agent_id)

    def status(self, name: str) -> tuple[str, str]:
        """Return the status and reason of an intention, standing or archived."""
        standing = {one.id: one for one in self.mind.intentions}
        gone = {one.id: one for one in History(self.mind).gone(Intention)}
        found = standing.get(f"I-{name}") or gone[f"I-{name}"]
        return found.status, found.reason

    def done(self, name: str) -> int:
        return sum(step.status == "done" for step in self.mind.plan(f"P-{name}").steps)

    def reconsidered(self) -> list[dict[str, str]]:
        entries = self.services.ledger.entries(self.agent_id)
        return [note for entry in entries for note in entry.body.get("reconsidered", [])]

    def believe(self, subject: str, value: str, certainty: float = 0.95) -> None:
        self.mind.save(Belief(f"B-{subject}", f"{subject} is {value}", certainty, subject=subject, value=value))

    def hear(self, name: str, *, priority: Literal["normal", "urgent"] = "normal", **metadata: Any) -> None:
        at = iso(self.clock())
        told = Message(f"MSG-{name}", "ceo", self.agent_id, "INFORM", "News", at, priority=priority, metadata=metadata)
        self.services.mail.deliver(told)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path / "workspace")
    yield made
    wiring.release(made.services)


SHARES = {"high": 0.8, "middle": 0.4, "low": 0.2}


def turns(office: Office, cycles: int, *, restarts: bool = False) -> list[str]:
    """Return whose step each of so many cycles of one step was."""
    order = []
    for _ in range(cycles):
        before = {name: office.done(name) for name in SHARES}
        office.cycle(1)
        order += [name for name in SHARES if office.done(name) > before[name]]
        if restarts:
            office.restart()
    return order


def test_three_intentions_get_steps_in_proportion_to_their_priorities_and_none_starves(office: Office) -> None:
    for name, priority in SHARES.items():
        office.commit(name, steps=20, priority=priority)
    order = turns(office, 21)
    assert len(order) == 21
    assert {name: order.count(name) for name in SHARES} == {"high": 12, "middle": 6, "low": 3}
    assert set(order[:4]) == set(SHARES)


def test_whose_turn_it_is_stands_in_the_files_and_survives_a_restart(tmp_path: Path) -> None:
    orders = []
    for folder, restarts in (("one", False), ("two", True)):
        office = Office(tmp_path / folder)
        for name, priority in SHARES.items():
            office.commit(name, steps=9, priority=priority)
        orders.append(turns(office, 9, restarts=restarts))
        office.restart()
        assert sum(one.turns for one in office.mind.intentions) == 9
        wiring.release(office.services)
    assert orders[0] == orders[1]


def test_what_is_stuck_costs_the_others_nothing(office: Office) -> None:
    office.believe("weather", "wet")
    office.commit("high", steps=5, priority=0.9, needs="weather = dry", status="suspended")
    office.commit("low", steps=5, priority=0.1)
    for _ in range(5):
        office.cycle(1)
    assert (office.done("high"), office.done("low")) == (0, 5)


def test_a_goal_comes_to_its_turn_while_a_long_plan_is_under_way(office: Office) -> None:
    office.commit("long", steps=40, priority=0.9)
    office.mind.save(Desire("D-new", "Xylophone", base=0.2, importance=0.2, urgency=0.2, alignment=0.2))
    pursued = [office.cycle(1).goal_id for _ in range(3)]
    new = next(goal for goal in office.mind.goals if goal.desire_id == "D-new")
    assert new.status == "blocked", "no plan fits it, but it was looked at"
    assert office.done("long") >= 2
    assert pursued[0] == "G-long"


def test_a_deadline_presses_harder_by_the_hour_though_nothing_else_happens(office: Office) -> None:
    at, due = iso(office.clock()), iso(office.clock() + timedelta(hours=10))
    office.mind.save(Desire("D-x", "Xylophone", target="x = 1", urgency=0.0, created=at, deadline=due))
    pressing = []
    for _ in range(3):
        for _ in range(4):
            office.cycle()
        pressing.append(office.mind.desire("D-x").urgency)
        office.clock.advance(timedelta(hours=3))
    assert pressing == [pytest.approx(share) for share in (0.0, 0.3, 0.6)]


def stuck(office: Office, strategy: Strategy) -> None:
    office.believe("weather", "wet")
    deadline = iso(office.clock() + timedelta(days=20))
    office.commit(
        "shop", steps=2, needs="weather = dry", strategy=strategy, deadline=deadline, goal={"deadline": deadline}
    )


@pytest.mark.parametrize(
    ("strategy", "last", "ends", "why"),
    [
        ("cautious", 3, "stalled", "for more than 3 days (cautious)"),
        ("open-minded", 7, "stalled", "for more than 7 days (open-minded)"),
        ("single-minded", 19, "expired", "its deadline 2026-03-22 has passed"),
    ],
)
def test_a_commitment_that_does_not_move_lasts_as_long_as_its_strategy_says(
    office: Office, strategy: Strategy, last: int, ends: str, why: str
) -> None:
    stuck(office, strategy)
    office.cycle()
    office.day(last)
    assert office.status("shop")[0] == "suspended"
    office.day(2)
    status, reason = office.status("shop")
    assert status == ends
    assert why in reason
    assert not office.mind.intentions
    assert office.mind.plan("P-shop").status == "abandoned"
    assert office.mind.goal("G-shop").last_evaluated
    assert [case.id for case in office.services.agent("hr").cases.all()] == ["CASE-I-shop"]


@pytest.mark.parametrize("strategy", ["cautious", "open-minded", "single-minded"])
def test_a_commitment_whose_condition_comes_true_in_time_is_kept_whatever_its_strategy(
    office: Office, strategy: Strategy
) -> None:
    stuck(office, strategy)
    office.cycle()
    office.day(2)
    office.believe("weather", "dry")
    office.cycle()
    assert office.status("shop")[0] == "completed"


def test_a_commitment_past_its_deadline_ends_in_the_next_cycle_though_no_heartbeat_came(office: Office) -> None:
    deadline = iso(office.clock() + timedelta(days=1))
    office.commit("shop", steps=30, strategy="single-minded", deadline=deadline, goal={"deadline": deadline})
    office.cycle(1)
    office.clock.advance(timedelta(days=2))
    office.cycle(1)
    assert office.status("shop")[0] == "expired"
    assert office.done("shop") == 1


def test_when_a_terminal_desire_is_dropped_what_served_it_ends_down_to_the_commitment(office: Office) -> None:
    office.mind.save(
        Desire("D-top", "A fine street", category="terminal"),
        Desire("D-means", "A fine shop", category="instrumental", serves="D-top"),
    )
    office.commit("shop", steps=9, goal={"desire_id": "D-means"})
    office.cycle(1)
    dropped = call(office.services, "desire_drop", {"desire_id": "D-top", "reason": "enough"}, agent_id="hr")
    assert dropped.ok
    assert dropped.result["dropped"] == ["D-means"]
    assert office.mind.goal("G-shop").status == "abandoned"
    assert office.mind.plan("P-shop").status == "abandoned"
    assert not office.mind.intentions


def test_a_request_that_is_withdrawn_ends_the_commitment_it_led_to(office: Office) -> None:
    office.services.mail.deliver(Message("MSG-1", "ceo", "hr", "REQUEST", "Xylophone, please", iso(office.clock())))
    office.cycle(1)
    office.commit("shop", steps=9, goal={"desire_id": "D-MSG-1"})
    office.cycle(1)
    cancelled = Message("MSG-2", "ceo", "hr", "CANCEL", "Never mind", iso(office.clock()), reply_to="MSG-1")
    office.services.mail.deliver(cancelled)
    office.cycle(1)
    assert office.mind.desire("D-MSG-1").status == "dropped"
    assert office.status("shop")[0] == "abandoned"
    assert office.done("shop") == 1


def told(office: Office, name: str) -> list[Any]:
    """Return what the ledger says under a name, cycle by cycle."""
    return [one.body[name] for one in office.services.ledger.entries(office.agent_id) if name in one.body]


def test_word_that_something_cannot_be_had_drops_the_desire_and_its_goal_and_the_ledger_says_why(
    office: Office,
) -> None:
    office.mind.save(Desire("D-japan", "Enter Japan", target="japan_share >= 5%"))
    office.cycle(1)
    (goal,) = [one for one in office.mind.goals if one.desire_id == "D-japan"]
    office.hear("no", subject="Enter Japan", value="impossible", certainty=0.9)
    office.cycle(1)
    assert office.mind.desire("D-japan").status == "dropped"
    assert office.mind.goal(goal.id).status == "abandoned"
    (ended,) = told(office, "dropped")
    assert "infeasible: belief" in ended["D-japan"]


def test_what_only_served_a_desire_ends_when_it_is_fulfilled_and_returns_when_it_no_longer_is(office: Office) -> None:
    office.believe("mrr", "90")
    office.mind.save(
        Desire("D-top", "Reach 100", target="mrr >= 100"),
        Desire("D-means", "Xylophone", category="instrumental", serves="D-top", target="xylophones >= 1"),
    )
    statuses = []
    for value in ("90", "120", "80"):
        office.believe("mrr", value)
        for _ in range(3):
            office.cycle(1)
        statuses.append([office.mind.desire(one).status for one in ("D-top", "D-means")])
    assert statuses == [["active", "active"], ["fulfilled", "dropped"], ["active", "active"]]


def test_of_two_desires_for_the_same_the_lesser_gives_way_and_its_goal_goes_to_the_other(office: Office) -> None:
    office.mind.save(Desire("D-old", "More revenue", target="mrr >= 100", base=0.2))
    office.cycle(1)
    office.mind.save(Desire("D-new", "Reach 100", target="mrr >= 100", base=0.9))
    office.cycle(1)
    assert office.mind.desire("D-old").status == "dropped"
    (goal,) = office.mind.goals
    assert (goal.desire_id, goal.status) == ("D-new", "blocked")


def test_why_desires_share_or_wait_stands_in_the_ledger(office: Office) -> None:
    for name, base in (("a", 0.9), ("b", 0.3)):
        office.mind.save(Desire(f"D-{name}", f"Xylophone {name}", target=f"{name} >= 1", resource="budget", base=base))
    office.cycle(1)
    (settled,) = told(office, "conflicts")
    assert [
        one for one in settled if one.startswith("resource-sharing over budget: D-a") and "since budget can be" in one
    ]


def test_a_budget_of_calls_ends_where_it_says_and_a_larger_one_lets_it_go_on(office: Office) -> None:
    office.commit("shop", steps=3, goal={"budget": {"calls": 2.0}})
    office.cycle()
    assert office.done("shop") == 2
    assert office.status("shop")[0] == "suspended"
    office.cycle()
    assert office.done("shop") == 2
    office.mind.save(replace(office.mind.goal("G-shop"), budget={"calls": 5.0}))
    office.cycle()
    assert office.status("shop")[0] == "completed"


@pytest.mark.parametrize(
    ("budget", "cost", "about"),
    [
        ({"calls": 1.0}, 0.0, "1 of 1 calls left, 3 needed"),
        ({"usd": 100.0}, 100.0, "100 of 100 usd left, 300 needed"),
    ],
)
def test_a_budget_that_covers_less_than_half_of_what_is_needed_suspends_before_anything_is_spent(
    office: Office, budget: dict[str, float], cost: float, about: str
) -> None:
    office.commit("shop", steps=3, cost=cost, goal={"budget": budget})
    office.cycle()
    (note,) = office.reconsidered()
    assert (note["trigger"], note["outcome"]) == ("resource_constraint", "suspend")
    assert about in note["why"]
    assert office.done("shop") == 0


def test_a_cautious_commitment_whose_time_is_used_up_is_given_up(office: Office) -> None:
    office.commit("shop", steps=9, strategy="cautious", goal={"budget": {"days": 1.0}})
    office.cycle(1)
    office.clock.advance(timedelta(days=1, hours=1))
    office.cycle(1)
    assert office.status("shop")[0] == "abandoned"
    (note,) = office.reconsidered()
    assert "all 1 days are used up" in note["why"]


def test_a_better_plan_takes_the_place_of_one_that_is_not_begun(tmp_path: Path) -> None:
    office = Office(tmp_path / "workspace", "knowledge")
    office.commit(
        "nps", steps=2, goal={"description": "Collect customer feedback", "target": "nps > 40"},
        plan={"template": "guesswork", "confidence": 0.1},
    )  # fmt: skip
    office.hear("nps", subject="nps", value="20", certainty=0.95)
    office.cycle(1)
    (note,) = office.reconsidered()
    assert (note["trigger"], note["outcome"]) == ("better_option", "modify")
    assert office.mind.plan("P-nps").template == "feedback_round"
    assert office.mind.plan("P-nps").revision == 2
    wiring.release(office.services)


@pytest.mark.parametrize(("strategy", "becomes"), [("open-minded", "suspended"), ("cautious", "abandoned")])
def test_an_urgent_event_that_names_the_goal_shakes_it(office: Office, strategy: Strategy, becomes: str) -> None:
    office.commit("shop", steps=9, strategy=strategy)
    office.hear("fire", priority="urgent", subject="G-shop", value="on fire")
    office.cycle(1)
    assert office.status("shop")[0] == becomes
    assert [one["trigger"] for one in office.reconsidered()] == ["external_event"]
