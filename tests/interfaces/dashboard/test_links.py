"""A stranger who clicks on everything comes to a page, and what is prepared before anybody comes changes nothing."""

from typing import Any

import pytest

from mabos.interfaces.dashboard import views
from mabos.interfaces.dashboard.changes import stamp
from mabos.interfaces.dashboard.view import PageView
from mabos.interfaces.dashboard.views import VIEWS
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from tests.interfaces.dashboard.visitor import Visitor, words


def done(services: Services, tool: str, agent: str = "", /, **given: Any) -> None:
    outcome = call(services, tool, given, agent_id=agent or None)
    assert outcome.ok, outcome.message


def test_every_link_of_every_page_leads_somewhere(services: Services) -> None:
    done(services, "agent_message", "ceo", to="stakeholder", performative="INFORM", content="All is well")
    done(services, "agent_message", "ceo", to="cfo", performative="REQUEST", content="Review it", protocol="request")
    done(services, "memory_store_item", "cfo", content="The bank wants a plan", importance=0.7)
    done(services, "workflow_create", "ceo", name="Sales", workflow_id="sales")
    services.business().metrics.record("cash", 100.0, "2026-02-10", "$", "books")
    visitor = Visitor(services)
    ways = {way: view.name for view in VIEWS for way in links(visitor.page(f"/{view.name}"))}
    assert {"/decisions", "/why", "/minds", "/network"} <= {way.partition("?")[0] for way in ways}
    lost = {way: view for way, view in ways.items() if visitor.ask(way).status_code != 200}
    assert lost == {}


def links(page: Any) -> list[str]:
    """Return what a page leads to, each kind of place a few times."""
    found: dict[str, list[str]] = {}
    for way in page.xpath("//a/@href | //*/@hx-get"):
        if way.startswith("/"):
            found.setdefault(way.partition("=")[0], []).append(way)
    return [way for ways in found.values() for way in (*ways[:6], ways[-1])]


def test_every_node_of_the_graph_that_offers_reasons_has_them(services: Services) -> None:
    visitor = Visitor(services)
    kinds = visitor.page("/network").xpath("//ul[@aria-label='Kinds']//a/@href")
    assert len(kinds) > 5
    for kind in kinds:
        for way in visitor.page(kind).xpath("//article/p[1]//a/@href"):
            assert visitor.ask(way).status_code == 200, f"{kind}: {way}"


def test_what_is_prepared_after_the_start_writes_nothing(services: Services) -> None:
    services.checkpoint()
    before = stamp(services.layout)
    Visitor(services).prepare()
    assert stamp(services.layout) == before


def test_a_view_that_cannot_be_prepared_keeps_no_other_from_being(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def fails(_: Any) -> Any:
        raise ValueError("nothing works")

    def works(asked: Any) -> Any:
        seen.append(asked.services.layout.root.name)
        return {}

    monkeypatch.setattr(views, "VIEWS", (PageView("why", "Why", "y", fails), PageView("why", "Why", "y", works)))
    Visitor(services).prepare()
    assert seen == ["workspace"]


def test_a_server_that_is_told_to_end_prepares_no_more(services: Services) -> None:
    def asks() -> Any:
        raise AssertionError("asked for a view")

    views.prepare(asks, lambda: True)


def test_a_wrong_id_is_met_with_the_nearest(services: Services) -> None:
    answer = Visitor(services).ask("/why?id=D-cfo-0001")
    assert (answer.status_code, "did you mean" in answer.text) == (404, True)


def test_what_was_said_to_the_owner_tells_why(services: Services) -> None:
    done(services, "agent_message", "ceo", to="stakeholder", performative="INFORM", content="All is well")
    visitor = Visitor(services)
    (way,) = visitor.page("/messages?q=All is well").xpath("//ol[@class='talk']//a[@class='why']/@href")
    assert "agent_message" in words(visitor.page(way))
