"""Kills of a live company at random moments, and restarts: `python -m chaos.live_kill --trials 100`.

While it runs, another process writes to its agents, every fourth letter urgent, and remembers what was acknowledged.
After every kill the promises of `company_kill` are checked: ledgers intact, every file readable, everything recorded
present, no duplicate effects. In the end the company runs until no agent has work: then every acknowledged letter must
be in its inbox once, and read.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from chaos.company_kill import ROOT, STARTED, at_work, check, count_effects
from chaos.tally import Row
from mabos.graphs import wiring
from mabos.graphs.simulate import BUSINESS
from mabos.tools.gate.call import call

LONGEST = 5.0
"""Seconds a life may last."""


def child(out: Path, *, once: bool) -> None:
    """Run the company live, counting its effects outside, until it is killed or (`once`) no agent has work."""
    from mabos.graphs.live import LiveCompany

    count_effects(out)
    with wiring.hold_services(out / "workspace") as services:
        (out / STARTED).touch()
        LiveCompany(services, pace=0.05).run(once=once)


def lives(out: Path, trials: int, luck: random.Random) -> Iterator[dict[str, str]]:
    """Yield the letters acknowledged so far, by id with their reader, after each kill and at the end."""
    sent: dict[str, str] = {}
    with wiring.hold_services(out / "workspace") as services:
        call(services, "business_create", {"business_id": BUSINESS, "name": "Acme", "template": "saas"})
    for _ in range(trials):
        process = _begin(out, "live")
        ends = at_work(process, out) + luck.uniform(0.0, LONGEST)
        sent |= _write(out, ends, luck, len(sent))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        yield sent
    last = _begin(out, "once")
    _, said = last.communicate()
    assert last.returncode == 0, said.decode(errors="replace")[-3000:]
    yield sent


def _begin(out: Path, how: str) -> "subprocess.Popen[bytes]":
    (out / STARTED).unlink(missing_ok=True)
    command = [sys.executable, "-m", "chaos.live_kill", "--child", str(out), "--how", how]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)


def _write(out: Path, ends: float, luck: random.Random, number: int) -> dict[str, str]:
    """Write letters until then; return what was acknowledged."""
    sent: dict[str, str] = {}
    with wiring.hold_services(out / "workspace") as services:
        agents = services.agents()
        while time.monotonic() < ends:
            to, priority = luck.choice(agents), "normal" if luck.randrange(4) else "urgent"
            content = f"Figure {number + len(sent)} of the week."
            given = {"to": to, "performative": "INFORM", "content": content, "priority": priority}
            outcome = call(services, "agent_message", given)
            assert outcome.ok, outcome.message
            sent[str(outcome.result["message_id"])] = to
            time.sleep(luck.uniform(0.0, 0.1))
    return sent


def arrived(out: Path, sent: dict[str, str], *, read: bool) -> None:
    """Raise `AssertionError` if an acknowledged letter is not there exactly once, or (`read`) is unread."""
    with wiring.hold_services(out / "workspace") as services:
        lie = [one for agent in services.agents() for one in services.inbox(agent).messages()]
    found = Counter(one.id for one in lie)
    assert {one: found[one] for one in sent if found[one] != 1} == {}
    waiting = [one.id for one in lie if not one.read]
    assert not read or waiting == []


def main() -> int:
    """Run the campaign and print the survived kills; raises at the first broken promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--child", type=Path)
    parser.add_argument("--how", choices=["live", "once"], default="live")
    given = parser.parse_args()
    if given.child is not None:
        child(given.child, once=given.how == "once")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        out, sent = Path(folder), dict[str, str]()
        for number, sent in enumerate(lives(out, given.trials, random.Random(given.seed)), 1):
            check(out)
            arrived(out, sent, read=number > given.trials)
            print(f"\rkilled {min(number, given.trials)} times, {len(sent)} letters", end="", flush=True)
    print(f"\n{given.trials} kills: {len(sent)} letters acknowledged, none lost, all read; no effect twice")
    return Row(
        f"a live company killed while it is written to ({len(sent):,} letters)", given.trials, given.trials
    ).told()


if __name__ == "__main__":
    sys.exit(main())
