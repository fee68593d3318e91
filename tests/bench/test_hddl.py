"""HDDL is read as it is meant, and what is wrong is told with its line."""

import pytest

from bench.hddl import read_domain, read_problem
from mabos.configs.errors import InvalidArgument
from mabos.mind.htn import And, Each, ForAll, Not, Or, Same, plan
from tests.mind.htn.worlds import DOMAINS, problem

WORKSHOP = (DOMAINS / "workshop.hddl").read_text("utf-8")


def test_a_domain_has_what_was_written() -> None:
    domain = read_domain(WORKSHOP)
    operators = {operator.name: operator for operator in domain.operators}
    methods = {method.name: method for method in domain.methods}
    assert domain.tasks == {"make": (("?p", "part"),), "paint": (("?p", "part"),)}
    assert domain.objects == {"lamp": "part"}
    assert methods["side-by-side"].network.before == ((0, 2), (2, 3))  # type: ignore[union-attr]
    imply = methods["with-machine"].precondition
    assert imply == And((("can-paint", "?m"), Or((Not(("dirty", "?m")), Same("?p", "lamp")))))
    assert isinstance(methods["by-hand"].precondition, ForAll)
    assert operators["clean"].effects == (Each((), ("dirty", "?m"), (Not(("dirty", "?m")),)),)
    assert operators["clean"].cost == 2
    assert operators["saw"].effects == (("cut", "?p"), ("dirty", "?m"))


def test_names_are_read_whatever_their_case() -> None:
    upper = read_problem(WORKSHOP.upper(), "(DEFINE (PROBLEM P) (:HTN :TASKS (MAKE Lamp)) (:INIT))")
    assert upper.network.parts == (("make", "lamp"),)  # type: ignore[union-attr]


def test_a_conditional_and_a_universal_effect_decide_what_can_be_done_next() -> None:
    two = "m n - machine x - part"
    clean = problem("workshop", two, "(spray x m)", "(cut x) (can-paint n) (can-paint m)", goal="(dirty n) (dirty m)")
    assert plan(clean)
    dry = problem("workshop", two, "(clean m)", "(dirty m) (dirty n)", goal="(not (dirty m)) (dirty n)")
    assert plan(dry)


def test_subtypes_unions_and_chosen_variables_of_the_problem() -> None:
    domain = """(define (domain d) (:types truck plane - vehicle city)
      (:predicates (at ?v - vehicle ?c - city))
      (:task visit :parameters (?v - (either truck plane) ?c - city))
      (:method m :parameters (?v - truck ?c - city) :task (visit ?v ?c) :subtasks (t (arrive ?v ?c)))
      (:action arrive :parameters (?v - vehicle ?c - city) :effect (at ?v ?c)))"""
    one = read_problem(
        domain,
        """(define (problem p) (:objects a - plane b - truck c - city z - (either truck city))
        (:htn :parameters (?v - vehicle) :ordered-subtasks (and (visit ?v c)) :constraints (not (= ?v b))))""",
    )
    found = plan(one)
    assert found.plan == (("arrive", "z", "c"),), "a plane has no method, and b is ruled out"


def test_an_order_given_in_pairs_and_costs_that_are_passed_over() -> None:
    domain = """(define (domain d) (:requirements :action-costs) (:predicates (p)) (:functions (total-cost) - number)
      (:action a :parameters () :effect (and (p) (increase (total-cost) 3)))
      (:action b :parameters () :precondition (p) :effect (not (p))))"""
    text = "(define (problem q) (:htn :tasks (and (x (b)) (y (a))) :ordering (< y x)) (:init (= (total-cost) 0))"
    one = read_problem(domain, text + " (:metric minimize (total-cost)) (:goal (not (p))))")
    assert plan(one).plan == (("a",), ("b",))
    assert plan(one).root.cost == 3


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(idle ?m)\n    :effect (and (cut ?p)", "(idle ?q)\n    :effect (and (cut ?p)", "no variable '?q'"),
        ("(painted ?p) (forall", "(shiny ?p) (forall", "no predicate 'shiny' was declared; found can-paint"),
        ("(t1 (saw ?p ?m))", "(t1 (saw ?p))", "'saw' has 2 parameters, not 1"),
        ("(< t3 t4)", "(< t3 t9)", "no task is named t9 here; found t1, t2, t3, t4"),
        ("?n - machine) (can-paint ?n)", "?n - robot) (can-paint ?n)", "no type 'robot' was declared"),
        (":subtasks (brush ?p)", ":subtask (brush ?p)", "expected one of :task"),
        ("(:method by-hand", "(:mehtod by-hand", ":mehtod is not supported"),
        ("(= ?p lamp)", "(= ?p bulb)", "no object 'bulb' was declared; found lamp"),
        ("(= ?p lamp)", "(> ?p lamp)", "comparisons of numbers are not supported"),
        (
            ":parameters (?p - part)\n    :precondition (painted",
            ":parameters (p - part)\n    :precondition (painted",
            "'p' is not a variable",
        ),
        ("(define (domain", "(define (problem", "expected (define (domain NAME) ...)"),
        ("(:task paint :", "(:task make :", "'make' is declared twice"),
        ("(not (dirty ?m))) (incr", "(not (dirty ?m) (idle ?m))) (incr", "no predicate 'not'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_file_and_line(old: str, new: str, words: str) -> None:
    assert old in WORKSHOP
    line = WORKSHOP[: WORKSHOP.index(old)].count("\n") + 1
    with pytest.raises(InvalidArgument) as caught:
        read_domain(WORKSHOP.replace(old, new), file="d.hddl")
    assert caught.value.message.startswith(f"d.hddl:{line}: {words}")


def test_a_bracket_that_is_never_closed_is_told_with_the_line_on_which_it_is_opened() -> None:
    with pytest.raises(InvalidArgument, match=r"d\.hddl:2: a bracket is opened here that is never closed"):
        read_domain(WORKSHOP.rstrip().removesuffix(")"), file="d.hddl")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(define (problem p) (:init))", "p.hddl:1: the problem has no (:htn ...)"),
        (
            "(define (problem p) (:objects m - machine)\n (:htn :tasks (make m)))",
            "p.hddl:2: 'm' is a machine; 'make' needs a part",
        ),
        ("(define (problem p)\n (:htn :tasks () :ordered-tasks ()))", "both :ordered-tasks and :tasks; give one"),
        ("(define (problem p)\n (:htn :tasks (fly lamp)))", "p.hddl:2: no task or action 'fly' was declared"),
        ("x (define)", "p.hddl:1: 'x' is outside the brackets"),
        ("(define (problem p) (:htn :tasks (make lamp)) (:htn :tasks ()))", "p.hddl:1: a second :htn"),
    ],
)  # fmt: skip
def test_a_problem_that_asks_for_what_is_not_there_is_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read_problem(WORKSHOP, text, files=("d.hddl", "p.hddl"))
    assert words in caught.value.message
