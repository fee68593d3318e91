"""The small model on this machine: where it is, and what is said where it is not."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import local_model

SCRIPT = Path(local_model.__file__)


def test_what_is_lacking_is_said_with_the_command_that_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_model, "find_spec", lambda _name: None)
    assert local_model.bundled() is None
    assert "pip install --no-deps xllamacpp" in local_model.lacking()


def test_a_file_that_is_no_model_ends_the_command(tmp_path: Path) -> None:
    (tmp_path / "no.gguf").write_text("not a model")
    ended = subprocess.run(
        [sys.executable, str(SCRIPT), "--weights", str(tmp_path / "no.gguf"), "--port", "0"],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert ended.returncode != 0
    assert "answers at" not in ended.stdout
