"""Many agents: turns only for those with something to do, and speech acts from outside."""

import pytest

from bench.agentspeak import Scheduler, program
from mabos.configs.errors import InvalidArgument, UnknownId

QUIET = program('+!greet(X)[source(S)] <- .print("hello", X, S). +news(N) <- .print(N).')
BUSY = program("!count(0). +!count(N) : N < 50 <- !count(N + 1). +!count(N).")


def test_an_agent_with_nothing_to_do_takes_no_turn() -> None:
    alone, among = Scheduler(), Scheduler()
    alone.add("busy", BUSY)
    alone.add("other", BUSY)
    for number in range(1000):
        among.add(f"idle{number}", QUIET)
    among.add("busy", BUSY)
    among.add("other", BUSY)
    assert among.run() == alone.run()
    assert among.run() == 0


def test_a_thousand_agents_each_do_their_work() -> None:
    heard: list[str] = []
    world = Scheduler(told=lambda name, _text: heard.append(name))
    text = program("!go(0). +!go(N) : N < 5 <- !go(N + 1). +!go(N) <- .my_name(M); .print(M).")
    for number in range(1000):
        world.add(f"a{number}", text)
    world.run()
    assert heard == [f"a{number}" for number in range(1000)]


def test_what_is_said_from_outside_wakes_its_receiver_only() -> None:
    heard: list[tuple[str, str]] = []
    world = Scheduler(told=lambda name, text: heard.append((name, text)))
    world.add("ann", QUIET)
    world.add("bob", QUIET)
    world.deliver("bob", "achieve", ("greet", ("world",)), sender="owner")
    world.deliver("ann", "tell", ("news", 7), sender="owner")
    world.run()
    assert heard == [("ann", "7"), ("bob", "hello world owner")]


def test_a_run_can_be_cut_after_some_turns_and_go_on() -> None:
    world, whole = Scheduler(), Scheduler()
    world.add("busy", BUSY)
    whole.add("busy", BUSY)
    parts = [world.run(10) for _ in range(100)]
    assert parts[0] == 10
    assert sum(parts) == whole.run()


def test_time_moves_on_only_when_nobody_has_anything_to_do() -> None:
    heard: list[str] = []
    world = Scheduler(told=lambda _name, text: heard.append(text))
    world.add(
        "ann", program('!a. !b. +!a <- .wait(86400000); .print("a day"). +!b <- .wait(1000); .print("a second").')
    )
    world.run()
    assert heard == ["a second", "a day"]
    assert world.now == 86_400_000


def test_an_unknown_receiver_performative_or_name_taken_is_told() -> None:
    world = Scheduler()
    world.add("ann", QUIET)
    with pytest.raises(UnknownId, match="ann"):
        world.deliver("anne", "tell", ("news", 1), sender="owner")
    with pytest.raises(InvalidArgument, match="use tell, untell"):
        world.deliver("ann", "shout", ("news", 1), sender="owner")
    with pytest.raises(InvalidArgument, match="already"):
        world.add("ann", QUIET)


def test_saying_something_to_nobody_fails_in_the_program_that_says_it() -> None:
    lost: list[str] = []
    world = Scheduler(lost=lambda _name, what, _why: lost.append(what))
    world.add("ann", program("!one. !two. +!one <- .send(nobody, tell, x). +!two <- .send(ann, shout, x)."))
    world.run()
    assert lost == ["one", "two"]
