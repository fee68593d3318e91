"""Letters over real SMTP: encrypted, with a login, over one connection, refused, and left without an answer."""

import socket
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest

from mabos.backends.mail import Letter, Login, MaildirMail, Rejected, SmtpMail, Unanswered, mail_server
from mabos.configs.errors import Unavailable
from mabos.configs.settings import Environment, load_settings
from tests.contracts.mail_server import PASSWORD, USER, Post, certificate_of, parsed, post_office

LETTER = Letter(
    "L-1", "Acmé <hello@acme.com>", "jane@company.com", "Grüße, 25 € weniger",
    "Guten Tag,\n\n.ein Punkt am Anfang, und Ümläute.\n", datetime(2026, 3, 2, 9, tzinfo=UTC),
    html="<p>Guten Tag</p>", headers=(("List-Unsubscribe", "<mailto:hello@acme.com?subject=unsubscribe>"),),
)  # fmt: skip
OPEN = Login()
Security = Literal["starttls", "tls"]


def server_of(post: Post, login: Login = OPEN, *, timeout_s: float = 5) -> SmtpMail:
    return SmtpMail(post.host, post.port, timeout_s=timeout_s, login=login)


def test_a_letter_with_both_texts_and_foreign_letters_arrives_whole() -> None:
    with post_office() as post:
        assert server_of(post).send(LETTER) == f"smtp://{post.host}:{post.port}"
    (found,) = post.letters
    assert (found["From"], found["To"], found["Subject"]) == (LETTER.sender, LETTER.to, LETTER.subject)
    assert found["Message-ID"] == "<L-1@mabos>"
    assert found["Date"].datetime == LETTER.at
    assert found["List-Unsubscribe"] == "<mailto:hello@acme.com?subject=unsubscribe>"
    assert found.get_content_type() == "multipart/alternative"
    plain, page = found.iter_parts()
    assert plain.get_content().replace("\r\n", "\n") == LETTER.text
    assert page.get_content().strip() == LETTER.html


def test_a_letter_is_the_same_bytes_each_time_and_of_seven_bits() -> None:
    assert LETTER.as_bytes() == replace(LETTER).as_bytes()
    assert LETTER.as_bytes().isascii()
    assert parsed(LETTER.as_bytes())["Subject"] == LETTER.subject


