"""Letters to customers: into the Maildir or over real SMTP, each once, never to who wants none, and honest outcomes."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.message import EmailMessage
from mailbox import Maildir
from pathlib import Path
from typing import Any

import orjson
import pytest

from mabos.configs.errors import Damaged
from mabos.configs.settings import Environment
from mabos.tools.people.informing import inform
from tests.contracts.mail_server import PASSWORD, USER, Post, certificate_of, parsed, post_office
from tests.tools.offices import NOW, office
from tests.world import Member, changed

HELLO = {
    "subject": "Hello {{ first_name | default('there') }}",
    "text": "A line for {{ email }}.\n\nSee https://acme.com/new.",
}


class Desk(Member):
    """The marketing officer's desk; the owner lets mail go without being asked, unless a test says otherwise."""

    def ask_less(self) -> "Desk":
        """Have the owner let mail go without being asked; return the desk."""
        for one in ("", *(f"businesses/{business}/" for business in self.services.businesses())):
            self.world.write(f"{one}stakeholder.json", '{"auto_approve_categories": ["email"]}')
        return self

    @property
    def folder(self) -> Path:
        """The folder of its business."""
        return self.world.root / "businesses" / "acme"

    def people(self, *names: str, **more: Any) -> None:
        """Enter people by their first names."""
        for name in names:
            self.do("crm_create_contact", email=f"{name.lower()}@company.com", name=f"{name} Smith", **more)

    def box(self, business: str = "acme") -> list[EmailMessage]:
        """Return the letters in the Maildir of a business, by reader."""
        folder = self.services.business(business).directory / "mail" / "sent"
        found = [parsed(one.as_bytes()) for one in Maildir(folder, create=False)] if folder.exists() else []
        return sorted(found, key=lambda one: str(one["To"]))

    def settings(self, section: str, **changes: Any) -> None:
        """Set what `mabos.yaml` would."""
        named = {f"{section}.{name}": value for name, value in changes.items()}
        self.world = self.world.variant(settings=changed(self.services.settings, named))

    @contextmanager
    def server(self, **how: Any) -> Iterator[Post]:
        """Have letters go to a mail server."""
        with post_office(**how) as post:
            self.settings("notify", smtp_host=post.host, smtp_port=post.port, sender="hello@acme.com", timeout_s=0.5)
            yield post

    def answer(self, chosen: str) -> None:
        """Answer what waits for the owner."""
        for one in self.world.questions():
            self.world.answer("approve", one.id, chosen_option=chosen)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(office(tmp_path), "cmo").ask_less()


def test_a_placeholder_in_one_pair_of_braces_is_a_field_of_the_reader(desk: Desk) -> None:
    desk.people("Ann", tags=["prospects"])
    desk.do("email_send", list="prospects", subject="Hello {first_name}", text="Dear {name}, we have news.")
    (letter,) = desk.box()
    assert letter["Subject"] == "Hello Ann"
    assert "Dear Ann Smith, we" in letter.get_body(("plain",)).get_content()  # type: ignore[union-attr]  # it has one


def test_a_letter_lies_in_the_maildir_with_both_texts_date_id_and_a_way_out(desk: Desk) -> None:
    desk.do("crm_create_contact", email="Juergen@Company.com", name="Jürgen Groß")
    sent = desk.do("email_send", to="JUERGEN@company.com", **HELLO)
    assert (sent["sent"], sent["counts"], sent["letters"][0]["status"]) == (1, {"sent": 1}, "sent")
    (letter,) = desk.box()
    assert (str(letter["To"]), letter["Subject"]) == ("Jürgen Groß <juergen@company.com>", "Hello Jürgen")
    assert letter["From"] == "Acme <mabos@localhost>"
    assert (letter["Message-ID"], letter["Date"].datetime) == (sent["letters"][0]["message_id"], NOW)
    letter_id = sent["letters"][0]["letter_id"]
    assert letter["List-Unsubscribe"].strip() == f"<mailto:mabos@localhost?subject=unsubscribe%20{letter_id}>"
    text, page = (part.get_content() for part in letter.iter_parts())
    assert "A line for juergen@company.com." in text
    assert '<a href="https://acme.com/new">https://acme.com/new</a>.' in page
    assert (desk.folder / sent["letters"][0]["place"]).exists()


