"""A mind on the screen: what matters first, with what follows from it at that moment."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from mabos import open_workspace
from mabos.interfaces.standing import standing, tree
from mabos.interfaces.views.mind import SHOWN, view
from mabos.mind.intentions import IntentionLimits
from mabos.mind.model import Belief, Plan, Step
from tests.interfaces.command_line import NOW, answer, company, mabos

LATER = "2026-03-01T14:30:00Z"  # five days


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    return company(tmp_path)


def does(workspace: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    told = json.dumps({"agent_id": "cfo", **arguments})
    return dict(answer("call", tool, told, workspace=workspace)["result"])


def commit(workspace: Path, *, strategy: str = "open-minded", steps: list[dict[str, Any]] | None = None) -> None:
    does(workspace, "goal_create", level="operational", description="Paint the shop", goal_id="G-shop",
         deadline="2026-04-01", target="shop = painted", budget={"usd": 1500, "calls": 9})  # fmt: skip
    plan = steps or [{"id": "paint", "description": "Paint it"}, {"id": "dry", "description": "Let it dry"}]
    does(workspace, "plan_generate", goal_id="G-shop", plan_id="P-shop", steps=plan)
    does(workspace, "intention_commit", goal_id="G-shop", plan_id="P-shop", intention_id="I-shop", strategy=strategy)


def screen(workspace: Path, width: int = 100) -> str:
    """Return what a terminal of so many columns shows of the CFO's mind."""
    with open_workspace(workspace) as opened:
        services = opened.services
        found = standing(services.agent("cfo").mind, services.clock(), IntentionLimits())
        out = Console(file=StringIO(), width=width, force_terminal=True, color_system=None)
        out.print(view(found))
        assert isinstance(out.file, StringIO)
        return out.file.getvalue()


def test_the_five_terms_of_a_desire_add_up_to_its_priority(acme: Path) -> None:
    for desire in answer("mind", "cfo", workspace=acme)["desires"]:
        terms = desire["terms"]
        assert list(terms) == ["base", "importance", "urgency", "alignment", "deps"]
        assert sum(one["adds"] for one in terms.values()) == pytest.approx(desire["priority_now"], abs=1e-3)
        assert terms["base"]["adds"] == pytest.approx(0.3 * terms["base"]["share"], abs=1e-4)


def test_the_urgency_of_a_deadline_is_that_of_the_moment(acme: Path) -> None:
    does(acme, "desire_create", name="Move house", type="achieve", category="terminal", base=0.5, importance=0.5,
         urgency=0.1, alignment=0.5, deadline="2026-03-06T14:30:00Z", desire_id="D-move")  # fmt: skip

    def urgency(now: str) -> float:
        desires = answer("mind", "cfo", workspace=acme, now=now)["desires"]
        return float(next(one for one in desires if one["id"] == "D-move")["terms"]["urgency"]["share"])

    assert urgency(NOW) == pytest.approx(0.0)
    assert urgency(LATER) == pytest.approx(0.5)


def test_of_hundreds_of_beliefs_those_that_something_asks_for_come_first_and_the_others_are_counted(acme: Path) -> None:
    with open_workspace(acme) as opened:
        many = [Belief(f"B-{at}", f"trifle {at} is here", 0.99, subject=f"trifle {at}") for at in range(300)]
        wanted = Belief("B-shop", "The shop is bare", 0.6, subject="shop", value="bare", source="my eyes")
        opened.services.agent("cfo").mind.save(*many, wanted)
    commit(acme)
    shown = answer("mind", "cfo", workspace=acme)["beliefs"]
    assert "B-shop" in [one["id"] for one in shown[:SHOWN]]
    assert next(one for one in shown if one["id"] == "B-shop")["asked_by"] == ["G-shop"]
    text = mabos("mind", "cfo", workspace=acme).stdout
    assert "The shop is bare" in text
    assert f"the first {SHOWN}; {len(shown) - SHOWN} more with --all" in text
    assert "trifle 299" not in text
    assert "trifle 299" in mabos("mind", "cfo", "--all", workspace=acme).stdout


def test_a_belief_has_its_age_and_its_source(acme: Path) -> None:
    does(acme, "belief_update", belief_id="B-rain", description="It rains", certainty=0.9, source="the window")
    told = next(one for one in answer("mind", "cfo", workspace=acme, now=LATER)["beliefs"] if one["id"] == "B-rain")
    assert (told["age_days"], told["source"], told["certainty"]) == (5.0, "the window", 0.9)
    (line,) = [
        one for one in mabos("mind", "cfo", "--all", workspace=acme, now=LATER).stdout.splitlines() if "It rains" in one
    ]
    assert "5 d" in line
    assert "the window" in line


@pytest.mark.parametrize(
    ("strategy", "left", "words"),
    [
        ("open-minded", 2.0, "stalls in 2 d (no change for 5 d of 7 d)"),
        ("cautious", -2.0, "stalled (no change for 5 d of 3 d)"),
        ("single-minded", None, "never stalls"),
    ],
)
def test_an_intention_says_how_long_until_it_counts_as_stalled(
    acme: Path, strategy: str, left: float | None, words: str
) -> None:
    commit(acme, strategy=strategy)
    told = answer("mind", "cfo", workspace=acme, now=LATER)["intentions"][0]["stall"]
    assert told["days_left"] == left
    text = mabos("mind", "cfo", workspace=acme, now=LATER).stdout
    assert words in text
    assert strategy in text
    assert "due in 31 d" in text


