"""Several processes spend at once, are killed and started again while an owner answers: nothing passes the gate."""

import json
import os
import random
import signal
import time
from collections import Counter
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Refused
from mabos.society.decisions import DecisionAnswer, action_hash
from mabos.tools.catalogue.declaration import Money, Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import call
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Agent, Caller, Services
from mabos.workspace.clock import SteppedClock, iso
from tests.world import NOON, write_company

pytestmark = pytest.mark.slow

THRESHOLD, PROCESSES, KILLS = 5000, 4, 24
ENOUGH = 50
"""Payments, more of which there must be to say anything."""
PAYEES = tuple(f"P{number}" for number in range(100))
CONTEXT = get_context("fork")


def opened(root: Path) -> Services:
    """Return the workspace with one tool, which leaves a line where nothing else can take it away."""

    def money_spend(agent: Agent, *, amount: Money, to: str) -> dict[str, Any]:
        """Spend money."""
        line = json.dumps({"id": agent.ids.new("X"), "amount": amount, "to": to}).encode() + b"\n"
        out = os.open(root / "paid", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(out, line)
        os.close(out)
        time.sleep(random.random() / 200)  # room for a kill between the effect and its record
        return {}

    tool = Tool.of(
        money_spend, module="Marketing", writes=True, category="marketing_spend", cost="amount", counterparty="to"
    )
    return open_services(root, clock=SteppedClock(NOON), registry=Registry((), [tool]))


def spends(root: Path, number: int) -> None:
    """Spend at random, under keys and without, until killed; a key is used again by whoever comes next."""
    services, dice = opened(root), random.Random()
    while True:
        # All of them pay the same one at a time, so that they meet at the gate.
        amount, to = dice.choice([500, 2600, 4900, 9000]), PAYEES[int(time.monotonic() * 10) % len(PAYEES)]
        key = dice.choice([None, f"P-{number}/{amount}/{to}/{dice.randrange(2)}"])
        call(services, "money_spend", {"amount": amount, "to": to}, caller=Caller("agent", "cfo"), key=key)


def answers(root: Path) -> None:
    """Approve, modify, reject or put off what waits, until killed."""
    services, dice = opened(root), random.Random()
    now = iso(services.clock())
    kinds = [
        DecisionAnswer("approve", now),
        DecisionAnswer("reject", now),
        DecisionAnswer("defer", now, until="2026-03-01"),
    ]
    kinds.append(DecisionAnswer("modify", now, modifications={"amount": 9000}))
    while True:
        for decision in services.decisions("acme").pending():
            try:
                services.decisions("acme").resolve(decision.id, dice.choice(kinds), version=decision.version)
            except Refused:
                continue
        time.sleep(0.01)


def test_nothing_above_the_threshold_passes_the_gate_whoever_dies_when(tmp_path: Path) -> None:
    root, dice = write_company(tmp_path), random.Random(7)
    running: dict[int, BaseProcess] = {}

    def start(number: int) -> None:
        target, arguments = (spends, (root, number)) if number else (answers, (root,))
        running[number] = CONTEXT.Process(target=target, args=arguments, daemon=True)
        running[number].start()

    for number in range(PROCESSES):
        start(number)
    kills = 0
    while kills < KILLS or (
        len(_paid(root)) <= ENOUGH and kills < 20 * KILLS
    ):  # a busy machine pays less between two kills
        kills += 1
        before = len(_paid(root))
        time.sleep(0.1 + dice.random() / 4)
        until = time.monotonic() + 20
        while len(_paid(root)) == before and time.monotonic() < until:  # a slow machine has hardly begun by then
            time.sleep(0.01)
        number = dice.randrange(PROCESSES)
        assert running[number].is_alive(), "a process ended by itself"
        _kill(running[number])
        start(number)
    for process in running.values():
        _kill(process)
    _check(root)


def _paid(root: Path) -> dict[str, dict[str, Any]]:
    """Return the payments on record, by id."""
    paid = root / "paid"
    lines = paid.read_text("utf-8").splitlines() if paid.exists() else []
    return {one["id"]: one for one in map(json.loads, lines)}


def _kill(process: BaseProcess) -> None:
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def _check(root: Path) -> None:
    """See that what nobody allowed adds up to no more than the threshold, and that no approval was used twice."""
    paid = _paid(root)
    services = opened(root)
    decisions = services.decisions("acme").all()
    allowed = Counter(one.action_hash for one in decisions if one.status in ("approved", "modified"))
    spent = Counter[tuple[str, float]]((one["to"], one["amount"]) for one in paid.values())
    free = dict.fromkeys(PAYEES, 0.0)
    for (to, amount), times in spent.items():
        without = times - allowed[action_hash("cfo", "money_spend", {"amount": amount, "to": to})]
        assert amount <= THRESHOLD or without <= 0, (to, amount, times)
        free[to] += max(0, without) * amount
    assert all(free[to] <= THRESHOLD for to in PAYEES), free
    assert allowed.total() > 5
    assert len(paid) > ENOUGH
    assert services.ledger.verify() == []
    services.close()
