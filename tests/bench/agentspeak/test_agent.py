"""One agent: alternatives where a procedure fails, procedures for failure, questions, waits, and fair turns."""

import pytest

from bench.agentspeak import Scheduler, program
from mabos.configs.errors import Damaged

Heard = list[tuple[str, ...]]


def run(*texts: str, fair: bool = False, most: int | None = None) -> Heard:
    """Return what the agents a, b, c print, and what came to nothing."""
    heard: Heard = []
    world = Scheduler(
        fair=fair,
        told=lambda name, text: heard.append((name, text)),
        lost=lambda name, what, why: heard.append((name, what, why)),
    )
    for name, text in zip("abc", texts, strict=False):
        world.add(name, program(text))
    world.run(most)
    return heard


def test_where_a_procedure_fails_the_next_one_that_applies_is_taken() -> None:
    text = """
    !sell.
    +!sell <- .print("by mail"); .fail.
    +!sell : shop(closed) <- .print("never").
    +!sell <- .print("by phone").
    """
    assert run(text) == [("a", "by mail"), ("a", "by phone")]


def test_what_a_failed_procedure_found_out_is_unknown_again_for_the_next_one() -> None:
    text = """
    !go.
    +!go <- !find(X); .print(X).
    +!find(X) <- X = 1; .fail.
    +!find(X) <- X = 2.
    """
    assert run(text) == [("a", "2")]


def test_when_no_other_applies_the_procedure_for_the_failure_is_taken_and_the_caller_goes_on() -> None:
    text = """
    !go.
    +!go <- !close(may); .print("on").
    +!close(M) <- .print("closing"); ?books(M, open).
    -!close(M) <- .print("could not close", M).
    """
    assert run(text) == [("a", "closing"), ("a", "could not close may"), ("a", "on")]


def test_a_goal_that_no_procedure_is_for_has_failed_too() -> None:
    assert run('!go. +!go <- !fly; .print("on"). -!fly <- .print("cannot").') == [("a", "cannot"), ("a", "on")]


def test_a_failure_goes_up_to_the_goal_that_has_another_way() -> None:
    text = """
    !go.
    +!go <- !deep; .print("never").
    +!go <- .print("other way").
    +!deep <- !deeper.
    +!deeper <- .fail.
    """
    assert run(text) == [("a", "other way")]


def test_what_comes_to_nothing_is_told_with_its_reason() -> None:
    assert run("!go(1). +!go(N) <- X = N / 0.") == [("a", "go(1)", "line 1: division by zero")]
    assert run("!go(1). +!go(N) <- +known(Y).")[0][2] == "the new belief has an unbound variable: known/1"
    assert run("!go(1). +!go(N) : N < a <- .print(N).") == [
        ("a", "go(1)", "line 1: 1 and a cannot be compared"),
        ("a", "go(1)", "no procedure applies to go/1"),
    ]


def test_one_intention_that_fails_leaves_the_others_alone() -> None:
    heard = run('!bad. !good. +!bad <- .fail. +!good <- .print("fine").')
    assert heard == [("a", "bad", "a line failed"), ("a", "fine")]


def test_an_answer_to_a_question_is_told_to_the_asker() -> None:
    asker = """
    !go.
    +!go <- .send(b, askOne, price(X, P)); .send(b, askAll, rich(W)).
    +price(X, P)[source(S)] <- .print(X, P, S).
    +rich(W) <- .print(W, "is rich").
    """
    asked = "price(apple, 3). price(pear, 4). rich(X) :- price(X, P) & P > 2."
    assert run(asker, asked) == [("a", "apple 3 b"), ("a", "apple is rich"), ("a", "pear is rich")]


def test_a_wait_for_an_event_with_a_limit_ends_with_whichever_comes_first() -> None:
    text = """
    !go. !late.
    +!go <- .wait("+news(_)", 50); .print("went on"); .wait("+news(_)", 500); .print("heard").
    +!late <- .wait(100); .print("sending"); +news(1).
    """
    assert run(text) == [("a", "went on"), ("a", "sending"), ("a", "heard")]


def test_with_fair_turns_intentions_share_by_priority() -> None:
    text = """
    !work(a)[priority(0.8)]. !work(b)[priority(0.4)].
    +!work(X) <- +did(X, 1); +did(X, 2); +did(X, 3); +did(X, 4); +did(X, 5); +did(X, 6); .print(X, "through").
    +did(X, N) : N < 4 <- .print(X, N).
    """
    one_by_one = [text for _, text in run(text)]
    shared = [text for _, text in run(text, fair=True)]
    assert one_by_one.index("a through") < one_by_one.index("b 1")
    assert shared.index("b 1") < shared.index("a 3") < shared.index("b 3")
    assert sorted(shared) == sorted(one_by_one)


def test_beliefs_from_two_sources_are_two_and_are_taken_back_one_by_one() -> None:
    teller = "!go. +!go <- .send(c, tell, rain); .wait(20); .send(c, untell, rain)."
    hearer = """
    !go.
    +!go <- .wait(10); !ask; .wait(20); !ask.
    +!ask <- .findall(S, from(S), L); .print(L).
    from(S) :- rain[source(S)].
    """
    assert run(teller, "!go. +!go <- .send(c, tell, rain).", hearer) == [("c", "[a, b]"), ("c", "[b]")]


def test_many_beliefs_are_found_by_their_first_argument() -> None:
    facts = " ".join(f"price(item{number}, {number})." for number in range(200))
    text = (
        facts
        + "!go. +!go <- -price(item7, _); ?price(item150, P); .print(P); +price(item7, 9); ?price(item7, Q); .print(Q)."
    )
    assert run(text) == [("a", "150"), ("a", "9")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("+!go <- .print(1)", "line 1: expected '.', found the end"),
        ("ok.\nprice(3.", "line 2: expected ')', found '.'"),
        ("ok.\n+!go <- .fly(1).", "line 2: unknown action .fly"),
        ("+!go <- !Go.", "line 1: expected a lower-case name, found 'Go'"),
        ("+go <- $.", "line 1: '$' is not expected here"),
        ("+!go : X + 1 <- .print(X).", "line 1: '+' is not a query"),
    ],
)
def test_a_fault_of_a_program_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(Damaged, match="line") as fault:
        program(text)
    assert fault.value.message.startswith(told)
