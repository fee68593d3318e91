"""The channels on which people are told: Slack's webhook and mail with a login, refusals, and secrets that stay so."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.contracts.mail_server import PASSWORD, USER, certificate_of, post_office
from tests.contracts.web_receiver import receiver
from tests.graphs.offices import Office

JANE = {"name": "Jane Smith", "email": "jane@company.com", "role": "owner"}
ASKED = {
    "decision_id": "DEC-1",
    "subject": "Sign with Salesforce",
    "description": "Twelve thousand a year.",
    "options": [{"id": "A", "label": "Approve"}],
    "deadline": "2026-03-31T09:00:00Z",
}
TOKEN = "T000/B000/a-secret-token"  # noqa: S105  # of nobody


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with Office(tmp_path / "workspace") as made:
        made.do("stakeholder_profile", business_id="acme", notification_channels=["slack"], escalation_contacts=[JANE])
        made.do("decision_request", "cfo", **ASKED)
        yield made


def texts(office: Office) -> str:
    """Return everything the workspace holds, as one text."""
    office.restart()
    files = (path for path in office.root.rglob("*") if path.is_file())
    return "\n".join(path.read_bytes().decode(errors="replace") for path in files)


def test_a_question_reaches_slack_once_and_the_address_stays_secret(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiver() as web:
        monkeypatch.setenv("MABOS_SLACK_WEBHOOK", web.url(TOKEN))
        office.restart()
        assert [(one.channel, one.place) for one in office.beat()] == [("slack", "slack")]
        assert office.beat(minutes=30) == []
    (request,) = web.requests
    said = orjson.loads(request.body)
    assert said["text"] == "Acme: Sign with Salesforce"
    assert "For Jane Smith" in str(said["blocks"][-1])
    assert not (office.business.directory / "outbox" / "slack").exists()
    assert TOKEN not in texts(office)


def test_a_channel_that_refuses_is_left_alone_twice_as_long_each_time_and_no_longer_than_half_a_day(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiver(500) as web:
        monkeypatch.setenv("MABOS_SLACK_WEBHOOK", web.url(TOKEN))
        office.restart()
        tried: list[int] = []
        for minute in range(0, 60, 5):
            before = len(web.requests)
            office.beat(minutes=5 if minute else 0)
            tried += [minute] * (len(web.requests) - before)
        assert tried == [0, 5, 15, 35]
        (notice,) = office.notices()
        assert (notice.status, notice.attempts, notice.next_at) == ("failed", 4, "2026-03-02T10:15:00.000Z")
        assert "answered 500" in notice.error
        web.status = 200
        assert [one.attempts for one in office.beat(hours=1)] == [5]
        assert TOKEN not in texts(office)


def test_a_slack_that_is_busy_is_left_alone_as_long_as_it_asks(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver(429, headers={"Retry-After": "3600"}) as web:
        monkeypatch.setenv("MABOS_SLACK_WEBHOOK", web.url(TOKEN))
        office.restart()
        office.beat()
        office.beat(minutes=55)
        assert len(web.requests) == 1
        web.status = 200
        assert len(office.beat(minutes=5)) == 1


def test_mail_to_the_owner_goes_over_tls_with_a_login_whose_password_stays_secret(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certificate_of("127.0.0.1", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("MABOS_SMTP_PASSWORD", "wrong horse")
    office.do("stakeholder_profile", business_id="acme", notification_channels=["email"])
    with post_office(security="starttls", certificate=certificate, login=True) as post:
        notify = {"smtp_host": post.host, "smtp_port": post.port, "smtp_security": "starttls", "smtp_user": USER}
        (office.root / "mabos.yaml").write_bytes(orjson.dumps({"notify": notify}))
        office.restart()
        assert office.beat() == []
        assert "it refused the login of 'acme'" in office.notices()[0].error
        monkeypatch.setenv("MABOS_SMTP_PASSWORD", PASSWORD)
        office.restart()
        assert [one.to for one in office.beat(minutes=5)] == ["jane@company.com"]
    assert [one["To"] for one in post.letters] == ["jane@company.com"]
    held = texts(office)
    assert PASSWORD not in held
    assert "wrong horse" not in held
