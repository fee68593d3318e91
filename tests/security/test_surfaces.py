"""What comes in over HTTP, MCP and the dashboard: no path leads out, no secret is kept, no markup lives."""

import logging
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from fuzz.watch import watched
from mabos.configs.errors import MabosError
from mabos.interfaces.cli import front
from mabos.interfaces.surfaces.door import Door
from mabos.interfaces.surfaces.guard import Guard
from mabos.interfaces.surfaces.http import http_app
from mabos.interfaces.surfaces.resources import read
from tests.interfaces.dashboard.visitor import Visitor
from tests.interfaces.surfaces.offices import requested
from tests.security.besieged import SECRETS, Besieged, as_json, besieged
from tests.security.corpus import CORPUS
from tests.society.webhooks.test_signatures import headers
from tests.tools.catalogue.house import MONDAY

OUTSIDE = "mabos-security-outside"
CLIMBS = (
    *(f"../../{OUTSIDE}", f"..%2f..%2f{OUTSIDE}", f"%2e%2e/%2e%2e/{OUTSIDE}", f"..%5c..%5c{OUTSIDE}", f"~/{OUTSIDE}"),
    *(
        f"....//....//{OUTSIDE}",
        f"%252e%252e%252f{OUTSIDE}",
        f"..%c0%af..%c0%af{OUTSIDE}",
        f"/{OUTSIDE}",
        f"//{OUTSIDE}",
    ),
    *(f"%2f{OUTSIDE}", f"file:///{OUTSIDE}", f"cfo%00/../../{OUTSIDE}", f"cfo/../../../{OUTSIDE}", f"..;/{OUTSIDE}"),
    *("..", "%2e%2e", "..%00", "CON"),
)
PAGES = ("decisions", "minds", "goals", "messages", "ledger", "workflows", "network", "runs", "why", "figures")
TAKING = ("id", "agent", "run", "about", "q")


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Besieged]:
    with besieged(tmp_path_factory.mktemp("surfaces") / "some" / "workspace") as made:
        for number, text in enumerate(CORPUS.values()):
            words = text.replace("\ud83d", "?")[:1_500] or "x"
            made.home.agent("cto").call("agent_message", {"to": "cfo", "performative": "INFORM", "content": words})
            made.home.agent("cfo").call("memory_store_item", {"content": words, "importance": 0.5})
            if number % 4 == 0:
                options = [words[:60], f"{words[:60]} not"]
                asked = {
                    "subject": words[:200],
                    "description": words,
                    "options": options,
                    "decision_id": f"DEC-{number + 2}",
                }
                made.home.agent("cfo").call("decision_request", asked)
                made.home.agent("cfo").call(
                    "goal_create", {"level": "tactical", "description": words, "goal_id": f"G-{number + 2}"}
                )
                made.home.agent("cfo").call("belief_update", {"description": words, "certainty": 0.9, "source": words})
                made.home.agent("cfo").call("workflow_create", {"name": words, "workflow_id": f"W-{number}"})
                made.home.agent("cfo").call(
                    "bpmn_add_node", {"workflow_id": f"W-{number}", "type": "userTask", "name": words}
                )
        yield made


@pytest.mark.slow
def test_no_path_of_a_request_leads_out_of_the_workspace(company: Besieged) -> None:
    services = company.home.services
    door = Door(services)
    app, visitor = Guard(http_app(lambda: door)), Visitor(services)
    with watched(services.layout.root, OUTSIDE) as outside:
        for climb in CLIMBS:
            for method, path in (("GET", f"/tools/{climb}"), ("POST", f"/tools/{climb}"), ("GET", f"/{climb}"),
                                 ("POST", f"/webhooks/{climb}"), ("GET", f"/webhooks/../tools/{climb}")):  # fmt: skip
                answer = requested(app, method, path, content=b"{}", headers={"content-type": "application/json"})
                assert answer.status_code >= 400, (method, path, answer.text)
            for page in PAGES:
                for name in TAKING:
                    assert visitor.ask(f"/{page}?{name}={climb}").status_code < 500, (page, name, climb)
            assert visitor.ask(f"/assets/{climb}").status_code in (303, 404), "the client itself makes / of /assets/.."
            for uri in (
                f"mabos://agents/{climb}/Beliefs.md",
                f"mabos://agents/cfo/{climb}",
                f"mabos://knowledge/{climb}",
            ):
                with pytest.raises(MabosError):
                    read(door, uri)
    assert [one for one in outside if OUTSIDE in one] == []


