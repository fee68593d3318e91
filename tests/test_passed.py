"""A run in which a test that the pages name was skipped or left out says so, and fails where that is required."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.passed import ROOT, named, not_shown

TESTS = """
import pytest

@pytest.mark.parametrize("one", [1, 2])
def test_a(one): pass

@pytest.mark.skipif(True, reason="no server")
def test_b(): pass
"""
RUN = """
import sys
import pytest
from tests import passed
passed.named = lambda: {NAMED}
sys.exit(pytest.main(["-q", "-p", "tests.passed", "-p", "no:cacheprovider", "--rootdir=.", "tests/test_it.py"]))
"""


def finished(folder: Path, names: set[str], required: str) -> subprocess.CompletedProcess[str]:
    """Return a run of two tests of its own, of which these are named."""
    (folder / "tests").mkdir()
    (folder / "tests" / "test_it.py").write_text(TESTS, "utf-8")
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "MABOS_REQUIRE_NAMED": required}
    variables["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # these tests need none, and to load them takes most of the time
    script = RUN.replace("{NAMED}", repr(names))
    return subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("names", "required", "code", "said"),
    [
        ({"tests/test_it.py::test_a"}, "1", 0, "1 tests passed, 0 did not"),
        ({"tests/test_it.py::test_a", "tests/test_it.py::test_b"}, "1", 1, "skipped: tests/test_it.py::test_b"),
        ({"tests/test_it.py::test_b"}, "", 0, "skipped: tests/test_it.py::test_b"),
        ({"tests/test_it.py::test_c"}, "1", 1, "not run: tests/test_it.py::test_c"),
    ],
)
def test_a_run_fails_by_a_named_test_that_did_not_pass_only_where_that_is_required(
    names: set[str], required: str, code: int, said: str, tmp_path: Path
) -> None:
    done = finished(tmp_path, names, required)
    assert (done.returncode, said in done.stdout) == (code, True), done.stdout + done.stderr


def test_a_file_is_shown_when_all_of_it_passed() -> None:
    ran = {"tests/a.py::x[1]": "passed", "tests/a.py::x[2]": "passed", "tests/b.py::y": "skipped"}
    assert not_shown(["tests/a.py", "tests/a.py::x", "tests/a.py::x[2]"], ran) == {}
    assert not_shown(["tests/b.py", "tests/a.py::x[3]"], ran) == {
        "tests/a.py::x[3]": "not run",
        "tests/b.py": "skipped",
    }


def test_the_pages_name_tests() -> None:
    assert len(named()) > 300