@pytest.mark.filterwarnings(
    "ignore:Requiring AUTH while not requiring TLS"
)  # aiosmtpd takes TLS from the start for none
@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_an_encrypted_server_takes_letters_after_a_login(
    security: Security, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certificate_of("127.0.0.1", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with post_office(security=security, certificate=certificate, login=True) as post:
        server_of(post, Login(security, USER, PASSWORD)).send(LETTER)
        assert len(post.letters) == 1
        with pytest.raises(Unavailable, match=r"it refused the login of 'acme' \(535\)") as wrong:
            server_of(post, Login(security, USER, "battery staple")).send(LETTER)
        assert "battery" not in wrong.value.message
        with pytest.raises(Unavailable, match=r"set the variable that notify\.smtp_password_env names"):
            server_of(post, Login(security, USER)).send(LETTER)
    assert len(post.letters) == 1


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_server_whose_certificate_nobody_vouches_for_gets_no_letter(security: Security, tmp_path: Path) -> None:
    with post_office(security=security, certificate=certificate_of("127.0.0.1", tmp_path)) as post:
        with pytest.raises(Unavailable, match="certificate verify failed"):
            server_of(post, Login(security)).send(LETTER)
        assert post.taken == []


def test_a_server_that_is_to_encrypt_and_cannot_gets_no_letter() -> None:
    with post_office() as post:
        with pytest.raises(Unavailable, match="STARTTLS"):
            server_of(post, Login("starttls")).send(LETTER)
        assert post.taken == []


def test_a_password_is_never_sent_unencrypted() -> None:
    with post_office() as post:
        with pytest.raises(Unavailable, match=r"set notify\.smtp_security to starttls or tls"):
            server_of(post, Login("none", USER, PASSWORD)).send(LETTER)
        assert post.taken == []


@pytest.mark.parametrize(("code", "forever"), [("550 no such mailbox", True), ("451 come back later", False)])
def test_what_a_server_says_of_a_reader_is_told_from_what_it_says_of_a_letter(code: str, forever: bool) -> None:
    with post_office() as post:
        post.refuses["jane@company.com"] = code
        with pytest.raises(Rejected, match=code) as reader:
            server_of(post).send(LETTER)
        post.refuses.clear()
        post.answer = code
        with pytest.raises(Rejected, match=code) as letter:
            server_of(post).send(LETTER)
    assert (reader.value.forever, reader.value.reader) == (forever, True)
    assert (letter.value.forever, letter.value.reader) == (forever, False)


def test_many_letters_go_over_one_connection_also_past_a_refusal() -> None:
    with post_office() as post:
        post.refuses["nobody@company.com"] = "550 no such mailbox"
        with server_of(post) as server:
            server.send(LETTER)
            with pytest.raises(Rejected):
                server.send(replace(LETTER, id="L-2", to="nobody@company.com"))
            server.send(replace(LETTER, id="L-3"))
    assert [one["Message-ID"] for one in post.letters] == ["<L-1@mabos>", "<L-3@mabos>"]
    assert post.connections == 1


def test_a_password_that_cannot_be_sent_is_told_without_any_letter_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certificate_of("127.0.0.1", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with post_office(security="starttls", certificate=certificate, login=True) as post:
        with pytest.raises(Unavailable, match="the login may contain ASCII only") as wrong:
            server_of(post, Login("starttls", USER, "sésame")).send(LETTER)
        assert "xe9" not in wrong.value.message
        assert "é" not in wrong.value.message


def test_an_address_that_cannot_be_sent_holds_up_nobody_else() -> None:
    with post_office() as post, server_of(post) as server:
        with pytest.raises(Rejected, match="no address of ASCII letters") as wrong:
            server.send(replace(LETTER, to="Jürgen <jürgen@firma.example>"))
        assert (wrong.value.forever, wrong.value.reader) == (True, True)
        server.send(LETTER)
    assert post.connections == 1


def test_a_letter_whose_id_has_foreign_letters_travels_and_keeps_an_id_of_its_own(tmp_path: Path) -> None:
    """Somebody without an address is called by name in the id of a notice."""
    named = [replace(LETTER, id=f"acme-report:email:{name}", to=name) for name in ("Jürgen Müller", "李明", "王芳")]
    assert len({one.message_id for one in named}) == 3
    for one in named:
        assert one.message_id.isascii()
        assert parsed(one.as_bytes())["Message-ID"] == one.message_id
        MaildirMail(tmp_path).send(one)
    assert len(list((tmp_path / "new").iterdir())) == 3


@pytest.mark.parametrize("moved", ["{}", "{}:2,S", "{}:2,", "{},S=120:2,S", "{};2,S", "{}!2,S"])
def test_a_letter_that_was_read_is_known_whatever_its_reader_wrote_behind_its_name(tmp_path: Path, moved: str) -> None:
    box = MaildirMail(tmp_path)
    laid = Path(box.send(LETTER))
    laid.rename(tmp_path / "cur" / moved.format(laid.name))
    box.send(LETTER)
    assert not laid.exists()


def test_a_letter_that_was_read_does_not_stand_for_one_whose_id_is_shorter(tmp_path: Path) -> None:
    box = MaildirMail(tmp_path)
    laid = Path(box.send(replace(LETTER, id="report:email:jane@company.com")))
    laid.rename(tmp_path / "cur" / f"{laid.name}:2,S")
    assert Path(box.send(replace(LETTER, id="report:email:jane@company.co"))).exists()


def test_a_server_that_takes_a_letter_and_says_nothing_may_have_it() -> None:
    with post_office() as post:
        post.sleeps_s = 3
        with pytest.raises(Unanswered, match="timed out"):
            server_of(post, timeout_s=0.3).send(LETTER)
    assert len(post.letters) == 1


def test_a_server_that_does_not_greet_is_down_and_nothing_was_handed_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = SmtpMail("127.0.0.1", silent.getsockname()[1], timeout_s=0.3)
        with pytest.raises(Unavailable, match="timed out") as wrong:
            server.send(LETTER)
    assert not isinstance(wrong.value, Unanswered)


def test_the_password_is_the_variable_that_settings_name_and_shows_nowhere() -> None:
    settings = load_settings().notify.model_copy(update={"smtp_host": "mail.company.com", "smtp_user": USER})
    server = mail_server(settings, Environment(variables={"MABOS_SMTP_PASSWORD": PASSWORD}))
    assert server is not None
    assert PASSWORD not in repr(vars(server))
    assert repr(Login("tls", USER, PASSWORD)) == "Login('tls', 'acme')"
    assert mail_server(load_settings().notify, Environment()) is None