def test_a_report_leaves_no_token_and_no_cookie_behind(company: Besieged, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    door = Door(company.home.services)
    event = {"type": "message", "user": "U1", "channel": "C1", "text": "cfo: hello"}
    body = as_json({"type": "event_callback", "event_id": "EvT", "event_time": int(MONDAY.timestamp()), "event": event})
    signed = headers("slack", body, MONDAY, SECRETS["SLACK_SIGNING_SECRET"])
    carried = {"Authorization": f"Bearer {SECRETS['MABOS_TOKEN']}", "Cookie": f"s={SECRETS['MABOS_TOKEN']}",
               "X-Forwarded-For": SECRETS["MABOS_TOKEN"]}  # fmt: skip
    way = f"/webhooks/slack?business_id=acme&token={SECRETS['MABOS_TOKEN']}"
    answer = requested(Guard(http_app(lambda: door)), "POST", way, content=body.encode(), headers={**signed, **carried})
    assert answer.status_code == 200, answer.text
    company.home.services.checkpoint()
    assert company.given_away() == []
    ours = [one.getMessage() for one in caplog.records if not one.name.startswith(("httpx", "httpcore"))]
    assert SECRETS["MABOS_TOKEN"] not in answer.text + "".join(ours)


class _Live(HTMLParser):
    """Collects what of a page would run, load or lead elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag or an attribute that no page of ours has."""
        given = dict(attrs)
        if tag in {"iframe", "object", "embed", "base", "style"}:
            self.found.append(tag)
        for name, value in given.items():
            if name.startswith("on") or name in {"style", "srcdoc", "formaction"}:
                self.found.append(f"{tag} {name}")
            if name in {"href", "src", "action", "xlink:href"} and not re.match(r"(?:/(?![/\\])|#|\?|$)", value or ""):
                self.found.append(f"{tag} {name}={value!r:.60}")
        if tag == "script" and not (given.get("src") or "").startswith("/assets/"):
            self.found.append("script")


@pytest.mark.parametrize("page", PAGES)
def test_no_markup_of_a_stranger_lives_on_any_page(page: str, company: Besieged) -> None:
    visitor = Visitor(company.home.services)
    for query in (
        "",
        "?agent=cfo",
        "?id=DEC-2",
        "?id=G-2",
        "?id=W-0",
        "?about=cfo",
        f"?id={CORPUS['exfiltration 5'][:80]}",
    ):
        answer = visitor.ask(f"/{page}{query}")
        assert answer.status_code in (200, 303, 400, 404), answer.text[:300]
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        live = _Live()
        live.feed(answer.text)
        assert live.found == [], (page, query)


def test_no_secret_stands_in_what_is_told_of_a_failure(company: Besieged) -> None:
    services, told = company.home.services, list[str]()
    told.append(repr(services.environment) + repr(services.settings))
    door = Door(services)
    for tool in services.tools.all():
        told.append(str(door.call(tool.name, {"agent_id": "cfo", "nonsense": 1}).as_json()))
    assert [one for one in SECRETS.values() if one in " ".join(told)] == []
    assert company.given_away() == []


def test_no_password_in_an_address_is_told_by_doctor_or_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    password = "hunter2-hunter2"  # noqa: S105 - of this test
    monkeypatch.delenv("MABOS_FORBID_MODEL", raising=False)
    for name, scheme in (
        ("NEO4J_URI", "bolt"),
        ("OPENAI_BASE_URL", "http"),
        ("CHROMA_ENDPOINT", "http"),
        ("STRIPE_API_BASE", "http"),
    ):
        monkeypatch.setenv(name, f"{scheme}://owner:{password}@127.0.0.1:1/v1")
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_API_KEY", f"sk-{password}")
    made = CliRunner().invoke(front, ["init", str(tmp_path / "ws")], prog_name="mabos")
    assert made.exit_code == 0, made.output
    for command in (["doctor"], ["models"], ["graph"], ["call", "setup_health_check", "{}"]):
        for more in ([], ["--json"]):
            done = CliRunner().invoke(front, ["-w", str(tmp_path / "ws"), *more, *command], prog_name="mabos")
            told = done.output + caplog.text + str(done.exception)
            assert [one for one in (password, *SECRETS.values()) if one in told] == [], (command, told)
