"""Playbooks as procedures: which start by themselves, what is wrong with one, and how beliefs are asked."""

import re
from pathlib import Path

import pytest

from mabos.configs.errors import Damaged
from mabos.mind.files import parse
from mabos.mind.forms import PLAYBOOK
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Goal, Playbook
from mabos.mind.procedures.held import BeliefTerms, term_of
from mabos.mind.procedures.playbooks import (
    Event,
    event_of,
    fault_of,
    fill_placeholders,
    matching,
    routines,
    starts_itself,
)
from mabos.mind.procedures.unfolding import begin_plan, is_goal, open_goal, otherwise
from mabos.society.roles import ROLES, role_named

ASK = 'Ask: agent_message {"to": "{Who}", "content": "{Days} days"}'


def held(*claims: tuple[str, str, str]) -> BeliefTerms:
    """Return a place where these claims are believed."""
    return BeliefTerms(
        "cfo", [Belief(f"B-{at}", "", 0.9, subject=s, predicate=p, value=v) for at, (s, p, v) in enumerate(claims)]
    )


@pytest.mark.parametrize(
    ("belief", "term"),
    [
        (Belief("B", "cash is 5", subject="cash", value="5"), ("cash", 5)),
        (Belief("B", "", subject="Acme Inc.", predicate="status", value="late"), ("status", "Acme Inc.", ("late",))),
        (Belief("B", "", subject="Runway months", predicate="is", value="3.8"), ("runway_months", 3.8)),
        (Belief("B", "", subject="acme", predicate="owes", value="$5K"), ("owes", ("acme",), "$5K")),
        (Belief("B", "Things are fine"), None),
    ],
)
def test_a_belief_is_asked_as_a_structure(belief: Belief, term: object) -> None:
    assert term_of(belief) == term


def test_a_playbook_of_prose_is_for_people() -> None:
    assert not starts_itself(Playbook("Close", "A new month", ("Compare cash", "Inform the CEO")))
    assert not starts_itself(Playbook("Freeze", "runway_months below 4", ("Stop campaigns", "Ask HR")))
    assert starts_itself(Playbook("Freeze", "runway_months below 4", ("+ spending status frozen",)))
    assert not starts_itself(Playbook("Campaign", "+10% churn in a week", ("+ spending status frozen",)))
    sentence = "leads below plan for two weeks, while support can carry new customers"
    assert not starts_itself(Playbook("Campaign", sentence, ("+ spending status frozen",)))


def test_no_shipped_playbook_has_a_fault() -> None:
    shipped = [
        Playbook(one.name, one.trigger, one.steps, one.success) for role in ROLES for one in role_named(role).playbooks
    ]
    assert shipped
    assert [fault_of(one) for one in shipped if fault_of(one)] == []


@pytest.mark.parametrize(
    ("playbook", "told"),
    [
        (Playbook("x", "+cash(X", ("!go",)), "'+cash(X': expected ')', found the end"),
        (Playbook("x", "+cash(X)", ("!go(",)), "found the end"),
        (Playbook("x", "+cash(X)", ("tell somebody",)), "an operation with its arguments as JSON"),
        (Playbook("x", "+cash(X)", ('say {"to": }',)), "the arguments of say are not JSON"),
        (Playbook("x", "+cash(X)", ("!pay(Y)",)), "Y is unbound"),
        (Playbook("x", "+cash(X)", ('say {"to": "{Z}"}',)), "Z is unbound"),
        (Playbook("x", "+cash(X)", ("? cash",)), "must be a comparison"),
        (Playbook("x", "+cash(X)", ("+ cash",)), "subject, predicate and value"),
        (Playbook("x", "+cash(X)", ("!go",), context="cash < lots"), "'lots' is not a number"),
        (Playbook("x", "cash < 3", ("!go",), context="owes(X, Y)"), "write the context as a condition too"),
    ],
)
def test_a_fault_says_what_is_wrong_and_where(playbook: Playbook, told: str) -> None:
    fault = fault_of(playbook)
    assert fault is not None
    assert told in fault.message
    assert fault.text in (playbook.trigger, playbook.context, *playbook.steps)
    assert routines([playbook]) == ()


