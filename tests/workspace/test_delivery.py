from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import MabosError, Unavailable
from mabos.workspace.delivery import RetryPolicy, deliver


@dataclass(frozen=True)
class Parcel:
    status: str = "begun"
    error: str = ""


class Channel:
    """Takes parcels, or raises; the log says in which order things happened."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault
        self.log: list[str] = []

    def take(self, parcel: Parcel) -> Parcel:
        self.log.append("handed over")
        if self.fault is not None:
            raise self.fault
        return replace(parcel, status="sent")

    def deliver(self, *, is_idempotent: bool = False) -> Parcel:
        return deliver(
            Parcel(),
            self.take,
            lambda parcel, error: replace(parcel, status="failed", error=error.message),
            save=lambda parcel: self.log.append(f"saved {parcel.status}"),
            flush=None if is_idempotent else lambda: self.log.append("flushed"),
        )


def test_an_attempt_is_on_disk_before_it_is_made_and_its_outcome_after() -> None:
    channel = Channel()
    assert channel.deliver().status == "sent"
    assert channel.log == ["saved begun", "flushed", "handed over", "saved sent"]


def test_a_channel_that_takes_a_thing_once_needs_no_record_before() -> None:
    channel = Channel()
    channel.deliver(is_idempotent=True)
    assert channel.log == ["handed over", "saved sent"]


@pytest.mark.parametrize("fault", [Unavailable("no server"), OSError(28, "no space left")])
def test_a_failure_is_an_outcome_on_record(fault: Exception) -> None:
    channel = Channel(fault)
    ended = channel.deliver()
    assert ended.status == "failed"
    assert ended.error
    assert channel.log[-1] == "saved failed"


def test_what_is_no_fault_of_the_channel_is_raised_and_the_attempt_stays_begun() -> None:
    channel = Channel(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        channel.deliver()
    assert channel.log == ["saved begun", "flushed", "handed over"]


def test_a_failure_may_be_raised_once_it_is_on_record() -> None:
    log: list[str] = []

    def take(_: Parcel) -> Parcel:
        raise Unavailable("gone")

    def failed(_: Parcel, error: MabosError) -> Parcel:
        log.append("failed")
        raise error

    with pytest.raises(Unavailable):
        deliver(Parcel(), take, failed, save=lambda parcel: log.append(parcel.status), flush=bool)
    assert log == ["begun", "failed"]


def test_each_pause_is_twice_the_one_before_up_to_the_longest() -> None:
    retry = RetryPolicy(2.0, longest=60.0)
    assert [retry.pause(failures) for failures in range(1, 8)] == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    assert retry.pause(10_000) == 60.0


@given(st.integers(1, 100), st.text(max_size=20))
def test_a_pause_is_spread_by_key_and_never_longer(failures: int, key: str) -> None:
    whole, spread = RetryPolicy(2.0, longest=300.0), RetryPolicy(2.0, longest=300.0, spread=0.5)
    assert whole.pause(failures) / 2 <= spread.pause(failures, key) <= whole.pause(failures)
    assert spread.pause(failures, key) == spread.pause(failures, key)


def test_attempts_end_only_where_a_number_is_given() -> None:
    assert [RetryPolicy(1.0, attempts=3).is_over(attempts) for attempts in (2, 3, 4)] == [False, True, True]
    assert not RetryPolicy(1.0).is_over(10_000)