def test_the_same_letter_reaches_nobody_twice_unless_it_has_another_key(desk: Desk) -> None:
    first = desk.do("email_send", to="jane@company.com", **HELLO)
    desk.world.later(days=30)
    again = desk.do("email_send", to="Jane@Company.com", **HELLO)
    assert again["counts"] == {"already_sent": 1}
    assert again["letters"][0]["message_id"] == first["letters"][0]["message_id"]
    assert len(desk.box()) == 1
    desk.do("email_send", to="jane@company.com", key="second reminder", **HELLO)
    assert len(desk.box()) == 2


def test_a_list_gets_each_its_own_letter_and_a_second_call_reaches_only_who_is_new(desk: Desk) -> None:
    desk.people("Ann", "Bob", tags=["prospects"])
    desk.people("Eve", tags=["others"])
    sent = desk.do("email_send", template="enterprise_launch", list="prospects")
    assert (sent["sent"], [str(one["To"]) for one in desk.box()]) == (
        2,
        ["Ann Smith <ann@company.com>", "Bob Smith <bob@company.com>"],
    )
    assert "Hello Ann," in desk.box()[0].get_body(("plain",)).get_content()  # type: ignore[union-attr]  # it has one
    desk.people("Cat", tags=["prospects"])
    assert desk.do("email_send", template="enterprise_launch", list="prospects")["counts"] == {
        "already_sent": 2,
        "sent": 1,
    }
    assert len(desk.box()) == 3


def test_the_same_letter_sent_by_many_at_once_arrives_once(desk: Desk) -> None:
    desk.people("Ann", "Bob")
    with desk.server() as post:
        desk.settings("notify", timeout_s=20)
        with ThreadPoolExecutor(6) as pool:
            sent = list(pool.map(lambda _: desk.do("email_send", list="everybody", **HELLO)["sent"], range(6)))
            list(pool.map(lambda _: desk.do("email_campaign", **campaign()), range(6)))
    assert (
        sorted(str(one["To"]) for one in post.letters)
        == ["Ann Smith <ann@company.com>"] * 2 + ["Bob Smith <bob@company.com>"] * 2
    )
    assert sum(sent) == 2


def test_who_wants_no_letters_gets_none(desk: Desk) -> None:
    desk.people("Ann", "Bob")
    assert desk.do("crm_create_contact", email="bob@company.com", subscribed=False)["subscribed"] is False
    outcome = desk.ask("email_send", to="bob@company.com", **HELLO)
    assert (outcome.code, outcome.argument) == ("refused", "to")
    assert desk.do("email_send", list="everybody", **HELLO)["counts"] == {"sent": 1, "unsubscribed": 1}
    assert [str(one["To"]) for one in desk.box()] == ["Ann Smith <ann@company.com>"]
    desk.do("crm_create_contact", email="bob@company.com", subscribed=True)
    assert desk.do("email_send", to="bob@company.com", key="back", **HELLO)["sent"] == 1


