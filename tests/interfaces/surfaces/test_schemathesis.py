"""Schemathesis asks every operation of the HTTP surface, as described and otherwise, and finds nothing."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interfaces.surfaces.servers import serving

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")

PARTS = {
    "every operation, as described": (["--phases", "examples,fuzzing", "--max-examples", "2"], 220),
    "some operations, in every way they may be asked wrongly": (
        ["--phases", "coverage", "--include-path-regex", "^/(health|tools)$|^/tools/(belief|fact|ldg|mem:|knowledge)"],
        20,
    ),
}
"""A sample: without the choice of paths, coverage asks some 8,000 requests more and takes minutes."""


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_schemathesis_finds_nothing(part: str, company: Path, tmp_path: Path) -> None:
    chosen, least = PARTS[part]
    root = tmp_path / "workspace"
    shutil.copytree(company, root)
    with serving(root, "serve", "--http", "127.0.0.1:0") as tools:
        words = ["--config-file", str(CONFIGURATION), "run", f"{tools.removesuffix('/tools')}/openapi.json"]
        found = subprocess.run(
            [str(Path(sys.executable).with_name("st")), *words, *chosen, "--seed", "9", "--no-color"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert found.returncode == 0, found.stdout[-6000:]
    tested = re.search(r"Tested: (\d+)", found.stdout)
    assert tested is not None
    assert int(tested[1]) >= least, found.stdout
