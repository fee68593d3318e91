"""The shape of the code: sizes, names, and what may be touched where.

Each test lists every offender, so that one run shows all there is to mend.
"""

import ast
import gc
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0][
    "layers"
]
PRODUCT = ["mabos", *LAYERS]  # `mabos` itself holds links to the others, which are not followed
TESTS = ["tests", "bench", "chaos", "fuzz"]
FUNCTION_LINES, FILE_LINES, TEST_FILE_LINES = 60, 600, 800
PRODUCT_LINES, TEST_LINES, SHARED_NAMES, PARTICIPLES = 183_285, 91_520, 30, 140
"""How many lines of Python there may be, and how many class names may be used more than once.

These may only fall, except for a new capability: last raised for trained classifiers of the roles of figures.
"""
EMPTY_WORDS = re.compile(r"(^|_)(utils?|helpers?|misc|common)($|_)")
REMINDER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
NOQA = re.compile(r"#\s*noqa(:\s*[A-Z]+[0-9]+(\s*,\s*[A-Z]+[0-9]+)*)?|#\s*type:\s*ignore(\[[^\]]*\])?|[-–:#]")
MOMENTS = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns"}
SWITCHES = {
    "gc.disable",
    "gc.enable",
    "gc.freeze",
    "gc.set_threshold",
    "sys.setswitchinterval",
    "sys.setrecursionlimit",
}

PARTICIPLE = re.compile(
    r"(?!embed|seed|need|feed|speed|proceed|exceed)\w+ed|told|said|known|shown|found|made|held|given|taken|written|seen|gone"
    r"|drawn|begun|sent|met|lost|sold|bought|paid|spent|left|built|heard|thought|brought|meant|bound|chosen|spoken|grown|kept|done"
)
QUESTIONS = re.compile(r"(What|How|Which|Whether|Who|Whose|Why|Where|When)\b")
"""The first words of a docstring that names a question instead of the result."""

Offence = Callable[[Path], Iterator[str]]


@pytest.fixture(autouse=True, scope="module")
def _trees() -> Iterator[None]:
    """Collect no garbage while millions of nodes are read and kept, which takes longer than reading them."""
    gc.disable()
    yield
    tree.cache_clear()
    gc.enable()


def sources(*folders: str) -> list[Path]:
    """Return every Python file below `folders`, sorted."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def product(*, outside: str = "") -> list[Path]:
    """Return the product's Python files, without the package or file `outside`."""
    return [path for path in sources(*PRODUCT) if not outside or not path.is_relative_to(ROOT / outside)]


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"), str(path))


def nodes(path: Path, *words: str) -> Iterator[ast.AST]:
    """Yield every node of a file that has one of these words; without one, none could matter."""
    text = path.read_text("utf-8")
    return ast.walk(tree(path)) if any(word in text for word in words) else iter(())


def at(path: Path, line: int, words: str) -> str:
    """Return one offence as `file:line words`."""
    return f"{path.relative_to(ROOT)}:{line} {words}"


def offences(paths: list[Path], find: Offence) -> list[str]:
    """Return what `find` objects to in `paths`."""
    return [offence for path in paths for offence in find(path)]


