"""Budgets in a running agent: what is used up stops the cycle before the next call, and the owner hears of it once."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mabos.backends.chat import ChatModel, ScriptedModel
from mabos.configs.settings import Settings, environment, load_settings, without_embeddings
from mabos.graphs import wiring
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso
from tests.tools.workspaces import Bench, laid_out

MORNING = datetime(2026, 2, 24, 9, tzinfo=UTC)


def settings(scope: str, **limits: float) -> Settings:
    """Return settings in which only one budget has limits."""
    plain = without_embeddings(load_settings(None, environment({}))).model_copy(update={"durability": "off"})
    none = dict.fromkeys(type(plain.budgets.run).model_fields)
    free = plain.budgets.run.model_copy(update=none)
    budgets = dict.fromkeys(("cycle", "agent", "run"), free) | {scope: free.model_copy(update=limits)}
    return plain.model_copy(update={"budgets": plain.budgets.model_copy(update=budgets)})


class Firm:
    """A workspace in which the CFO follows a plan, opened anew as often as a test wants."""

    def __init__(self, root: Path, chosen: Settings, model: ChatModel | None = None) -> None:
        self.root = laid_out(root)
        self.settings, self.model = chosen, model
        self.bench, self.clock = Bench(), SteppedClock(MORNING)

    @contextmanager
    def opened(self) -> Iterator[Services]:
        # The tools of the bench are among the capabilities of an agent that names none.
        registry = Registry(extra=self.bench.tools())
        with wiring.opened(
            self.root, settings=self.settings, clock=self.clock, registry=registry, model=self.model
        ) as services:
            yield services

    def commit(self, *steps: Step) -> None:
        now = iso(self.clock())
        goal = Goal("G-1", "Do it", priority=0.9, created=now, updated=now)
        plan = Plan("P-1", "G-1", "doing", steps=steps, status="active", confidence=0.9, created=now, updated=now)
        with self.opened() as services:
            services.agent("cfo").mind.save(goal, plan, Intention("I-1", "G-1", "P-1", started=now, updated=now))

    def cycle(self) -> Any:
        with self.opened() as services:
            return wiring.run_cycle(services, "cfo")

    def entries(self) -> list[dict[str, Any]]:
        with self.opened() as services:
            return [dict(one.body) for one in services.ledger.entries("cfo") if one.kind == "budget"]

    def told(self) -> list[str]:
        with self.opened() as services:
            return [one.content for one in services.inbox("stakeholder").messages() if "budget" in one.id]

    def spent(self) -> list[float]:
        return [one["amount"] for one in self.bench.ran if "amount" in one]


def spend(step: str, amount: float, to: str) -> Step:
    return Step(step, f"Spend {amount}", "money_spend", {"amount": amount, "to": to})


def test_an_agents_day_in_dollars_holds_over_restarts_and_begins_anew_tomorrow(tmp_path: Path) -> None:
    firm = Firm(tmp_path, settings("agent", usd=1000))
    firm.commit(spend("a", 800, "x"), spend("b", 700, "y"))
    report = firm.cycle()
    assert (firm.spent(), report.outcome) == ([800], "failed")
    assert "the budget of one day is 1000 usd, 800 of it used" in str(report.failures)
    for _ in range(2):
        firm.cycle()
    assert firm.spent() == [800]
    assert [(one["scope"], one["what"], one["most"]) for one in firm.entries()] == [("day", "usd", 1000)] * 3
    assert len(firm.told()) == 1
    firm.clock.advance(timedelta(days=1))
    assert (firm.cycle().outcome, firm.spent()) == ("completed", [800, 700])


def test_a_cycle_that_has_used_up_its_model_calls_learns_and_the_next_one_goes_on_from_there(tmp_path: Path) -> None:
    model = ScriptedModel(lambda _: "Yes.")
    firm = Firm(tmp_path, settings("cycle", model_calls=1), model)
    question = {"question": "Enough?"}
    firm.commit(Step("a", "Ask", "model_ask", question), Step("b", "Ask", "model_ask", question), spend("c", 10, "x"))
    first = firm.cycle()
    assert ([one["step"] for one in first.results], len(model.calls)) == (["a"], 1)
    assert [(one["scope"], one["what"]) for one in firm.entries()] == [("cycle", "model_calls")]
    second = firm.cycle()
    assert ([one["step"] for one in second.results], second.outcome) == (["b", "c"], "completed")
    assert (len(model.calls), firm.spent(), len(firm.told())) == (2, [10], 1)


def test_a_phase_that_does_without_its_model_leads_to_learning_all_the_same(tmp_path: Path) -> None:
    firm = Firm(tmp_path, settings("cycle", model_calls=0), ScriptedModel([]))
    firm.commit(spend("a", 10, "x"))
    with firm.opened() as services:
        report = wiring.run_cycle(services, "cfo", message="How long is our runway?")
        phases = [one.kind for one in services.ledger.entries("cfo")]
    assert firm.spent() == []
    assert "act" not in phases
    assert report.failures == ()
    assert firm.cycle().outcome == "completed"


def test_a_run_in_deeds_binds_everything_the_process_does(tmp_path: Path) -> None:
    firm = Firm(tmp_path, settings("run", deeds=2))
    with firm.opened() as services:
        made = [call(services, "note_write", {"text": "x"}, agent_id=who) for who in ("cfo", "ceo", "cto", "cto")]
        assert [one.code for one in made] == ["", "", "budget_exhausted", "budget_exhausted"]
        assert call(services, "note_read", {}, agent_id="cto").ok
        assert call(services, "decision_review", {}).ok  # a person in no agent's name is bound by nothing
    assert len(firm.told()) == 1
    with firm.opened() as services:
        assert call(services, "note_write", {"text": "x"}, agent_id="cto").ok


def test_what_failed_is_given_back_and_what_waits_for_a_person_takes_nothing(tmp_path: Path) -> None:
    firm = Firm(tmp_path, settings("agent", usd=6000))
    with firm.opened() as services:
        assert call(services, "money_spend", {"amount": 5500}, agent_id="cfo").awaiting
        firm.bench.before = _broken
        assert call(services, "money_spend", {"amount": 4000}, agent_id="cfo").code == "internal"
        firm.bench.before = lambda: None
        assert call(services, "money_spend", {"amount": 4000, "to": "y"}, agent_id="cfo").ok
        assert call(services, "money_spend", {"amount": 2001, "to": "z"}, agent_id="cfo").code == "budget_exhausted"


def _broken() -> None:
    raise RuntimeError("out of paper")
