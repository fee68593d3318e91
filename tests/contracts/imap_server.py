"""Real IMAP servers for tests: Dovecot where it is installed, and pymap, which the development group brings."""

import imaplib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

USER, PASSWORD = "demouser", "demopass"
Kind = Literal["dovecot", "pymap"]
DOVECOT = shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin:/usr/local/sbin")
_NOBODY = 65534

_CONFIG = """\
protocols = imap
listen = 127.0.0.1
base_dir = {root}/run
state_dir = {root}/state
log_path = {root}/log
ssl = no
disable_plaintext_auth = no
default_login_user = nobody
default_internal_user = nobody
default_internal_group = nogroup
first_valid_uid = 1
mail_location = maildir:{root}/mail/%u
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={uid} home={root}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
}}
"""


@dataclass(frozen=True, slots=True)
class MailServer:
    """A running server with one user, whose folders start empty or with what the server brings."""

    port: int

    def client(self) -> imaplib.IMAP4:
        """Return a connection of the user's own reader of mail."""
        client = imaplib.IMAP4("127.0.0.1", self.port, timeout=10)
        client.login(USER, PASSWORD)
        return client

    def put(self, mail: bytes, folder: str = "Acme") -> None:
        """Lay a mail into a folder, as a server does when one arrives."""
        client = self.client()
        client.create(folder)
        status, answer = client.append(folder, "", "", mail)
        assert status == "OK", answer
        client.logout()

    def remake(self, folder: str = "Acme") -> None:
        """Delete a folder, so that the next one of that name counts its mails anew."""
        client = self.client()
        client.delete(folder)
        client.logout()


@contextmanager
def imap_server(kind: Kind, folder: Path) -> Iterator[MailServer]:
    """Start a server in a folder, and stop it at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = _dovecot(folder, port) if kind == "dovecot" else _pymap(port)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(port, process)
            yield MailServer(port)
        finally:
            process.terminate()
            process.wait(10)
            shutil.rmtree(_root(port), ignore_errors=True)


def _root(port: int) -> Path:
    return Path("/tmp") / f"mabos-dovecot-{os.getpid()}-{port}"  # noqa: S108  # the paths of its sockets are short


def _dovecot(folder: Path, port: int) -> list[str]:
    root = _root(port)
    (root / "mail").mkdir(parents=True)
    uid = _NOBODY if os.geteuid() == 0 else os.geteuid()
    shutil.chown(root / "mail", uid) if os.geteuid() == 0 else None
    config = folder / "dovecot.conf"
    config.write_text(_CONFIG.format(root=root, uid=uid, port=port, password=PASSWORD))
    return [str(DOVECOT), "-F", "-c", str(config)]


def _pymap(port: int) -> list[str]:
    program = str(Path(sys.executable).with_name("pymap"))
    return [program, "--no-tls", "--host", "127.0.0.1", "--port", str(port), "--no-service", "admin", "dict",
            "--demo-data"]  # fmt: skip


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(200):
        assert process.poll() is None, f"the server ended with {process.returncode}"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server does not answer")
