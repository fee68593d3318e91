"""What strangers and machines do to a command: arguments that cannot be read, disks that are full, or read-only."""

import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mabos.interfaces.cli import front
from tests.conftest import ROOT
from tests.interfaces.command_line import NOW, company, mabos

DEEP = b"[" * 100_000 + b"]" * 100_000
MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'  # seen by this process alone


def called(workspace: Path, given: bytes) -> tuple[int, dict[str, Any]]:
    """Return the exit code and the error of a call whose arguments come from standard input."""
    words = ["--workspace", str(workspace), "call", "fact_query", "-"]
    result = CliRunner().invoke(front, words, input=given, env={"MABOS_NOW": NOW}, prog_name="mabos")
    assert isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, json.loads(result.stdout)["error"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (DEEP, "nested too deep"),
        (b'{"subject": ' * 50_000 + b"1" + b"}" * 50_000, "nested too deep"),
        (b"\xff\xfe\xfd", "not JSON"),
        (b'{"agent_id": "\xff"}', "not JSON"),
        (b'{"limit": 1' + b"0" * 5_000 + b"}", "not JSON"),
        (b'{"agent_id": "cfo", "agent_id": "ceo"}', "contain 'agent_id' twice"),
        (b"", "not JSON"),
    ],
)
def test_arguments_that_cannot_be_read_are_wrong_usage_in_one_sentence(tmp_path: Path, given: bytes, said: str) -> None:
    code, error = called(tmp_path, given)
    assert (code, error["code"], error["argument"]) == (2, "invalid_argument", "arguments")
    assert said in error["message"]


@pytest.mark.parametrize("given", [b'{"\\ud800": 1}', b'{"subject": "\\ud800"}', b'{"agent_id": "\\ud800"}'])
def test_text_that_no_file_could_hold_is_refused(tmp_path: Path, given: bytes) -> None:
    assert called(company(tmp_path), given)[1]["code"] == "invalid_argument"


def limited(*words: str, size: int) -> subprocess.CompletedProcess[str]:
    """Run a command that may write files of at most `size` bytes, as on a disk that is full."""

    def narrow() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run(
        [sys.executable, "-B", "-m", "mabos", *words],  # no compiled module is written, which would be cut off
        cwd=ROOT,
        preexec_fn=narrow,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_full_disk_is_one_line_and_leaves_no_half_written_file(tmp_path: Path) -> None:
    place = tmp_path / "company"
    found = limited("init", str(place), size=3_000)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.count("\n") == 1
    assert "the file system refused" in found.stderr
    assert [path for path in place.rglob("*") if path.is_file()] == []


def test_a_business_that_did_not_fit_is_not_there_and_is_finished_later(tmp_path: Path) -> None:
    place = tmp_path / "company"
    mabos("init", str(place))
    create = ("-w", str(place), "business", "create", "acme", "--name", "Acme", "--template", "saas")
    found = limited(*create, size=5_000)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith("mabos: ")
    assert found.stderr.count("\n") == 1
    assert not (place / "businesses" / "acme" / "business.json").exists()
    assert list(place.rglob("*.tmp")) == []
    mabos(*create[2:], workspace=place)
    mabos("verify", workspace=place)


def test_a_workspace_of_an_older_version_that_may_only_be_read_is_read_with_a_notice(tmp_path: Path) -> None:
    place = company(tmp_path / "company")
    (place / "ontologies" / "saas.jsonld").unlink()
    if shutil.which("unshare") is None:
        pytest.skip("a read-only mount needs unshare")
    mounted = ["unshare", "-rm", "sh", "-c", MOUNTED, "sh", str(place)]
    if subprocess.run([*mounted, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system lets nobody mount")

    def read_only(*words: str) -> subprocess.CompletedProcess[str]:
        command = [*mounted, sys.executable, "-m", "mabos", "-w", str(place), *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    listed = read_only("business", "list")
    assert (listed.returncode, "acme" in listed.stdout) == (0, True)
    assert listed.stderr.count("read-only") == 1
    assert json.loads(read_only("call", "belief_get", "--agent", "cfo").stdout)["ok"] is True
    assert read_only("verify", "files").stdout == "files: sound\n"
    refused = read_only("call", "stripe_create_product", '{"name": "Pro"}', "--agent", "cfo")
    assert refused.returncode == 1
    assert json.loads(refused.stdout)["error"]["code"] == "unavailable"
    assert "Traceback" not in refused.stderr


def test_what_the_file_system_refuses_is_told_with_what_helps(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("no folder", "utf-8")
    assert "name another place" in mabos("init", str(tmp_path / ("x" * 300)), code=1).stderr
    assert "name another place" in mabos("init", str(tmp_path / "note" / "below"), code=1).stderr
