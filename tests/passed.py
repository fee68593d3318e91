"""A plugin of pytest that requires what docs/conformance.md and SECURITY.md name to have passed: `-p tests.passed`.

A test that was skipped, or not run, shows nothing. At the end of a whole run those are listed; with
`MABOS_REQUIRE_NAMED` set, as where a change is merged, the run fails by them.
"""

import os
import re
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("docs/conformance.md", "SECURITY.md")
_NAMED = re.compile(r"`(tests/[^`\s]+\.py(?:::[^`]+)?)`")


def named() -> set[str]:
    """Return the ids of all tests that the pages name."""
    return {one for page in PAGES for one in _NAMED.findall((ROOT / page).read_text("utf-8"))}


def not_shown(names: Iterable[str], outcomes: Mapping[str, str]) -> dict[str, str]:
    """Return which of these names did not pass, with why; an id has its parameters, a file its tests.

    >>> not_shown(["tests/a.py::x", "tests/a.py::y"], {"tests/a.py::x[1]": "passed", "tests/a.py::x[2]": "skipped"})
    {'tests/a.py::x': 'skipped', 'tests/a.py::y': 'not run'}
    """
    under: dict[str, set[str]] = {}
    for test, outcome in outcomes.items():
        plain = test.partition("[")[0]
        for name in {test, plain, plain.partition("::")[0]}:
            under.setdefault(name, set()).add(outcome)
    found = {name: under.get(name, {"not run"}) - {"passed"} for name in sorted(names)}
    return {name: ", ".join(sorted(what)) for name, what in found.items() if what}


class Passed:
    """Keeps what became of each test, and says at the end what is named and has not passed."""

    def __init__(self, *, is_required: bool) -> None:
        self._is_required = is_required
        self._outcomes: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep an outcome; what failed or was skipped before it ran stays so."""
        if report.when == "call" or report.outcome != "passed":
            self._outcomes[report.nodeid] = report.outcome

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run that was otherwise green."""
        if self._is_required and session.exitstatus == pytest.ExitCode.OK and not_shown(named(), self._outcomes):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        """List them after everything else, with the steps of `.ci/run` that failed before the tests."""
        yield
        lacking = not_shown(named(), self._outcomes)
        terminalreporter.section(f"named by {' and '.join(PAGES)}")
        terminalreporter.line(f"{len(named()) - len(lacking)} tests passed, {len(lacking)} did not")
        for test, what in lacking.items():
            terminalreporter.line(f"{what}: {test}")
        if earlier := os.environ.get("FAILED_BEFORE_TESTS"):
            terminalreporter.line(f"failed before the tests: {earlier}")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the run, once: not in the processes that it is divided among."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Passed(is_required=bool(os.environ.get("MABOS_REQUIRE_NAMED"))), "named-passed")
