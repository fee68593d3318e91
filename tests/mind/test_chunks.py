"""A large belief file is cleaned in chunks and loses nothing else."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.beliefs import CleanedBeliefs, clean, split_chunks
from mabos.mind.maintenance import MindState, apply, maintain
from mabos.workspace.clock import iso
from tests.mind.examples import NOW, a_mind, believe


def sections(count: int) -> str:
    return "# Beliefs\n\n" + "".join(f"## Thing {n}\nThing {n} has come.\nCertainty: 0.5\n\n" for n in range(count))


def maintained(folder: Path, text: str) -> tuple[str, int, int]:
    """Return what a heartbeat leaves of the text of Beliefs.md, how many it removed, and in how many chunks."""
    (folder / "Beliefs.md").write_text(text)
    mind, _ = a_mind(folder)
    found = maintain(MindState.of(mind), NOW)
    apply(mind, found)
    mind.store.close()
    return (folder / "Beliefs.md").read_text(), found.result.beliefs_pruned, found.result.chunks_processed


@pytest.mark.parametrize(("count", "chunks"), [(0, 1), (1, 1), (30, 1), (50, 1), (51, 2), (75, 2), (100, 2), (120, 3)])
def test_fifty_sections_are_one_chunk(count: int, chunks: int) -> None:
    beliefs = [believe(f"It is of kind {n}") for n in range(count)]
    assert clean(beliefs, NOW) == CleanedBeliefs((), (), (), chunks)
    assert [one for chunk in split_chunks(beliefs) for one in chunk] == beliefs


def test_a_file_without_sections_is_one_chunk(tmp_path: Path) -> None:
    text = "Just some notes.\nCertainty: 0.9\n"
    assert maintained(tmp_path, text) == (text, 0, 1)


def test_expired_and_repeated_beliefs_go_also_across_chunks_and_nothing_else_does(tmp_path: Path) -> None:
    again = "## Thing 3\nThing 3 has come.\nCertainty: 0.4\n\n"
    past = "## Old\nA promotion runs.\nExpires: 2026-02-01\n\n"
    broken = "## Broken\nCertainty: very\n"
    text, removed, chunks = maintained(tmp_path, sections(120) + past + again + broken)
    assert (removed, chunks) == (2, 3)
    assert text == sections(120) + broken


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
    beliefs = [believe(f"About {name}", id=str(number)) for number, name in enumerate(names)]
    once = clean(beliefs, NOW, chunk_size=size)
    assert len(once.duplicates) == len(names) - len(set(names))
    kept = [belief for belief in beliefs if belief not in once.duplicates]
    assert clean(kept, NOW, chunk_size=size).duplicates == ()
