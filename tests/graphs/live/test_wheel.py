"""The timer wheel: every moment comes once, at the first look after it, however the clock and its namers go."""

from datetime import UTC, datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mabos.graphs.live.keeper import Wheel
from mabos.nodes.maintenance.moments import Moment

NOON = datetime(2026, 2, 24, 12, tzinfo=UTC)


def minute(number: float) -> datetime:
    return NOON + timedelta(minutes=number)


def moment(number: float, agent_id: str = "cfo", *, tends: bool = False) -> Moment:
    return Moment(minute(number), agent_id, tends)


def test_a_moment_comes_once_and_not_before_its_time() -> None:
    wheel = Wheel(NOON)
    wheel.name("cfo", [moment(10)], NOON)
    assert (wheel.next(), wheel.due(minute(9.99))) == (minute(10), [])
    assert wheel.due(minute(10)) == [moment(10)]
    assert (wheel.next(), wheel.due(minute(11))) == (None, [])


def test_what_is_named_again_after_it_has_come_does_not_come_again() -> None:
    wheel = Wheel(NOON)
    wheel.name("cfo", [moment(10)], NOON)
    wheel.due(minute(10))
    for number in (10, 11, 12):
        wheel.name("cfo", [moment(10)], minute(number))
        assert wheel.due(minute(number)) == []


def test_what_passed_while_it_was_written_down_comes_at_the_next_look() -> None:
    wheel = Wheel(NOON)
    wheel.name("cfo", [], NOON)
    assert wheel.due(minute(5)) == []
    wheel.name("cfo", [moment(4)], minute(6))
    assert wheel.due(minute(6)) == [moment(4)]


def test_what_nobody_kept_the_time_for_comes_at_once_and_what_was_before_that_does_not() -> None:
    wheel = Wheel(NOON)
    wheel.name("cfo", [moment(-1), moment(30)], minute(60))
    assert wheel.due(minute(60)) == [moment(30)]


def test_a_moment_that_is_called_off_does_not_come() -> None:
    wheel = Wheel(NOON)
    wheel.name("cfo", [moment(10)], NOON)
    wheel.name("cfo", [moment(20)], minute(1))
    assert wheel.due(minute(15)) == []
    assert wheel.due(minute(20)) == [moment(20)]


def test_after_a_jump_of_a_year_each_agent_hears_once_of_each_kind() -> None:
    wheel = Wheel(NOON)
    wheel.name("cfo", [moment(number) for number in range(1, 500)], NOON)
    wheel.name("acme", [moment(7, tends=True), moment(8, "ceo", tends=True), moment(9)], NOON)
    assert wheel.due(minute(525_600)) == [moment(1), moment(7, tends=True), moment(8, "ceo", tends=True)]


def test_a_clock_that_is_set_back_has_what_lies_ahead_again_come_again() -> None:
    wheel = Wheel(NOON)
    wheel.name("cfo", [moment(10)], NOON)
    wheel.due(minute(60))
    wheel.set_back(minute(5))
    wheel.name("cfo", [moment(10)], minute(5))
    assert wheel.due(minute(9)) == []
    assert wheel.due(minute(10)) == [moment(10)]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    timers=st.lists(st.tuples(st.integers(0, 50), st.integers(1, 60)), max_size=12),
    looks=st.lists(st.tuples(st.integers(1, 15), st.booleans()), min_size=1, max_size=30),
)
def test_every_timer_comes_exactly_once_at_the_first_look_after_it_is_due(
    timers: list[tuple[int, int]], looks: list[tuple[int, bool]]
) -> None:
    """A timer is set at one minute for another; the files are read at some looks, and always name all of them."""
    wheel, now, came = Wheel(NOON), 0, list[Moment]()
    written = [
        (begins, Moment(minute(begins + takes), f"agent{number}")) for number, (begins, takes) in enumerate(timers)
    ]
    wheel.name("all", [], NOON)
    for step, reads in (*looks, (200, True), (1, True)):
        now += step
        if reads:
            wheel.name("all", [one for begins, one in written if begins <= now], minute(now))
        found = wheel.due(minute(now))
        assert all(one.at <= minute(now) for one in found)
        came += found
    assert sorted(came) == sorted(one for _, one in written)
