"""What a model learns from closed cases: a lesson with evidence, and a playbook that only a person makes active."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel
from mabos.configs.errors import Unavailable
from mabos.mind.model import Learning, Playbook, Step
from tests.world import Member, World

NOTE = Step(
    "s1", "Write down what helps", "belief_update",
    {"description": "the queue is short", "certainty": 0.9, "source": "seen"},
)  # fmt: skip
PLAYBOOK = {"name": "Short queue", "trigger": "churn_rate > 8%", "success": "churn_rate < 5%"}


class Reflecting(ScriptedModel):
    """A model that only reflects, as a test says."""

    def __init__(self) -> None:
        self.answers: list[Reply] = []
        super().__init__(self._reflect)

    def _reflect(self, asked: ScriptedCall) -> Reply:
        if asked.tag != "learn":
            return Unavailable("nobody is there")
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @property
    def asked(self) -> list[ScriptedCall]:
        return [one for one in self.calls if one.tag == "learn"]


@pytest.fixture
def model() -> Reflecting:
    return Reflecting()


@pytest.fixture
def coo(tmp_path: Path, model: Reflecting) -> Iterator[Member]:
    with World(tmp_path / "workspace", model=model) as world:
        yield world.quiet("coo")


def measure(coo: Member, value: float) -> None:
    coo.world.later(days=1)
    coo.world.do("metrics_record", "coo", name="churn_rate", value=value, unit="% a month")


def close(coo: Member, name: str = "1") -> str:
    """Carry a plan through, measure that its goal is reached, and return the id of its case."""
    measure(coo, 9.0)
    coo.commit(NOTE, name=name, goal={"target": "churn_rate < 5%", "description": "Keep churn low"})
    while coo.intention(name) is not None:
        coo.cycle()
    measure(coo, 4.5)
    coo.cycle()
    return f"CASE-I-{name}"


def learnt(coo: Member) -> list[Learning]:
    return [one for one in coo.mind.learnings if one.id.endswith("-M")]


def reflections(coo: Member) -> list[Any]:
    return [one["reflected"] for one in coo.entries("learn") if "reflected" in one]


def lesson(case: str, words: str = "Churn was 4.5 % once the queue was short.", **more: Any) -> dict[str, Any]:
    return {"lesson": words, "applies_when": "the queue grows", "evidence": [case, "churn_rate"], **more}


def test_one_lesson_is_kept_with_its_evidence_and_the_case_is_not_asked_about_again(
    coo: Member, model: Reflecting
) -> None:
    model.answers = [lesson("CASE-I-1")]
    case = close(coo)
    assert {one.id: one.outcome for one in coo.handle.cases.all()}[case] == "success"
    (kept,) = learnt(coo)
    assert (kept.insight, kept.applies_when) == ("Churn was 4.5 % once the queue was short.", "the queue grows")
    assert "CASE-I-1, churn_rate" in kept.context
    coo.world.restart()
    coo.cycle()
    assert len(model.asked) == 1


def test_the_model_sees_the_case_its_steps_and_the_points_of_its_figures(coo: Member, model: Reflecting) -> None:
    model.answers = [{}]
    close(coo)
    told, question = (one.content for one in model.asked[0].messages)
    persona = coo.mind.persona
    assert all(one in told for one in (persona.title, persona.style, *persona.responsibilities))
    assert "4.5 % a month" in question.partition("## Figures on record")[2].partition("; before: 9 %")[0]
    assert "[CASE-I-1] Keep churn low: success" in question
    assert 'belief_update {"description":"the queue is short"' in question
    assert "churn_rate@2026-03-03: 9 %" in question
    assert "churn_rate@2026-03-04: 4.5 %" in question
    assert learnt(coo) == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"lesson": "Churn fell to 2.1 % and we won 37 customers."}, "2.1"),
        ({"evidence": ["CASE-I-9"]}, "CASE-I-9"),
        ({"evidence": []}, "no evidence"),
    ],
)
def test_a_lesson_that_the_records_do_not_support_goes_back_once_and_is_refused(
    coo: Member, model: Reflecting, wrong: dict[str, Any], why: str
) -> None:
    model.answers = [{**lesson("CASE-I-1"), **wrong}]
    close(coo)
    assert learnt(coo) == []
    assert len(model.asked) == 2
    assert why in model.asked[1].messages[-1].content
    assert why in reflections(coo)[0]["refused"]


def test_a_corrected_lesson_is_kept(coo: Member, model: Reflecting) -> None:
    model.answers = [lesson("CASE-I-1", "Churn fell to 2.1 %."), lesson("CASE-I-1")]
    close(coo)
    assert [one.insight for one in learnt(coo)] == ["Churn was 4.5 % once the queue was short."]


def playbooks(coo: Member) -> list[Playbook]:
    return [one for one in coo.mind.playbooks if one.name == "Short queue"]


@pytest.mark.parametrize(("resolution", "active"), [("approve", True), ("reject", False)])
def test_a_procedure_that_worked_twice_is_proposed_and_active_only_when_a_person_accepts_it(
    coo: Member, model: Reflecting, resolution: str, active: bool
) -> None:
    model.answers = [{"playbook": PLAYBOOK}]
    close(coo, "1")
    coo.cycle()
    assert coo.world.questions() == [], "it worked once"
    close(coo, "2")
    coo.cycle()
    (asked,) = coo.world.questions()
    assert "Short queue" in asked.subject
    assert playbooks(coo) == []
    coo.cycle()
    assert len(coo.world.questions()) == 1, "it is asked once"
    coo.world.answer(resolution, **({"chosen_option": "A"} if active else {}))
    coo.cycle()
    assert bool(playbooks(coo)) is active
    if active:
        (made,) = playbooks(coo)
        assert made.trigger == "churn_rate > 8%"
        assert made.steps[0].startswith("Write down what helps: belief_update {")
    close(coo, "3")
    coo.cycle()
    assert coo.world.questions() == [], "it is not proposed again"


def test_a_playbook_that_could_not_start_is_refused(coo: Member, model: Reflecting) -> None:
    model.answers = [{"playbook": {**PLAYBOOK, "trigger": "when customers are unhappy"}}]
    close(coo, "1")
    close(coo, "2")
    coo.cycle()
    assert coo.world.questions() == []
    assert [one.status for one in coo.handle.proposals.all() if one.kind == "playbook"] == ["refused"]


def test_without_a_model_nothing_is_proposed(tmp_path: Path) -> None:
    with World(tmp_path / "workspace") as world:
        coo = world.quiet("coo")
        close(coo)
        assert {one.id: one.outcome for one in coo.handle.cases.all()} == {"CASE-I-1": "success"}
        assert learnt(coo) == []
        assert not (world.path("agents/coo") / "proposals.json").exists()