def test_a_goal_says_what_is_in_its_way_and_what_serves_it(acme: Path) -> None:
    does(acme, "belief_update", belief_id="B-w", description="weather is wet", certainty=0.9, source="the window",
         subject="weather", value="wet")  # fmt: skip
    commit(acme, steps=[{"id": "paint", "description": "Paint it", "preconditions": ["weather = dry"]}])
    goal = next(one for one in answer("mind", "cfo", workspace=acme)["goals"] if one["id"] == "G-shop")
    assert goal["blockers"] == ["step paint needs weather = dry, but weather != dry"]
    assert goal["intentions"] == ["I-shop"]
    text = mabos("mind", "cfo", workspace=acme).stdout
    assert "step paint needs weather = dry" in text
    assert "budget 1,500 usd, 9 calls" in text


def test_from_a_desire_one_comes_to_its_plan_and_back(acme: Path) -> None:
    does(acme, "desire_create", name="A fine shop", type="achieve", category="terminal", base=0.5, importance=0.5,
         urgency=0.5, alignment=0.5, desire_id="D-shop")  # fmt: skip
    does(acme, "goal_create", level="operational", description="Paint it", goal_id="G-paint", desire_id="D-shop")
    does(acme, "plan_generate", goal_id="G-paint", plan_id="P-paint", steps=[{"id": "s", "description": "Paint"}])
    does(acme, "intention_commit", goal_id="G-paint", plan_id="P-paint", intention_id="I-paint")
    mind = answer("mind", "cfo", workspace=acme)
    by_id = {one["id"]: one for kind in ("desires", "goals", "intentions", "plans") for one in mind[kind]}
    assert by_id["D-shop"]["goals"] == ["G-paint"]
    assert by_id["G-paint"]["intentions"] == ["I-paint"]
    assert by_id["I-paint"]["plan_id"] == "P-paint"
    back = json.dumps(answer("why", "I-paint", workspace=acme))
    assert all(f'"id": "{one}"' in back for one in ("P-paint", "G-paint", "D-shop"))


def test_goals_stand_under_the_goal_they_serve_and_the_open_ones_first(acme: Path) -> None:
    does(acme, "goal_create", level="tactical", description="A fine street", goal_id="G-street")
    does(
        acme, "goal_create", level="operational", description="A fine door", goal_id="G-door", parent_goal_id="G-street"
    )
    lines = mabos("mind", "cfo", workspace=acme).stdout.splitlines()
    above = next(at for at, line in enumerate(lines) if "A fine street" in line)
    below = next(at for at, line in enumerate(lines) if "A fine door" in line)
    assert above < below
    assert lines[below].startswith(("├── ", "└── "))


def test_the_plan_is_a_tree_of_tasks_above_steps_with_the_next_one_marked(acme: Path) -> None:
    steps = [
        {"id": "ask", "description": "Ask the landlord"},
        {"id": "painting.by_hand.buy", "description": "Buy the paint"},
        {"id": "painting.by_hand.paint", "description": "Paint it"},
        {"id": "open", "description": "Open the shop"},
    ]
    commit(acme, steps=steps)
    lines = mabos("mind", "cfo", workspace=acme).stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if "Ask the landlord" in line)
    assert lines[at].endswith("← next")
    assert lines[at + 1].startswith("├── · painting  by by hand")
    assert "Buy the paint" in lines[at + 2]
    assert lines[at + 2].startswith("│   ├── ")
    assert "Paint it" in lines[at + 3]
    assert lines[at + 4].startswith("└── · Open the shop")


def test_a_task_is_as_far_as_its_parts() -> None:
    def statuses(*parts: str) -> str:
        steps = tuple(Step(f"t.way.s{at}", status=part) for at, part in enumerate(parts))  # type: ignore[arg-type]
        return tree(Plan("P-1", steps=steps))[0].status

    assert statuses("done", "skipped") == "done"
    assert statuses("done", "pending") == "begun"
    assert statuses("pending", "pending") == "pending"
    assert statuses("done", "failed", "pending") == "failed"
    assert statuses("skipped", "skipped") == "skipped"


def test_the_past_is_seen_as_of_its_own_time(acme: Path) -> None:
    does(acme, "belief_update", belief_id="B-rain", description="It rains", certainty=0.9, source="the window")
    commit(acme)
    cycle = answer("run", "cfo", "--message", "Review our runway", workspace=acme, now=LATER)["cycle"]
    months_on = "2026-07-01T00:00:00Z"
    then = answer("mind", "cfo", "--at", cycle, workspace=acme, now=months_on)
    assert then["at"].startswith("2026-03-01T14:30:00")
    assert next(one for one in then["beliefs"] if one["id"] == "B-rain")["age_days"] == 5.0
    assert answer("mind", "cfo", workspace=acme, now=months_on)["at"].startswith("2026-07-01")


def test_a_terminal_of_a_hundred_columns_shows_all_of_it(acme: Path) -> None:
    commit(acme)
    answer("run", "cfo", "--message", "Review our runway", workspace=acme)
    text = screen(acme)
    assert max(map(len, text.splitlines())) <= 100
    flat = "".join(line.strip("│├└─ ") for line in text.splitlines())
    mind = answer("mind", "cfo", workspace=acme)
    for one in (*mind["desires"], *mind["goals"], *mind["intentions"]):
        assert one["id"] in flat
