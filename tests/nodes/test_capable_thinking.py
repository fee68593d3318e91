"""Thoughts of a capable model, played again: desires, plans and lessons, with what the company has on record of them.

A recording has the days of one agent: what came in, what the owner answered, and the model's answers by phase. `<G>`
stands for the first id of that kind in the question.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel
from mabos.configs.errors import Unavailable
from mabos.mind.model import Learning
from mabos.tools.work.proposals import ModelProposal
from mabos.workspace.clock import SteppedClock, parse_time
from tests.world import WORDS_ALONE, Member, World

RECORDINGS = Path(__file__).resolve().parent.parent / "recordings/thinking"
_BLANK = re.compile(r"<([A-Z]+(?:-[A-Za-z]+)?)>")
_THINKING = ("deliberate", "plan", "learn")


class Recorded(ScriptedModel):
    """A model that gives the recorded answers of a day; one that is not recorded fails."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.unrecorded: list[str] = []
        super().__init__(self._answer)

    def _answer(self, asked: ScriptedCall) -> Reply:
        if asked.tag not in _THINKING:
            return Unavailable("only thoughts are recorded")
        if asked.tag not in self.answers:
            self.unrecorded.append(asked.messages[-1].content[:600])
            return {}
        question = asked.messages[1].content
        given = self.answers.pop(asked.tag)
        answer, *others = given if isinstance(given, list) else [given]
        self.answers |= {asked.tag: others} if others else {}
        answer = json.dumps(answer)
        filled: dict[str, Any] = json.loads(_BLANK.sub(lambda one: _first_id(one[1], question), answer))
        return filled

    def last(self, tag: str) -> str:
        """Return the newest question of a phase."""
        return [one.messages[1].content for one in self.calls if one.tag == tag][-1]


def _first_id(kind: str, question: str) -> str:
    return next(iter(re.findall(rf"\[({kind}-?[^\]]+)\]", question)), kind)


class Played:
    """The world of a recording, played up to some day."""

    def __init__(self, root: Path, name: str) -> None:
        self.recording = json.loads((RECORDINGS / f"{name}.json").read_text("utf-8"))
        self.model = Recorded()
        self.clock = SteppedClock(parse_time("2026-03-02T09:00:00Z"))
        self.world = World(root, template="", clock=self.clock, settings=WORDS_ALONE, model=self.model)
        described = {**self.recording["business"], "describe": "\n".join(self.recording["about"])}
        self.world.do("business_create", **described)
        self.agent: Member = self.world.agent(self.recording["agent"])

    def until(self, day: str) -> None:
        """Play the days up to one that is named by its date, all of its turns included."""
        for one in self.recording["days"]:
            if one["at"][:10] <= day and parse_time(one["at"]) > self.clock():
                self.play(one)

    def play(self, day: Mapping[str, Any]) -> None:
        """Play a day: what comes in, what the owner answers, and one cycle."""
        self.clock.advance(parse_time(day["at"]) - self.clock())
        folder = f"businesses/{self.recording['business']['business_id']}/inbox"
        for name, lines in day.get("inbox", {}).items():
            self.world.write(f"{folder}/{name}", "\n".join([*lines, ""]))
        for tool, arguments in day.get("calls", ()):
            self.world.do(tool, self.agent.id, **arguments)
        for name, value in day.get("figures", {}).items():
            self.agent.do("metrics_record", name=name, value=value, unit="%", source="Petra Vik")
        if "owner" in day:
            self.world.answer(**day["owner"])
        self.model.answers = dict(day["answers"])
        report = self.agent.cycle()
        assert not report.failures, (day["at"], report.failures)
        assert (self.model.unrecorded, list(self.model.answers)) == ([], []), day["at"]

    @property
    def plans(self) -> list[ModelProposal]:
        """The model's plans and what came of them, oldest first."""
        return [one for one in self.agent.handle.proposals.all() if one.kind == "plan"]

    @property
    def lessons(self) -> list[Learning]:
        """The lessons that the model wrote."""
        return [one for one in self.agent.mind.learnings if one.id.endswith("-M")]


Start = Callable[[str], Played]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as opened:

        def start(name: str) -> Played:
            played = Played(tmp_path / name, name)
            opened.enter_context(played.world)
            return played

        yield start


