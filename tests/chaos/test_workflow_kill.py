"""A company whose processes are killed with SIGKILL while a plan waits for its workflow: one run, every effect once."""

import os
import random
import signal
import time
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.acceptance.workflows import AFTER, END, START, START_FLOW, USER, opened, stored

pytestmark = pytest.mark.slow

CONTEXT = get_context("fork")
KILLS, TASKS = 30, 5


def works(root: Path) -> None:
    """Run the CEO's cycles and answer what a person is asked, until killed."""
    with opened(root) as ceo:
        while True:
            for one in ceo.questions():
                ceo.world.ask("decision_resolve", decision_id=one.id, resolution="approve")
            ceo.run()


def test_whenever_the_processes_are_killed_the_plan_waits_on_and_everything_happens_once(tmp_path: Path) -> None:
    root, dice = tmp_path / "workspace", random.Random(7)
    names = [f"t{number}" for number in range(TASKS)]
    with opened(root) as ceo:
        tasks = {name: stored(f"noted {name}") for name in names}
        steps = ["s", *names, "u", "e"]
        ceo.draw({"s": START, **tasks, "u": USER, "e": END}, *(f"{one}>{other}" for one, other in pairwise(steps)))
        ceo.plan_for_flow(START_FLOW, AFTER)
    for _ in range(KILLS):
        process = CONTEXT.Process(target=works, args=(root,))
        process.start()
        time.sleep(dice.uniform(0.02, 0.5))
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
    with opened(root) as ceo:
        for _ in range(12):
            for one in ceo.questions():
                ceo.world.answer("approve", one.id)
            ceo.run()
        (run,) = ceo.world.business.workflows.runs.all()
        assert (run.status, ceo.plan.status) == ("completed", "completed")
        assert ceo.stored() == sorted([f"noted after {run.id}", *(f"noted {name}" for name in names)])
        assert len([one for one in ceo.services.decisions().all() if one.id.startswith("DEC-WR-")]) == 1
