"""SmolLM2 behind llama.cpp's own server, for tests of the real protocol; what it says is nonsense, and nothing asks it.

One process of its own, on one thread, stopped with the block. Where it is not installed tests are skipped with the
command that installs it, or fail where the whole suite must have run.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mabos.backends.langchain_model import LangChainModel
from mabos.backends.providers import profile_model
from mabos.configs.models import ModelProfile
from scripts import local_model

ROOT = Path(__file__).resolve().parent.parent
REQUIRED = bool(os.environ.get("MABOS_REQUIRE_MODEL"))
"""Whether a test without the model fails. Read before tests get an environment of their own."""


class Served:
    """A server, and the address it listens at."""

    def __init__(self, process: "subprocess.Popen[str]", base_url: str) -> None:
        self.process, self.base_url = process, base_url

    def model(self, **over: object) -> LangChainModel:
        """Return the chat model at this server; waits long, since the machine may be busy."""
        fields = {"base_url": self.base_url, "model": "smollm2", "timeout_s": 300, "max_retries": 0}
        return profile_model(ModelProfile.model_validate(fields | over))


@contextmanager
def served(*options: str) -> Iterator[Served]:
    """Start the server on a free port, wait until it answers, and stop it at the end."""
    problem = local_model.lacking()
    if problem and REQUIRED:
        pytest.fail(problem)
    if problem:
        pytest.skip(problem)
    command = [sys.executable, str(ROOT / "scripts" / "local_model.py"), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+/v1", process.stdout.readline())
        if found is None:  # it ended, and says why
            pytest.fail(process.communicate()[1][-2_000:])
        yield Served(process, found[0])
    finally:
        process.kill()
        process.communicate()
