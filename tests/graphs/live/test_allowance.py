"""What an agent may use in a day: used up, it rests, its owner is asked, and an approval or a new day lets it go on."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from mabos.configs.settings import DayBudgetSettings
from mabos.graphs.live import Happening, LiveCompany
from mabos.graphs.wiring import hold_services
from mabos.society.decisions import Decision
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock
from tests.graphs.test_budgets import settings
from tests.graphs.test_live import quiet, running, tell, wait_for
from tests.world import NOON, write_company

TODAY = "D-budget-cfo-2026-02-24-"


@contextmanager
def company_with(
    root: Path, clock: SteppedClock, told: list[Happening] | None = None, **limits: float
) -> Iterator[tuple[Services, LiveCompany]]:
    """Yield a live company whose agents may use so much in a day, after everybody has come to rest."""
    chosen = settings("agent")
    agent = DayBudgetSettings.model_validate(dict.fromkeys(DayBudgetSettings.model_fields) | limits)
    chosen = chosen.model_copy(update={"budgets": chosen.budgets.model_copy(update={"agent": agent})})
    with hold_services(
        root if (root / "agents").exists() else write_company(root), settings=chosen, clock=clock
    ) as services:
        company = LiveCompany(services, pace=0.05, on_event=(told if told is not None else []).append)
        with running(company):
            wait_for(lambda: quiet(company))
            yield services, company


def use_up(services: Services, company: LiveCompany) -> None:
    """Write to the CFO until it has no cycle left."""
    number = 0
    while not company.actors["cfo"].spent_on:
        number += 1
        assert number < 20
        tell(services, "cfo", f"Figure {number}.")
        wait_for(lambda: not services.inbox("cfo").unread() or company.actors["cfo"].spent_on)


def asked(services: Services) -> list[Decision]:
    return [one for one in services.decisions("acme").all() if one.id.startswith("D-budget-")]


def test_who_has_used_its_cycles_rests_and_the_owner_is_asked_once(tmp_path: Path) -> None:
    told: list[Happening] = []
    with company_with(tmp_path, SteppedClock(NOON), told, cycles=8) as (services, company):
        use_up(services, company)
        for number in range(3):
            tell(services, "cfo", f"And figure {number}.", "urgent")
        tell(services, "ceo", "Is anybody there?")
        wait_for(lambda: not services.inbox("ceo").unread())
        wait_for(lambda: company.actors["cfo"].turns.get("spent"))
        assert len(services.inbox("cfo").unread()) >= 3, "it rests, whatever comes"
        (question,) = asked(services)
        assert (question.id, question.from_agent, question.status) == (f"{TODAY}1", "cfo", "pending")
        assert "cycles" in question.subject
        letters = [one for one in services.inbox(STAKEHOLDER).messages() if one.id.startswith("MSG-budget-cfo")]
        assert len(letters) == 1
    assert [one.agent_id for one in told if one.kind == "budget"] == ["cfo"]


def test_an_approval_lets_it_go_on_at_once_with_as_much_again(tmp_path: Path) -> None:
    with company_with(tmp_path, SteppedClock(NOON), cycles=8) as (services, company):
        use_up(services, company)
        resolved = call(services, "decision_resolve", {"decision_id": f"{TODAY}1", "resolution": "approve"})
        assert resolved.ok, resolved.message
        wait_for(lambda: not services.inbox("cfo").unread())
        assert not company.actors["cfo"].spent_on
        use_up(services, company)
        wait_for(lambda: [one.id for one in asked(services)] == [f"{TODAY}1", f"{TODAY}2"])


def test_a_new_day_begins_with_a_new_budget(tmp_path: Path) -> None:
    clock = SteppedClock(NOON)
    with company_with(tmp_path, clock, cycles=8) as (services, company):
        use_up(services, company)
        clock.advance(timedelta(days=1))
        wait_for(lambda: not services.inbox("cfo").unread())
        assert not company.actors["cfo"].spent_on


def test_what_was_used_today_is_remembered_when_the_company_is_run_again(tmp_path: Path) -> None:
    clock = SteppedClock(NOON)
    with company_with(tmp_path, clock, cycles=8) as (services, company):
        use_up(services, company)
    with company_with(tmp_path, clock, cycles=8) as (services, company):
        assert company.actors["cfo"].turns == {"spent": 1}
        assert len(asked(services)) == 1


def test_seconds_are_counted_as_cycles_are(tmp_path: Path) -> None:
    with company_with(tmp_path, SteppedClock(NOON), cycle_seconds=0.0001) as (services, company):
        use_up(services, company)
        assert any("cycle seconds" in one.subject for one in asked(services))
