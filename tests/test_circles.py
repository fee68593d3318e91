"""No file imports itself through others: deferred imports and those for annotations count too."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = sorted(path.name for path in (ROOT / "mabos").iterdir() if path.is_symlink())


def modules() -> dict[str, Path]:
    """Return every module of the product by name; the tests of a folder are not part of it."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    found = {_name(path.relative_to(ROOT)): path for path in files}
    return found | {_name(path.relative_to(ROOT).relative_to("mabos")): path for path in (ROOT / "mabos").glob("*.py")}


def _name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(("mabos", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def imports(tree: ast.Module, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules that a file imports anywhere in it: at its head, in functions, and for its annotations."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in known else node.module or ""


def test_no_file_imports_itself_through_others() -> None:
    known = modules()
    assert {"mabos", "mabos.configs.settings", "mabos.graphs.wiring"} <= known.keys()
    graph = {}
    for name, path in known.items():
        graph[name] = {one for one in imports(ast.parse(path.read_bytes()), known) if one in known and one != name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]  # each module imports the next
        raise AssertionError("these files import each other in a circle: " + " -> ".join(circle)) from None
