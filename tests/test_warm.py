"""A program that is started already is what a new one would be: for who asks it, and for what it finds around it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import warm

pytestmark = pytest.mark.skipif(not warm.MAY_FORK, reason="each page starts its commands from nothing on this system")

LOOKS = """
import json, os, signal, sys, time
umask = os.umask(0)
around = {name: value for name, value in os.environ.items() if name != "_"}  # the shell's word for the program
print(json.dumps([
    sys.argv[1:], around, os.getcwd(), umask, time.tzname, sys.stdin.read(), sys.stdout.encoding, sys.path,
    signal.getsignal(signal.SIGINT) == signal.SIG_IGN, os.listdir("/proc/self/fd"), __name__,
]))
print("aside", file=sys.stderr)
sys.exit(7)
"""
WAITS = """
import os, time
print(os.getpid(), flush=True)
time.sleep(100_000)
"""


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The module `looks` of the folder in which it is asked, started already."""
    with warm.served(tmp_path_factory.mktemp("warm"), "looks") as asker:
        yield asker


def asked(command: list[str], folder: Path, before: str = "") -> "subprocess.CompletedProcess[str]":
    """Return what a command answers in a folder, under circumstances that are not the server's."""
    return subprocess.run(
        ["bash", "-c", f'umask 027; {before} exec "$@"', "bash", *command], cwd=folder, input="said",
        env={**os.environ, "TZ": "Asia/Tokyo", "ODD": "\udcff", "PYTHONPATH": str(warm.ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("before", ["", "trap '' INT;"])
def test_it_finds_around_it_what_a_new_one_finds(looks: Path, tmp_path: Path, before: str) -> None:
    (tmp_path / "looks.py").write_text(LOOKS, "utf-8")
    words = ["one", "zwö", "", "\udcfe"]
    expected = asked([sys.executable, "-m", "looks", *words], tmp_path, before)
    found = asked([str(looks), *words], tmp_path, before)
    assert expected.returncode == 7, expected.stderr
    assert json.loads(found.stdout) == json.loads(expected.stdout)
    assert (found.returncode, found.stderr) == (7, "aside\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_as_it_ends_a_new_one(looks: Path, tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "looks.py").write_text(WAITS, "utf-8")
    with subprocess.Popen([looks], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline()
        asker.send_signal(number)
        asker.communicate()
    assert asker.returncode == -number


def test_it_dies_with_who_asked(looks: Path, tmp_path: Path) -> None:
    (tmp_path / "looks.py").write_text(WAITS, "utf-8")
    with subprocess.Popen([looks], cwd=tmp_path, stdout=subprocess.PIPE) as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline()
        asker.kill()
        assert asker.stdout.read() == b"", "it holds this open until it is gone"
