"""Whoever calls something that is out of reach is told so at once, and it is tried again at growing intervals."""

from collections.abc import Callable
from threading import Event, Thread
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.graph.breaker import FAILURES, RETRY, Breaker
from mabos.configs.errors import InvalidArgument, Unavailable


class Server:
    """Something outside that answers or does not, and counts who came."""

    def __init__(self) -> None:
        self.is_up = False
        self.calls = self.probes = 0
        self.now = 0.0
        self.breaker = Breaker(self.probe, clock=lambda: self.now, chance=lambda: 0.0, start=lambda probe: probe())

    def probe(self) -> None:
        self.probes += 1
        self.answer()

    def work(self) -> str:
        self.calls += 1
        self.answer()
        return "answer"

    def answer(self) -> None:
        if not self.is_up:
            raise Unavailable("nothing listens on port 1; start it")

    def ask(self) -> bool:
        """Return whether a call was answered."""
        try:
            return self.breaker.call(self.work) == "answer"
        except Unavailable:
            return False

    def fail(self, times: int = FAILURES) -> None:
        for _ in range(times):
            assert not self.ask()


@pytest.fixture
def server() -> Server:
    return Server()


def test_one_failure_leaves_it_closed_and_the_next_opens_it(server: Server) -> None:
    server.fail(1)
    assert (server.breaker.state, server.breaker.pause) == ("closed", 0.0)
    server.fail(1)
    assert (server.breaker.state, server.breaker.pause) == ("open", RETRY.first)


def test_a_success_between_two_failures_keeps_it_closed(server: Server) -> None:
    for is_up in [False, True, False, True, False]:
        server.is_up = is_up
        assert server.ask() is is_up
    assert server.breaker.state == "closed"


def test_open_it_refuses_with_the_reason_and_touches_nothing(server: Server) -> None:
    server.fail()
    before = (server.calls, server.probes)
    with pytest.raises(Unavailable, match="nothing listens on port 1"):
        server.breaker.call(server.work)
    assert (server.calls, server.probes) == before


def test_after_the_pause_a_failing_probe_is_all_that_is_tried(server: Server) -> None:
    server.fail()
    server.now += RETRY.first
    calls = server.calls
    assert not server.ask()
    assert (server.calls, server.probes) == (calls, 1)
    assert server.breaker.pause == 2 * RETRY.first


def test_after_the_pause_one_success_closes_it_and_forgets_the_pauses(server: Server) -> None:
    server.fail()
    server.now += RETRY.first
    server.fail(1)
    server.now += 2 * RETRY.first
    server.is_up = True
    assert server.ask()
    assert (server.breaker.state, server.breaker.error) == ("closed", "")
    server.is_up = False
    server.fail()
    assert server.breaker.pause == RETRY.first


def test_an_error_of_the_caller_is_an_answer(server: Server) -> None:
    server.fail(1)

    def refuse() -> None:
        raise InvalidArgument("no such property")

    for _ in range(3):
        with pytest.raises(InvalidArgument):
            server.breaker.call(refuse)
    assert server.breaker.state == "closed"
    server.fail(1)
    assert server.breaker.state == "closed"


def test_what_was_reached_by_a_probe_and_fails_again_is_left_alone_for_longer(server: Server) -> None:
    server.fail()
    server.now += RETRY.first

    def fail() -> None:
        server.is_up = False
        server.answer()

    server.is_up = True
    with pytest.raises(Unavailable):
        server.breaker.call(fail)
    assert (server.breaker.state, server.breaker.pause) == ("open", 2 * RETRY.first)


def test_nobody_waits_for_a_probe_and_there_is_one_at_a_time() -> None:
    server, begun = Server(), list[Callable[[], None]]()
    breaker = Breaker(server.probe, clock=lambda: server.now, start=begun.append)
    for _ in range(FAILURES):
        with pytest.raises(Unavailable):
            breaker.call(server.work)
    server.now, server.is_up, states = RETRY.first, True, []
    for _ in range(3):
        with pytest.raises(Unavailable):
            breaker.call(server.work)
        states.append(breaker.state)
    assert (states, len(begun), server.calls) == (["half-open"] * 3, 1, FAILURES)
    begun[0]()
    assert breaker.call(server.work) == "answer"


