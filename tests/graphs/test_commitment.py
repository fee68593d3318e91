"""Commitments in cycles: they take turns, last as long as their strategy says, and stay within their budgets."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.mind.history import History
from mabos.mind.model import Desire, Intention, Step, Strategy
from mabos.society.messages import Message
from mabos.workspace.clock import iso
from tests.world import NONE, Changes, Member, World


class Committed(Member):
    """An agent whose only commitments are those that a test gives it."""

    def commit_to(
        self, name: str, steps: int = 1, *, priority: float = 0.9, needs: str = "", cost: float = 0.0,
        goal: Changes = NONE, **more: Any,
    ) -> None:  # fmt: skip
        """Commit it to a goal with so many steps, each of which says something to its memory."""
        said = (
            Step(f"s{at}", f"Say {name} {at}", "memory_store_item", {"content": f"{name} {at}", "importance": 0.3},
                 preconditions=(needs,) if needs else (), cost=cost)
            for at in range(steps)
        )  # fmt: skip
        aim = {"description": f"Xylograph {name}", "priority": priority, **goal}
        self.commit(*said, name=name, goal=aim, **more)

    def day(self, number: int = 1) -> None:
        """Let so many days pass, each with a cycle and a heartbeat."""
        for _ in range(number):
            self.world.later(days=1)
            self.cycle()
            self.world.maintain(self.id)

    def status(self, name: str) -> tuple[str, str]:
        """Return the status and reason of an intention, standing or archived."""
        gone = {one.id: one for one in History(self.mind).gone(Intention)}
        found = self.intention(name) or gone[f"I-{name}"]
        return found.status, found.reason

    def done(self, name: str) -> int:
        return sum(step.status == "done" for step in self.mind.plan(f"P-{name}").steps)

    def noted(self, name: str) -> list[Any]:
        """Return what the ledger says under a name, cycle by cycle."""
        return [one.body[name] for one in self.world.services.ledger.entries(self.id) if name in one.body]

    def reconsidered(self) -> list[dict[str, str]]:
        return [note for notes in self.noted("reconsidered") for note in notes]


@contextmanager
def committed(root: Path, agent_id: str = "hr") -> Iterator[Committed]:
    with World(root) as world:
        agent = Committed(world, agent_id)
        agent.mind.save(*(replace(one, status="dropped", reason="not in this test") for one in agent.mind.desires))
        yield agent


@pytest.fixture
def hr(tmp_path: Path) -> Iterator[Committed]:
    with committed(tmp_path / "workspace") as agent:
        yield agent


SHARES = {"high": 0.8, "middle": 0.4, "low": 0.2}


def turns(hr: Committed, cycles: int, *, restarts: bool = False) -> list[str]:
    """Return whose step each of so many cycles of one step was."""
    order = []
    for _ in range(cycles):
        before = {name: hr.done(name) for name in SHARES}
        hr.cycle(max_steps=1)
        order += [name for name in SHARES if hr.done(name) > before[name]]
        if restarts:
            hr.world.restart()
    return order


def test_three_intentions_get_steps_in_proportion_to_their_priorities_and_none_starves(hr: Committed) -> None:
    for name, priority in SHARES.items():
        hr.commit_to(name, steps=20, priority=priority)
    order = turns(hr, 21)
    assert len(order) == 21
    assert {name: order.count(name) for name in SHARES} == {"high": 12, "middle": 6, "low": 3}
    assert set(order[:4]) == set(SHARES)


def test_whose_turn_it_is_stands_in_the_files_and_survives_a_restart(tmp_path: Path) -> None:
    orders = []
    for folder, restarts in (("one", False), ("two", True)):
        with committed(tmp_path / folder) as hr:
            for name, priority in SHARES.items():
                hr.commit_to(name, steps=9, priority=priority)
            orders.append(turns(hr, 9, restarts=restarts))
            hr.world.restart()
            assert sum(one.turns for one in hr.mind.intentions) == 9
    assert orders[0] == orders[1]


def test_what_is_stuck_costs_the_others_nothing(hr: Committed) -> None:
    hr.believe(weather="wet")
    hr.commit_to("high", steps=5, priority=0.9, needs="weather = dry", status="suspended")
    hr.commit_to("low", steps=5, priority=0.1)
    for _ in range(5):
        hr.cycle(max_steps=1)
    assert (hr.done("high"), hr.done("low")) == (0, 5)


def test_a_goal_comes_to_its_turn_while_a_long_plan_is_under_way(hr: Committed) -> None:
    hr.commit_to("long", steps=40, priority=0.9)
    hr.mind.save(Desire("D-new", "Xylophone", base=0.2, importance=0.2, urgency=0.2, alignment=0.2))
    pursued = [hr.cycle(max_steps=1).goal_id for _ in range(3)]
    new = next(goal for goal in hr.mind.goals if goal.desire_id == "D-new")
    assert new.status == "blocked", "no plan fits it, but it was looked at"
    assert hr.done("long") >= 2
    assert pursued[0] == "G-long"


def test_a_deadline_presses_harder_by_the_hour_though_nothing_else_happens(hr: Committed) -> None:
    at, due = hr.world.now, iso(hr.world.clock() + timedelta(hours=10))
    hr.mind.save(Desire("D-x", "Xylophone", target="x = 1", urgency=0.0, created=at, deadline=due))
    pressing = []
    for _ in range(3):
        for _ in range(4):
            hr.cycle(max_steps=4)
        pressing.append(hr.mind.desire("D-x").urgency)
        hr.world.later(hours=3)
    assert pressing == [pytest.approx(share) for share in (0.0, 0.3, 0.6)]


def stuck(hr: Committed, strategy: Strategy) -> None:
    hr.believe(weather="wet")
    deadline = iso(hr.world.clock() + timedelta(days=20))
    hr.commit_to(
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
    hr: Committed, strategy: Strategy, last: int, ends: str, why: str
) -> None:
    stuck(hr, strategy)
    hr.cycle(max_steps=4)
    hr.day(last)
    assert hr.status("shop")[0] == "suspended"
    hr.day(2)
    status, reason = hr.status("shop")
    assert status == ends
    assert why in reason
    assert not hr.mind.intentions
    assert hr.mind.plan("P-shop").status == "abandoned"
    assert hr.mind.goal("G-shop").last_evaluated
    assert [case.id for case in hr.handle.cases.all()] == ["CASE-I-shop"]


@pytest.mark.parametrize("strategy", ["cautious", "open-minded", "single-minded"])
def test_a_commitment_whose_condition_comes_true_in_time_is_kept_whatever_its_strategy(
    hr: Committed, strategy: Strategy
) -> None:
    stuck(hr, strategy)
    hr.cycle(max_steps=4)
    hr.day(2)
    hr.believe(weather="dry")
    hr.cycle(max_steps=4)
    assert hr.status("shop")[0] == "completed"


def test_a_commitment_past_its_deadline_ends_in_the_next_cycle_though_no_heartbeat_came(hr: Committed) -> None:
    deadline = iso(hr.world.clock() + timedelta(days=1))
    hr.commit_to("shop", steps=30, strategy="single-minded", deadline=deadline, goal={"deadline": deadline})
    hr.cycle(max_steps=1)
    hr.world.later(days=2)
    hr.cycle(max_steps=1)
    assert hr.status("shop")[0] == "expired"
    assert hr.done("shop") == 1


def test_when_a_terminal_desire_is_dropped_what_served_it_ends_down_to_the_commitment(hr: Committed) -> None:
    hr.mind.save(
        Desire("D-top", "A fine street", category="terminal"),
        Desire("D-means", "A fine shop", category="instrumental", serves="D-top"),
    )
    hr.commit_to("shop", steps=9, goal={"desire_id": "D-means"})
    hr.cycle(max_steps=1)
    dropped = hr.world.do("desire_drop", "hr", desire_id="D-top", reason="enough")
    assert dropped["dropped"] == ["D-means"]
    assert hr.mind.goal("G-shop").status == "abandoned"
    assert hr.mind.plan("P-shop").status == "abandoned"
    assert not hr.mind.intentions


def test_a_request_that_is_withdrawn_ends_the_commitment_it_led_to(hr: Committed) -> None:
    hr.world.services.mail.deliver(Message("MSG-1", "ceo", "hr", "REQUEST", "Xylophone, please", hr.world.now))
    hr.cycle(max_steps=1)
    hr.commit_to("shop", steps=9, goal={"desire_id": "D-MSG-1"})
    hr.cycle(max_steps=1)
    cancelled = Message("MSG-2", "ceo", "hr", "CANCEL", "Never mind", hr.world.now, reply_to="MSG-1")
    hr.world.services.mail.deliver(cancelled)
    hr.cycle(max_steps=1)
    assert hr.mind.desire("D-MSG-1").status == "dropped"
    assert hr.status("shop")[0] == "abandoned"
    assert hr.done("shop") == 1


def test_word_that_something_cannot_be_had_drops_the_desire_and_its_goal_and_the_ledger_says_why(hr: Committed) -> None:
    hr.mind.save(Desire("D-japan", "Enter Japan", target="japan_share >= 5%"))
    hr.cycle(max_steps=1)
    (goal,) = [one for one in hr.mind.goals if one.desire_id == "D-japan"]
    hr.hear("News", "no", subject="Enter Japan", value="impossible", certainty=0.9)
    hr.cycle(max_steps=1)
    assert hr.mind.desire("D-japan").status == "dropped"
    assert hr.mind.goal(goal.id).status == "abandoned"
    (ended,) = hr.noted("dropped")
    assert "infeasible: belief" in ended["D-japan"]


def test_what_only_served_a_desire_ends_when_it_is_fulfilled_and_returns_when_it_no_longer_is(hr: Committed) -> None:
    hr.believe(mrr="90")
    hr.mind.save(
        Desire("D-top", "Reach 100", target="mrr >= 100"),
        Desire("D-means", "Xylophone", category="instrumental", serves="D-top", target="xylophones >= 1"),
    )
    statuses = []
    for value in ("90", "120", "80"):
        hr.believe(mrr=value)
        for _ in range(3):
            hr.cycle(max_steps=1)
        statuses.append([hr.mind.desire(one).status for one in ("D-top", "D-means")])
    assert statuses == [["active", "active"], ["fulfilled", "dropped"], ["active", "active"]]


def test_of_two_desires_for_the_same_the_lesser_gives_way_and_its_goal_goes_to_the_other(hr: Committed) -> None:
    hr.mind.save(Desire("D-old", "More revenue", target="mrr >= 100", base=0.2))
    hr.cycle(max_steps=1)
    hr.mind.save(Desire("D-new", "Reach 100", target="mrr >= 100", base=0.9))
    hr.cycle(max_steps=1)
    assert hr.mind.desire("D-old").status == "dropped"
    (goal,) = hr.mind.goals
    assert (goal.desire_id, goal.status) == ("D-new", "blocked")


def test_why_desires_share_or_wait_stands_in_the_ledger(hr: Committed) -> None:
    for name, base in (("a", 0.9), ("b", 0.3)):
        hr.mind.save(Desire(f"D-{name}", f"Xylophone {name}", target=f"{name} >= 1", resource="budget", base=base))
    hr.cycle(max_steps=1)
    (settled,) = hr.noted("conflicts")
    assert [
        one for one in settled if one.startswith("resource-sharing over budget: D-a") and "since budget can be" in one
    ]


def test_a_budget_of_calls_ends_where_it_says_and_a_larger_one_lets_it_go_on(hr: Committed) -> None:
    hr.commit_to("shop", steps=3, goal={"budget": {"calls": 2.0}})
    hr.cycle(max_steps=4)
    assert hr.done("shop") == 2
    assert hr.status("shop")[0] == "suspended"
    hr.cycle(max_steps=4)
    assert hr.done("shop") == 2
    hr.mind.save(replace(hr.mind.goal("G-shop"), budget={"calls": 5.0}))
    hr.cycle(max_steps=4)
    assert hr.status("shop")[0] == "completed"


@pytest.mark.parametrize(
    ("budget", "cost", "about"),
    [({"calls": 1.0}, 0.0, "1 of 1 calls left, 3 needed"), ({"usd": 100.0}, 100.0, "100 of 100 usd left, 300 needed")],
)
def test_a_budget_that_covers_less_than_half_of_what_is_needed_suspends_before_anything_is_spent(
    hr: Committed, budget: dict[str, float], cost: float, about: str
) -> None:
    hr.commit_to("shop", steps=3, cost=cost, goal={"budget": budget})
    hr.cycle(max_steps=4)
    (note,) = hr.reconsidered()
    assert (note["trigger"], note["outcome"]) == ("resource_constraint", "suspend")
    assert about in note["why"]
    assert hr.done("shop") == 0


def test_a_cautious_commitment_whose_time_is_used_up_is_given_up(hr: Committed) -> None:
    hr.commit_to("shop", steps=9, strategy="cautious", goal={"budget": {"days": 1.0}})
    hr.cycle(max_steps=1)
    hr.world.later(days=1, hours=1)
    hr.cycle(max_steps=1)
    assert hr.status("shop")[0] == "abandoned"
    (note,) = hr.reconsidered()
    assert "all 1 days are used up" in note["why"]


def test_a_better_plan_takes_the_place_of_one_that_is_not_begun(tmp_path: Path) -> None:
    with committed(tmp_path, "knowledge") as officer:
        officer.commit_to(
            "nps", steps=2, goal={"description": "Collect customer feedback", "target": "nps > 40"},
            plan={"template": "guesswork", "confidence": 0.1},
        )  # fmt: skip
        officer.hear("News", "nps", subject="nps", value="20", certainty=0.95)
        officer.cycle(max_steps=1)
        (note,) = officer.reconsidered()
        assert (note["trigger"], note["outcome"]) == ("better_option", "modify")
        assert officer.mind.plan("P-nps").template == "help_article_weekly"
        assert officer.mind.plan("P-nps").revision == 2


@pytest.mark.parametrize(("strategy", "becomes"), [("open-minded", "suspended"), ("cautious", "abandoned")])
def test_an_urgent_event_that_names_the_goal_shakes_it(hr: Committed, strategy: Strategy, becomes: str) -> None:
    hr.commit_to("shop", steps=9, strategy=strategy)
    hr.hear("News", "fire", priority="urgent", subject="G-shop", value="on fire")
    hr.cycle(max_steps=1)
    assert hr.status("shop")[0] == becomes
    assert [one["trigger"] for one in hr.reconsidered()] == ["external_event"]
