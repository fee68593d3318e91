"""A cycle with a message works on it first: the agent's own questions to the model wait for the next cycle."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel
from mabos.mind.model import Goal, Step
from tests.nodes.work.working import campaign, told
from tests.world import Member, World

NOTE = Step(
    "s1", "Write down what helps", "belief_update",
    {"description": "the queue is short", "certainty": 0.9, "source": "seen"},
)  # fmt: skip


class Thinking(ScriptedModel):
    """A model that answers messages in words and has nothing to propose."""

    def __init__(self) -> None:
        super().__init__(self._reply)

    def _reply(self, asked: ScriptedCall) -> Reply:
        nothing: dict[str, Any] = {}
        return "All is well." if asked.tag == "work" else nothing

    def asked_in(self, member: Member, message: str | None = None) -> list[str]:
        """Run a cycle and return what the model was asked for in it."""
        before = len(self.calls)
        member.cycle(message)
        return [one.tag for one in self.calls[before:]]


@pytest.fixture
def model() -> Thinking:
    return Thinking()


@pytest.fixture
def hr(tmp_path: Path, model: Thinking) -> Iterator[Member]:
    with World(tmp_path / "workspace", model=model) as world:
        yield world.quiet("hr")


def aim(member: Member, name: str = "qwv") -> None:
    """Give an agent a goal that no template is for."""
    now = member.world.now
    goal = Goal(f"G-{name}", f"Zyx the {name}", priority=1.0, target=f"{name} = zyxed", created=now, updated=now)
    member.mind.save(goal)


def test_goals_of_the_agent_are_planned_in_the_cycle_after_the_message(hr: Member, model: Thinking) -> None:
    aim(hr)
    assert model.asked_in(hr, "How are things?") == ["work"]
    assert told(hr) == ["All is well."]
    assert model.asked_in(hr) == ["plan"]


def test_news_wait_and_are_told_to_the_model_in_the_next_cycle(hr: Member, model: Thinking) -> None:
    hr.hear("The shop is bare.", "shop", subject="shop", value="bare", certainty=0.9)
    assert "deliberate" not in model.asked_in(hr, "How are things?")
    hr.world.restart()
    assert model.asked_in(hr.world.agent("hr")) == ["deliberate"]
    assert "shop" in model.calls[-1].messages[-1].content.split("## Wanted")[0]
    assert model.asked_in(hr.world.agent("hr")) == []


def test_a_case_that_is_closed_beside_a_message_is_reflected_on_in_the_next_cycle(hr: Member, model: Thinking) -> None:
    coo = hr.world.quiet("coo")
    measure(coo, 9.0)
    coo.commit(NOTE, name="1", goal={"target": "churn_rate < 5%", "description": "Keep churn low"})
    while coo.intention("1") is not None:
        assert "learn" not in model.asked_in(coo)
    measure(coo, 4.5)
    assert "learn" not in model.asked_in(coo, "How are things?")
    assert {one.outcome for one in coo.handle.cases.all()} == {"success"}
    assert "learn" in model.asked_in(coo)
    assert "learn" not in model.asked_in(coo)


def measure(coo: Member, value: float) -> None:
    coo.world.later(days=1)
    coo.world.do("metrics_record", "coo", name="churn_rate", value=value, unit="% a month")


def test_a_goal_without_a_plan_of_the_model_is_asked_about_again_after_a_day_at_the_earliest(
    hr: Member, model: Thinking
) -> None:
    aim(hr)
    assert model.asked_in(hr) == ["plan"]
    for hours, asked in ((12, 0), (36, 1)):
        goal = hr.mind.goal("G-qwv")
        hr.mind.save(Goal(goal.id, goal.description, priority=1.0, target=goal.target, created=goal.created))
        hr.believe(subject="weather", value=f"{hours}")
        hr.world.later(hours=hours)
        assert model.asked_in(hr).count("plan") == asked


def test_a_model_is_asked_for_the_plan_of_one_goal_in_a_cycle(hr: Member, model: Thinking) -> None:
    for name in ("qwv", "hrm", "bnd"):
        aim(hr, name)
    assert [model.asked_in(hr).count("plan") for _ in range(4)] == [1, 1, 1, 0]


def test_an_order_that_was_done_as_given_is_not_reflected_on(tmp_path: Path) -> None:
    script: list[Reply] = [campaign(), "Recorded."]
    model = ScriptedModel(lambda asked: script.pop(0) if asked.tag == "work" and script else {})
    with World(tmp_path / "workspace", model=model) as world:
        world.do("stakeholder_profile", approval_threshold_usd=100_000)
        cmo = world.quiet("cmo")
        cmo.cycle("Start the search campaign 'Spring' for everybody: 90 dollars a week for 3 weeks.")
        cmo.cycle()
        assert world.business.campaigns.all()
    assert "learn" not in [one.tag for one in model.calls]


@pytest.mark.parametrize("words", ["Hello, good morning!", "Thank you very much.", "Hi there", "Great, thanks. Bye!"])
def test_a_greeting_and_thanks_are_answered_without_the_model(hr: Member, model: Thinking, words: str) -> None:
    assert model.asked_in(hr, words) == []
    assert len(told(hr)) == 1
    assert [(one.act, one.status) for one in hr.handle.requests.all()] == [("small_talk", "answered")]


@pytest.mark.parametrize("words", ["Thanks, go ahead", "Hello, how are we doing?", "Morning! Write to Ada, please."])
def test_a_greeting_with_anything_else_is_worked_on(hr: Member, model: Thinking, words: str) -> None:
    assert model.asked_in(hr, words) == ["work"]


def test_thanks_that_may_answer_a_question_of_the_model_are_worked_on(tmp_path: Path) -> None:
    model = ScriptedModel(lambda asked: "How many pots shall I order?" if asked.tag == "work" else {})
    with World(tmp_path / "workspace", model=model) as world:
        coo = world.quiet("coo")
        coo.cycle("Order pots.")
        coo.cycle("Thank you very much.")
    assert [one.tag for one in model.calls].count("work") == 2
