"""What docs/files.md says may lie in a workspace, and what of a workspace it does not say.

unlisted(Path("my-company"))    # ["agents/cfo/notes.json", "agents/cfo/facts.json: field 'colour'"]
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "docs" / "files.md"
_WILD = {"**": ".+", "*": "[^/]*"}


@cache
def patterns() -> Mapping[str, tuple[re.Pattern[str], frozenset[str]]]:
    """Return each path of the page with a pattern for it and the words its row puts in code."""
    found: dict[str, tuple[re.Pattern[str], frozenset[str]]] = {}
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        paths = re.findall(r"`([^`]+)`", cells[0]) if len(cells) > 1 else []
        words = frozenset(re.findall(r"`([a-z0-9_]+)`", cells[1])) if paths else frozenset()
        found |= {path: (_pattern(path), words) for path in paths}
    return found


def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*|<[a-z ]+>)", path)
    return re.compile("".join(_WILD.get(one) or ("[^/]+" if one.startswith("<") else re.escape(one)) for one in parts))


def workspaces(folder: Path) -> Iterator[Path]:
    """Yield every workspace below a folder."""
    yield from (agents.parent for agents in sorted(folder.rglob("agents")) if (agents.parent / "ontologies").is_dir())


def unlisted(root: Path) -> list[str]:
    """Return the files of a workspace that the page does not list, and fields of JSON files that their row lacks."""
    found = []
    for path in sorted(one for one in root.rglob("*") if one.is_file()):
        relative = path.relative_to(root).as_posix()
        rows = [words for pattern, words in patterns().values() if pattern.fullmatch(relative)]
        if not rows:
            found.append(relative)
        elif path.suffix == ".json" and not relative.startswith(".mabos"):
            known = max(rows, key=len) | {"version"}
            found += [f"{relative}: field {name!r}" for name in sorted(_fields(json.loads(path.read_text())) - known)]
    return found


def _fields(document: Any) -> set[str]:
    """Return the names of a document's fields, and of its records' fields."""
    sections: dict[str, Any] = document if isinstance(document, dict) else {"": document}
    records = [one for rows in sections.values() if isinstance(rows, list) for one in rows if isinstance(one, dict)]
    return (set(sections) | {name for record in records for name in record}) - {""}