def test_an_address_that_a_person_writes_on_the_list_by_hand_counts_at_once(desk: Desk) -> None:
    desk.people("Bob")
    (desk.folder / "mail").mkdir()
    (desk.folder / "mail" / "unsubscribed.json").write_bytes(orjson.dumps({"removed": [{"id": " Bob@Company.com"}]}))
    assert desk.ask("email_send", to="bob@company.com", **HELLO).code == "refused"
    assert desk.do("crm_create_contact", email="bob@company.com", subscribed=True)["subscribed"] is True
    assert desk.do("email_send", to="bob@company.com", **HELLO)["sent"] == 1


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({}, ("invalid_argument", "to")),
        ({"to": "jane@company.com", "list": "leads"}, ("invalid_argument", "to")),
        ({"to": "jane@company.com\r\nBcc: all@company.com"}, ("invalid_argument", "to")),
        ({"to": "a@b.com, c@d.com"}, ("invalid_argument", "to")),
        ({"to": "CON-9"}, ("unknown_id", "to")),
        ({"list": "leads"}, ("invalid_argument", "list")),
        ({"to": "jane@company.com", "subject": "Hi\r\nBcc: all@company.com"}, ("invalid_argument", "subject")),
        ({"to": "jane@company.com", "subject": ""}, ("invalid_argument", "subject")),
        ({"to": "jane@company.com", "text": " "}, ("invalid_argument", "text")),
        ({"to": "jane@company.com", "template": "welcom"}, ("unknown_id", "template")),
        ({"to": "jane@company.com", "text": "Dear {{ salutation }}"}, ("invalid_argument", "fields")),
        ({"to": "jane@company.com", "text": "{{ 9 ** 9 ** 9 }}"}, ("invalid_argument", "text")),
        ({"to": "jane@company.com", "text": "{% for a in b %}{% endfor %}"}, ("invalid_argument", "text")),
        ({"to": "jane@company.com", "text": "{{ name.__class__ }}"}, ("invalid_argument", "text")),
        ({"to": "jane@company.com", "text": "{{ name"}, ("invalid_argument", "text")),
        ({"to": "jane@company.com", "html": "{{ lipsum(1) }}"}, ("invalid_argument", "html")),
        ({"to": "jane@company.com", "save_as": "../../evil"}, ("invalid_argument", "save_as")),
        ({"to": "jane@company.com", "business_id": "globex"}, ("refused", "business_id")),
    ],
)
def test_a_letter_that_cannot_be_sent_names_the_argument_and_nothing_is_sent(
    desk: Desk, given: dict[str, Any], refusal: tuple[str, str]
) -> None:
    before = sorted(path for path in desk.folder.rglob("*") if path.is_file())
    outcome = desk.ask("email_send", **{**HELLO, **given})
    assert (outcome.code, outcome.argument) == refusal
    assert desk.box() == []
    assert sorted(path for path in desk.folder.rglob("*") if path.is_file()) == before


def test_what_is_known_of_a_reader_is_text_in_a_page(desk: Desk) -> None:
    desk.do("crm_create_contact", email="jane@company.com", company="<script>alert(1)</script>")
    desk.do("email_send", to="jane@company.com", subject="Hi", text="{{ company }}", html="<b>{{ company }}</b>")
    (letter,) = desk.box()
    page = letter.get_body(("html",))
    assert page is not None
    assert "<b>&lt;script&gt;alert(1)&lt;/script&gt;</b>" in page.get_content()


def test_a_template_is_kept_used_and_wins_over_one_that_is_shipped(desk: Desk) -> None:
    kept = desk.do(
        "email_send", save_as="welcome", subject="Hi {{ first_name }}: welcome", text="Your {{ plan }} is on."
    )
    assert (kept["template"], kept["sent"]) == ("welcome", 0)
    assert (desk.folder / "mail" / "templates" / "welcome.md").read_text("utf-8").startswith("---\nsubject: ")
    desk.people("Ann")
    desk.do("email_send", to="ann@company.com", template="welcome", fields={"plan": "Pro"})
    (letter,) = desk.box()
    assert letter["Subject"] == "Hi Ann: welcome"
    assert "Your Pro is on." in letter.get_body(("plain",)).get_content()  # type: ignore[union-attr]  # it has one


def test_mail_cannot_be_taken_back_so_limited_autonomy_asks_and_keeping_a_template_does_not(tmp_path: Path) -> None:
    desk = Desk(office(tmp_path), "cmo")
    desk.people("Ann")
    assert desk.ask("email_send", save_as="short", **HELLO).ok
    outcome = desk.ask("email_send", to="ann@company.com", **HELLO)
    assert outcome.awaiting
    (decision,) = desk.services.decisions("acme").pending()
    assert decision.subject.startswith(
        "Send the letter \"Hello {{ first_name | default('there') }}\" to ann@company.com"
    )
    assert (decision.category, decision.cost) == ("email", 0.001)
    assert desk.box() == []
    desk.answer("A")
    assert desk.do("email_send", to="ann@company.com", **HELLO)["sent"] == 1
    assert desk.ask("email_campaign", name="Spring", list="leads", dry_run=True, **HELLO).ok
    assert desk.ask("email_campaign", name="Spring", list="leads", **HELLO).awaiting
    assert len(desk.box()) == 1