def test_trigger_and_context_bind_what_the_steps_say() -> None:
    playbook = Playbook("Remind", "+overdue(Customer, Days)", (ASK,), context="contact(Customer, Who) & Days > 30")
    place = held(("acme", "contact", "cfo"), ("initech", "contact", "coo"))
    found = routines([playbook])
    ((_, values),) = matching(found, event_of("+overdue(initech, 35)"), place, BeliefIndex([]))
    assert fill_placeholders(found[0].parts[0].arguments, values) == {"to": "coo", "content": "35 days"}
    assert not list(matching(found, event_of("+overdue(initech, 20)"), place, BeliefIndex([])))
    assert not list(matching(found, event_of("-overdue(initech, 35)"), place, BeliefIndex([])))
    assert not list(matching(found, event_of("+overdue(globex, 35)"), place, BeliefIndex([])))


def test_a_context_is_a_condition_or_a_query_by_what_it_speaks_of() -> None:
    index = BeliefIndex([Belief("B", "", 0.9, subject="contract", predicate="status", value="Active")])
    event = event_of("+overdue(acme, 35)")
    for context, applies in {
        "contract status = Active": True,
        "contract status = Ended": False,
        "Days > 30": True,
        "Days > 40": False,
    }.items():
        found = routines([Playbook("x", "+overdue(Customer, Days)", ("+ a b c",), context=context)])
        assert (context, bool(list(matching(found, event, held(), index)))) == (context, applies)


def test_an_event_is_read_back_as_it_is_told() -> None:
    for event in (Event("+", ("overdue", "Acme Inc.", 35)), Event("+!", ("close",)), Event("holds", text="cash < 3")):
        assert event_of(event.told) == event


def test_another_way_keeps_what_was_done_and_skips_what_was_open() -> None:
    books = [
        Playbook("A", "+late(X)", ("!tell(X)", "+ {X} status told")),
        Playbook("B", "+late(X)", ("+ {X} status left",)),
        Playbook("T", "+!tell(X)", ("+ {X} letter sent", "+ {X} letter read")),
        Playbook("Not told", "-!tell(X)", ("+ {X} status untold",)),
    ]
    found, place, lookup = routines(books), held(), BeliefIndex([])

    def choose(event: Event, tried: object) -> object:
        events = [event, Event("-!", event.term)] if tried and event.kind == "+!" else [event]
        names = list(tried)  # type: ignore[call-overload]  # a collection of names
        return next((o for e in events for o in matching(found, e, place, lookup) if o[0].name not in names), None)

    event = event_of("+late(acme)")
    first, values = next(matching(found, event, place, lookup))
    plan = begin_plan(first, values, event, plan_id="P-1", goal=Goal("G-1", "x"), now="2026-01-01")
    assert [step.id for step in plan.steps] == ["s0", "s1", "s2"]
    assert is_goal(plan, plan.steps[1])
    plan = open_goal(plan, plan.steps[1], choose, "2026-01-02")  # type: ignore[arg-type,assignment]  # a simpler chooser
    assert [step.id for step in plan.steps] == ["s0", "s1", "s1.1", "s1.2", "s2"]
    ways = []
    while plan is not None:
        ways.append(plan.steps[0].result + " / " + plan.steps[1].result)
        last = plan
        plan = otherwise(plan, plan.steps[2].id, choose, "2026-01-03")  # type: ignore[arg-type,assignment]  # as above
    assert ways == ["by A / by T", "by A / by T; by Not told", "by A; by B / by T; by Not told"]
    assert [(step.id, step.status) for step in last.steps] == [
        ("s0", "done"), ("s1", "done"), ("s1.1", "skipped"), ("s1.2", "skipped"), ("s1.1-2", "skipped"),
        ("s2", "skipped"), ("s1-2", "pending"),
    ]  # fmt: skip


def test_a_faulty_playbook_is_no_procedure() -> None:
    with pytest.raises(Damaged, match="expected"):
        event_of("+cash(")


DOCUMENT = (Path(__file__).parents[3] / "docs" / "playbooks.md").read_text("utf-8")


def test_the_documented_playbooks_have_no_fault_and_bind_as_told() -> None:
    shown = re.findall(r"```markdown\n(.*?)```", DOCUMENT, re.DOTALL)[0]
    books = [parse(PLAYBOOK, str(at), f"## {one}") for at, one in enumerate(shown.split("## ")[1:])]
    assert [fault_of(one) for one in books] == [None, None, None]
    place = held(("Initech", "account", "coo"))
    event = event_of('+invoice_status("Initech", overdue)')
    names = [one.name for one, _ in matching(routines(books), event, place, BeliefIndex([]))]
    assert names == ["Remind ourselves"]
    ((_, values),) = matching(routines(books), event_of('+!inform("Initech")'), place, BeliefIndex([]))
    assert values["Manager"] == ("coo",)
