"""What docs/planning.md shows is true."""

import re
from pathlib import Path


def test_the_example_of_the_documentation_runs(root: Path) -> None:
    text = (root / "docs" / "planning.md").read_text("utf-8")
    shown = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert shown
    names: dict[str, object] = {}
    exec("\n".join(shown), names)  # noqa: S102 - the documentation of this repository
    found = names["found"]
    assert found.tree[0].binding == {"?who": "ann"}  # type: ignore[attr-defined]
