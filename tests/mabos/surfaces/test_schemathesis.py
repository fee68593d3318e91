"""Schemathesis asks every operation of the HTTP surface, as described and otherwise, and finds nothing."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis.internal.conjecture.utils import many

from tests.mabos.surfaces.servers import serving

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")

# What hypothesis-jsonschema 0.23 calls and some releases of hypothesis do not have: nothing can be generated then.
generates = pytest.mark.skipif(not hasattr(many, "more"), reason="hypothesis-jsonschema does not fit this hypothesis")


@generates
@pytest.mark.slow
def test_schemathesis_finds_nothing(company: Path, tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    shutil.copytree(company, root)
    with serving(root, "serve", "--http", "127.0.0.1:0") as tools:
        words = ["--config-file", str(CONFIGURATION), "run", f"{tools.removesuffix('/tools')}/openapi.json"]
        words += ["--phases", "examples,coverage,fuzzing", "--max-examples", "2", "--seed", "9", "--no-color"]
        found = subprocess.run(
            [str(Path(sys.executable).with_name("st")), *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert found.returncode == 0, found.stdout[-6000:]
    tested = re.search(r"Tested: (\d+)", found.stdout)
    assert tested is not None
    assert int(tested[1]) > 180, "each tool is looked at and called"
