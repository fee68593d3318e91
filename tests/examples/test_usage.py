"""An example that is started without its arguments says which it takes."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize(
    "name", ["company_tools", "long_conversation", "mcp_servers", "one_approval", "own_graph", "own_parts", "tool_node"]
)
def test_an_example_without_its_arguments_says_in_one_line_what_it_takes(name: str) -> None:
    command = [sys.executable, "-m", f"examples.{name}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"usage: python examples/{name}.py WORKSPACE")
    assert done.stderr.count("\n") == 1
