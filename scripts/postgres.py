"""A local Postgres without Docker for tests and trials: in the foreground, open to this machine only.

python3 scripts/postgres.py                 # prints its address, postgresql://mabos@127.0.0.1:PORT/postgres

Needs the programs `initdb` and `postgres`: on Debian the package postgresql. Without --data everything is in a
temporary folder. Postgres refuses to run as root, so root runs it as `postgres` or `nobody`.
"""

import argparse
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread

READY = "database system is ready to accept connections"
USERS = ("postgres", "nobody")
USER = "mabos"


def programs() -> Path | None:
    """Return the folder with `initdb` and `postgres`, the newest if there are several; None without one."""
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    versions = Path("/usr/lib/postgresql").glob("[0-9]*/bin")
    folders += sorted(versions, key=lambda one: float(one.parent.name), reverse=True)
    return next((one for one in folders if all((one / name).exists() for name in ("initdb", "postgres"))), None)


def lacking() -> str:
    """Return what this machine lacks to run Postgres, or an empty text."""
    return "" if programs() else "no initdb and postgres found; on Debian: apt-get install postgresql"


def unprivileged() -> str | None:
    """Return the user to run as, None for the current one: Postgres refuses root."""
    known = {one.pw_name for one in pwd.getpwall()}
    return next((name for name in USERS if name in known), None) if os.geteuid() == 0 else None


@contextmanager
def folder(wanted: Path | None, user: str | None) -> Iterator[Path]:
    """Yield a folder owned by `user`: the requested one, or a temporary one."""
    path = Path(mkdtemp(prefix="mabos-postgres-")) if wanted is None else wanted.resolve()
    path.mkdir(parents=True, exist_ok=True)
    if user is not None:
        shutil.chown(path, user)
    path.chmod(0o700)
    try:
        yield path
    finally:
        if wanted is None:
            shutil.rmtree(path, ignore_errors=True)


def begun(home: Path, data: Path, port: int, user: str | None, *, is_kept: bool) -> "subprocess.Popen[str]":
    """Return the started server, with its data created if missing."""
    if not (data / "PG_VERSION").exists():
        made = [str(home / "initdb"), "-D", str(data), "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C"]
        subprocess.run(made, check=True, user=user, cwd="/", stdout=subprocess.DEVNULL)
    terms = {"port": str(port), "listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
    terms |= {} if is_kept else {"fsync": "off"}
    options = [word for name, value in terms.items() for word in ("-c", f"{name}={value}")]
    command = [str(home / "postgres"), "-D", str(data), *options]
    return subprocess.Popen(
        command, user=user, cwd="/", start_new_session=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def attended(server: "subprocess.Popen[str]", port: int, *, until_eof: bool) -> int:
    """Run the server until stopped, and print its address once it answers; return the exit code."""
    asked = False

    def stop(*_: object) -> None:
        nonlocal asked
        asked = True
        server.send_signal(signal.SIGINT)  # "fast": whoever is connected is sent away

    def wait() -> None:
        sys.stdin.read()
        stop()

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    if until_eof:
        Thread(target=wait, daemon=True).start()
    for line in server.stderr or ():
        print(line, end="", file=sys.stderr, flush=True)
        if READY in line:
            print(f"Postgres answers on postgresql://{USER}@127.0.0.1:{port}/postgres", flush=True)
    code = server.wait()
    return 0 if asked else code


def main() -> int:
    """Create missing data, and run the server until it is stopped; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=0, help="on 127.0.0.1; a free one where none is given")
    parser.add_argument("--data", type=Path, help="where the data stay, on disk for good")
    parser.add_argument("--until-eof", action="store_true", help="stop when standard input ends, so with its owner")
    asked = parser.parse_args()
    home = programs()
    if home is None:
        print(f"postgres: {lacking()}", file=sys.stderr)
        return 1
    user = unprivileged()
    port = asked.port or free_port()
    with folder(asked.data, user) as data:
        server = begun(home, data, port, user, is_kept=asked.data is not None)
        return attended(server, port, until_eof=asked.until_eof)


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
