"""A company that reckons in euros: no page of it speaks of dollars."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mabos.workspace.clock import iso
from tests.interfaces.dashboard.visitor import Visitor, words
from tests.world import World

SAID = "A SaaS company in Berlin. Cash: €40,000. Net burn €6,000 a month. Ask me above €5,000."
ORDERS = (
    "Start a search campaign named 'Spring' for everybody: 90 euros a week for 3 weeks.",
    "Start a search campaign named 'Autumn' for everybody: 900 euros a week for 8 weeks.",
)


@pytest.fixture(scope="module")
def euros(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A company in euros: a campaign is booked, another waits for its owner, and actions have a daily limit."""
    root = tmp_path_factory.mktemp("euros") / "workspace"
    with World(root, template="", settings={"budgets.agent.action_usd": 1000.0}) as world:
        world.do("business_create", business_id="acme", name="Acme", describe=SAID)
        for order in ORDERS:
            world.cycle("cmo", order)
        world.cycle("cfo", "How much cash do we have?")
        yield world


@pytest.mark.parametrize("path", ["/overview", "/decisions", "/chat", "/figures", "/goals", "/ledger"])
def test_no_page_of_a_euro_company_speaks_of_dollars(path: str, euros: World) -> None:
    page = words(Visitor(euros.services).page(path))
    assert "$" not in page


def test_figures_targets_costs_and_budgets_are_in_euros(euros: World) -> None:
    page = words(Visitor(euros.services).page("/overview"))
    assert {one for one in ("€40,000", "€7,200", "€270", "€1,000 for actions") if one not in page} == set()
    (asked,) = Visitor(euros.services).page("/overview").xpath("//article//b[starts-with(@id, 'q-')]/..")
    assert words(asked).count("€7,200") == 1


def test_a_figure_in_another_currency_keeps_it(euros: World) -> None:
    euros.business.metrics.record("mrr", 9000.0, iso(euros.services.clock()), "USD", "books")
    assert "$9,000" in words(Visitor(euros.services).page("/overview"))
    assert "$9,000" in euros.cycle("cfo", "What is our MRR?").reply


def test_a_table_keeps_the_currency_and_the_period_that_its_unit_column_names(tmp_path: Path) -> None:
    with World(tmp_path / "workspace") as world:
        inbox = world.business.directory / "inbox"
        inbox.mkdir(exist_ok=True)
        rows = ("date,metric,value,unit", "2026-02-23,cash,40000,USD", "2026-02-23,mrr,9000,EUR")
        (inbox / "figures.csv").write_text("\n".join([*rows, "2026-02-23,burn,1500,EUR/week"]), "utf-8")
        said = world.cycle("cfo", "What is our MRR?").reply
        units = {name: world.business.metrics.series(name)[-1].unit for name in ("cash", "mrr", "burn")}
        assert units == {"cash": "USD", "mrr": "EUR", "burn": "EUR/week"}
        assert "€9,000" in said
        assert not world.business.metrics.series("runway_months"), "nobody divides dollars by euros"
        assert "ARR: €108,000" in world.do("metrics_dashboard", "cfo")["text"]