def test_a_probe_for_which_there_is_no_thread_is_begun_another_time() -> None:
    server, starts = Server(), list[Callable[[], None]]()

    def start(probe: Callable[[], None]) -> None:
        starts.append(probe)
        if len(starts) == 1:
            raise RuntimeError("can't start new thread")
        probe()

    breaker = Breaker(server.probe, clock=lambda: server.now, chance=lambda: 0.0, start=start)
    for _ in range(FAILURES):
        with pytest.raises(Unavailable):
            breaker.call(server.work)
    server.now, server.is_up = RETRY.first, True
    with pytest.raises(Unavailable, match="can't start new thread"):
        breaker.call(server.work)
    assert breaker.state == "open"
    server.now += 2 * RETRY.first
    assert breaker.call(server.work) == "answer"


def test_a_probe_runs_on_a_thread_of_its_own_unless_told_otherwise() -> None:
    reached, now = Event(), [0.0]
    breaker = Breaker(reached.set, clock=lambda: now[0])
    server = Server()
    for now[0] in (0.0, 0.0, RETRY.first):
        with pytest.raises(Unavailable):
            breaker.call(server.work)
    assert reached.wait(10)


def test_a_call_begun_before_it_opened_changes_nothing_when_it_ends(server: Server) -> None:
    begun, allowed = Event(), Event()

    def slow() -> None:
        begun.set()
        allowed.wait(10)

    late = Thread(target=lambda: server.breaker.call(slow))
    late.start()
    assert begun.wait(10)
    server.fail()
    allowed.set()
    late.join()
    assert server.breaker.state == "open"


@given(st.lists(st.floats(0, 1), min_size=12, max_size=12))
def test_pauses_double_up_to_the_longest_and_chance_takes_at_most_a_fifth(chances: list[float]) -> None:
    drawn, now, server = iter(chances), [0.0], Server()
    breaker = Breaker(server.probe, clock=lambda: now[0], chance=lambda: next(drawn), start=lambda probe: probe())
    pauses = []
    for _ in range(13):
        with pytest.raises(Unavailable):
            breaker.call(server.work)
        if breaker.state == "open":
            pauses.append(breaker.pause)
            now[0] += breaker.pause
    assert len(pauses) == 12
    for number, pause in enumerate(pauses):
        full = min(RETRY.first * 2**number, RETRY.longest)
        assert 0.8 * full - 1e-6 <= pause <= full + 1e-6


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 400)), max_size=60))
def test_whatever_happens_it_is_open_only_after_failures_and_for_no_longer_than_it_says(
    happenings: list[tuple[bool, float]],
) -> None:
    server, failures = Server(), 0
    for is_up, passed in happenings:
        server.is_up = is_up
        server.now += passed
        pause, touched = server.breaker.pause, server.calls + server.probes
        was_answered = server.ask()
        if pause:
            assert not was_answered
            assert server.calls + server.probes == touched
        else:
            assert was_answered is is_up
            failures = 0 if is_up else failures + 1
        assert server.breaker.state == ("open" if failures >= FAILURES else "closed")


def cost(work: Callable[[], object], times: int = 2000) -> float:
    """Return the seconds that the fastest of a few rounds took."""
    rounds = []
    for _ in range(5):
        begun = perf_counter()
        for _ in range(times):
            work()
        rounds.append(perf_counter() - begun)
    return min(rounds)


def test_a_refusal_costs_about_what_raising_an_error_costs(server: Server) -> None:
    def raised() -> bool:
        try:
            raise Unavailable("nothing listens")
        except Unavailable:
            return False

    server.fail()
    assert cost(server.ask) < 40 * cost(raised)
