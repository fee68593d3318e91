"""Kills of a company run at random moments, and restarts: `python -m chaos.company_kill --trials 100`.

After every kill, and at the end of every run, the ledger's chains must be intact, every document and mind readable,
everything in the ledger present, and no effect duplicated. Effects are counted outside, in a file that the child
appends to between the effect and its record; like a service with idempotency keys it counts a key once. One operation
of the child uses no keys: each of its executions is counted, and none may occur twice.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from chaos.tally import Row
from mabos.graphs import wiring
from mabos.graphs.simulate import BUSINESS, simulate
from mabos.tools.runtime.services import Services

ROOT = Path(__file__).resolve().parents[1]
WEEKS = 5
COUNTER, STARTED = "effects.txt", "started"
UNREPEATABLE = "content_generate"
"""An operation that in the child stands for an effect outside that honours no key."""
MADE = {"ad_campaign_create": "campaign_id", "work_package_create": "package_id", "agent_message": "message_id"}


def child(out: Path, seed: str) -> None:
    """Run the company, and count its effects outside."""
    count_effects(out)
    (out / STARTED).touch()
    simulate("saas", out=out, weeks=WEEKS, seed=seed, threads=3)


def count_effects(out: Path) -> None:
    """Make this process report every keyed effect to an outside counter before it is recorded as done."""
    from mabos.tools.catalogue.declaration import Tool
    from mabos.tools.catalogue.registry import Registry

    object.__setattr__(Registry().tool(UNREPEATABLE), "idempotent", False)  # the child exists for this
    run = Tool.run

    def counted(tool: Tool, agent: Any, values: Any) -> Any:
        if tool.name == UNREPEATABLE:  # the line is the effect outside, and may be followed by nothing
            _count(out, f"{agent.id} {tool.name} {agent.key}")
            return run(tool, agent, values)
        result = run(tool, agent, values)
        if agent.key:
            _count(out, f"{agent.id} {tool.name} {agent.key}")
        return result

    Tool.run = counted  # type: ignore[method-assign, assignment]  # the child exists for this


def _count(out: Path, line: str) -> None:
    counter = os.open(out / COUNTER, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.write(counter, f"{line}\n".encode())
    os.close(counter)


def killed_runs(folder: Path, trials: int, luck: random.Random) -> Iterator[tuple[Path, bool]]:
    """Yield the folder of a run after each kill, and after its end; `True` means that it finished."""
    kills, number, longest = 0, 0, 6.0
    while kills < trials:
        out = folder / f"run-{number}"
        out.mkdir(parents=True)
        number += 1
        while True:
            command = [sys.executable, "-m", "chaos.company_kill", "--child", str(out), "--seed", str(number)]
            (out / STARTED).unlink(missing_ok=True)
            process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
            started = at_work(process, out)
            try:
                _, said = process.communicate(timeout=luck.uniform(0.0, longest) if kills < trials else None)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
                yield out, False
                continue
            assert process.returncode == 0, said.decode(errors="replace")[-3000:]
            longest = max(2.0, time.monotonic() - started)
            yield out, True
            break


def at_work(process: "subprocess.Popen[bytes]", out: Path) -> float:
    """Return once the child has begun to work, since a kill during its imports would show nothing."""
    while process.poll() is None and not (out / STARTED).exists():
        time.sleep(0.01)
    return time.monotonic()


def check(out: Path) -> None:
    """Raise `AssertionError` if any promise is broken."""
    if not (out / "workspace").is_dir():
        return
    with wiring.hold_services(out / "workspace") as services:
        assert services.ledger.verify() == []
        for agent_id in services.agents():
            _readable(services, agent_id)
        if BUSINESS in services.businesses():
            _acknowledged(services)
    _once(out)


def _readable(services: Services, agent_id: str) -> None:
    agent = services.agent(agent_id)
    assert agent.mind.problems == ()
    _ = agent.mind.beliefs, agent.mind.plans, agent.inbox.messages(), agent.cases.all(), agent.memory.status()
    assert services.directory.effects(agent_id).store.conflicts() == ()
    assert agent.mind.store.conflicts() == ()


def _acknowledged(services: Services) -> None:
    """What the ledger says was done must be there."""
    business = services.business(BUSINESS)
    there = {
        "ad_campaign_create": {campaign.id for campaign in business.campaigns.all()},
        "work_package_create": {package.id for package in business.workforce.packages.all()},
        "agent_message": {message.id for agent in services.agents() for message in services.inbox(agent).messages()}
        | {message.id for message in services.inbox("stakeholder").messages()},
    }
    for agent_id in services.agents():
        for entry in services.ledger.entries(agent_id):
            if entry.kind == "call" and entry.body.get("ok"):
                tool = str(entry.body["tool"])
                made = entry.body.get("result", {}).get(MADE.get(tool, ""))
                assert made is None or made in there[tool], f"{tool} acknowledged {made}, which is not there"
    counts = {name: len(ids) for name, ids in there.items() if name != "agent_message"}
    done = Counter(
        effect["tool"]
        for agent in services.agents()
        for effect in services.directory.effects(agent).store.read().get("effects", {}).values()
    )
    for tool, count in counts.items():
        assert count <= done[tool], f"{count} records of {tool} for {done[tool]} effects"


def _once(out: Path) -> None:
    """One attempt at one step must have had one effect outside, whatever was killed between."""
    if not (out / COUNTER).exists():
        return
    lines = (out / COUNTER).read_text("utf-8").splitlines()
    again = [line for line, count in Counter(lines).items() if count > 1 and line.split()[1] == UNREPEATABLE]
    assert again == [], f"executed twice, though it cannot be repeated: {again}"
    keys = {line for line in lines if line.count("/") >= 4}
    attempts = Counter(line.rsplit("/", 1)[0] for line in keys)
    twice = [attempt for attempt, count in attempts.items() if count > 1]
    assert twice == [], f"effects of one attempt under several keys: {twice}"


def _executions(out: Path) -> int:
    """Return how often the operation that cannot be repeated was executed in a run."""
    return (out / COUNTER).read_text("utf-8").count(f" {UNREPEATABLE} ")


def _settlements(out: Path) -> int:
    """Return how many of its executions a person had to settle."""
    with wiring.hold_services(out / "workspace") as services:
        decisions = services.business(BUSINESS).decisions.all()
        return sum(one.subject == f"Was {UNREPEATABLE} done?" for one in decisions)


def main() -> int:
    """Run the campaign and print the survived kills; raises at the first broken promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--child", type=Path)
    given = parser.parse_args()
    if given.child is not None:
        child(given.child, given.seed)
        return 0
    finished = killed = executed = settled = 0
    with tempfile.TemporaryDirectory() as folder:
        for out, through in killed_runs(Path(folder), given.trials, random.Random(given.seed)):
            check(out)
            finished, killed = finished + through, killed + (not through)
            if through:
                executed, settled = executed + _executions(out), settled + _settlements(out)
            print(f"\rkilled {killed} times, {finished} runs went through", end="", flush=True)
    print(f"\n{killed} kills: no write lost, no torn file, ledgers whole, no effect twice")
    print(f"{executed} effects that cannot be repeated, {settled} of them cut short and put before a person")
    return Row("a simulation killed at random moments", given.trials, killed).told()


if __name__ == "__main__":
    sys.exit(main())
