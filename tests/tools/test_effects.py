from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.society.decisions import DecisionAnswer, Resolution
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.effects import KEPT, Effect, Effects, open_effects
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import SteppedClock, iso
from mabos.workspace.sync import Sync
from tests.tools.workspaces import Bench, broken, opened
from tests.world import write_company

CFO = Caller("agent", "cfo")
NOW = "2026-02-24T12:00:00.000Z"


class Killed(BaseException):
    """The process dies here: nothing after it runs, nothing catches it."""


def kill() -> None:
    raise Killed


def effects(directory: Path) -> Effects:
    return open_effects(directory, Sync("off"))


class Run:
    """One workspace across deaths of its process."""

    def __init__(self, root: Path) -> None:
        self.root = write_company(root)
        self.bench = Bench()
        self.services = self.restarted()

    def restarted(self) -> Services:
        # The old services are not closed: a killed process closes nothing.
        self.bench.before = self.bench.after = lambda: None
        self.services = opened(self.root, self.bench)
        return self.services

    def call(self, tool: str = "note_write", key: str = "K-1", **arguments: Any) -> Outcome:
        return call(self.services, tool, arguments or {"text": "x"}, caller=CFO, key=key)

    def resolve(self, outcome: Outcome, resolution: Resolution, **more: Any) -> None:
        answer = DecisionAnswer(resolution, iso(self.services.clock()), **more)
        self.services.decisions("acme").resolve(outcome.decision_id, answer)

    def facts(self) -> list[str]:
        return [fact.subject for fact in self.services.agent("cfo").facts.query()]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_a_done_call_answers_with_its_result_and_does_not_run_again(run: Run) -> None:
    first = run.call()
    run.restarted()
    again = run.call()
    assert again.result == first.result
    assert (first.repeated, again.repeated) == (False, True)
    assert len(run.bench.ran) == 1


def test_without_a_key_every_call_is_its_own(run: Run) -> None:
    assert [call(run.services, "note_write", {"text": "x"}, caller=CFO).ok for _ in range(2)] == [True, True]
    assert len(run.bench.ran) == 2


def test_the_beginning_is_on_disk_before_the_effect(run: Run) -> None:
    seen: list[str] = []
    run.bench.before = lambda: seen.extend(one.id for one in effects(run.root / "agents" / "cfo").list_unsettled())
    run.call()
    assert seen == ["K-1"]


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_call_cut_short_runs_again_and_writes_the_same_records(run: Run, where: str) -> None:
    setattr(run.bench, where, kill)
    with pytest.raises(Killed):
        run.call()
    run.restarted()
    assert isinstance(run.services.clock, SteppedClock)
    found = run.call()
    assert found.ok
    assert run.facts() == [found.result["id"]]
    assert {(record["id"], record["at"]) for record in run.bench.ran} == {(found.result["id"], found.result["at"])}


def test_a_key_belongs_to_one_call(run: Run) -> None:
    run.call(text="x")
    found = run.call(text="y")
    assert (found.code, found.argument) == ("invalid_argument", "key")
    assert len(run.bench.ran) == 1


def test_a_failed_call_may_be_tried_again(run: Run) -> None:
    run.bench.before = broken
    assert not run.call().ok
    run.bench.before = lambda: None
    assert run.call().ok
    assert run.call().repeated


def test_what_cannot_be_repeated_and_was_cut_short_is_put_before_a_person(run: Run) -> None:
    run.bench.after = kill
    with pytest.raises(Killed):
        run.call("letter_post")
    run.restarted()
    waiting = run.call("letter_post")
    assert waiting.awaiting
    decision = run.services.decisions("acme").one(waiting.decision_id)
    assert decision.subject == "Was letter_post done?"
    assert run.call("letter_post").decision_id == waiting.decision_id
    run.resolve(waiting, "approve")
    settled = run.call("letter_post")
    assert settled.ok
    assert settled.repeated
    assert len(run.bench.ran) == 1


def test_what_a_person_says_was_not_done_is_done_then(run: Run) -> None:
    run.bench.before = kill
    with pytest.raises(Killed):
        run.call("letter_post")
    run.restarted()
    run.resolve(run.call("letter_post"), "approve", chosen_option="not-done")
    assert run.call("letter_post").ok
    assert run.call("letter_post").repeated
    assert len(run.bench.ran) == 1


@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.parametrize("key", ["K-1", ""])
def test_an_approved_action_cut_short_goes_on_without_a_second_approval(run: Run, where: str, key: str) -> None:
    run.resolve(run.call("money_spend", key, amount=6000), "approve")
    setattr(run.bench, where, kill)
    with pytest.raises(Killed):
        run.call("money_spend", key, amount=6000)
    run.restarted()
    done = run.call("money_spend", key, amount=6000)
    assert done.ok
    assert run.facts() == [done.result["id"]]
    again = run.call("money_spend", key, amount=6000)
    assert again.repeated if key else again.awaiting


def test_an_approval_claimed_just_before_death_is_its_claimants_alone(run: Run) -> None:
    waiting = run.call("money_spend", "K-1", amount=6000)
    run.resolve(waiting, "approve")
    run.services.decisions("acme").mark_performed(waiting.decision_id, NOW, "K-1")
    run.restarted()
    assert run.call("money_spend", "K-2", amount=6000).awaiting
    assert run.call("money_spend", "K-1", amount=6000).ok
    assert len(run.bench.ran) == 1


@settings(deadline=None, max_examples=25)
@given(deaths=st.lists(st.sampled_from(["before", "after", "none"]), max_size=5))
def test_however_often_it_dies_there_is_one_effect(tmp_path_factory: pytest.TempPathFactory, deaths: list[str]) -> None:
    run = Run(tmp_path_factory.mktemp("run"))
    for death in deaths:
        if death != "none":
            setattr(run.bench, death, kill)
        try:
            run.call()
        except Killed:
            run.restarted()
    found = run.call()
    assert run.facts() == [found.result["id"]]


def test_a_begun_effect_keeps_its_first_time_over_further_attempts(tmp_path: Path) -> None:
    known = effects(tmp_path)
    first = known.begin(Effect("K", "t", "d", NOW))
    known.failed(first, "no", NOW, broke_off=False)
    assert known.begin(Effect("K", "t", "d", "2027-01-01T00:00:00.000Z")).begun_at == NOW
    with pytest.raises(InvalidArgument, match="used for another call"):
        known.begin(Effect("K", "t", "other", NOW))


def test_a_call_that_broke_off_is_known_when_it_is_made_again_and_one_that_was_refused_is_not(tmp_path: Path) -> None:
    known = effects(tmp_path)
    for key, broke_off in (("refused", False), ("broken", True)):
        known.failed(known.begin(Effect(key, "t", "d", NOW)), "no", NOW, broke_off=broke_off)
        assert known.begin(Effect(key, "t", "d", NOW)).is_again is broke_off


def test_old_ended_effects_are_forgotten_and_open_ones_never(tmp_path: Path) -> None:
    known = effects(tmp_path)
    known.begin(Effect("open", "t", "d", NOW))
    for number in range(KEPT + KEPT // 10 + 5):
        known.done(known.begin(Effect(f"K-{number}", "t", "d", NOW)), {"n": number}, NOW)
    assert known.find("K-0") is None
    assert known.find(f"K-{KEPT + KEPT // 10 + 4}") is not None
    assert [one.id for one in known.list_unsettled()] == ["open"]
    assert len(known.store.read()["effects"]) <= KEPT + KEPT // 10 + 1
