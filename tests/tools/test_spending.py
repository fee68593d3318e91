"""What was spent before a call: exact, and read from no more of the ledger than it takes."""

from datetime import timedelta
from pathlib import Path

from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import SteppedClock
from tests.tools.workspaces import Bench, broken, opened
from tests.world import NOON, write_company

CFO = Caller("agent", "cfo")
HOUR = timedelta(hours=1)


def spend(services: Services, amount: float, *, key: str = "") -> Outcome:
    return call(services, "money_spend", {"amount": amount}, caller=CFO, key=key or None)


def test_whoever_reads_the_ledger_meanwhile_changes_nothing(tmp_path: Path) -> None:
    services = opened(tmp_path, Bench())
    assert spend(services, 2000).ok
    assert len(list(services.ledger.entries("cfo"))) == 2
    assert spend(services, 3000).ok
    next(services.ledger.entries("cfo"))
    assert spend(services, 1).awaiting
    services.close()


def test_what_another_process_spent_counts_from_its_next_call_on(tmp_path: Path) -> None:
    root = write_company(tmp_path)
    one, other = opened(root, Bench()), opened(root, Bench())
    assert spend(one, 2000).ok
    assert spend(other, 2000).ok
    assert spend(one, 1500).awaiting
    assert spend(other, 1000, key="P/1").ok
    assert spend(one, 1).awaiting
    one.close()
    other.close()


def test_a_failed_call_gives_back_what_it_was_to_spend(tmp_path: Path) -> None:
    bench = Bench(before=broken)
    services = opened(tmp_path, bench)
    assert not spend(services, 4000).ok
    assert not spend(services, 4000, key="P/1").ok
    bench.before = lambda: None
    assert spend(services, 5000).ok
    services.close()


def test_of_a_long_ledger_only_what_may_count_is_read(tmp_path: Path) -> None:
    root, clock = write_company(tmp_path), SteppedClock(NOON)
    services = opened(root, Bench(), clock=clock)
    for _ in range(60):
        assert call(services, "money_spend", {"amount": 5000, "purpose": "p" * 3_000}, caller=CFO).ok
        clock.advance(25 * HOUR)
    clock.advance(-2 * HOUR)  # the last payment is of 23 hours ago
    services.close()
    path = services.layout.ledger("cfo")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"x" * (len(lines[0]) - 1) + b"\n" + b"".join(lines[1:]))
    services = opened(root, Bench(), clock=clock)
    assert spend(services, 1).awaiting
    clock.advance(HOUR)
    assert spend(services, 5000).ok
    services.close()


def test_a_clock_that_goes_back_finds_what_was_spent_then(tmp_path: Path) -> None:
    root, clock = write_company(tmp_path), SteppedClock(NOON)
    services = opened(root, Bench(), clock=clock)
    assert spend(services, 5000).ok
    clock.advance(300 * HOUR)
    services.close()
    services = opened(root, Bench(), clock=clock)
    assert spend(services, 2000).ok
    clock.advance(-290 * HOUR)
    assert spend(services, 1).awaiting
    services.close()
