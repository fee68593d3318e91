"""Budgets in a running agent: what is used up stops the cycle before the next call, and the owner hears of it once."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import ScriptedModel
from mabos.configs.settings import Settings, environment, load_settings
from mabos.mind.model import Step
from mabos.tools.catalogue.registry import Registry
from tests.graphs.offices import Office
from tests.tools.workspaces import Bench
from tests.world import changed

MORNING = datetime(2026, 2, 24, 9, tzinfo=UTC)


def settings(scope: str, **limits: float) -> Settings:
    """Return settings in which only one budget has limits."""
    plain = load_settings(None, environment({}))
    free = plain.budgets.run.model_copy(update=dict.fromkeys(type(plain.budgets.run).model_fields))
    budgets = dict.fromkeys(("budgets.cycle", "budgets.agent", "budgets.run"), free)
    budgets[f"budgets.{scope}"] = free.model_copy(update=limits)
    return changed(plain, {"memory.embeddings": "none", "durability": "off", **budgets})


Firm = Callable[..., Office]


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def firm(tmp_path: Path, bench: Bench) -> Iterator[Firm]:
    """Return how to open a workspace with some settings in which agents have the tools of the bench."""
    with ExitStack() as stack:
        # The tools of the bench are among the capabilities of an agent that names none.
        tools = Registry(extra=bench.tools())
        yield lambda settings, model=None: stack.enter_context(
            Office.small(tmp_path, at=MORNING, settings=settings, tools=tools, model=model)
        )


def entries(office: Office) -> list[Mapping[str, Any]]:
    return office.agent("cfo").entries("budget")


def told(office: Office) -> list[str]:
    return [one.content for one in office.services.inbox("stakeholder").messages() if "budget" in one.id]


def spent(bench: Bench) -> list[float]:
    return [one["amount"] for one in bench.ran if "amount" in one]


def spend(step: str, amount: float, to: str) -> Step:
    return Step(step, f"Spend {amount}", "money_spend", {"amount": amount, "to": to})


def test_an_agents_day_in_dollars_holds_over_restarts_and_begins_anew_tomorrow(firm: Firm, bench: Bench) -> None:
    office = firm(settings("agent", action_usd=1000))
    office.agent("cfo").commit(spend("a", 800, "x"), spend("b", 700, "y"))
    report = office.cycle("cfo")
    assert (spent(bench), report.outcome) == ([800], "failed")
    assert "the budget of one day is 1000 dollars for actions, 800 of it used" in str(report.failures)
    for _ in range(2):
        office.cycle("cfo")
    assert spent(bench) == [800]
    assert [(one["scope"], one["what"], one["most"]) for one in entries(office)] == [("day", "action_usd", 1000)] * 3
    assert len(told(office)) == 1
    office.later(days=1)
    assert (office.cycle("cfo").outcome, spent(bench)) == ("completed", [800, 700])


def test_a_cycle_that_has_used_up_its_model_calls_learns_and_the_next_one_goes_on_from_there(
    firm: Firm, bench: Bench
) -> None:
    model = ScriptedModel(lambda _: "Yes.")
    office = firm(settings("cycle", model_calls=1), model)
    question = {"question": "Enough?"}
    office.agent("cfo").commit(
        Step("a", "Ask", "model_ask", question), Step("b", "Ask", "model_ask", question), spend("c", 10, "x")
    )
    first = office.cycle("cfo")
    assert ([one["step"] for one in first.results], len(model.calls)) == (["a"], 1)
    assert [(one["scope"], one["what"]) for one in entries(office)] == [("cycle", "model_calls")]
    second = office.cycle("cfo")
    assert ([one["step"] for one in second.results], second.outcome) == (["b", "c"], "completed")
    assert (len(model.calls), spent(bench), len(told(office))) == (2, [10], 1)


def test_a_phase_that_does_without_its_model_leads_to_learning_all_the_same(firm: Firm, bench: Bench) -> None:
    office = firm(settings("cycle", model_calls=0), ScriptedModel([]))
    office.agent("cfo").commit(spend("a", 10, "x"))
    report = office.cycle("cfo", "How long is our runway?")
    phases = [one.kind for one in office.services.ledger.entries("cfo")]
    assert spent(bench) == []
    assert "act" not in phases
    assert report.failures == ()
    answered = office.cycle("cfo")  # the message is answered without the model, and the plan goes on
    replies = [one.reply_to for one in office.services.inbox("stakeholder").messages() if one.reply_to]
    assert (answered.outcome, len(replies), spent(bench)) == ("completed", 1, [10.0])


def test_a_run_in_deeds_binds_everything_the_process_does(firm: Firm) -> None:
    office = firm(settings("run", deeds=2))
    made = [office.ask("note_write", who, text="x") for who in ("cfo", "ceo", "cto", "cto")]
    assert [one.code for one in made] == ["", "", "budget_exhausted", "budget_exhausted"]
    assert office.ask("note_read", "cto").ok
    assert office.ask("decision_review").ok  # a person in no agent's name is bound by nothing
    assert len(told(office)) == 1
    office.restart()
    assert office.ask("note_write", "cto", text="x").ok


def test_what_failed_is_given_back_and_what_waits_for_a_person_takes_nothing(firm: Firm, bench: Bench) -> None:
    office = firm(settings("agent", action_usd=6000))
    assert office.ask("money_spend", "cfo", amount=5500).awaiting
    bench.before = _broken
    assert office.ask("money_spend", "cfo", amount=4000).code == "internal"
    bench.before = lambda: None
    assert office.ask("money_spend", "cfo", amount=4000, to="y").ok
    assert office.ask("money_spend", "cfo", amount=2001, to="z").code == "budget_exhausted"


def _broken() -> None:
    raise RuntimeError("out of paper")
