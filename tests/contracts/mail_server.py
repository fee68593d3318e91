"""A real mail server for tests: takes letters over SMTP, with a login and TLS where asked, and refuses on demand."""

import asyncio
from asyncio.base_events import Server
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import default
from ipaddress import ip_address
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Any, Literal

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

USER, PASSWORD = "acme", "correct horse"


@dataclass
class Post:
    """What a server was given, and what it says to it; `refuses` is by reader, `answer` to every letter."""

    host: str = "127.0.0.1"
    port: int = 0
    taken: list[bytes] = field(default_factory=list)
    refuses: dict[str, str] = field(default_factory=dict)
    answer: str = "250 taken"
    sleeps_s: float = 0.0
    connections: int = 0

    @property
    def letters(self) -> list[EmailMessage]:
        """The letters as their readers see them."""
        return [parsed(one) for one in self.taken]

    async def handle_EHLO(self, _server: Any, session: Any, _envelope: Any, name: str, answers: list[str]) -> list[str]:  # noqa: N802  # aiosmtpd's name
        """Count who comes in."""
        session.host_name = name
        self.connections += 1
        return answers

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, reader: str, _options: Any) -> str:  # noqa: N802  # aiosmtpd's name
        """Take a reader, or say what is told to be said."""
        if reader in self.refuses:
            return self.refuses[reader]
        envelope.rcpt_tos.append(reader)
        return "250 fine"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802  # aiosmtpd's name
        """Take a letter."""
        if self.answer.startswith("2"):
            self.taken.append(envelope.content)
        await asyncio.sleep(self.sleeps_s)
        return self.answer


def parsed(text: bytes) -> EmailMessage:
    """Return a letter as its reader sees it."""
    found: Message = message_from_bytes(text, policy=default)
    assert isinstance(found, EmailMessage)
    return found


def _knows(_server: Any, _session: Any, _envelope: Any, _mechanism: str, given: Any) -> AuthResult:
    fits = isinstance(given, LoginPassword) and (given.login, given.password) == (USER.encode(), PASSWORD.encode())
    return AuthResult(success=fits, handled=False)


class _AnyPort(Controller):
    """A server on a port that the system chooses, at which it then knocks to see whether it runs."""

    def _trigger_server(self) -> None:
        assert isinstance(self.server, Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]  # aiosmtpd has few types


@contextmanager
def post_office(
    *, security: Literal["none", "starttls", "tls"] = "none", certificate: Path | None = None, login: bool = False
) -> Iterator[Post]:
    """Run a mail server while the block runs."""
    post = Post()
    context = None
    if certificate is not None:
        context = SSLContext(PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    more: dict[str, Any] = {"ssl_context": context} if security == "tls" else {"tls_context": context}
    if security == "starttls":
        more["require_starttls"] = True
    if login:
        # aiosmtpd holds a connection that is encrypted from the start for an open one.
        more |= {"authenticator": _knows, "auth_required": True, "auth_require_tls": security != "tls"}
    controller = _AnyPort(post, hostname=post.host, port=0, **more)
    controller.start()
    post.port = controller.port
    try:
        yield post
    finally:
        controller.stop()


def certificate_of(host: str, folder: Path) -> Path:
    """Write a certificate that vouches for itself with its key, and return its file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "certificate.pem"
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path
