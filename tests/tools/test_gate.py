"""The one gate: whatever is asked, answered, retried, killed or split, nothing happens that nobody allowed."""

import os
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    multiple,
    rule,
    run_state_machine_as_test,
)

from mabos.configs.errors import Refused
from mabos.society.decisions import DecisionAnswer, Resolution, action_hash
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import SteppedClock, iso
from tests.tools.workspaces import Bench, broken, opened
from tests.world import NOON, write_company

CFO = Caller("agent", "cfo")
THRESHOLD = 5000
AMOUNTS = st.sampled_from([400, 2000, 2600, 4999, 5000, 5001, 9000])
PAYEES = st.sampled_from(["acme", "Acme ", "globex"])


class Killed(BaseException):
    """The process died."""


def kill() -> None:
    raise Killed


@dataclass(frozen=True)
class Paid:
    """Money that left, as the test saw it."""

    at: datetime
    amount: float
    to: str


class Gate(RuleBasedStateMachine):
    """An agent that spends as it likes, an owner that answers as she likes, and processes that die."""

    waiting = Bundle("waiting")
    keys = Bundle("keys")

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.root = write_company(Path(self.folder.name) / "w")
        self.clock = SteppedClock(NOON)
        self.bench = Bench()
        self.services = opened(self.root, self.bench, clock=self.clock)
        self.paid: list[Paid] = []
        self.allowed: list[str] = []  # hashes of approved actions, one for each approval
        self.seen = 0
        self.keyed = 0

    def teardown(self) -> None:
        if hasattr(self, "services"):
            self.services.close()
            self.folder.cleanup()

    # --- the agent

    @rule(target=waiting, amount=AMOUNTS, to=PAYEES)
    def spend(self, amount: float, to: str) -> Any:
        return self._waits(self._spend({"amount": amount, "to": to}))

    @rule(target=keys, amount=AMOUNTS, to=PAYEES, dies=st.sampled_from(["", "before", "after", "fails"]))
    def spend_under_a_key(self, amount: float, to: str, dies: str) -> Any:
        self.keyed += 1
        given = ({"amount": amount, "to": to}, f"P-1/1/S-{self.keyed}")
        self._spend(*given, dies=dies)
        return given

    @rule(target=waiting, given=keys)
    def again_under_the_same_key(self, given: Any) -> Any:
        return self._waits(self._spend(*given))

    @rule(target=waiting, given=keys, amount=AMOUNTS)
    def other_arguments_under_a_used_key(self, given: Any, amount: float) -> Any:
        arguments, key = given
        return self._waits(self._spend({**arguments, "amount": amount}, key))

    @rule(given=keys)
    def again_as_another_agent(self, given: Any) -> None:
        arguments, _ = given
        outcome = call(self.services, "money_spend", {**arguments, "agent_id": "cfo"}, caller=Caller("agent", "ceo"))
        assert outcome.code == "refused"

    # --- the owner

    @rule(asked=consumes(waiting))
    def approve(self, asked: str) -> None:
        self._answer(asked, "approve")

    @rule(asked=consumes(waiting), amount=AMOUNTS)
    def modify(self, asked: str, amount: float) -> None:
        self._answer(asked, "modify", modifications={"amount": amount})

    @rule(asked=consumes(waiting))
    def reject(self, asked: str) -> None:
        self._answer(asked, "reject")

    @rule(target=waiting, asked=consumes(waiting))
    def put_off(self, asked: str) -> str:
        self._answer(asked, "defer", until=iso(self.clock() + timedelta(days=3)))
        return asked

    # --- the world

    @rule(hours=st.sampled_from([1, 13, 23, 25, 200]))
    def time_passes(self, hours: int) -> None:
        self.clock.advance(timedelta(hours=hours))

    @rule()
    def restart(self) -> None:
        self.services.close()
        self.services = opened(self.root, self.bench, clock=self.clock)

    def _spend(self, arguments: dict[str, Any], key: str | None = None, dies: str = "") -> Outcome | None:
        self.bench.before = {"before": kill, "fails": broken}.get(dies, lambda: None)
        self.bench.after = {"after": kill}.get(dies, lambda: None)
        try:
            return call(self.services, "money_spend", arguments, caller=CFO, key=key)
        except Killed:
            self.restart()
            return None
        finally:
            self.bench.before = self.bench.after = lambda: None
            self._look()

    def _look(self) -> None:
        """Take in what was paid, and see that it was allowed; a cut-short call that runs again writes the same."""
        known = {one["id"] for one in self.bench.ran[: self.seen]}
        fresh = [one for one in self.bench.ran[self.seen :] if one["id"] not in known]
        self.seen = len(self.bench.ran)
        for record in fresh:
            self._see(Paid(self.clock(), record["amount"], record["to"]))

    def _see(self, paid: Paid) -> None:
        since = paid.at - timedelta(hours=24)
        same = [one.amount for one in self.paid if one.at > since and _payee(one.to) == _payee(paid.to)]
        digest = action_hash("cfo", "money_spend", {"amount": paid.amount, "to": paid.to})
        if digest in self.allowed:
            self.allowed.remove(digest)  # an approval is good for one payment
        else:
            assert sum(same) + paid.amount <= THRESHOLD, (paid, same)
        self.paid.append(paid)

    def _waits(self, outcome: Outcome | None) -> Any:
        return outcome.decision_id if outcome is not None and outcome.awaiting else multiple()

    def _answer(self, asked: str, resolution: Resolution, **more: Any) -> None:
        decisions = self.services.decisions("acme")
        open_before = decisions.one(asked).open
        try:
            answered = decisions.resolve(asked, DecisionAnswer(resolution, iso(self.clock()), **more))
        except Refused:
            assert not open_before
            return
        assert open_before
        if resolution in ("approve", "modify"):
            self.allowed.append(answered.action_hash)


