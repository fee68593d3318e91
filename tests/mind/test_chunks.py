"""A large belief file is cleaned in chunks and loses nothing else."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.chunks import Cleaner, Processed, clean, process_in_chunks
from tests.mind.examples import NOW, believe
from workspace.clock import iso


def sections(count: int) -> str:
    return "# Beliefs\n\n" + "".join(f"## Thing {n}\nIt is of kind {n}.\nCertainty: 0.7\n\n" for n in range(count))


@pytest.mark.parametrize(("count", "chunks"), [(0, 1), (1, 1), (30, 1), (50, 1), (51, 2), (75, 2), (100, 2), (120, 3)])
def test_fifty_sections_are_one_chunk(count: int, chunks: int) -> None:
    calls: list[str] = []

    def processor(text: str) -> Processed:
        calls.append(text)
        return Processed(text, 0)

    result = process_in_chunks(sections(count), processor)
    assert (result.chunks_processed, len(calls)) == (chunks, chunks)
    assert result.text == sections(count)


def test_a_file_without_sections_is_one_chunk() -> None:
    result = process_in_chunks("Just some notes.\nCertainty: 0.9\n", Cleaner(NOW))
    assert (result.chunks_processed, result.total_pruned, result.text) == (1, 0, "Just some notes.\nCertainty: 0.9\n")


def test_expired_and_repeated_beliefs_go_also_across_chunks_and_nothing_else_does() -> None:
    again = "## Thing 3\nIt is of kind 3.\nCertainty: 0.9\n\n"
    past = "## Old\nA promotion runs.\nExpires: 2026-02-01\n\n"
    broken = "## Broken\nCertainty: very\n\n"
    result = process_in_chunks(sections(120) + past + broken + again, Cleaner(NOW))
    assert (result.total_pruned, result.chunks_processed) == (2, 3)
    assert result.text == sections(120) + broken


def test_of_two_twins_the_more_certain_stays_and_takes_over_the_evidence() -> None:
    weak = believe("It rains", 0.6, id="1", source="radar", evidence=("a",))
    strong = believe("it rains.", 0.9, id="2", source="window", evidence=("b",))
    found = clean([weak, strong], NOW)
    assert [belief.id for belief in found.duplicates] == ["1"]
    assert [(belief.id, belief.evidence) for belief in found.changed] == [("2", ("b", "a", "radar"))]


def test_a_belief_expires_at_its_moment_and_a_date_at_its_end() -> None:
    now = iso(NOW)
    later = iso(NOW + timedelta(seconds=1))
    beliefs = [
        believe(expires, id=expires, expires=expires) for expires in (now, later, "2026-02-24", "2026-02-23", "soon")
    ]
    assert [belief.id for belief in clean(beliefs, NOW).expired] == [now, "2026-02-23"]


@given(st.lists(st.sampled_from("abc"), max_size=9), st.integers(1, 4))
def test_cleaning_twice_finds_nothing_more(names: list[str], size: int) -> None:
    text = "".join(f"## {name}\nAbout {name}.\n\n" for name in names)
    once = process_in_chunks(text, Cleaner(NOW), chunk_size=size)
    assert once.total_pruned == len(names) - len(set(names))
    assert process_in_chunks(once.text, Cleaner(NOW), chunk_size=size).text == once.text