def test_work_of_people_is_proposed_and_goes_on_after_a_yes(play: Start) -> None:
    clinic = play("clinic")
    clinic.until("2026-03-02")
    (asked,) = clinic.world.questions()
    assert "Petra Vik calls every patient" in asked.description
    clinic.until("2026-03-03")
    (told,) = clinic.world.agent("knowledge").messages("coo")
    assert (told.performative, "confirms visits" in told.content) == ("REQUEST", True)


def test_a_plan_is_measured_before_the_next_one_and_never_repeated_by_the_library(
    play: Start,
) -> None:
    clinic = play("clinic")
    clinic.until("2026-03-23")
    (plan,) = clinic.plans
    assert (plan.status, plan.reason) == ("confirmed", "no_show_rate went lower")
    assert clinic.world.questions() == []
    assert "It was confirmed: no_show_rate went lower" in clinic.model.last("plan")
    waits = clinic.agent.entries("plan")[-1]["no_plan"]
    assert any("proposing them again would bring nothing new" in one for why in waits.values() for one in why)


def test_a_lesson_rests_on_what_was_measured_and_comes_first_in_the_next_question(
    play: Start,
) -> None:
    clinic = play("clinic")
    clinic.until("2026-05-04")
    (lesson,) = clinic.lessons
    assert "no_show_rate@2026-04-06" in lesson.context
    known = clinic.model.last("deliberate").partition("## Lessons and earlier cases\n")[2]
    assert known.startswith(f"- Lesson: {lesson.insight}")
    assert "Your earlier plans for this aim" in clinic.model.last("plan")


def test_a_no_of_the_owner_is_a_lesson_and_no_failure_of_the_model(play: Start) -> None:
    clinic = play("clinic")
    clinic.until("2026-05-05")
    assert [one.status for one in clinic.plans] == ["confirmed", "refused"]
    assert "away for two weeks" in clinic.plans[-1].reason
    assert len(clinic.lessons) == 2


def test_a_desire_of_the_models_own_leads_to_a_plan_whose_reasons_are_explained(play: Start) -> None:
    bakery = play("bakery")
    bakery.until("2026-03-03")
    (desire,) = [one for one in bakery.agent.mind.desires if one.id.startswith("D-MODEL")]
    (plan,) = [one for one in bakery.agent.mind.plans if one.source == "model"]
    assert (desire.target, plan.status) == ("waste_rate < 10", "completed")
    (decision,) = bakery.world.services.decisions().all()
    explained = str(bakery.world.why(decision.id, "coo"))
    for part in (desire.id, "week.csv:6", "Jonas Berg"):
        assert part in explained


def test_a_plan_that_went_wrong_is_judged_before_the_next_and_one_to_find_out_by_its_records(
    play: Start,
) -> None:
    bakery = play("bakery")
    bakery.until("2026-03-30")
    assert "It was contradicted: waste_rate went higher" in bakery.model.last("plan")
    bakery.until("2026-04-10")
    first, second, _ = bakery.plans
    assert (first.status, second.status) == ("contradicted", "confirmed")
    assert "3 where it expected 3 of metrics" in second.reason
    bakery.until("2026-05-04")
    (goal,) = [one for one in bakery.agent.mind.goals if one.desire_id.startswith("D-MODEL")]
    assert goal.status == "achieved"
    assert [one.status for one in bakery.plans] == ["contradicted", "confirmed", "confirmed"]
    assert len(bakery.lessons) == 2


def test_letters_of_a_plan_leave_after_a_yes_to_their_text_and_are_its_acceptance_check(
    play: Start,
) -> None:
    practice = play("practice")
    practice.until("2026-03-02")
    (asked,) = practice.world.questions()
    assert "Siv Dahl finds you a time" in str(asked)
    assert practice.world.business.mailings.letters.all() == ()
    practice.until("2026-03-30")
    letters = practice.world.business.mailings.letters.all()
    assert {one.status for one in letters} == {"sent"}
    (plan,) = practice.plans
    assert plan.status == "confirmed"
    assert "3 where it expected 3 of letters" in plan.reason