def _payee(name: str) -> str:
    return name.strip().casefold()


RANDOM = settings(
    max_examples=30,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking opens thousands of workspaces
)


def test_nothing_above_the_threshold_happens_without_an_approval_of_its_own() -> None:
    run_state_machine_as_test(Gate, settings=RANDOM)


def test_parts_that_are_spent_at_the_same_moment_are_summed_too(tmp_path: Path) -> None:
    root = write_company(tmp_path)
    offices = [(bench, opened(root, bench)) for bench in (Bench(), Bench(), Bench(), Bench())]
    together = Barrier(len(offices))

    def spend(services: Services) -> None:
        together.wait()
        call(services, "money_spend", {"amount": 2000}, caller=CFO)

    threads = [Thread(target=spend, args=(services,)) for _, services in offices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(len(bench.ran) for bench, _ in offices) == 2
    assert len(offices[0][1].decisions("acme").all()) >= 1
    for _, services in offices:
        services.close()


def test_a_part_whose_process_was_killed_counts_as_spent_until_it_is_known_what_became_of_it(tmp_path: Path) -> None:
    root = write_company(tmp_path)
    died = get_context("fork").Process(target=_dies_in_the_middle, args=(root,))
    died.start()
    died.join()
    assert died.exitcode == 9
    bench = Bench()
    services = opened(root, bench)
    assert call(services, "money_spend", {"amount": 3000}, caller=CFO).awaiting
    assert call(services, "money_spend", {"amount": 4000}, caller=CFO, key="P-1/1/S-1").ok
    assert [one["amount"] for one in bench.ran] == [4000]
    services.close()


def _dies_in_the_middle(root: Path) -> None:
    bench = Bench(after=lambda: os._exit(9))
    call(opened(root, bench), "money_spend", {"amount": 4000}, caller=CFO, key="P-1/1/S-1")


def test_several_processes_perform_one_approval_once(tmp_path: Path) -> None:
    root = write_company(tmp_path)
    services = opened(root, Bench())
    waiting = call(services, "money_spend", {"amount": 10_000}, caller=CFO)
    services.decisions("acme").resolve(waiting.decision_id, DecisionAnswer("approve", iso(services.clock())))
    services.close()
    context = get_context("fork")
    together = context.Barrier(4)
    processes = [context.Process(target=_performs, args=(root, together)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert len(set((root / "paid").read_text().split())) == 1


def _performs(root: Path, together: Any) -> None:
    bench = Bench()
    services = opened(root, bench)
    together.wait()
    for _ in range(3):
        call(services, "money_spend", {"amount": 10_000}, caller=CFO)
    with (root / "paid").open("a") as file:
        file.writelines(f"{one['id']}\n" for one in bench.ran)
    services.close()
