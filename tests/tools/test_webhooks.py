"""What world report is taken in once: as facts, metrics, contacts, deals and messages, whoever is killed between."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mabos.configs.settings import environment
from mabos.society.webhooks import Source
from mabos.society.webhooks.register import Register
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.effects import Effects
from mabos.workspace.clock import frozen_clock, iso
from tests.society.webhooks.test_signatures import SECRET, URL, headers
from tests.tools.offices import NOW, office
from tests.world import World

VARIABLES = {"STRIPE_WEBHOOK_SECRET": SECRET, "SLACK_SIGNING_SECRET": SECRET, "HUBSPOT_CLIENT_SECRET": SECRET}


def company(root: Path) -> World:
    return office(root, variables=VARIABLES)


def later(world: World, **by: float) -> World:
    return world.variant(clock=frozen_clock(world.clock() + timedelta(**by)))


def died(*_: object) -> None:
    raise KeyboardInterrupt


def send(world: World, source: Source, told: Any, *, key: str | None = None, **more: Any) -> Outcome:
    body = told if isinstance(told, str) else json.dumps(told)
    given = {"source": source, "body": body, "headers": headers(source, body, world.clock()), "url": URL, **more}
    return call(world.services, "webhook_process", given, key=key)


def taken(world: World, source: Source, told: Any) -> dict[str, Any]:
    outcome = send(world, source, told)
    assert outcome.ok, outcome.message
    return dict(outcome.result)


def stripe_event(event_id: str, kind: str, at: int = 0, **content: Any) -> dict[str, Any]:
    created = int(NOW.timestamp()) + at
    return {"id": event_id, "object": "event", "type": kind, "created": created, "data": {"object": content}}


def subscription(
    sub: str, customer: str, cents: int, *, status: str = "active", interval: str = "month"
) -> dict[str, Any]:
    price = {"unit_amount": cents, "currency": "usd", "recurring": {"interval": interval, "interval_count": 1}}
    return {"id": sub, "customer": customer, "status": status, "items": {"data": [{"price": price, "quantity": 1}]}}


def figure(world: World, name: str) -> float | None:
    point = world.services.business("acme").metrics.latest(name)
    return None if point is None else point.value


def heard(world: World, agent_id: str) -> list[str]:
    return [one.content for one in world.services.inbox(agent_id).messages()]


PAID: dict[str, Any] = {
    "id": "in_1", "object": "invoice", "customer": "cus_1", "amount_paid": 4900, "currency": "usd",
    "customer_email": "Jane@Company.com", "customer_name": "Jane Smith",
}  # fmt: skip


def test_a_paid_invoice_is_money_of_the_day_a_fact_a_customer_and_news_for_the_cfo(tmp_path: Path) -> None:
    world = company(tmp_path)
    told = taken(world, "stripe", stripe_event("evt_1", "invoice.paid", **PAID))
    assert told["events"] == [
        {"event_id": "evt_1", "kind": "invoice.paid", "at": iso(NOW), "status": "done", "why": ""}
    ]
    assert told["recorded"]["metrics"] == ["payments"]
    assert figure(world, "payments") == 49
    facts = world.agent("cfo").handle.facts.query("in_1")
    assert {(one.predicate, one.object, one.source) for one in facts} == {
        ("paid", "49.00 USD", "stripe"), ("customer", "cus_1", "stripe"),
    }  # fmt: skip
    contact = world.services.business("acme").customers.contact("jane@company.com")
    assert (contact.name, contact.source, contact.tags) == ("Jane Smith", "stripe:cus_1", ("customer",))
    assert heard(world, "cfo") == ["cus_1 paid 49.00 USD for invoice in_1."]
    more = {**PAID, "id": "in_2", "amount_paid": 5100}
    taken(world, "stripe", stripe_event("evt_2", "invoice.paid", **more))
    assert figure(world, "payments") == 100


def test_subscriptions_add_up_to_recurring_revenue_and_its_movements(tmp_path: Path) -> None:
    world = company(tmp_path)
    steps = [
        ("created", 0, subscription("sub_1", "cus_1", 10_000), "new_mrr", 100, 100, 1),
        ("created", 60, subscription("sub_2", "cus_2", 60_000, interval="year"), "new_mrr", 50, 150, 2),
        ("updated", 120, subscription("sub_1", "cus_1", 14_000), "expansion_mrr", 40, 190, 2),
        ("updated", 180, subscription("sub_1", "cus_1", 11_000), "contraction_mrr", 30, 160, 2),
        ("deleted", 240, subscription("sub_2", "cus_2", 60_000, interval="year"), "churned_mrr", 50, 110, 1),
    ]
    for number, (what, at, content, moved, by, mrr, paying) in enumerate(steps):
        told = taken(world, "stripe", stripe_event(f"evt_{number}", f"customer.subscription.{what}", at, **content))
        assert moved in told["recorded"]["metrics"]
        assert (figure(world, moved), figure(world, "mrr"), figure(world, "subscribers")) == (by, mrr, paying)
    assert figure(world, "churned_subscribers") == 1
    assert [one.object for one in world.agent("cfo").handle.facts.query("sub_2", "status")] == ["canceled"]
    assert "new subscriber" in heard(world, "cmo")[0]
    (left,) = world.services.inbox("coo").messages()
    assert (left.priority, left.metadata["beliefs"]) == (
        "high", [{"subject": "cus_2", "predicate": "subscription", "value": "canceled"}],
    )  # fmt: skip


def test_an_event_older_than_what_is_known_changes_nothing(tmp_path: Path) -> None:
    world = company(tmp_path)
    kind = "customer.subscription.updated"
    taken(world, "stripe", stripe_event("evt_2", kind, 60, **subscription("sub_1", "cus_1", 20_000)))
    told = taken(world, "stripe", stripe_event("evt_1", kind, 0, **subscription("sub_1", "cus_1", 10_000)))
    assert "later" in told["events"][0]["why"]
    assert figure(world, "mrr") == 200


def test_what_was_taken_in_is_refused_the_second_time(tmp_path: Path) -> None:
    world = company(tmp_path)
    event = stripe_event("evt_1", "invoice.paid", **PAID)
    taken(world, "stripe", event)
    before = world.services.business("acme").metrics.store.seq
    for again in (send(world, "stripe", event), send(later(world, minutes=3), "stripe", event)):
        assert (again.code, again.argument) == ("refused", "body")
        assert "evt_1 again" in again.message
    assert world.services.business("acme").metrics.store.seq == before
    assert len(heard(world, "cfo")) == 1


def test_a_call_that_was_cut_short_before_its_answer_is_answered_when_it_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = company(tmp_path)
    event = stripe_event("evt_1", "customer.subscription.created", **subscription("sub_1", "cus_1", 4900))
    with monkeypatch.context() as patch:
        patch.setattr(Effects, "done", died)
        with pytest.raises(KeyboardInterrupt):
            send(world, "stripe", event, key="k-1")
    again = send(world, "stripe", event, key="k-1")
    assert again.ok, again.message
    assert (figure(world, "mrr"), len(heard(world, "cmo"))) == (49.0, 1)
    assert send(world, "stripe", event, key="k-2").code == "refused"


@pytest.mark.parametrize("source", ["stripe", "slack", "hubspot"])
def test_what_is_unsigned_stale_or_of_a_service_without_a_secret_writes_nothing(tmp_path: Path, source: Source) -> None:
    world = company(tmp_path)
    body = json.dumps(stripe_event("evt_1", "invoice.paid", **PAID))
    given = {"source": source, "body": body, "headers": headers(source, body, NOW), "url": URL}
    unsigned = world.ask("webhook_process", **given | {"headers": {}})
    stale = later(world, minutes=6).ask("webhook_process", **given)
    without = world.variant(environment=environment({})).ask("webhook_process", **given)
    assert [(one.code, one.argument) for one in (unsigned, stale)] == [("refused", "headers")] * 2
    assert without.code == "unavailable"
    assert "is not set" in without.message
    assert SECRET not in unsigned.message + stale.message + without.message
    assert world.services.business("acme").webhooks.events.all() == ()
    assert not (world.services.layout.business("acme") / "webhooks.json").exists()


@pytest.mark.parametrize(
    ("source", "body"),
    [
        ("stripe", "not json"),
        ("stripe", "[]"),
        ("stripe", '{"id": "evt_1"}'),
        ("stripe", '{"id": "evt_1", "type": "invoice.paid", "data": {"object": 1}}'),
        ("slack", "{}"),
        ("hubspot", "[]"),
        ("hubspot", '[{"objectId": 1}]'),
        ("hubspot", "{}"),
    ],
)
def test_a_body_that_is_no_report_is_said(tmp_path: Path, source: Source, body: str) -> None:
    outcome = send(company(tmp_path), source, body)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "body")


def test_what_nobody_here_understands_is_kept_and_said(tmp_path: Path) -> None:
    world = company(tmp_path)
    told = taken(world, "stripe", stripe_event("evt_1", "radar.early_fraud_warning.created", id="issfr_1"))
    assert (told["events"][0]["status"], told["recorded"]["metrics"]) == ("kept", [])
    assert "nothing here follows from radar" in told["text"]
    (seen,) = world.services.business("acme").webhooks.events.all()
    assert (seen.status, json.loads(seen.content)) == ("kept", {"id": "issfr_1"})
    assert send(world, "stripe", stripe_event("evt_1", "radar.early_fraud_warning.created")).code == "refused"


def hubspot(event_id: int, what: str, object_id: int, *told: Any) -> dict[str, Any]:
    """Return an event as HubSpot tells it; `told` are name, value and, in milliseconds from now, the time."""
    name, value, at = (*told, 0)[:3]
    return {
        "eventId": event_id, "subscriptionId": 1, "portalId": 62515, "appId": 54, "attemptNumber": 0,
        "occurredAt": int(NOW.timestamp() * 1000) + at, "subscriptionType": f"{what}.propertyChange",
        "objectId": object_id, "propertyName": name, "propertyValue": value, "changeSource": "CRM",
    }  # fmt: skip


def test_a_contact_of_hubspot_is_known_once_its_address_is(tmp_path: Path) -> None:
    world = company(tmp_path)
    customers = world.services.business("acme").customers
    taken(
        world, "hubspot", [hubspot(1, "contact", 123, "firstname", "Jane"), hubspot(2, "contact", 123, "company", "X")]
    )
    assert customers.contacts.all() == ()
    told = taken(
        world,
        "hubspot",
        [
            hubspot(3, "contact", 123, "email", "jane@company.com", 10),
            hubspot(4, "contact", 123, "lastname", "Smith", 20),
            hubspot(5, "contact", 123, "lifecyclestage", "lead", 30),
            hubspot(6, "contact", 123, "firstname", "Old", -10),
        ],
    )
    contact = customers.contact("jane@company.com")
    assert told["recorded"]["contacts"] == [contact.id]
    assert (contact.name, contact.company, contact.source) == ("Jane Smith", "X", "hubspot:123")
    assert contact.fields["lifecyclestage"] == "lead"
    assert "set again since" in told["events"][0]["why"]


def test_a_deal_of_hubspot_moves_along_our_stages_and_keeps_its_history(tmp_path: Path) -> None:
    world = company(tmp_path)
    taken(
        world,
        "hubspot",
        [hubspot(1, "deal", 9, "dealname", "Yearly plan"), hubspot(2, "deal", 9, "amount", "1200.50", 1)],
    )
    taken(world, "hubspot", [hubspot(3, "deal", 9, "dealstage", "presentationscheduled", 2)])
    told = taken(world, "hubspot", [hubspot(4, "deal", 9, "dealstage", "closedwon", 3)])
    (deal,) = world.services.business("acme").customers.deals.all()
    assert told["recorded"]["deals"] == [deal.id]
    assert (deal.title, deal.value_usd, deal.stage, deal.external_id) == ("Yearly plan", 1200.5, "won", "hubspot-9")
    assert [move.stage for move in deal.history] == ["lead", "proposal", "won"]
    assert heard(world, "cmo")[-1] == "HubSpot: the deal Yearly plan came to closedwon."
    strange = taken(world, "hubspot", [hubspot(5, "deal", 9, "dealstage", "decision pending", 4)])
    assert "decision pending" in strange["left_out"][0]


def test_of_a_report_that_is_partly_known_the_rest_is_taken_in(tmp_path: Path) -> None:
    world = company(tmp_path)
    known = hubspot(1, "deal", 9, "dealname", "Yearly plan")
    taken(world, "hubspot", [known])
    told = taken(world, "hubspot", [known, hubspot(2, "deal", 9, "amount", "5", 1)])
    assert [one["kind"] for one in told["events"]] == ["deal.propertyChange"]
    assert send(world, "hubspot", [known]).code == "refused"


def slack(event_id: str, text: str, **more: Any) -> dict[str, Any]:
    event = {"type": "app_mention", "user": "U1", "text": text, "channel": "C1", "ts": "1.2", **more}
    return {"type": "event_callback", "event_id": event_id, "event_time": int(NOW.timestamp()), "event": event}


def test_slack_is_answered_when_it_asks_and_its_messages_lie_where_they_belong(tmp_path: Path) -> None:
    world = company(tmp_path)
    asked = taken(world, "slack", {"type": "url_verification", "token": "x", "challenge": "3eZbrw1aB"})
    assert asked["response"] == {"challenge": "3eZbrw1aB"}
    taken(world, "slack", slack("Ev1", "<@U0> cfo: cash is 5 dollars"))
    taken(world, "slack", slack("Ev2", "<@U0> how do we stand?"))
    (message,) = world.services.inbox("cfo").messages()
    assert (message.sender, message.content) == ("slack", "Slack, C1, U1: <@U0> cfo: cash is 5 dollars")
    assert message.metadata["beliefs"] == [], "what somebody writes in a channel is nobody's belief"
    assert len(heard(world, "ceo")) == 1
    kept = taken(world, "slack", slack("Ev3", "I am a bot", bot_id="B1"))
    assert kept["events"][0]["status"] == "kept"
    assert kept["recorded"]["messages"] == []


@pytest.mark.parametrize("method", ["begin", "remember", "end"])
def test_an_event_cut_short_anywhere_is_taken_in_once_when_it_is_reported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    world = company(tmp_path)
    taken(
        world, "stripe", stripe_event("evt_0", "customer.subscription.created", **subscription("sub_1", "cus_1", 5_000))
    )
    event = stripe_event("evt_1", "customer.subscription.updated", 60, **subscription("sub_1", "cus_1", 9_000))
    with monkeypatch.context() as killed:
        done = getattr(Register, method)

        def dies(register: Register, *given: Any) -> None:
            done(register, *given) if method != "end" else None
            raise SystemExit("killed")

        killed.setattr(Register, method, dies)
        with pytest.raises(SystemExit):
            send(world, "stripe", event)
    taken(world, "stripe", event)
    assert (figure(world, "mrr"), figure(world, "expansion_mrr")) == (90, 40)
    assert len([one for one in heard(world, "cfo") if "from 50.00 to 90.00" in one]) == 1
    assert send(world, "stripe", event).code == "refused"


def test_the_same_report_twice_at_the_same_moment_is_taken_in_once(tmp_path: Path) -> None:
    world = company(tmp_path)
    outcomes: list[Outcome] = []
    event = stripe_event("evt_1", "invoice.paid", **PAID)
    threads = [Thread(target=lambda: outcomes.append(send(world, "stripe", event))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.code for one in outcomes) == ["", "refused", "refused", "refused"]
    assert heard(world, "cfo") == ["cus_1 paid 49.00 USD for invoice in_1."]


@contextmanager
def receiver(world: World) -> Iterator[int]:
    """Run a web server that hands what it gets to the tool, as a front door would."""

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the library's name
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            given = {"source": self.path.rsplit("/", 1)[-1], "body": body, "headers": dict(self.headers), "url": URL}
            outcome = world.ask("webhook_process", **given)
            self.send_response(200 if outcome.ok else 401)
            self.end_headers()
            self.wfile.write(json.dumps(outcome.result.get("response", {}) if outcome.ok else {}).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("stripe", stripe_event("evt_1", "invoice.paid", **{**PAID, "customer_name": "Jürgen"})),
        ("slack", {"type": "url_verification", "challenge": "ü"}),
        ("hubspot", [hubspot(1, "deal", 9, "dealname", "Größe")]),
    ],
)
def test_a_report_goes_over_http_and_back(tmp_path: Path, source: Source, told: Any) -> None:
    world = company(tmp_path)
    body = json.dumps(told, ensure_ascii=False)
    with receiver(world) as port:

        def posted(given: dict[str, str]) -> tuple[int, Any]:
            connection = HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("POST", f"/webhooks/{source}", body.encode(), given)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

        status, answered = posted(headers(source, body, NOW))
        assert status == 200
        assert answered == ({"challenge": "ü"} if source == "slack" else {"received": True})
        assert posted({})[0] == 401
