"""What people are told by the heartbeat, as the stakeholder's profile says: what, when, where and to whom."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.mail import Letter, MaildirMail, SmtpMail
from mabos.configs.errors import Unavailable
from mabos.tools.people.informing import inform
from tests.graphs.offices import Office

JANE = {"name": "Jane Smith", "email": "jane@company.com", "role": "owner"}
LEE = {"name": "Lee", "email": "lee@company.com", "role": "board"}
ASKED = {
    "decision_id": "DEC-1",
    "subject": "Sign with Salesforce",
    "description": "Twelve thousand a year.",
    "options": [{"id": "A", "label": "Approve"}],
    "deadline": "2026-03-04T09:00:00Z",
}


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with Office(tmp_path / "workspace") as made:
        yield made


def profile(office: Office, **changes: Any) -> None:
    office.do("stakeholder_profile", business_id="acme", **changes)


def reports(office: Office) -> list[str]:
    folder = office.business.directory / "reports"
    return sorted(path.stem for path in folder.glob("owner-*.md"))


@pytest.mark.parametrize(
    ("frequency", "after_ten_days"), [("daily", 10), ("weekly", 1), ("monthly", 0), ("quarterly", 0)]
)
def test_the_frequency_says_when_a_report_comes(office: Office, frequency: str, after_ten_days: int) -> None:
    profile(office, report_frequency=frequency)
    for _ in range(5):
        office.beat(hours=24)
        office.beat(hours=24)
        office.beat()
    assert len(reports(office)) == len(office.letters()) == after_ten_days


def test_a_month_and_a_quarter_are_reported_when_they_are_over(office: Office) -> None:
    for frequency, expected in (
        ("monthly", "owner-2026-03-01-2026-03-31"),
        ("quarterly", "owner-2026-01-01-2026-03-31"),
    ):
        profile(office, report_frequency=frequency)
        office.later(days=30 if frequency == "monthly" else 0)
        office.beat()
        assert expected in reports(office)


def test_a_report_tells_figures_decisions_goals_work_and_broken_words_of_the_period(office: Office) -> None:
    for at, value in (("2026-03-01T00:00:00Z", 320_000.0), ("2026-03-06T00:00:00Z", 310_000.0)):
        office.do("metrics_record", "cfo", name="cash", value=value, at=at, unit="USD")
    office.do("metrics_record", "cfo", name="cash", value=1.0, at="2026-03-09T00:00:00Z", unit="USD")
    office.do("decision_request", "cfo", **ASKED)
    office.do("goal_create", "ceo", level="strategic", description="Lead the market", goal_id="G-lead")
    due = "2026-03-05T00:00:00Z"
    package = {"title": "Wizard", "description": "SSO", "required_skills": ["React"], "budget_usd": 900.0}
    office.do("contractor_add", contractor_id="CONT-1", name="Alex", skills=["React"], hourly_rate_usd=90.0)
    office.do("work_package_create", "cto", package_id="WP-1", deadline=due, **package)
    office.do("work_package_assign", "cto", package_id="WP-1", contractor_id="CONT-1")
    office.beat(days=7)
    (name,) = reports(office)
    text = (office.business.directory / "reports" / f"{name}.md").read_text("utf-8")
    assert "| Cash | $320,000 | $310,000 | −$10,000 |" in text
    assert "- Sign with Salesforce: asked by cfo on 2026-03-02, due 2026-03-04 (`DEC-1`)" in text
    assert "- Lead the market: under way (ceo)" in text
    assert "- Wizard (`WP-1`): assigned, CONT-1, overdue since 2026-03-05" in text
    assert "- cto to CONT-1: Alex delivers 'Wizard' (WP-1) (due 2026-03-05)" in text


def test_everything_goes_to_each_channel_and_to_none_where_there_is_none(office: Office) -> None:
    profile(office, notification_channels=["email", "slack"], escalation_contacts=[JANE])
    office.do("decision_request", "cfo", **ASKED)
    told = {(one.channel, one.to) for one in office.beat()}
    assert told == {("email", "jane@company.com"), ("slack", "jane@company.com")}
    (file,) = (office.business.directory / "outbox" / "slack").iterdir()
    assert file.read_text("utf-8").startswith("To: jane@company.com\nSubject: Acme: Sign with Salesforce\n")
    profile(office, notification_channels=[])
    assert office.beat(days=7) == []
    assert len(reports(office)) == 1, "what is written for the owner lies in the business, told or not"


def test_a_name_of_a_channel_never_leads_out_of_the_outbox(office: Office) -> None:
    profile(office, notification_channels=["../../../agents", ".."])
    office.do("decision_request", "cfo", **ASKED)
    office.beat()
    outbox = office.business.directory / "outbox"
    assert {one.status for one in office.notices()} == {"sent"}
    assert all((outbox.parent / one.place).resolve().is_relative_to(outbox.resolve()) for one in office.notices())


def test_a_decision_nobody_answers_goes_to_the_contacts_in_order_each_once(office: Office) -> None:
    profile(office, escalation_contacts=[JANE, LEE])
    office.do("decision_request", "cfo", **ASKED)
    heard: list[tuple[int, str]] = []
    for hour in range(0, 120, 12):
        heard += [(hour, one.to) for one in office.beat(hours=12 if hour else 0) if "escalation" in one.id]
    assert heard == [(48, "jane@company.com"), (72, "lee@company.com")]
    subjects = [subject for _, subject in office.letters()]
    assert subjects.count("Acme: Sign with Salesforce") == 1
    assert subjects.count("Acme: still undecided: Sign with Salesforce") == 2


def test_an_answer_ends_it_and_putting_off_begins_anew(office: Office) -> None:
    profile(office, escalation_contacts=[JANE, LEE])
    office.do("decision_request", "cfo", **ASKED)
    assert [one.to for one in office.beat(days=2)] == ["jane@company.com"] * 2  # the question and its escalation
    office.do("decision_resolve", decision_id="DEC-1", resolution="defer", until="2026-03-06T09:00:00Z")
    assert office.beat(days=1) == []
    assert [one.to for one in office.beat(days=1)] == ["jane@company.com"]
    office.do("decision_resolve", decision_id="DEC-1", resolution="approve")
    assert [one for one in office.beat(days=3) if "escalation" in one.id] == []


def configured(office: Office) -> None:
    (office.root / "mabos.yaml").write_text("notify:\n  smtp_host: mail.company.com\n")
    office.restart()


def test_with_a_server_letters_go_there_and_what_it_refuses_is_tried_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(office)
    profile(office, escalation_contacts=[JANE])
    office.do("decision_request", "cfo", **ASKED)
    taken: list[Letter] = []
    down = True

    def send(_server: SmtpMail, letter: Letter) -> str:
        if down:
            raise Unavailable("mail.company.com:25 did not answer")
        taken.append(letter)
        return "smtp://mail.company.com:25"

    monkeypatch.setattr(SmtpMail, "send", send)
    assert office.beat() == []
    (failed,) = office.notices()
    assert (failed.status, failed.attempts, failed.error) == ("failed", 1, "mail.company.com:25 did not answer")
    assert office.agent("cfo").cycle().outcome != "failed"
    down = False
    assert [one.attempts for one in office.beat(minutes=30)] == [2]
    assert office.beat(minutes=30) == []
    assert [(one.to, one.sender) for one in taken] == [("jane@company.com", "mabos@localhost")]


@pytest.mark.parametrize("dies", ["before", "after"])
def test_a_heartbeat_that_is_killed_in_the_middle_tells_nothing_twice(
    office: Office, monkeypatch: pytest.MonkeyPatch, dies: str
) -> None:
    office.do("decision_request", "cfo", **ASKED)
    send = MaildirMail.send

    def killed(box: MaildirMail, letter: Letter) -> str:
        if dies == "after":
            send(box, letter)
        raise KeyboardInterrupt

    monkeypatch.setattr(MaildirMail, "send", killed)
    with pytest.raises(KeyboardInterrupt):
        office.maintain()
    monkeypatch.setattr(MaildirMail, "send", send)
    office.restart()
    assert len(office.beat()) == 1
    assert len(office.letters()) == 1
    assert office.beat() == []


def test_heartbeats_at_the_same_time_tell_a_thing_once(office: Office) -> None:
    office.do("decision_request", "cfo", **ASKED)
    with ThreadPoolExecutor(8) as pool:
        told = [one for found in pool.map(lambda _: inform(office.services, "acme"), range(8)) for one in found]
    assert [(one.status, one.attempts) for one in told] == [("sent", 1)]
    assert len(office.letters()) == 1


def test_a_report_that_is_sent_keeps_the_word_of_those_who_promised_one(office: Office) -> None:
    def word(agent: str) -> str:
        own = office.agent(agent).mind.commitments
        return next(one.status for one in own if one.about == "owner_report")

    assert (word("ceo"), word("cfo")) == ("open", "open")
    office.beat(days=7)
    assert (word("ceo"), word("cfo")) == ("met", "met")


def test_a_question_that_was_put_off_is_told_again_at_its_date(office: Office) -> None:
    office.do("decision_request", "cfo", **{**ASKED, "deadline": "2026-03-20"})
    assert len(office.beat()) == 1
    office.do("decision_resolve", decision_id="DEC-1", resolution="defer", until="2026-03-05")
    assert [one.subject for one in office.beat(days=1) if "Salesforce" in one.subject] == []
    told = [one for one in office.beat(days=3) if "Salesforce" in one.subject]
    assert len(told) == 1
    assert office.services.decisions("acme").one("DEC-1").status == "pending"
    assert [one for one in office.beat(hours=1) if "Salesforce" in one.subject] == []