def long_functions(path: Path) -> Iterator[str]:
    """Yield functions of more than `FUNCTION_LINES` lines."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield at(path, node.lineno, f"{node.name} has {lines} lines; the most is {FUNCTION_LINES}")


def long_files(path: Path) -> Iterator[str]:
    """Yield a file that is too long for where it stands."""
    most = TEST_FILE_LINES if path.relative_to(ROOT).parts[0] in TESTS else FILE_LINES
    lines = len(path.read_text("utf-8").splitlines())
    if lines > most:
        yield at(path, lines, f"has {lines} lines; the most is {most}")


def empty_names(path: Path) -> Iterator[str]:
    """Yield files and folders whose name says nothing about their content."""
    parts = [*path.relative_to(ROOT).parts[:-1], path.stem]
    if any(EMPTY_WORDS.search(part) for part in parts):
        yield at(path, 1, "is named for nothing; name it by its domain word")


def unexplained_excepts(path: Path) -> Iterator[str]:
    """Yield bare and broad handlers that do not say why they catch everything."""
    lines = path.read_text("utf-8").splitlines()
    for node in nodes(path, "except"):
        if not isinstance(node, ast.ExceptHandler) or not _is_broad(node.type) or _raises_again(node):
            continue
        comment = lines[node.lineno - 1].partition("#")[2]
        reason = NOQA.sub(" ", f"#{comment}").split()
        if len(reason) < 3:
            yield at(path, node.lineno, "catches everything and does not say why; add a comment on this line")


def _is_broad(caught: ast.expr | None) -> bool:
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(name is None or ast.unparse(name) in {"Exception", "BaseException"} for name in names)


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler only cleans up: it ends by raising what it caught."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def reminders(path: Path) -> Iterator[str]:
    """Yield comments that put work off."""
    text = path.read_text("utf-8")
    for token in tokenize.generate_tokens(io.StringIO(text).readline) if REMINDER.search(text) else ():
        if token.type == tokenize.COMMENT and REMINDER.search(token.string):
            yield at(path, token.start[0], token.string)


def environment_reads(path: Path) -> Iterator[str]:
    """Yield uses of the process environment."""
    for node in nodes(path, "environ", "getenv"):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.environ", "os.getenv", "os.environb"}:
            yield at(path, node.lineno, "reads the environment; only configs/ may")
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            for name in node.names:
                if name.name in {"environ", "getenv"}:
                    yield at(path, node.lineno, "imports the environment; only configs/ may")


def moments_taken(path: Path) -> Iterator[str]:
    """Yield calls that ask the machine for the time of day."""
    for node in nodes(path, *(one.rpartition(".")[2] for one in MOMENTS)):
        if isinstance(node, ast.Call):
            called = ".".join(ast.unparse(node.func).split(".")[-2:])
            if called in MOMENTS:
                yield at(path, node.lineno, f"calls {called}(); take a clock as an argument")


def prints(path: Path) -> Iterator[str]:
    """Yield calls of `print`."""
    for node in nodes(path, "print"):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
            yield at(path, node.lineno, "prints; only interfaces/ speaks to people")


def interpreter_switches(path: Path) -> Iterator[str]:
    """Yield calls that change the whole interpreter, which a library shares with its host."""
    for node in nodes(path, *(one.rpartition(".")[2] for one in SWITCHES)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in SWITCHES:
            yield at(path, node.lineno, f"calls {ast.unparse(node.func)}(); only the command line owns its process")


def silent_packages(path: Path) -> Iterator[str]:
    """Yield packages whose `__init__` is no reading guide, and modules that do not say what they are."""
    if not (ast.get_docstring(tree(path)) or "").strip():
        yield at(path, 1, "has no docstring")


def question_docstrings(path: Path) -> Iterator[str]:
    """Yield modules and functions whose docstring begins like a question."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            said = ast.get_docstring(node) or ""
            if QUESTIONS.match(said):
                yield at(path, getattr(node, "lineno", 1), f"begins with {said.split()[0]!r}; begin with a verb")


def bare_participles() -> list[str]:
    """Return the names of functions that are one past participle."""
    functions = (node for path in product() for node in ast.walk(tree(path)))
    names = [each.name.strip("_") for each in functions if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [name for name in names if "_" not in name and PARTICIPLE.fullmatch(name)]


RULES: list[tuple[str, list[Path], Offence]] = [
    ("functions are short", product() + sources(*TESTS), long_functions),
    ("files hold one idea", product() + sources(*TESTS), long_files),
    ("names are domain words", product() + sources(*TESTS), empty_names),
    ("a broad except says why", product() + sources(*TESTS), unexplained_excepts),
    ("nothing is put off in a comment", product() + sources(*TESTS), reminders),
    ("only configs reads the environment", product(outside="configs"), environment_reads),
    ("only the clock knows the time", product(outside="workspace/clock.py"), moments_taken),
    ("only interfaces prints", product(outside="interfaces"), prints),
    ("only the command line sets up the interpreter", product(outside="interfaces/cli"), interpreter_switches),
    ("every module says what it is", product(), silent_packages),
    ("docstrings begin with a verb", product(), question_docstrings),
]


@pytest.mark.parametrize(("paths", "find"), [rule[1:] for rule in RULES], ids=[rule[0] for rule in RULES])
def test_the_code_keeps_its_shape(paths: list[Path], find: Offence) -> None:
    assert paths, "no files were looked at"
    found = offences(paths, find)
    assert not found, "\n" + "\n".join(found)


def test_the_checks_find_what_they_look_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    (tmp_path / "product").mkdir()
    bad = tmp_path / "product" / "memory_utils.py"
    body = "\n".join(f"    x = {i}" for i in range(FUNCTION_LINES + 1))
    bad.write_text(
        "import os\nfrom datetime import datetime\n# TODO later\nprint(os.environ, datetime.now(), gc.disable())\n"
        f"try:\n    pass\nexcept Exception:  # noqa: BLE001\n    pass\ndef long():\n    'What it does.'\n{body}\n"
        + "\n"
        * FILE_LINES,
        "utf-8",
    )
    for _, _, find in RULES:
        assert list(find(bad)), find.__name__


def test_a_reason_on_the_line_excuses_a_broad_except(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    good = tmp_path / "good.py"
    good.write_text(
        "try:\n    pass\nexcept Exception:  # noqa: BLE001 - a tool never raises at its caller\n    pass\n", "utf-8"
    )
    assert not list(unexplained_excepts(good))


def lines_of(paths: list[Path]) -> int:
    """Return how many lines these files have."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def test_the_code_does_not_grow_beyond_its_bounds() -> None:
    assert lines_of(product()) <= PRODUCT_LINES
    assert lines_of(sources("tests")) <= TEST_LINES


def test_functions_are_named_by_verbs_or_nouns() -> None:
    assert len(bare_participles()) <= PARTICIPLES


def test_a_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = {}
    for path in product():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert len(shared) <= SHARED_NAMES, shared
