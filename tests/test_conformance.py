"""docs/conformance.md has a row for every section of the five documents, and the tests it names exist.

`tests/passed.py` requires, where a change is merged, that each has passed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "conformance.md"
DOCUMENTS = ROOT.parent / "shared" / "seeds"
NOTHING = "nothing to build"


@dataclass(frozen=True, slots=True)
class Row:
    """One section of one document, and what shows it."""

    document: str
    section: str
    title: str
    shown_by: str

    @property
    def tests(self) -> list[str]:
        """The test ids named, in the order they stand."""
        return re.findall(r"`(tests/[^`]+)`", self.shown_by)

    @property
    def benches(self) -> list[str]:
        """The benchmarks named."""
        return re.findall(r"measured by `python -m (bench\.\w+)`", self.shown_by)


def rows() -> list[Row]:
    """Return every row of the table; documents are its `## S0` headings."""
    found, document = [], ""
    for line in TABLE.read_text("utf-8").splitlines():
        if heading := re.match(r"## (S[0-4])\b", line):
            document = heading[1]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if document and len(cells) == 3 and cells[0] not in {"Section", "---"}:
            found.append(Row(document, cells[0], cells[1].replace("\\|", "|"), cells[2]))
    return found


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield (section, title) of every heading of level 2 and 3 outside code.

    A heading that carries no number gets its place under its parent, as `5/2`; an unnumbered parent its place.
    """
    fenced, parent, parents, children = False, "", 0, 0
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        match = None if fenced else re.match(r"(#{2,3}) (?:(\d+(?:\.\d+)?)\.? )?(.+?)\s*$", line)
        if match is None:
            continue
        level, number, title = len(match[1]), match[2], match[3]
        if level == 2:
            parents, children = parents + 1, 0
            parent = number or f"({parents})"
            yield parent, title
        else:
            children += 1
            yield number or f"{parent}/{children}", title


def test_every_section_of_the_documents_has_its_row() -> None:
    documents = sorted(DOCUMENTS.glob("[0-9][0-9][0-9]_*.txt"))
    if not documents:
        pytest.skip("the five documents do not lie beside this repository; their table is checked by itself")
    listed = {(row.document, row.section, row.title) for row in rows()}
    expected = {
        (f"S{int(path.name[:3])}", section, title)
        for path in documents
        for section, title in sections(path.read_text("utf-8"))
    }
    assert sorted(expected - listed) == []
    assert sorted(listed - expected) == []


def test_the_table_covers_five_documents_and_no_section_twice() -> None:
    keys = [(row.document, row.section) for row in rows()]
    assert {document for document, _ in keys} == {"S0", "S1", "S2", "S3", "S4"}
    assert len(keys) == len(set(keys))


def test_every_row_names_tests_or_a_benchmark_or_says_that_there_is_nothing_to_build() -> None:
    silent = [row for row in rows() if not row.tests and not row.benches and row.shown_by != NOTHING]
    assert silent == []


def test_every_benchmark_that_is_named_exists_and_has_its_figures() -> None:
    figures = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    named = {bench for row in rows() for bench in row.benches}
    assert named
    assert [bench for bench in sorted(named) if f"`python -m {bench}`" not in figures] == []
    assert [bench for bench in sorted(named) if not (ROOT / f"{bench.replace('.', '/')}.py").is_file()] == []


def test_every_test_that_is_named_stands_in_its_file() -> None:
    named = {test for row in rows() for test in row.tests}
    assert [test for test in sorted(named) if not _stands(*test.partition("[")[0].split("::"))] == []


def _stands(file: str, *names: str) -> bool:
    text = (ROOT / file).read_text("utf-8") if (ROOT / file).is_file() else ""
    return bool(text) and all(re.search(rf"^ *(?:async )?(?:def|class) {name}\b", text, re.MULTILINE) for name in names)