def test_letters_go_over_tls_with_a_login_and_the_password_stands_nowhere(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certificate_of("127.0.0.1", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    environment = Environment(variables={"MABOS_SMTP_PASSWORD": PASSWORD})
    desk.people("Ann", "Bob")
    with desk.server(security="starttls", certificate=certificate, login=True) as post:
        desk.settings("notify", smtp_security="starttls", smtp_user=USER, timeout_s=5)
        desk.world = desk.world.variant(environment=environment)
        assert desk.do("email_send", list="everybody", **HELLO)["sent"] == 2
    assert post.connections == 2  # one greeting before encryption and one after: one connection for both letters
    assert [str(one["From"]) for one in post.letters] == ["Acme <hello@acme.com>"] * 2
    assert desk.box() == []
    desk.services.close()
    held = b"".join(path.read_bytes() for path in desk.services.layout.root.rglob("*") if path.is_file())
    assert PASSWORD.encode() not in held.replace(certificate.read_bytes(), b"")


def test_a_reader_no_server_knows_is_refused_and_gets_no_more(desk: Desk) -> None:
    desk.people("Ann", "Bob")
    with desk.server() as post:
        post.refuses["bob@company.com"] = "550 5.1.1 no such mailbox"
        sent = desk.do("email_send", list="everybody", **HELLO)
        assert sent["counts"] == {"refused": 1, "sent": 1}
        assert (
            "550 5.1.1 no such mailbox" in next(one for one in sent["letters"] if one["status"] == "refused")["error"]
        )
        outcome = desk.ask("email_send", to="bob@company.com", key="again", **HELLO)
        assert (outcome.code, outcome.argument) == ("refused", "to")
        assert "unknown_reader" in outcome.message


def test_a_server_that_is_down_is_told_and_the_same_call_goes_on_where_it_stopped(desk: Desk) -> None:
    desk.people("Ann", "Bob", "Cat")
    with desk.server() as post:
        desk.do("email_send", to="ann@company.com", key="k", **HELLO)
    outcome = desk.ask("email_send", list="everybody", key="k", **HELLO)
    assert outcome.code == "unavailable"
    assert "1 of 3 letters are done" in outcome.message
    with desk.server() as post:
        assert desk.do("email_send", list="everybody", key="k", **HELLO)["counts"] == {"already_sent": 1, "sent": 2}
    assert sorted(str(one["To"]) for one in post.letters) == [
        "Bob Smith <bob@company.com>",
        "Cat Smith <cat@company.com>",
    ]


@pytest.mark.parametrize(("chosen", "taken"), [("sent", 1), ("not-sent", 2)])
def test_a_letter_a_server_said_nothing_to_waits_for_a_person(desk: Desk, chosen: str, taken: int) -> None:
    with desk.server() as post:
        post.sleeps_s = 1
        outcome = desk.ask("email_send", to="jane@company.com", **HELLO)
        assert outcome.awaiting
        assert len(post.taken) == 1
        post.sleeps_s = 0
        assert desk.ask("email_send", to="jane@company.com", **HELLO).decision_id == outcome.decision_id
        assert len(desk.services.decisions("acme").pending()) == 1
        desk.answer(chosen)
        settled = "sent" if chosen == "not-sent" else "already_sent"
        assert desk.do("email_send", to="jane@company.com", **HELLO)["letters"][0]["status"] == settled
        assert desk.do("email_send", to="jane@company.com", **HELLO)["counts"] == {"already_sent": 1}
    assert len(post.taken) == taken
    assert len({one["Message-ID"] for one in post.letters}) == 1


def campaign(**changed: Any) -> dict[str, Any]:
    return {"name": "Spring", "list": "everybody", **HELLO, **changed}


def test_a_dry_run_tells_whom_it_would_reach_and_sends_nothing(desk: Desk) -> None:
    desk.people("Ann", "Bob", "Cat")
    desk.do("crm_create_contact", email="bob@company.com", subscribed=False)
    desk.do("crm_create_contact", email="cat@company.com", fields={"plan": "pro"})
    told = desk.do("email_campaign", **campaign(text="Your {{ plan }}", dry_run=True))
    assert (told["status"], told["counts"]) == ("dry_run", {"to_send": 1, "unsubscribed": 1, "lacking": 1})
    assert [one.get("subject") or one["error"][:33] for one in told["letters"]] == [
        "the letter uses {{ plan }}, which", "Hello Cat",
    ]  # fmt: skip
    assert told["cost_usd"] == 0.001
    mailings = desk.services.business("acme").mailings
    assert (desk.box(), mailings.letters.all(), mailings.mailings.all()) == ([], (), ())


def test_a_campaign_reaches_its_segment_once_and_says_what_became_of_each(desk: Desk) -> None:
    desk.people("Ann", "Bob", segment="smb")
    desk.people("Eve", segment="ent")
    desk.do("crm_create_contact", email="bob@company.com", subscribed=False)
    sent = desk.do("email_campaign", name="Spring", segment="smb", template="welcome")
    assert (sent["status"], sent["recipients"], sent["counts"]) == ("completed", 2, {"sent": 1, "unsubscribed": 1})
    assert [(one["to"], one["status"]) for one in sent["not_sent"]] == [("bob@company.com", "unsubscribed")]
    again = desk.do("email_campaign", name=" spring ", segment="smb", template="welcome")
    assert (again["sent_now"], again["counts"]) == (0, sent["counts"])
    assert [str(one["To"]) for one in desk.box()] == ["Ann Smith <ann@company.com>"]
    assert desk.do("email_campaign", name="Spring", action="status")["counts"] == sent["counts"]


def test_a_campaign_by_tag_and_stage_of_deals(desk: Desk) -> None:
    desk.people("Ann", "Bob", "Cat", tags=["fair"])
    for name in ("bob", "cat"):
        desk.do("crm_pipeline", action="create", title="Plan", contact=f"{name}@company.com", stage="proposal")
    desk.do("crm_tag_contacts", tag="fair", contacts=["cat@company.com"], remove=True)
    sent = desk.do("email_campaign", name="Proposals", tags=["fair"], stage="proposal", **HELLO)
    assert (sent["recipients"], [str(one["To"]) for one in desk.box()]) == (1, ["Bob Smith <bob@company.com>"])


def test_a_campaign_keeps_to_its_rate_and_the_heartbeat_sends_the_rest(desk: Desk) -> None:
    desk.settings("mail", letters_an_hour=2)
    desk.people("Ann", "Bob", "Cat", "Dan", "Eve")
    sent = desk.do("email_campaign", **campaign())
    assert (sent["status"], sent["sent_now"], sent["remaining"]) == ("running", 2, 3)
    assert "2 letters an hour" in sent["problem"]
    for minutes, boxed in ((30, 2), (31, 4), (30, 4), (31, 5)):
        desk.world.later(minutes=minutes)
        inform(desk.services, "acme")
        assert len(desk.box()) == boxed
    assert desk.do("email_campaign", name="Spring", action="status")["status"] == "completed"


def test_a_campaign_that_is_stopped_sends_no_more(desk: Desk) -> None:
    desk.settings("mail", letters_an_hour=1)
    desk.people("Ann", "Bob")
    desk.do("email_campaign", **campaign())
    stopped = desk.do("email_campaign", name="Spring", action="stop")
    assert (stopped["status"], stopped["counts"]) == ("stopped", {"cancelled": 1, "sent": 1})
    desk.world.later(hours=2)
    inform(desk.services, "acme")
    assert len(desk.box()) == 1
    assert desk.ask("email_campaign", **campaign()).argument == "name"


def test_a_campaign_goes_on_as_the_template_was_when_it_began(desk: Desk) -> None:
    desk.settings("mail", letters_an_hour=1, unsubscribe_url="https://acme.com/off?mail={email}&letter={token}")
    desk.people("Ann", "Bob")
    desk.do("email_send", save_as="spring", subject="One", text="It is here.")
    desk.do("email_campaign", name="Spring", list="everybody", template="spring")
    desk.do("email_send", save_as="spring", subject="Two", text="It is over.")
    desk.world.later(hours=1)
    assert desk.do("email_campaign", name="Spring", list="everybody", template="spring")["status"] == "completed"
    assert [one["Subject"] for one in desk.box()] == ["One", "One"]
    link = "https://acme.com/off?mail=ann%40company.com&letter=LTR-"
    first = desk.box()[0]
    assert "".join(first["List-Unsubscribe"].split()).startswith(f"<{link}")
    assert first["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert link in first.get_body(("plain",)).get_content()  # type: ignore[union-attr]  # it has one


def test_mail_that_cannot_be_read_keeps_no_owner_from_hearing(desk: Desk) -> None:
    desk.services.business("acme")
    (desk.folder / "mail").mkdir()
    (desk.folder / "mail" / "mailings.json").write_text("no JSON")
    asked: dict[str, Any] = {"subject": "Sign?", "description": "Now.", "options": [{"id": "A", "label": "Yes"}]}
    desk.world.agent("cfo").do("decision_request", **asked)
    with pytest.raises(Damaged, match=r"mailings\.json"):
        inform(desk.services, "acme")
    assert [one.status for one in desk.services.business("acme").outbox.all()] == ["sent"]


def test_a_campaign_of_a_name_stays_the_letter_it_began_as(desk: Desk) -> None:
    desk.people("Ann")
    desk.do("email_campaign", **campaign())
    outcome = desk.ask("email_campaign", **campaign(text="Another one"))
    assert (outcome.code, outcome.argument) == ("invalid_argument", "name")
    assert "another text" in outcome.message


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"list": ""}, ("invalid_argument", "list")),
        ({"list": "prospects"}, ("invalid_argument", "list")),
        ({"max_recipients": 1}, ("invalid_argument", "max_recipients")),
        ({"action": "status", "name": "Autumn"}, ("unknown_id", "name")),
        ({"stage": "dreaming"}, ("invalid_argument", "stage")),
        ({"template": "../../etc/passwd"}, ("unknown_id", "template")),
    ],
)
def test_a_campaign_that_cannot_be_sent_names_the_argument(
    desk: Desk, given: dict[str, Any], refusal: tuple[str, str]
) -> None:
    desk.people("Ann", "Bob")
    outcome = desk.ask("email_campaign", **campaign(**given))
    assert (outcome.code, outcome.argument) == refusal
    assert desk.box() == []


