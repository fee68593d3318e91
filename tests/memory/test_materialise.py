"""Memory as Markdown: the documents' format, written when something changed."""

from pathlib import Path

from mabos.memory import materialise
from tests.memory.factory import Remembering


def test_the_pages_have_the_documents_format(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    long = mind.memory.store(
        "Revenue model validated by customer interviews in the northern and southern regions",
        type="decision", importance=0.9, tags=["revenue", "validation"], store="long_term", evidence=["brief.md:3"],
    )  # fmt: skip
    short = mind.memory.store("Second line\nfollows", importance=0.5)
    mind.memory.materialise()
    assert (tmp_path / "memory/mabos-memory-items.md").read_text() == (
        "# MABOS Memory Items — cfo\n\n> Auto-materialized from memory-store.json. 1 long-term, 1 short-term items.\n\n"
        "## [long_term] decision: Revenue model validated by customer interviews in the northe...\n\n"
        f"- **ID:** {long.id}\n- **Store:** long_term\n- **Type:** decision\n- **Importance:** 0.9\n"
        "- **Source:** manual\n- **Tags:** revenue, validation\n- **Evidence:** brief.md:3\n- **Created:** "
        "2026-02-24T14:30:00.000Z\n\nRevenue model validated by customer interviews in the northern and southern "
        "regions\n\n## [short_term] observation: Second line follows\n\n"
        f"- **ID:** {short.id}\n- **Store:** short_term\n- **Type:** observation\n- **Importance:** 0.5\n"
        "- **Source:** manual\n- **Created:** 2026-02-24T14:30:00.000Z\n\nSecond line\nfollows\n"
    )
    assert (tmp_path / "MEMORY.md").read_text().splitlines()[-1] == (
        f"- **2026-02-24** [decision] {long.content} ({long.id})"
    )


def test_an_empty_memory_writes_no_page(tmp_path: Path) -> None:
    Remembering(tmp_path).memory.materialise()
    assert list(tmp_path.iterdir()) == []


def test_pages_are_left_alone_until_something_changes(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    mind.memory.store("Once", store="long_term")
    mind.memory.materialise()
    page = tmp_path / "MEMORY.md"
    page.unlink()
    mind.memory.materialise()
    assert not page.exists()
    mind.memory.store("Twice", store="long_term")
    mind.memory.materialise()
    assert "Once" in page.read_text()


def test_a_consolidation_waits_for_no_page(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    mind.memory.store_many([{"content": f"Churn {n}", "importance": 0.9, "tags": ["churn"]} for n in range(3)])
    (merged,) = mind.memory.consolidate().promoted
    assert not (tmp_path / "MEMORY.md").exists()
    mind.memory.materialise()
    assert merged.id in (tmp_path / "MEMORY.md").read_text()


def test_pages_that_a_killed_process_left_behind_are_written_by_the_next(tmp_path: Path) -> None:
    first = Remembering(tmp_path)
    first.memory.store("Once", store="long_term")
    first.memory.materialise()
    first.memory.store("Twice", store="long_term")
    assert "Twice" not in (tmp_path / "MEMORY.md").read_text()
    Remembering(tmp_path).memory.materialise()
    assert "Twice" in (tmp_path / "MEMORY.md").read_text()
    assert "Twice" in (tmp_path / "memory/mabos-memory-items.md").read_text()


def test_pages_that_say_all_are_left_as_they_are_by_the_next_process_unless_one_is_lost(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    mind.memory.store("Once", store="long_term")
    mind.memory.materialise()
    page = tmp_path / "MEMORY.md"
    edited = "Ask the bank first.\n" + page.read_text()
    page.write_text(edited)
    mind = mind.reopened()
    mind.memory.materialise()
    assert page.read_text() == edited
    page.unlink()
    mind.reopened().memory.materialise()
    assert "Once" in page.read_text()


def test_where_case_is_ignored_the_page_has_a_name_of_its_own(tmp_path: Path) -> None:
    assert materialise.long_term_file(tmp_path).name == "MEMORY.md"
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY").mkdir()  # what such a file system would find
    assert materialise.long_term_file(tmp_path).name == "MEMORY-long-term.md"


def test_what_a_person_writes_into_the_page_stays(tmp_path: Path) -> None:
    mind = Remembering(tmp_path)
    first = mind.memory.store("Runway is nine months", type="fact", store="long_term")
    mind.memory.materialise()
    page = tmp_path / "MEMORY.md"
    edited = page.read_text().replace("nine months", "ten months")
    page.write_text("Ask the bank first.\n" + edited + "\n- Ana prefers mornings\n")
    for number in range(2):
        mind.memory.store(f"Later {number}", store="long_term")
        mind.memory.materialise()
    lines = page.read_text().splitlines()
    assert f"- **2026-02-24** [fact] Runway is nine months ({first.id})" in lines
    notes = lines[lines.index("## Notes") :]
    wanted = ["- **2026-02-24** [fact] Runway is ten months", "Ask the bank first.", "- Ana prefers mornings"]
    assert [line for line in notes[1:] if line] == wanted


def test_a_page_that_was_there_before_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# About me\n\nI keep the books.\n")
    mind = Remembering(tmp_path)
    mind.memory.store("Runway is nine months", store="long_term")
    mind.memory.materialise()
    assert "# About me\n\nI keep the books." in (tmp_path / "MEMORY.md").read_text()
