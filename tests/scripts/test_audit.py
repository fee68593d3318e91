"""The audit of dependencies and files finds what it looks for, and finds nothing here."""

import json
import subprocess
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from scripts import audit


class Installed(Distribution):
    """A distribution whose metadata is a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read_text(self, filename: str) -> str | None:
        """Return its metadata."""
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: object) -> Path:
        """Return a place where nothing is."""
        return Path(str(path))


def found(problems: Iterator[str]) -> list[str]:
    return [one.partition(":")[0] for one in problems]


def test_nothing_is_wrong_with_this_repository() -> None:
    assert list(audit.problems()) == []


@pytest.mark.parametrize(
    "told",
    [
        "License-Expression: GPL-3.0-only",
        "Classifier: License :: OSI Approved :: GNU Affero General Public License v3",
        "License: All rights reserved",
        "",
    ],
)
def test_a_licence_that_asks_for_more_than_to_be_named_is_found(told: str) -> None:
    text = f"Metadata-Version: 2.1\nName: Odd_Thing\nVersion: 1\n{told}\n"
    assert found(audit.of_licences([Installed(text)])) == ["odd-thing"]
    assert found(audit.of_licences([Installed(text)], {"odd-thing": "tried"})) == []


def test_every_exception_is_of_something_whose_licence_needs_one() -> None:
    here = {audit.plain(one.metadata["Name"]) for one in distributions()}
    needed = set(found(audit.of_licences(distributions(), {})))
    assert set(audit.EXCEPTIONS) & here <= needed


def test_a_version_that_is_known_to_be_bad_is_found_and_the_one_after_it_is_not() -> None:
    known = [{"package": "LangGraph_Checkpoint", "versions": "<3.0", "why": "x", "source": "y"}]
    assert found(audit.of_advisories({"langgraph-checkpoint": "2.1.2"}, known)) == ["LangGraph_Checkpoint 2.1.2"]
    assert found(audit.of_advisories({"langgraph-checkpoint": "3.0.0"}, known)) == []
    assert found(audit.of_advisories({}, known)) == []


def test_a_dependency_of_any_version_is_found() -> None:
    told = map(Requirement, ["one", "two<3", "three>=1", "four==1.2", "five~=1.0", "mabos[http]"])
    assert found(audit.of_versions(told)) == ["one", "two"]


def test_what_is_not_declared_or_not_imported_is_found() -> None:
    told = list(
        audit.of_imports(["used", "idle", "fastapi"], {"used": ["a.py"], "secret": ["b.py"], "anyio": ["c.py"]})
    )
    assert told[0] == "secret: imported by b.py and not declared in pyproject.toml"
    assert found(iter(told)) == ["secret", "fastapi", "idle"]


@pytest.mark.parametrize(
    "key",
    [
        b"AKIA" + b"Q7" * 8,
        b"ghp_" + b"a1" * 18,
        b"sk-" + b"A9" * 20,
        b"sk_live_" + b"a1" * 12,
        b"xoxb-" + b"1234567890-" * 3,
        b"-----BEGIN RSA PRIVATE KEY-----\n" + (b"a" * 64 + b"\n") * 2,
    ],
)
def test_a_key_in_a_file_is_found_with_its_line(key: bytes) -> None:
    assert list(audit.of_secrets([("x.py", b"a = 1\nkey = '" + key + b"'\n")])) == [
        "x.py:2: this looks like a key; take it out and revoke it"
    ]
    assert list(audit.of_secrets([("x.py", key[: len(key) // 3])])) == []


def test_what_the_databases_could_not_be_asked_is_said_and_never_called_sound(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [{"name": "lost", "skip_reason": "not found"}, {"name": "sound", "version": "1", "vulns": []},
            {"name": "bad", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}]  # fmt: skip

    def run(out: str, error: str = "") -> None:
        answer = subprocess.CompletedProcess([], 1, out, error)
        monkeypatch.setattr(subprocess, "run", lambda *_, **__: answer)

    run(json.dumps({"dependencies": said}))
    assert audit.asked() == ["bad 2: PYSEC-1, mended in 3"]
    assert "asked of 2 distributions of 3\nnothing is known of 1, as of lost" in capsys.readouterr().out
    run("", "ConnectionError: no route")
    assert audit.asked() == []
    assert "could not be asked, and nothing is known of them: ConnectionError: no route" in capsys.readouterr().out