def test_a_campaign_outlives_a_server_that_is_down_and_one_that_says_later(desk: Desk) -> None:
    desk.people("Ann", "Bob", "Cat")
    with desk.server() as post:
        post.refuses["bob@company.com"] = "451 come back later"
        sent = desk.do("email_campaign", **campaign())
        assert (sent["status"], sent["counts"], sent["remaining"]) == ("running", {"failed": 1, "sent": 2}, 1)
    inform(desk.services, "acme")
    assert desk.do("email_campaign", name="Spring", action="status")["remaining"] == 1
    with desk.server() as post:
        inform(desk.services, "acme")
    assert [str(one["To"]) for one in post.letters] == ["Bob Smith <bob@company.com>"]
    assert desk.do("email_campaign", name="Spring", action="status")["status"] == "completed"


def test_businesses_write_to_their_own_customers_alone(tmp_path: Path) -> None:
    desk = Desk(office(tmp_path, businesses=("acme", "globex")), "cmo").ask_less()
    desk.people("Ann")
    desk.world.agent("globex-cmo").do("crm_create_contact", email="bob@company.com", name="Bob")
    for agent in ("cmo", "globex-cmo"):
        assert desk.world.agent(agent).do("email_send", list="everybody", **HELLO)["sent"] == 1
    assert ([str(one["To"]) for one in desk.box()], [str(one["To"]) for one in desk.box("globex")]) == (
        ["Ann Smith <ann@company.com>"],
        ["Bob <bob@company.com>"],
    )


def test_two_runs_of_one_seed_write_the_same_letters(tmp_path: Path) -> None:
    def run(root: Path) -> list[bytes]:
        desk = Desk(office(root), "cmo").ask_less()
        desk.people("Ann", "Bob")
        desk.do("email_campaign", **campaign())
        return [path.read_bytes() for path in sorted((desk.folder / "mail" / "sent" / "new").iterdir())]

    assert run(tmp_path / "one") == run(tmp_path / "other")
