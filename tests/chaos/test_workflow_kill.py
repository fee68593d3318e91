"""A company whose processes are killed with SIGKILL while a plan waits for its workflow: one run, every effect once."""

import os
import random
import signal
import time
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import pytest

from mabos.tools.gate.call import call
from mabos.workspace.clock import SteppedClock
from tests.acceptance.test_workflow_plans import AFTER, START, Office, opened
from tests.acceptance.test_workflow_turns import END, USER, Desk, stored
from tests.acceptance.test_workflow_turns import START as BEGINNING
from tests.tools.workspaces import NOON, laid_out

pytestmark = pytest.mark.slow

CONTEXT = get_context("fork")
KILLS, TASKS = 30, 5


def works(root: Path) -> None:
    """Run the CEO's cycles and answer what a person is asked, until killed."""
    with opened(root) as services:
        office = Office(services)
        while True:
            for one in services.decisions().all():
                if one.open:
                    call(services, "decision_resolve", {"decision_id": one.id, "resolution": "approve"})
            office.run()


def test_whenever_the_processes_are_killed_the_plan_waits_on_and_everything_happens_once(tmp_path: Path) -> None:
    root, dice = laid_out(tmp_path / "workspace"), random.Random(7)
    names = [f"t{number}" for number in range(TASKS)]
    with opened(root) as services:
        desk = Desk(services, SteppedClock(NOON))
        tasks = {name: stored(f"noted {name}") for name in names}
        steps = ["s", *names, "u", "e"]
        desk.draws(
            {"s": BEGINNING, **tasks, "u": USER, "e": END},
            *(f"{one}>{other}" for one, other in pairwise(steps)),
        )
        desk.plans(START, AFTER)
    for _ in range(KILLS):
        process = CONTEXT.Process(target=works, args=(root,))
        process.start()
        time.sleep(dice.uniform(0.02, 0.5))
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
    with opened(root) as services:
        office = Office(services)
        for _ in range(12):
            for one in services.decisions().all():
                if one.open:
                    office.answer("approve")
            office.run()
        (run,) = services.business().workflows.runs.all()
        assert (run.status, office.plan.status) == ("completed", "completed")
        assert office.stored() == sorted([f"noted after {run.id}", *(f"noted {name}" for name in names)])
        assert len([one for one in services.decisions().all() if one.id.startswith("DEC-WR-")]) == 1
