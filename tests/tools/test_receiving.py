"""Mail over IMAP from real servers, and files of a watched folder: each once, also after a crash."""

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import cast

import pytest

from mabos.configs.errors import Unavailable
from mabos.society.mailbox import open_mailbox
from mabos.tools.mail import receiving
from mabos.tools.requests.answers.sources import sources_of
from mabos.workspace.clock import SteppedClock
from tests.contracts.imap_server import DOVECOT, PASSWORD, USER, Kind, MailServer, imap_server
from tests.world import World

TODAY = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture(params=["dovecot", "pymap"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MailServer]:
    if request.param == "dovecot" and not DOVECOT:
        pytest.skip("Dovecot is not installed")
    with imap_server(cast("Kind", request.param), tmp_path) as found:
        yield found


def letter(number: int, *, file: tuple[str, bytes] | None = None) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"] = "Ivo Hendry <ivo@tern.example>", "hello@acme.example"
    mail["Subject"], mail["Message-ID"] = f"Premium of {number} dollars", f"<r{number}@tern.example>"
    mail["Date"] = TODAY - timedelta(days=1)
    mail.set_content(f"The premium of the boat is {number} dollars a year.\n\nYours\nIvo\n")
    if file:
        mail.add_attachment(file[1], maintype="text", subtype="csv", filename=file[0])
    return mail.as_bytes()


def founded(root: Path, server: MailServer | None, **more: object) -> World:
    changes = {
        "mail.imap_host": "127.0.0.1" if server else "", "mail.imap_port": server.port if server else 993,
        "mail.imap_security": "none", "mail.imap_user": USER, "mail.imap_folder": "Acme",
        "memory.embeddings": "none", **more,
    }  # fmt: skip
    variables = {"MABOS_IMAP_PASSWORD": PASSWORD}
    return World(root, settings=changes, variables=variables, clock=SteppedClock(TODAY))


def mails(world: World) -> list[Path]:
    return sorted((world.root / "businesses/acme/inbox").glob("*.eml"))


def told(world: World) -> list[str]:
    return [one.content for one in world.services.inbox("ceo").messages() if one.sender == "mail"]


def test_a_mail_arrives_once_is_told_once_and_is_read_with_its_files(server: MailServer, tmp_path: Path) -> None:
    server.put(letter(750, file=("boats.csv", b"Boat,Berth\nHeron,12\n")))
    with founded(tmp_path / "w", server) as world:
        assert receiving.receive(world.services) == {"acme": 1}
        assert receiving.receive(world.services) == {}
        world.restart()
        server.put(letter(820))
        assert receiving.receive(world.services) == {"acme": 1}
        assert len(mails(world)) == len(told(world)) == 2
        documents = sources_of(world.services.agent("ceo")).documents
        assert {one.sender for one in documents} == {"Ivo Hendry <ivo@tern.example>"}
        assert [table.rows for one in documents for table in one.tables] == [(("Heron", "12"),)]


def test_the_mailbox_stays_as_it_was(server: MailServer, tmp_path: Path) -> None:
    server.put(letter(750))
    with founded(tmp_path / "w", server) as world:
        receiving.receive(world.services)
    client = server.client()
    client.select("Acme", readonly=True)
    assert client.uid("SEARCH", "UNSEEN")[1][0].split() == client.uid("SEARCH", "ALL")[1][0].split() != []
    client.logout()


def test_a_crash_between_file_and_record_loses_nothing_and_doubles_nothing(
    server: MailServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        server.put(letter(number))
    with founded(tmp_path / "w", server) as world:
        deliver, calls = world.services.mail.deliver, list[str]()

        def dying(message: object) -> object:
            calls.append("")
            if len(calls) == 2:
                raise KeyboardInterrupt
            return deliver(message)  # type: ignore[arg-type]

        monkeypatch.setattr(type(world.services.mail), "deliver", lambda _, message: dying(message))
        with suppress(KeyboardInterrupt):
            receiving.receive(world.services)
        assert len(mails(world)) == 2
        monkeypatch.undo()
        world.restart()
        assert receiving.receive(world.services) == {"acme": 2}
        assert len(mails(world)) == len(told(world)) == 3


def test_a_server_that_counts_anew_brings_nothing_twice(server: MailServer, tmp_path: Path) -> None:
    server.put(letter(1))
    server.put(letter(2))
    with founded(tmp_path / "w", server) as world:
        receiving.receive(world.services)
        server.remake()
        server.put(letter(2))
        server.put(letter(3))
        assert receiving.receive(world.services) == {"acme": 1}
        assert len(mails(world)) == 3


def test_a_large_mail_has_its_head_and_says_so(
    server: MailServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "LARGEST", 2_000)
    server.put(letter(1, file=("much.csv", b"a,b\n" * 2_000)))
    with founded(tmp_path / "w", server) as world:
        receiving.receive(world.services)
        (found,) = mails(world)
        assert "not fetched" in found.read_text()
        assert found.stat().st_size < 2_000


def test_a_refused_login_is_noted_without_the_password_and_tried_again_later(
    server: MailServer, tmp_path: Path
) -> None:
    with founded(tmp_path / "w", server) as world:
        wrong = world.services.environment.variables
        wrong["MABOS_IMAP_PASSWORD"] = "battery staple"  # type: ignore[index]  # noqa: S105  # a dict of the test's own
        assert receiving.receive(world.services) == {}
        store = open_mailbox(world.business.directory, world.services.sync)
        (place,) = store.places.all()
        assert place.failures == 1
        assert USER in place.error
        assert "battery" not in place.error
        wrong["MABOS_IMAP_PASSWORD"] = PASSWORD  # type: ignore[index]
        server.put(letter(1))
        assert receiving.receive(world.services) == {}
        world.later(minutes=6)
        assert receiving.receive(world.services) == {"acme": 1}


def test_a_login_never_travels_unencrypted(tmp_path: Path) -> None:
    with founded(tmp_path / "w", None, **{"mail.imap_host": "mail.example"}) as world:
        receiving.receive(world.services)
        (place,) = open_mailbox(world.business.directory, world.services.sync).places.all()
        assert "unencrypted" in place.error


def test_files_of_a_watched_folder_come_again_only_when_they_change(tmp_path: Path) -> None:
    watched = tmp_path / "share"
    watched.mkdir()
    (watched / "stock.csv").write_text("Item,In stock\nGauze,140\n")
    (watched / "movie.mp4").write_bytes(b"0")
    (watched / "link.csv").symlink_to(watched / "stock.csv")
    with founded(tmp_path / "w", None, **{"mail.watch_folder": str(watched)}) as world:
        inbox = world.root / "businesses/acme/inbox"
        assert receiving.receive(world.services) == {"acme": 1}
        assert receiving.receive(world.services) == {}
        (watched / "stock.csv").write_text("Item,In stock\nGauze,90\n")
        os.utime(watched / "stock.csv", ns=(1, 1))
        assert receiving.receive(world.services) == {"acme": 1}
        assert "90" in (inbox / "stock.csv").read_text()
        assert not (inbox / "movie.mp4").exists()
        assert not (inbox / "link.csv").exists()


def test_two_businesses_want_a_name_in_the_settings(tmp_path: Path) -> None:
    with founded(tmp_path / "w", None, **{"mail.watch_folder": str(tmp_path)}) as world:
        world.do("business_create", business_id="other", name="Other", template="consulting")
        with pytest.raises(Unavailable, match=r"mail\.business"):
            receiving.receive(world.services)
